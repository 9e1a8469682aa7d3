package commands

import (
	"testing"

	"github.com/d3mlabs/ai-flow/executor"
)

// Prices add up in one currency; what cannot be added up is not made up.
func TestPricesAddUp(t *testing.T) {
	for _, c := range []struct{ sum, pass, want executor.Cost }{
		{executor.Cost{}, executor.Cost{}, executor.Cost{}},
		{executor.Cost{Amount: 1, Currency: "USD"}, executor.Cost{}, executor.Cost{Amount: 1, Currency: "USD"}},
		{executor.Cost{}, executor.Cost{Amount: 2, Currency: "EUR"}, executor.Cost{Amount: 2, Currency: "EUR"}},
		{executor.Cost{Amount: 1, Currency: "USD"}, executor.Cost{Amount: 2, Currency: "USD"}, executor.Cost{Amount: 3, Currency: "USD"}},
		{executor.Cost{Amount: 1, Currency: "USD"}, executor.Cost{Amount: 2, Currency: "EUR"}, executor.Cost{Amount: 2, Currency: "EUR"}},
	} {
		r := executor.Report{Cost: c.sum}
		addUsage(&r, executor.Report{Cost: c.pass})
		if r.Cost != c.want {
			t.Errorf("%+v and %+v are %+v", c.sum, c.pass, r.Cost)
		}
	}
}
