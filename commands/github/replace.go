package github

import (
	"context"
	"errors"
)

// replacing is a call that puts a text in the place of another one. GitHub has no condition for that, so what people wrote
// since the other one was read would be overwritten: for a moment nobody can help it, but a call that met a limit is sent
// again minutes later.
type replacing[T any] struct {
	what, was, body string
	read            func(context.Context) (T, error)
	text            func(T) string
}

var errMoved = errors.New("something else stands there by now")

// do writes, and before it does so late it looks. What is found to stand there already is as good as written.
func (r replacing[T]) do(ctx context.Context, write func(context.Context, call) (T, error)) (T, error) {
	var found T
	happened := false
	look := func(ctx context.Context) *Error {
		is, err := r.read(ctx)
		if err != nil {
			return asError(err)
		}
		switch r.text(is) {
		case r.body:
			found, happened = is, true
		case r.was:
			return nil
		}
		return &Error{What: r.what, Kind: Moved, Err: errMoved}
	}
	stands, err := write(ctx, call{what: r.what, once: true, late: look})
	if happened {
		return found, nil
	}
	return stands, err
}
