package loi

import (
	"strconv"
	"strings"
)

// Notes lists the known facts of the run, and then the notes, each as a word and its text.
func (h *Header) Notes() []KV {
	var list []KV
	add := func(known bool, key, value string) {
		if known {
			list = append(list, KV{key, value})
		}
	}
	params := make([]string, len(h.Params))
	for i, p := range h.Params {
		params[i] = p.Key + "=" + p.Value
	}
	run := h.Kernel != "" || h.Scheduler != ""
	add(h.Scheduler != "", "scheduler", h.Scheduler)
	add(h.Kernel != "", "kernel", h.Kernel)
	add(len(params) > 0, "params", strings.Join(params, " "))
	add(h.Cores > 0, "cores", strconv.Itoa(h.Cores))
	add(run || h.Seed != 0, "seed", u(h.Seed))
	add(h.Machine != "", "machine", h.Machine)
	add(h.MachineHash != "", "machine_hash", h.MachineHash)
	add(h.Unordered, "unordered", "true")
	return append(list, h.Meta...)
}
