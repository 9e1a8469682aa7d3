package acpclient

import "bytes"

// FrameKind is the closed set of what a line on the wire can be.
type FrameKind uint8

// The kinds of frame. Noise is whatever is no message of the protocol.
const (
	FrameNoise FrameKind = iota
	FrameRequest
	FrameNotification
	FrameAnswer
)

// Frame is one line as it went over the wire.
type Frame struct {
	Sent   bool // by us
	Kind   FrameKind
	Method string // of a request or a notification; foreign, at most 4 KiB
	Served bool   // of what came: we act on the method. An unserved request is answered -32601, an unserved notification ignored
	Line   []byte // without the line's end; valid during the call
}

// traceReceived shows a line of the agent's to Config.Trace.
func (c *Conn) traceReceived(line []byte, m message) {
	if c.cfg.Trace == nil {
		return
	}
	f := Frame{Kind: FrameKind(m.kind), Method: cut(m.method, maxShort), Line: line}
	switch m.kind {
	case request:
		f.Served = m.method == askMethod
	case notification:
		f.Served = m.method == updateMethod || m.method == copilotEvent || m.method == withdrawMethod
	}
	c.cfg.Trace(f)
}

// traceSent shows a line of ours.
func (c *Conn) traceSent(line []byte) {
	if c.cfg.Trace == nil {
		return
	}
	m := parse(line)
	c.cfg.Trace(Frame{Sent: true, Kind: FrameKind(m.kind), Method: m.method, Line: bytes.TrimSuffix(line, []byte{'\n'})})
}
