package github

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// fate is the closed set of what becomes of a try.
type fate uint8

const (
	fine    fate = iota
	refused      // GitHub said no: nothing happened
	limited      // too much was asked: nothing happened
	stale        // the token is no longer good: nothing happened
	unsent       // the request did not leave: nothing happened
	broken       // no answer, or a failure of GitHub's own: it may have happened
	garbled      // it was answered with success, in a way that cannot be read and would not be better again
)

// fate judges an answer. What is not known to be without effect is broken.
func (a *answer) fate(graphql bool) fate {
	switch {
	case errors.Is(a.err, errElsewhere) || errors.Is(a.err, errHops) || errors.Is(a.err, errNowhere):
		return refused
	case errors.Is(a.err, errTooLarge):
		return garbled
	case a.err != nil && neverLeft(a.err):
		return unsent
	case a.err != nil || a.status >= 500 || a.status == http.StatusRequestTimeout:
		return broken
	case a.ok() && graphql:
		return a.graphqlFate()
	case a.ok():
		return fine
	case a.status == http.StatusUnauthorized:
		return stale
	case a.status == http.StatusTooManyRequests || a.status == http.StatusForbidden && a.isLimit():
		return limited
	}
	return refused
}

// neverLeft knows the errors that come before a connection stands. Whatever it does not know may have been sent: a trace of
// the connection was rejected, since a transport that does not support one would make everything look unsent.
func neverLeft(err error) bool {
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	var noTLS tls.RecordHeaderError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") || errors.As(err, &certificate) || errors.As(err, &noTLS)
}

// isLimit tells a limit from a missing permission: both are 403 (H6-05). Secondary limits may come without any header, only
// the body says so (H7-08).
func (a *answer) isLimit() bool {
	return a.header.Get("Retry-After") != "" || a.header.Get("X-Ratelimit-Remaining") == "0" || limitWords(string(a.body))
}

func limitWords(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "secondary rate limit") || strings.Contains(s, "rate limit exceeded") || strings.Contains(s, "abuse detection")
}

// graphqlFate looks into an answer of GraphQL, where limits and failures come with status 200.
func (a *answer) graphqlFate() fate {
	var peek struct{ Errors []graphqlError }
	if json.Unmarshal(a.body, &peek) != nil {
		return fine // what is wrong with it is said where it is decoded
	}
	for _, e := range peek.Errors {
		switch {
		case e.Type == "RATE_LIMITED" || limitWords(e.Message):
			return limited
		case e.Type == "" && strings.HasPrefix(e.Message, "Something went wrong while executing your query"):
			return broken
		}
	}
	return fine
}

// The patience of one call.
const (
	maxTries    = 4               // of what is broken or did not leave
	maxLimits   = 3               // waits for limits
	maxPatience = 5 * time.Minute // of all waits together that GitHub asks for
)

// patience counts what one call has cost so far.
type patience struct {
	tries, limits int
	waited        time.Duration
	renewed       bool
}

// next decides whether a try is followed by another, and after how long. Waits that we choose have full jitter, so that jobs
// which failed together do not come back together.
func (p *patience) next(f fate, a *answer, may bool, now time.Time) (pause time.Duration, again bool) {
	if !may {
		return 0, false
	}
	switch f {
	case stale:
		again, p.renewed = !p.renewed, true
		return 0, again
	case limited:
		if p.limits++; p.limits > maxLimits {
			return 0, false
		}
		return p.asked(limitLasts(a.header, now, p.limits))
	}
	if p.tries++; p.tries >= maxTries {
		return 0, false
	}
	if asked, ok := retryAfter(a.header.Get("Retry-After"), clock(a.header, now)); ok {
		return p.asked(asked)
	}
	most := 500 * time.Millisecond << (2 * (p.tries - 1)) // 0.5, 2 and 8 s
	return rand.N(most) + 1, true
}

// asked is a wait that GitHub asked for, as long as the patience lasts. Up to a second more is added: whoever shares the
// limit was told the same time.
func (p *patience) asked(d time.Duration) (time.Duration, bool) {
	if d > maxPatience-p.waited {
		return 0, false
	}
	p.waited += d
	return d + rand.N(time.Second), true
}

// limitLasts is how long to wait for a limit for the nth time. Without a word about it, a minute, then two: what GitHub asks
// for of clients that hit a secondary limit.
func limitLasts(h http.Header, now time.Time, nth int) time.Duration {
	now = clock(h, now)
	if d, ok := retryAfter(h.Get("Retry-After"), now); ok {
		return max(d, time.Second)
	}
	reset, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64)
	if err == nil && h.Get("X-Ratelimit-Remaining") == "0" {
		return upTo(day, time.Unix(min(reset, 1<<40), 0).Sub(now)) + time.Second
	}
	return time.Minute << (nth - 1)
}

// clock is GitHub's own time, when it says it: moments that it names are of its clock.
func clock(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}

// retryAfter reads the header of that name, seconds or a date. ok is false when there is none that can be read. What is
// longer than a day is a day: nobody waits that long.
func retryAfter(v string, now time.Time) (d time.Duration, ok bool) {
	if n, err := strconv.ParseUint(strings.TrimSpace(v), 10, 64); err == nil {
		return time.Duration(min(n, uint64(day/time.Second))) * time.Second, true
	}
	t, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	return upTo(day, t.Sub(now)), true
}

const day = 24 * time.Hour

func upTo(most, d time.Duration) time.Duration { return min(max(d, 0), most) }
