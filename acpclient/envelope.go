package acpclient

import (
	"bytes"
	"unicode/utf8"
)

// kind is the closed set of what a line can be.
type kind uint8

const (
	noise kind = iota
	request
	notification
	answer
)

// message is one line of the protocol. Its values point into the line.
type message struct {
	kind   kind
	id     value // as sent; null is an id, nil is none
	method string
	params value
	result value // of an answer: this or fault
	fault  value
}

const maxID = 256 // bytes of an id; ours have a few, those seen are UUIDs at most

// parse reads one line. Terminal escapes and prompts come without a newline of their own, so a line that is no JSON is
// tried once more from its first brace on.
func parse(line []byte) message {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return message{}
	}
	if line[0] != '{' {
		at := bytes.IndexByte(line, '{')
		if at < 0 || line[0] == '[' || line[0] == '"' {
			return message{}
		}
		m, versioned := parseObject(line[at:])
		if !versioned {
			return message{}
		}
		return m
	}
	m, _ := parseObject(line)
	return m
}

func parseObject(line []byte) (m message, versioned bool) {
	var version, method value
	foreign := false
	end := checkObject(line, 0, 0, func(key []byte, val value) {
		switch string(key) {
		case "jsonrpc":
			version = val
		case "id":
			m.id = val
		case "method":
			method = val
		case "params":
			m.params = val
		case "result":
			m.result = val
		case "error":
			m.fault = val
		default:
			foreign = true
		}
	})
	if end != len(line) {
		return message{}, false
	}
	versioned = string(version) == `"2.0"`
	// A peer that leaves "jsonrpc" out is understood when it says nothing else that the protocol does not know: that
	// is what tells it from a log line with an "id".
	if !versioned && (version != nil || foreign) {
		return message{}, false
	}
	m.method = method.short(maxShort)
	m.kind = m.classify(method)
	return m, versioned
}

// classify tells calls from answers and both from anything else. A null result beside an error, and a null error beside
// a result, are an answer: some peers always write both members.
func (m *message) classify(method value) kind {
	if m.id != nil && !validID(m.id) {
		return noise
	}
	if method != nil {
		if !method.is('"') || m.method == "" || m.result.said() || m.fault.said() {
			return noise
		}
		if m.id == nil {
			return notification
		}
		return request
	}
	if m.id == nil || m.fault.said() == m.result.said() && (m.fault.said() || m.result == nil) {
		return noise
	}
	if m.fault.said() {
		if _, ok := m.fault.get("code").integer(); !ok {
			return noise
		}
	}
	return answer
}

func validID(id value) bool {
	return len(id) <= maxID && utf8.Valid(id) && (id[0] == '"' || id[0] == 'n' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}
