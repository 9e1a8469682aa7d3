package executor

import "time"

// Limits are the deadlines of the phases; a zero field takes the default named beside it.
type Limits struct {
	Start      time.Duration // writing settings, putting the built-in agent in place, starting the process: 30 s
	Initialize time.Duration // 60 s
	Session    time.Duration // session/new, mode and model: 60 s
	Turn       time.Duration // one prompt with its continuations: 60 min
	Silence    time.Duration // between two messages of the agent's during a turn: 10 min
	Output     int64         // bytes of one message of the agent's: 64 MiB
}

func (l Limits) withDefaults() Limits {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&l.Start, 30*time.Second)
	def(&l.Initialize, time.Minute)
	def(&l.Session, time.Minute)
	def(&l.Turn, time.Hour)
	def(&l.Silence, 10*time.Minute)
	if l.Output <= 0 {
		l.Output = 64 << 20
	}
	return l
}
