package fakegithub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// answer is what a handler of REST says.
type answer struct {
	status int
	body   any // marshalled as JSON; nil: no body
	header map[string]string
}

// object is a JSON object.
type object = map[string]any

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

// fail is an error with GitHub's words.
func fail(status int, message string) answer {
	return answer{status: status, body: problem(status, message)}
}

// problem is an error as GitHub writes it.
func problem(status int, message string) object {
	return object{"message": message, "documentation_url": "https://docs.github.com/rest", "status": fmt.Sprint(status)}
}

func notFound() answer { return fail(http.StatusNotFound, "Not Found") }

func forbidden() answer {
	return fail(http.StatusForbidden, "Resource not accessible by integration")
}

// invalid is a refusal of one field.
func invalid(resource, field, code, message string) answer {
	a := fail(http.StatusUnprocessableEntity, "Validation Failed")
	a.body.(object)["errors"] = []any{object{"resource": resource, "field": field, "code": code, "message": message}}
	return a
}

// send writes an answer and returns its status.
func send(w http.ResponseWriter, a answer) int {
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.body == nil {
		w.WriteHeader(a.status)
		return a.status
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(a.status)
	_, _ = w.Write(encode(a.body)) // a client that is gone needs no answer
	return a.status
}

// encode marshals what the fake made itself, which cannot fail.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // as GitHub
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// decode reads one JSON value.
func decode(data []byte) (v any, err error) {
	err = json.Unmarshal(data, &v)
	return v, err
}
