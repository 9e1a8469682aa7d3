package acpclient

import (
	"math"
	"strings"
	"testing"
)

func TestCost(t *testing.T) {
	for in, want := range map[string]Cost{
		`{"amount":0.000414,"currency":"USD"}`:                            {0.000414, "USD"},
		`{"amount":2,"currency":"EUR"}`:                                   {2, "EUR"},
		`{"amount":0,"currency":"USD"}`:                                   {}, // no price that anybody knows
		`{"amount":` + strings.Repeat("0", 60) + `.125,"currency":"USD"}`: {Amount: 0.125, Currency: "USD"},
		`{"amount":` + strings.Repeat("0", 61) + `.125,"currency":"USD"}`: {}, // more digits than a price has
		`{"amount":-1,"currency":"USD"}`:                                  {},
		`{"amount":1e300,"currency":"USD"}`:                               {},
		`{"amount":1e999,"currency":"USD"}`:                               {},
		`{"amount":"1","currency":"USD"}`:                                 {},
		`{"amount":null,"currency":"USD"}`:                                {},
		`{"amount":[1],"currency":"USD"}`:                                 {},
		`{"amount":1}`:                                                    {},
		`{"amount":1,"currency":"usd"}`:                                   {},
		`{"amount":1,"currency":"US$"}`:                                   {},
		`{"amount":1,"currency":"USDT"}`:                                  {},
		`{"amount":1,"currency":7}`:                                       {},
		`null`:                                                            {}, `[]`: {}, `"1 USD"`: {},
	} {
		if got := decodeCost(value(in)); got != want {
			t.Errorf("%s gives %+v", in, got)
		}
	}
}

// Of the places where one answer counts its tokens exactly one counts.
func TestUsageOfATurn(t *testing.T) {
	for in, want := range map[string]Usage{
		`{"usage":{"inputTokens":22,"totalTokens":36},"_meta":{"quota":{"token_count":{"inputTokens":22,"totalTokens":36},"model_usage":[{"token_count":{"inputTokens":22,"totalTokens":36}},{"token_count":{"inputTokens":11,"totalTokens":18}}]}}}`: {Input: 33, Total: 54},
		`{"usage":{"inputTokens":22},"_meta":{"quota":{"token_count":{"inputTokens":23},"model_usage":[]}}}`:                                                                                                                                          {Input: 22},
		`{"_meta":{"quota":{"token_count":{"input_tokens":5,"output_tokens":6},"model_usage":[{"model":"x"}, 3, null, "x"]}}}`:                                                                                                                        {Input: 5, Output: 6},
		`{"usage":{"inputTokens":1099511627777,"outputTokens":1e30,"totalTokens":-1,"cachedReadTokens":1.5,"cachedWriteTokens":2}}`:                                                                                                                   {CachedWrite: 2},
		`{"usage":[],"_meta":{"quota":"x"}}`: {},
	} {
		if got := turnUsage(value(in)); got != want {
			t.Errorf("%s gives %+v", in, got)
		}
	}
}

func TestSumsStayPositive(t *testing.T) {
	most := Usage{math.MaxInt64 >> 2, 1 << 40, 1 << 59, 1 << 60, 1}
	sum := most
	for range 1000 {
		sum = sum.Plus(most)
	}
	if sum.Input != 1<<60 || sum.CachedWrite != 1<<60 || sum.Output != 1001<<40 || sum.Total != 1001 {
		t.Errorf("%+v", sum)
	}
}
