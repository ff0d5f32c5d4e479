package hw

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
)

// computerSalt is krdlab's application ID in the sense of machine-id(5).
var computerSalt = [16]byte{0x8f, 0x1c, 0x2b, 0x5e, 0x7d, 0x3a, 0x4c, 0x69, 0xa0, 0xe4, 0xd9, 0x5b,
	0x6f, 0x72, 0xc3, 0xd8}

// ComputerID identifies the computer that krdlab runs on, among others with the same processor: 32
// hexadecimal digits, "" where the system has nothing of the kind (no Linux, many containers). It
// is a digest of /etc/machine-id under a constant of krdlab, as machine-id(5) asks for, since that
// file is confidential: it names neither host nor person, and another program's digest of the same
// file is unrelated. Machines that were cloned with the file have the same one.
func ComputerID() string { return ReadComputerID(os.DirFS("/")) }

// ReadComputerID returns ComputerID of the machine whose root fsys is: as
// sd_id128_get_machine_app_specific(3) does, HMAC-SHA256 of the application's ID under the
// machine's, cut to 128 bits and marked as a random UUID.
func ReadComputerID(fsys fs.FS) string {
	text, _ := readText(fsys, "etc/machine-id")
	machine, err := hex.DecodeString(text)
	if err != nil || len(machine) != 16 || [16]byte(machine) == [16]byte{} {
		return "" // "uninitialized" among others
	}
	mac := hmac.New(sha256.New, machine)
	mac.Write(computerSalt[:])
	id := mac.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return hex.EncodeToString(id)
}
