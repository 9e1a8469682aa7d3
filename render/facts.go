package render

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// bytesOf says a size for people.
func bytesOf(n int) string {
	switch {
	case n < 10_000:
		return strconv.Itoa(n) + " bytes"
	case n < 10<<20:
		return strconv.Itoa(n>>10) + " KiB"
	}
	return strconv.Itoa(n>>20) + " MiB"
}

// tokens says a number of tokens in thousands, as a reader compares them.
func tokens(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 10_000:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1000, 'f', 1, 64), ".0") + " k"
	case n < 1_000_000:
		return strconv.FormatInt((n+500)/1000, 10) + " k"
	}
	return strconv.FormatFloat(float64(n)/1_000_000, 'f', 1, 64) + " M"
}

// took says a duration in its two largest units.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// times says how often, for more than once.
func times(n int) string {
	switch {
	case n <= 1:
		return ""
	case n == 2:
		return "twice"
	}
	return strconv.Itoa(n) + " times"
}

// plural is "1 want", "2 wants".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
