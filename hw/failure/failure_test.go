package failure

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestOf(t *testing.T) {
	data := New(Data, "bad line")
	for _, test := range []struct {
		err  error
		want Class
	}{
		{nil, Failed},
		{errors.New("disk on fire"), Failed},
		{data, Data},
		{fmt.Errorf("file: %w", data), Data},
		{fmt.Errorf("%w and %w", errors.New("a"), data), Data},
		{errors.Join(errors.New("disk"), nil, data, New(Request, "r")), Data},
		{As(Request, data), Request},
		{As(Failed, data), Failed},
		{Errorf(Check, "of %w", data), Check},
		{fmt.Errorf("ended: %w", context.Canceled), Interrupted},
		{errors.Join(context.Canceled, data), Interrupted},
		{As(Failed, context.Canceled), Failed},
		{fmt.Errorf("late: %w", context.DeadlineExceeded), Interrupted},
		{wrapper{context.Canceled}, Interrupted},
		{fmt.Errorf("a.toml: %w", wrapper{fmt.Errorf("b: %w", context.Canceled)}), Interrupted},
		{wrapper{errors.New("no number")}, Request},
		{As(Failed, wrapper{context.Canceled}), Failed},
	} {
		if got := Of(test.err); got != test.want {
			t.Errorf("Of(%v) = %d, want %d", test.err, got, test.want)
		}
	}
	if e := As(Request, data); !errors.Is(e, data) || e.Error() != "bad line" {
		t.Errorf("As loses the error: %v", e)
	}
	if errors.Is(New(Data, "bad line"), data) {
		t.Error("two sentinels of one text are one")
	}
}

// wrapper is an error with a class that has a cause.
type wrapper struct{ error }

func (w wrapper) Unwrap() error { return w.error }
func (wrapper) Class() Class    { return Request }

func TestOfContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	killed, cause := errors.New("signal: killed"), errors.New("enough")
	if err := OfContext(ctx, killed); err != killed {
		t.Errorf("before the end: %v, want %v", err, killed)
	}
	cancel(cause)
	if err := OfContext(ctx, killed); err != cause {
		t.Errorf("after the end: %v, want %v", err, cause)
	}
	if err := OfContext(ctx, nil); err != nil {
		t.Errorf("after the end, of what succeeded: %v, want none", err)
	}
}
