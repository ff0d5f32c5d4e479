package loi

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The notes under which krdlab told what was run before version 3 had fields for it.
const (
	noteScheduler = "scheduler" // its presence says that all of them are such notes
	noteKernel    = "kernel"
	noteParams    = "params" // NAME=VALUE ..., where a value may have spaces
	noteCores     = "cores"
	noteSeed      = "seed"
	noteMachine   = "machine"

	noteUnordered = "go" // the only scheduler then whose workers were unordered
)

// liftNotes moves what the notes of an old file tell of what was run to the fields of h. A note
// whose value is not of its field stays a note.
func (h *Header) liftNotes() {
	if !slices.ContainsFunc(h.Meta, func(kv KV) bool { return kv.Key == noteScheduler }) {
		return
	}
	h.Meta = slices.DeleteFunc(h.Meta, func(kv KV) bool {
		switch kv.Key {
		case noteScheduler:
			h.Scheduler, h.Unordered = kv.Value, kv.Value == noteUnordered
		case noteKernel:
			h.Kernel = kv.Value
		case noteParams:
			h.Params = splitParams(kv.Value)
		case noteCores:
			n, err := strconv.ParseUint(kv.Value, 10, 31)
			if err != nil {
				return false
			}
			h.Cores = int(n)
		case noteSeed:
			n, err := strconv.ParseUint(kv.Value, 10, 64)
			if err != nil {
				return false
			}
			h.Seed = n
		case noteMachine:
			h.Machine = kv.Value
		default:
			return false
		}
		return true
	})
	if len(h.Meta) == 0 {
		h.Meta = nil
	}
}

var paramBegin = regexp.MustCompile(`(?:^| )[A-Za-z][A-Za-z0-9_-]*=`)

// splitParams splits "n=64 leaf=8 name=two words". A value ends where the next name begins.
func splitParams(text string) (list []KV) {
	at := paramBegin.FindAllStringIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		list = append(list, KV{strings.TrimPrefix(text[m[0]:m[1]-1], " "), text[m[1]:end]})
	}
	return list
}

// Notes lists what h tells of what was run, as far as it is known, and then the notes, each as a
// word and its text.
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
	add(h.Scheduler != "", noteScheduler, h.Scheduler)
	add(h.Kernel != "", noteKernel, h.Kernel)
	add(len(params) > 0, noteParams, strings.Join(params, " "))
	add(h.Cores > 0, noteCores, strconv.Itoa(h.Cores))
	add(run || h.Seed != 0, noteSeed, u(h.Seed))
	add(h.Machine != "", noteMachine, h.Machine)
	add(h.MachineHash != "", "machine_hash", h.MachineHash)
	add(h.Unordered, "unordered", "true")
	return append(list, h.Meta...)
}
