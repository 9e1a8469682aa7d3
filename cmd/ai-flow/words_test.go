package main

import (
	"os/exec"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// TestShellWord lets a real shell read back what a person would paste.
func TestShellWord(t *testing.T) {
	testsupport.Tools(t, "sh")
	for _, word := range []string{"", "plain/a.b-c_1", "a b", "it's", "$(id)", "`id`", "a;b", "a\nb", "-x", "~", "*", "é", `"`, `\`, "#c", "a&b", "=x", "!x"} {
		out, err := exec.Command("sh", "-c", "printf %s "+shellWords([]string{word})).CombinedOutput()
		if word == "-x" { // an option of printf itself
			out, err = exec.Command("sh", "-c", "printf %s -- "+shellWord(word)).CombinedOutput()
			word = "--" + word
		}
		if err != nil || string(out) != word {
			t.Errorf("a shell reads %q from %s, want %q (%v)", out, shellWord(word), word, err)
		}
	}
}
