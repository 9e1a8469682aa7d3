package loopback

import "maps"

// stream sends the events of each item as the API documents them. Codex acts on the done ones alone; others build an
// answer from the deltas.
func (d responses) stream(r reply, _ query, send emit) {
	s := itemStream{send: send}
	s.event("response.created", map[string]any{"response": d.whole(r, "in_progress", []any{})})
	if r.text != "" {
		s.message(r)
	}
	for _, c := range r.calls {
		s.call(c)
	}
	s.event("response.completed", map[string]any{"response": d.encode(r)})
}

// itemStream numbers events, and the items of an answer.
type itemStream struct {
	send          emit
	events, index int
}

func (s *itemStream) event(kind string, with map[string]any) {
	with["type"], with["sequence_number"] = kind, s.events
	s.events++
	s.send(kind, encoded(with))
}

// item sends an item, first unfinished with what of it is replaced, then whole.
func (s *itemStream) item(whole, unfinished map[string]any, between func(at func(map[string]any) map[string]any)) {
	begun := maps.Clone(whole)
	begun["status"] = "in_progress"
	maps.Copy(begun, unfinished)
	s.event("response.output_item.added", map[string]any{"output_index": s.index, "item": begun})
	between(func(with map[string]any) map[string]any {
		with["item_id"], with["output_index"] = whole["id"], s.index
		return with
	})
	s.event("response.output_item.done", map[string]any{"output_index": s.index, "item": whole})
	s.index++
}

func (s *itemStream) message(r reply) {
	s.item(r.messageItem(), map[string]any{"content": []any{}}, func(at func(map[string]any) map[string]any) {
		part := func(text string) map[string]any {
			return map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
		}
		s.event("response.content_part.added", at(map[string]any{"content_index": 0, "part": part("")}))
		for _, piece := range pieces(r.text) {
			s.event("response.output_text.delta", at(map[string]any{"content_index": 0, "delta": piece}))
		}
		s.event("response.output_text.done", at(map[string]any{"content_index": 0, "text": r.text}))
		s.event("response.content_part.done", at(map[string]any{"content_index": 0, "part": part(r.text)}))
	})
}

func (s *itemStream) call(c namedCall) {
	member, events := "arguments", "response.function_call_arguments."
	switch c.kind {
	case localShell: // has no pieces
		s.item(c.item(), nil, func(func(map[string]any) map[string]any) {})
		return
	case custom:
		member, events = "input", "response.custom_tool_call_input."
	}
	s.item(c.item(), map[string]any{member: ""}, func(at func(map[string]any) map[string]any) {
		for _, piece := range pieces(c.args) {
			s.event(events+"delta", at(map[string]any{"delta": piece}))
		}
		s.event(events+"done", at(map[string]any{member: c.args}))
	})
}
