package commands

import (
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// addUsage adds a further pass. Each pass is a session of its own, so both tokens and prices add up; a price in another
// currency cannot, and then the last pass's counts.
func addUsage(sum *executor.Report, p executor.Report) {
	sum.Usage = sum.Usage.Plus(p.Usage)
	switch p.Cost.Currency {
	case "":
	case sum.Cost.Currency:
		sum.Cost.Amount += p.Cost.Amount
	default:
		sum.Cost = p.Cost
	}
	sum.Subagents = append(sum.Subagents[:len(sum.Subagents):len(sum.Subagents)], p.Subagents...)
	sum.ProviderFiles = append(sum.ProviderFiles[:len(sum.ProviderFiles):len(sum.ProviderFiles)], p.ProviderFiles...)
}

func usage(r executor.Report) render.Usage {
	return render.Usage{Input: r.Usage.Input, Output: r.Usage.Output, CachedRead: r.Usage.CachedRead, CachedWrite: r.Usage.CachedWrite,
		Total: r.Usage.Total, Cost: r.Cost.Amount, Currency: r.Cost.Currency}
}

// reportUsage is what the agent says it used.
type reportUsage struct {
	Input       int64       `json:"input"`
	Output      int64       `json:"output"`
	CachedRead  int64       `json:"cached_read"`
	CachedWrite int64       `json:"cached_write"`
	Total       int64       `json:"total"`
	Cost        *reportCost `json:"cost"` // null when the agent named none
}

type reportCost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

type reportSubagent struct {
	Name   string `json:"name"`
	Model  string `json:"model"`
	Status string `json:"status"`
	Call   string `json:"call"` // id of the call that started it
	Millis int64  `json:"duration_ms"`
	Tokens int64  `json:"tokens"` // as the agent says; part of the usage
}

func usageReported(r executor.Report) reportUsage {
	u := reportUsage{Input: r.Usage.Input, Output: r.Usage.Output, CachedRead: r.Usage.CachedRead, CachedWrite: r.Usage.CachedWrite, Total: r.Usage.Total}
	if r.Cost.Amount > 0 {
		u.Cost = &reportCost{r.Cost.Amount, short(r.Cost.Currency)}
	}
	return u
}

func subagentReported(s executor.Subagent) reportSubagent {
	return reportSubagent{short(s.Name), short(s.Model), short(s.Status), short(s.Call), s.Took.Milliseconds(), s.Tokens}
}
