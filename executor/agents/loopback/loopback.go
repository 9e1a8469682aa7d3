// Package loopback is a scripted language model on 127.0.0.1 for driving real agents without a network.
package loopback

import "net"

// Server answers chat completions (and responses, messages) by script.
type Server struct{ Addr net.Addr }
