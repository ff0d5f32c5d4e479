package goprogram

import (
	"fmt"
	"os"
	"testing"

	"krdlab/loi/front/corpus"
)

// TestMain links programs by package corpus.
func TestMain(m *testing.M) {
	if err := corpus.Linking(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
