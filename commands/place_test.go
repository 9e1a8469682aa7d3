package commands

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport/placetest"
)

// The file of `ai-flow try` and the fakes of these tests are places like any other.
func TestPlacesKeepTheContract(t *testing.T) {
	t.Run("file", func(t *testing.T) {
		placetest.Check(t, func(t *testing.T, body string) placetest.Place {
			path := filepath.Join(t.TempDir(), "plan.md")
			write := func(body string) {
				if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(body)
			return contractOf(File{Path: path}, write)
		})
	})
	t.Run("moving", func(t *testing.T) {
		placetest.Check(t, func(_ *testing.T, body string) placetest.Place {
			p := &movingPlace{body: body}
			return contractOf(p, func(body string) { p.body = body })
		})
	})
	t.Run("faulty", func(t *testing.T) {
		placetest.Check(t, func(_ *testing.T, body string) placetest.Place {
			p := &faultyPlace{body: body}
			return contractOf(p, func(body string) { p.body = body })
		})
	})
}

// contractOf is a place as the contract sees it. Each write is announced before, as every caller does.
func contractOf(p Place, behind func(string)) placetest.Place {
	return placetest.Place{
		Read: func(ctx context.Context) (string, error) {
			d, err := p.Document(ctx)
			return d.Body, err
		},
		Replace: func(ctx context.Context, was, now string) error {
			if err := p.Announce(ctx, render.Result{}, was, now); err != nil {
				return err
			}
			return p.Replace(ctx, was, now)
		},
		Behind: behind, Moved: ErrMoved,
	}
}
