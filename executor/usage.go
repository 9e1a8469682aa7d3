package executor

import "github.com/d3mlabs/ai-flow/acpclient"

// Usage counts tokens, as the agent counted them; 0 where it said nothing.
type Usage struct{ Input, Output, CachedRead, CachedWrite, Total int64 }

// Cost is what the agent says the launch cost; the zero value when it said nothing. Nothing is worked out from tokens, and
// no provider's credits or multipliers are turned into money (A2-32).
type Cost struct {
	Amount   float64
	Currency string // as in ISO 4217
}

// account adds up what an agent says it used. It says so in up to four places, which count the same tokens, so exactly one
// of them counts for each prompt:
//
//  1. the prompt's answer. In copilot-1.0.88/L it has 44 tokens in, which are the four assistant.usage events of that turn,
//     those of the subagent among them; so with an answer the events are not added.
//  2. where the answer has none, or never came, the sum over the requests to the model: Copilot's assistant.usage events,
//     and the _meta.usage of Qwen's chunks.
//
// The size of the context (usage_update.used: 9779 in that transcript) is no use of tokens and never counts; only the cost
// beside it does, which is the session's so far: in claude/C it goes from 0.000414 to 0.00069 USD, and the last one stands.
//
// Whether the answer counts its prompt or the session so far differs, and the numbers do not tell. The second prompt of
// claude/C and codex/C is answered with 11 after 22; that of copilot-1.0.88/C, one request, with 22 after 11. The profile
// knows; an agent without that mark is taken to count its prompts, as most do.
type account struct {
	total Usage
	spent acpclient.Usage // of the requests since the prompt went out
	cost  Cost
	model string // that answered the agent's own last request
}

// request adds one request to the model.
func (a *account) request(u acpclient.Usage) { a.spent = a.spent.Plus(u) }

// settle closes the account of one prompt.
func (a *account) settle(answer acpclient.Usage, running bool) {
	spent := a.spent
	a.spent = acpclient.Usage{}
	switch {
	case answer == (acpclient.Usage{}):
		answer = spent
	case running:
		a.total = a.total.most(Usage(answer))
		return
	}
	a.total = a.total.Plus(Usage(answer))
}

// Plus adds counters up. A sum that no honest agent reaches stays where it is, so that none becomes negative.
func (u Usage) Plus(n Usage) Usage { return Usage(acpclient.Usage(u).Plus(acpclient.Usage(n))) }

// most takes the larger number of each counter.
func (u Usage) most(n Usage) Usage {
	return Usage{Input: max(u.Input, n.Input), Output: max(u.Output, n.Output), CachedRead: max(u.CachedRead, n.CachedRead),
		CachedWrite: max(u.CachedWrite, n.CachedWrite), Total: max(u.Total, n.Total)}
}

// price takes the cost of the session so far, which does not fall.
func (a *account) price(c acpclient.Cost) {
	if c != (acpclient.Cost{}) && !(c.Currency == a.cost.Currency && c.Amount < a.cost.Amount) {
		a.cost = Cost(c)
	}
}

// used settles a prompt, answered or not.
func (t *turn) used(answer acpclient.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.account.settle(answer, t.profile.UsageRuns)
}
