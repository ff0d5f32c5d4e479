package agent

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed agent.go clock.go clock_amd64.go clock_amd64.s clock_other.go clock_other.s write.go
var sources embed.FS

// Module is the path of the module that Layout writes.
const Module = "krdlab/loi/agent"

// Layout writes this package as a module of its own to a folder, which may not exist.
func Layout(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("lay out the agent: %w", err)
	}
	files, err := sources.ReadDir(".")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := sources.ReadFile(f.Name())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), text, 0o644)
		}
		if err != nil {
			return fmt.Errorf("lay out the agent: %w", err)
		}
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+Module+"\n\ngo 1.23\n"),
		0o644)
}
