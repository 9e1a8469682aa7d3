package dispatch

import (
	"context"
	"testing"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/testsupport/placetest"
)

// TestPlaceKeepsItsContract: the description of an issue is a place like any other.
func TestPlaceKeepsItsContract(t *testing.T) {
	placetest.Check(t, func(t *testing.T, body string) placetest.Place {
		s := newStage(t)
		n := s.repo.Issue("ann", "A title", body)
		r := &running{Job: s.job(s.repo.Comment(n, "ann", "/edit x"))}
		p := &place{running: r, read: true, name: "the description"}
		return placetest.Place{
			Read: func(ctx context.Context) (string, error) {
				d, err := p.Document(ctx)
				return d.Body, err
			},
			Replace: p.Replace, Behind: func(body string) { s.repo.SetBody(n, "ida", body) }, Moved: commands.ErrMoved,
		}
	})
}
