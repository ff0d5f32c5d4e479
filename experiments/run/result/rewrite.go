package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Rewrite writes a file, anew where it is there: path.partial beside it first, which is renamed
// once it is whole. After an error the earlier one is still there. Errors: those of write and of
// the file system, which name a file.
func Rewrite(path string, write func(w io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	part := path + partialSuffix
	if err := os.WriteFile(part, b.Bytes(), 0o666); err != nil {
		return errors.Join(err, removeIfThere(part))
	}
	if err := os.Rename(part, path); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
