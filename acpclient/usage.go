package acpclient

import "strconv"

// The bounds of what is counted. More is no number of tokens, and no price, of one answer: it is taken for not said.
const (
	maxTokens = 1 << 40
	maxAmount = 1e9
)

// turnUsage is what a prompt's answer says of tokens. Agents put it in three places, and where there are several the
// first of these counts alone, since each repeats the others: _meta.quota.model_usage, one entry for each model; usage;
// _meta.quota.token_count. The list by models comes first because it alone has the requests that an agent makes beside
// the conversation: in the transcript claude/A usage has 36 tokens, the list 54, and the price that came with them,
// 0.000414 USD, is that of the 54.
func turnUsage(v value) Usage {
	quota := v.at("_meta", "quota")
	var sum Usage
	for n, e := 0, quota.get("model_usage").elements(); e.next() && n < maxList; n++ {
		sum = sum.Plus(decodeUsage(e.val.get("token_count")))
	}
	if sum != (Usage{}) {
		return sum
	}
	if u := decodeUsage(v.get("usage")); u != (Usage{}) {
		return u
	}
	return decodeUsage(quota.get("token_count"))
}

// decodeUsage reads counters under the names that agents give them.
func decodeUsage(v value) (u Usage) {
	for m := v.members(); m.next(); {
		switch n := m.val.tokens(); string(m.key) {
		case "inputTokens", "input_tokens":
			u.Input = n
		case "outputTokens", "output_tokens":
			u.Output = n
		case "cachedReadTokens", "cached_read_tokens", "cachedInputTokens", "cacheReadTokens":
			u.CachedRead = n
		case "cachedWriteTokens", "cached_write_tokens", "cacheWriteInputTokens", "cacheWriteTokens":
			u.CachedWrite = n
		case "totalTokens", "total_tokens":
			u.Total = n
		}
	}
	return u
}

// Plus adds counters up. A sum that no honest agent reaches stays where it is, so that none becomes negative.
func (u Usage) Plus(n Usage) Usage {
	add := func(a, b int64) int64 { return min(a+b, 1<<60) }
	return Usage{Input: add(u.Input, n.Input), Output: add(u.Output, n.Output), CachedRead: add(u.CachedRead, n.CachedRead),
		CachedWrite: add(u.CachedWrite, n.CachedWrite), Total: add(u.Total, n.Total)}
}

// tokens is a count within its bound, else 0.
func (v value) tokens() int64 {
	if n := v.count(); n <= maxTokens {
		return n
	}
	return 0
}

// decodeCost reads a price. One of 0 is none: agents say it of models whose price they do not know.
func decodeCost(v value) Cost {
	currency, _ := v.get("currency").text()
	amount := v.get("amount")
	if len(currency) != 3 || len(amount) > 64 {
		return Cost{}
	}
	for _, c := range []byte(currency) {
		if c < 'A' || c > 'Z' {
			return Cost{}
		}
	}
	n, err := strconv.ParseFloat(string(amount), 64)
	if err != nil || !(n > 0) || n > maxAmount {
		return Cost{}
	}
	return Cost{Amount: n, Currency: currency}
}
