package loopback

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// gemini is Google's generateContent.
type gemini struct{}

type geminiRequest struct {
	Contents []struct {
		Role  string
		Parts []struct {
			Text             string
			Thought          bool
			FunctionCall     *struct{ Name string }
			FunctionResponse *struct{ Name string }
		}
	}
	Tools []struct {
		FunctionDeclarations []struct {
			Name                 string
			Parameters           schema
			ParametersJSONSchema schema `json:"parametersJsonSchema"`
		}
	}
}

func (gemini) decode(r *http.Request, body []byte) (query, error) {
	var req geminiRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return query{}, fmt.Errorf("decoding a generateContent request: %w", err)
	}
	q, err := geminiCall(r)
	if err != nil {
		return q, err
	}
	last := ""
	for _, c := range req.Contents {
		said, result := "", false
		for _, p := range c.Parts {
			said += p.Text
			result = result || p.FunctionResponse != nil
		}
		if c.Role != "model" && said != "" && !result { // texts beside a tool's result are the client's own
			q.prompt, q.answers = said, 0
		}
		if c.Role == "model" && last != "model" {
			q.answers++
		}
		last = c.Role
	}
	for _, t := range req.Tools {
		for _, f := range t.FunctionDeclarations {
			offered := tool{name: f.Name, schema: f.ParametersJSONSchema}
			if offered.schema.Properties == nil {
				offered.schema = f.Parameters
			}
			q.tools = append(q.tools, offered)
		}
	}
	return q, nil
}

// geminiCall reads the end of the path, which is model:method.
func geminiCall(r *http.Request) (query, error) {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	switch method {
	case "generateContent", "countTokens":
		return query{model: model}, nil
	case "streamGenerateContent":
		if r.URL.Query().Get("alt") != "sse" {
			return query{}, errors.New("streams are answered with alt=sse only")
		}
		return query{model: model, stream: true}, nil
	}
	return query{}, fmt.Errorf("the method %q is not known", method)
}

func (gemini) chunk(r reply, parts []any, finish bool) map[string]any {
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	if finish {
		candidate["finishReason"] = "STOP" // with calls too
	}
	return map[string]any{"candidates": []any{candidate}, "modelVersion": r.model,
		"responseId": fmt.Sprintf("loopback-%d", r.seq), "totalTokens": tokensIn, // totalTokens is the answer to countTokens
		"usageMetadata": map[string]any{"promptTokenCount": tokensIn, "candidatesTokenCount": tokensOut, "totalTokenCount": tokensIn + tokensOut}}
}

func (gemini) calls(r reply) (parts []any) {
	for _, c := range r.calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"id": c.id, "name": c.name, "args": json.RawMessage(c.args)}})
	}
	return parts
}

func (g gemini) encode(r reply) any {
	parts := []any{}
	if r.text != "" {
		parts = append(parts, map[string]any{"text": r.text})
	}
	return g.chunk(r, append(parts, g.calls(r)...), true)
}

func (g gemini) stream(r reply, _ query, send emit) {
	for _, piece := range pieces(r.text) {
		send("", encoded(g.chunk(r, []any{map[string]any{"text": piece}}, false)))
	}
	parts := g.calls(r)
	if parts == nil {
		parts = []any{map[string]any{"text": ""}}
	}
	send("", encoded(g.chunk(r, parts, true)))
}

func (s *Server) geminiModels(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{"models": []any{map[string]any{"name": "models/" + s.script.model(), "displayName": s.script.model(),
		"supportedGenerationMethods": []string{"generateContent", "countTokens"}}}})
}
