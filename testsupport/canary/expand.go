package canary

import (
	"encoding/json"
	"regexp"
)

// placeholder stands for a variable of the environment in a form: "{{canary base64 GH_TOKEN}}".
var placeholder = regexp.MustCompile(`\{\{canary ([A-Za-z0-9-]+) ([A-Z_][A-Z0-9_]*)\}\}`)

// Expand fills in the placeholders of a JSON text, each within a string of it: the secrets of an agent that carries out its own
// are known only where it runs. A variable that is not set is the word "unset"; of what is shorter than a canary nothing is cut
// off.
func Expand(text []byte, getenv func(string) string) []byte {
	return placeholder.ReplaceAllFunc(text, func(p []byte) []byte {
		m := placeholder.FindSubmatch(p)
		value := getenv(string(m[2]))
		if len(value) < shortest {
			value = "unset"
		} else {
			value = Write(Form(m[1]), value)
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			panic(err) // a string always can
		}
		return quoted[1 : len(quoted)-1]
	})
}

// Place is the placeholder of a variable in a form.
func Place(f Form, variable string) string { return "{{canary " + string(f) + " " + variable + "}}" }
