package commands

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestDearComments: any stranger's comment is parsed before anybody asks who wrote it, so no shape of one may cost more than
// a moment. Each of these took seconds, or gigabytes.
func TestDearComments(t *testing.T) {
	shapes := map[string]string{
		"a wide and long table": "/ask x\n\n" + strings.Repeat("|a", 3000) + "\n" + strings.Repeat("|-", 3000) + "\n" + strings.Repeat("|x\n", 17000),
		"the same in a quote":   "/ask x\n\n> " + strings.Repeat("|a", 3000) + "\n> " + strings.Repeat("|-", 3000) + "\n" + strings.Repeat("> |x\n", 9000),
		"emphasis":              "/ask x\n" + strings.Repeat("*a_", 20000),
		"brackets":              "/ask x\n" + strings.Repeat("[", 60000),
		"quotes":                "/ask x\n\n" + strings.Repeat(">", 60000),
	}
	for name, body := range shapes {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, err := Parse(body, "")
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Reason != TooLarge {
				t.Errorf("%v", err)
			}
			if took := time.Since(began); took > 5*time.Second { // a stuck parser takes a minute; the figure is no benchmark
				t.Errorf("it took %v", took)
			}
		})
	}
	honest := "/ask x\n\n" + strings.Repeat("|a", 30) + "\n" + strings.Repeat("|-", 30) + "\n" + strings.Repeat(strings.Repeat("|x", 30)+"\n", 900)
	if c, err := Parse(honest, ""); err != nil || len(c.Segments) != 1 {
		t.Errorf("a large honest table: %v, %v", c.Segments, err)
	}
}
