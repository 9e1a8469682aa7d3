package doctor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"
)

const (
	maxTries   = 4000
	maxPlan    = 4 << 20  // bytes of a plan
	maxAnswers = 32 << 20 // bytes of all answers
	maxData    = 1 << 20  // bytes of the Data of one
	maxNames   = 1000     // of one
	maxName    = 4 << 10  // bytes of one of the Names
	maxShown   = 200      // bytes of foreign text in a finding
)

// answer is one line of the answers. They come as they are made, so that one that never comes costs only itself.
type answer struct {
	N int
	outcome
}

func encodePlan(tries []attempt) ([]byte, error) {
	text, err := json.Marshal(tries)
	if err == nil && (len(tries) > maxTries || len(text) > maxPlan) {
		err = fmt.Errorf("%d attempts of %d bytes are too many", len(tries), len(text))
	}
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	return text, nil
}

func decodePlan(in io.Reader) ([]attempt, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxPlan+1))
	if err == nil && len(text) > maxPlan {
		err = fmt.Errorf("longer than %d bytes", maxPlan)
	}
	var tries []attempt
	if err == nil {
		err = json.Unmarshal(text, &tries)
	}
	if err == nil && len(tries) > maxTries {
		err = fmt.Errorf("more than %d attempts", maxTries)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}
	return tries, nil
}

// decodeAnswers reads the agent's word. A line that is no answer, or a second answer to the same, spoils the rest: whoever
// sends it is not what we started.
func decodeAnswers(text []byte, tries int) (got map[int]outcome, err error) {
	got = map[int]outcome{}
	if len(text) > maxAnswers {
		return got, fmt.Errorf("the answers are longer than %d bytes", maxAnswers)
	}
	lines := bufio.NewReaderSize(bytes.NewReader(text), 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return got, unfinished(line)
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			return map[int]outcome{}, fmt.Errorf("an answer that is none: %s", excerpt(line))
		}
		if _, twice := got[a.N]; twice || a.N < 0 || a.N >= tries {
			return map[int]outcome{}, fmt.Errorf("an answer to nothing: number %d", a.N)
		}
		if err := a.check(); err != nil {
			return map[int]outcome{}, err
		}
		got[a.N] = a.outcome
	}
}

func unfinished(line []byte) error {
	if len(line) == 0 {
		return nil
	}
	return fmt.Errorf("the last answer is cut: %s", excerpt(line))
}

// errorName is what [failed] makes: a name of the kernel's or a number.
var errorName = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,20}$|^errno [0-9]{1,5}$|^$`)

func (o outcome) check() error {
	switch {
	case !errorName.MatchString(o.Error):
		return fmt.Errorf("an answer with an error that is none: %.80q", o.Error)
	case o.Done && o.Error != "", len(o.Data) > maxData, len(o.Names) > maxNames:
		return errors.New("an answer that is larger than it may be, or contradicts itself")
	}
	for _, n := range o.Names {
		if len(n) > maxName {
			return errors.New("an answer with a name that is too long")
		}
	}
	return nil
}

// excerpt is the start of foreign text, quoted and bounded.
func excerpt[T ~string | ~[]byte](said T) string {
	text := bytes.TrimSpace([]byte(said))
	if len(text) > maxShown {
		text = text[:maxShown]
		for len(text) > 0 && !utf8.Valid(text) && len(text) > maxShown-utf8.UTFMax {
			text = text[:len(text)-1]
		}
	}
	return fmt.Sprintf("%q", text)
}
