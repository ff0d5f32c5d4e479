package goprogram

import (
	"fmt"
	"os"
	"testing"

	"krdlab/loi/front/corpus"
)

// TestMain has programs linked as package corpus says.
func TestMain(m *testing.M) {
	if err := corpus.Linking(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
