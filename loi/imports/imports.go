// Package imports makes traces from data that krdlab did not record: tables of accesses (CSV,
// Parquet), the address traces that valgrind's lackey prints of real programs, and the key,size
// traces of caches.
//
// A parser reads the input and fills batches of rows in; a feeder, on another goroutine, checks the
// rows against those before them (times, kinds of objects, sizes of blocks, workers) and gives
// executions to a [loi.Builder]. The error is the first in the order of the input, but for a page
// of a Parquet file that cannot be decoded. Memory is that of the builder, plus 21 to 43 bytes for
// each block, whose size must be remembered, half as much again while the table grows, and some 90
// for each distinct two-dimensional access, whose rows are counted; sorting takes 180 MB, and disk
// beside the output for the rest.
//
// # Formats
//
// Text is UTF-8; a byte order mark is skipped. Lines end in LF or CRLF, the last one not at all.
//
// csv: a header line with the columns time,worker,object,block,bytes,mode in any order, and
// lines with these fields (RFC 4180, so that a blank belongs to a field; one empty line may follow
// the last). Numbers are decimal, or hexadecimal
// after 0x, below 2^64; mode is r, w or rw, or in, out or inout. A row with an offset (in bytes)
// in place of a block is an access to a range of an address space; with the columns rows and
// stride it may be two-dimensional: all distinct ones have at most 2^31-1 rows. With both
// columns, block and offset, each row has one of them and leaves the other empty. Optional
// columns: kernel, a name, "access" where it is missing or empty; end, a time, the time of the
// row where it is missing or empty; clock_hz, whole ticks a second, in one row or the same in
// several. Rows of a worker that follow each other, whatever rows of
// other workers stand between, with the same time, end and kernel, are the accesses of one
// kernel execution, up to 4096.
//
// parquet: the same columns. Numbers are integers of any width and sign, text is UTF-8 strings or
// plain byte arrays, dictionaries or not. No column but block and offset, where both are there, may
// have nulls; a column clock_hz is passed over, since the metadata krdlab.clock_hz have the rate.
// Pages may be compressed with snappy, gzip, brotli or zstd. A file that comes from a
// pipe or is compressed as a whole is copied to disk first, beside the output.
//
// lackey: the output of valgrind --tool=lackey --trace-mem=yes. One worker, object "memory" of keys
// that are addresses divided by LineBytes, time is the number of the access. An access that crosses
// a line is an execution with several accesses. Fetches of instructions, if asked for, are accesses
// to an object "code". White space at the ends of lines and empty lines are skipped.
//
// din: the input of Dinero, a label (0 read, 1 write, 2 fetch of an instruction) and a hexadecimal
// address a line; the rest as lackey, with accesses of AccessBytes.
//
// keysize: one read to a line, "key,size" (or with blanks or a tab between), object "keys", time is
// the number of the line. White space at the ends of lines and empty lines behind the last are
// skipped. Keys are bytes, in whatever encoding.
//
// text: what [loi.WriteText] writes, a trace with all that is in it. It is read as a whole, in
// memory, and takes no options.
//
// # Designs that were rejected
//
// encoding/csv takes 114 ns of a core for a line with four numbers, where parser and feeder here
// take 46 together; with the numbers read as well it fell short of the 5 M lines/s that are asked
// for on a busy machine. parquet-go's typed reader gives 1.1 M rows/s (0.4 M where it converts
// types), its rows 3.8 M, its values, which are used here, 9.6 M in the same minute. Decoding its
// pages by hand was 1.3 times as fast into a trace file, for twice the code. Parsing blocks of
// lines on several cores: feeder and builder take about as long as one parser (30 ns a line), so
// that two cores are busy as it is. LZ4 in Parquet: the library's decoder answers damaged pages by
// doubling its buffer until memory ends.
package imports

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/hw/textfile"
	"krdlab/loi"
)

// A Source is an input to import.
type Source struct {
	Path  string    // of a file, compressed with zstd or gzip or not; "-" for Stdin
	Stdin io.Reader // used if Path is "-"
}

// Options say how a source is read. The zero value is the default.
type Options struct {
	Format string // one of Formats; "": by the content, else by the extension
	// Nodes is the worker-to-node map: sets of workers, "0-5,6-11", the i-th being node i. Sets
	// that are no ranges are written "0-2+6-8,3-5+9-11". Each worker of the input must be in one.
	// "": all are on node 0.
	Nodes        string
	LineBytes    uint64 // lackey, din: size of a cache line, a power of two up to 65536; 0: 64
	AccessBytes  uint64 // din: of each access; 0: 4
	Instructions bool   // lackey, din: fetches of instructions are accesses too
	// times may go back: executions are sorted by time, those of the same time stay in order
	Sort bool
	// Atoms lets blocks change their sizes. Each block is then the beginning of a range of an
	// address space of its object, from which the analysis makes atoms: the bytes that two sizes
	// have in common stay what they are.
	Atoms    bool
	L2Bytes  uint64 // for the header; 0: unknown
	LLCBytes uint64 // for the header; 0: unknown
	// Progress, if not nil, is called now and then with the bytes of the source that have been
	// read, and all of them, -1 if that is unknown. It is called by another goroutine than that of
	// Import, one call at a time.
	Progress func(done, total int64)
}

// A Summary counts what was imported.
type Summary struct {
	Format     string  `json:"format"`
	Workers    int     `json:"workers"` // largest number of a worker, plus 1
	Nodes      int     `json:"nodes"`
	Objects    int     `json:"objects"`
	Kernels    int     `json:"kernels"`
	Executions uint64  `json:"executions"`
	Accesses   uint64  `json:"accesses"`
	FirstTime  uint64  `json:"first_time"`  // ticks
	LastTime   uint64  `json:"last_time"`   // ticks
	Backward   uint64  `json:"sorted_rows"` // rows that came after a later one of their worker, if Sort
	ClockHz    float64 `json:"-"`           // ticks a second; 0: the source does not give it
}

// maxHz is the fastest clock that a whole number of ticks a second can hold.
const maxHz = 1 << 53

// Formats returns the names of the formats that can be imported.
func Formats() []string { return []string{"csv", "parquet", "lackey", "din", "keysize", "text"} }

// Import reads src and writes it as the trace file out, which may not exist. Errors: a [*DataError]
// for a fault in the content of src, an [*OptionError] for options that cannot be or do not fit the
// input, that of ctx, and those of files (os.ErrExist for out). After an error there is no file
// out. Cost: see docs/performance.md.
func Import(ctx context.Context, src Source, out string, opt Options) (Summary, error) {
	sum, err := importTo(ctx, src, out, &opt)
	if err != nil {
		return Summary{}, err
	}
	return sum, nil
}

func importTo(ctx context.Context, src Source, out string, opt *Options) (Summary, error) {
	node, err := opt.check()
	if err != nil {
		return Summary{}, err
	}
	builder, err := loi.NewBuilder(out)
	if err != nil {
		return Summary{}, err
	}
	h := opt.header(&Summary{Workers: len(node)}, node)
	h.Meta = []loi.KV{{Key: "cut off", Value: "krdlab ended before its import was complete"}}
	builder.Expect(h)
	f := &feeder{sink: builder, node: node, resize: opt.Atoms}
	err = feed(ctx, src, filepath.Dir(out), opt, f)
	if f.text != nil {
		if err := builder.Abort(); err != nil {
			return Summary{}, err
		}
		return f.sum, f.text.Save(out)
	}
	if err == nil {
		h := opt.header(&f.sum, node)
		h.Meta = []loi.KV{{Key: "imported from", Value: filepath.Base(src.Path)},
			{Key: "imported as", Value: f.sum.Format}}
		if src.Path == "-" {
			h.Meta[0].Value = "stdin"
		}
		err = builder.Close(h)
	}
	if err != nil {
		return Summary{}, errors.Join(err, builder.Abort())
	}
	return f.sum, nil
}

// check returns what cannot be meant, and fills in defaults.
func (opt *Options) check() (node []int, err error) {
	if opt.Format != "" && !slices.Contains(Formats(), opt.Format) {
		return nil, optionError("Format", "%q, expected one of %s", opt.Format,
			strings.Join(Formats(), ", "))
	}
	if n := opt.LineBytes; n&(n-1) != 0 || n > 1<<16 {
		return nil, optionError("LineBytes", "%d, expected a power of two up to 65536", n)
	}
	if n := opt.AccessBytes; n > maxLackey {
		return nil, optionError("AccessBytes", "%d, expected at most %d", n, maxLackey)
	}
	return parseNodes(opt.Nodes)
}

// suits returns which option has no meaning for a format.
func (opt *Options) suits(format string) error {
	addresses := format == "lackey" || format == "din"
	switch {
	case opt.LineBytes != 0 && !addresses:
		return optionError("LineBytes", "it is for lackey and din, and the input is %s; leave it out",
			format)
	case opt.Instructions && !addresses:
		return optionError("Instructions", "they are for lackey and din, and the input is %s; leave it "+
			"out", format)
	case opt.AccessBytes != 0 && format != "din":
		return optionError("AccessBytes", "it is for din, and the input is %s; leave it out", format)
	case opt.Sort && (addresses || format == "keysize"):
		return optionError("Sort",
			"times of %s are numbers of lines and cannot go back; leave it out", format)
	case format == "text" && (opt.Nodes != "" || opt.Sort || opt.Atoms || opt.L2Bytes != 0 ||
		opt.LLCBytes != 0):
		return optionError("Format", "text is a whole trace, which no other option can change; "+
			"leave them out")
	}
	return nil
}

// header returns the header of a trace, whose map is that of the options.
func (opt *Options) header(sum *Summary, node []int) loi.Header {
	h := loi.Header{
		Clock: loi.Clock{Source: "imported", Hz: sum.ClockHz}, Substrate: loi.Native, Grain: "kernel",
		Nodes: 1, L2Bytes: opt.L2Bytes, LLCBytes: opt.LLCBytes, Workers: make([]loi.Worker,
			sum.Workers),
	}
	if opt.L2Bytes > 0 {
		h.L2Known = "given"
	}
	if opt.LLCBytes > 0 {
		h.LLCKnown = "given"
	}
	for i := range h.Workers {
		h.Workers[i].CPU = -1
		if node != nil {
			h.Workers[i].Node = node[i]
			h.Nodes = max(h.Nodes, node[i]+1)
		}
	}
	sum.Nodes = h.Nodes
	return h
}

// feed reads src and gives it to f. Files that it needs for itself are in dir, and gone in the end.
func feed(ctx context.Context, src Source, dir string, opt *Options, f *feeder) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in, err := open(ctx, src, opt.Progress)
	if err != nil {
		return err
	}
	defer in.close()
	content := bufio.NewReaderSize(in, 64<<10)
	head, err := content.Peek(3)
	if err != nil && err != io.EOF {
		return in.readError(err)
	}
	mark, err := textfile.Start(head)
	if err != nil {
		return &DataError{File: in.name, Line: 1, What: err.Error()}
	}
	content.Discard(mark) // which are buffered
	format := opt.Format
	if format == "" {
		if format, err = detect(in, content); err != nil {
			return err
		}
	}
	f.sum.Format = format
	if err := opt.suits(format); err != nil {
		return err
	}
	if format == "text" {
		err := f.readText(content)
		if err != nil && in.meter.err != nil {
			return in.readError(err)
		}
		if t, bad := errors.AsType[*loi.TextError](err); bad {
			err = &DataError{Line: uint64(t.Line), What: t.What}
		}
		return place(err, in.name, false)
	}
	if opt.Sort {
		f.sort = newSorter(dir)
		defer f.sort.close()
	}
	var parse func(*outlet) error
	var hz float64 // is read when the parser has ended
	switch b := newBlocks(content, in.readError); format {
	case "csv":
		parse = func(o *outlet) error {
			p := &csvParser{names: names{out: o}}
			err := p.parse(b)
			hz = float64(p.hz)
			return err
		}
	case "lackey":
		parse = func(o *outlet) error {
			return parseLackey(b, newMemory(o, opt))
		}
	case "din":
		parse = func(o *outlet) error {
			return parseDin(b, newMemory(o, opt), cmp.Or(opt.AccessBytes, 4))
		}
	case "keysize":
		parse = func(o *outlet) error { return parseKeySize(b, o) }
	case "parquet":
		at, size, done, err := in.randomAccess(dir, content)
		if err != nil {
			return err
		}
		defer done()
		parse = func(o *outlet) error { return parseParquet(ctx, at, size, o, opt.Progress, &hz) }
	}
	if err = pump(ctx, parse, f.take); err == nil {
		f.sum.ClockHz = hz
		err = f.finish()
	}
	if f.sort != nil {
		f.sum.Backward = f.sort.back
	}
	return place(err, in.name, format == "parquet")
}

// pump runs parse on a goroutine of its own and calls take with each batch. The error is the first
// in the input.
func pump(ctx context.Context, parse func(*outlet) error, take func(*batch) error) error {
	const batches = 4
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	full, free := make(chan *batch, batches), make(chan *batch, batches)
	for range batches - 1 {
		free <- newBatch()
	}
	send := func(b *batch) (*batch, error) {
		select {
		case full <- b:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case b = <-free:
			return b, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var parseErr error
	go func() {
		defer close(full)
		o := &outlet{b: newBatch(), send: send}
		parseErr = parse(o)
		if o.b != nil { // what comes before an error may have one of its own
			if err := o.flush(); parseErr == nil {
				parseErr = err
			}
		}
	}()
	var err error
	for b := range full {
		if err == nil {
			if err = take(b); err != nil {
				cancel()
			}
		}
		b.rows, b.objects, b.kernels = b.rows[:0], b.objects[:0], b.kernels[:0]
		free <- b
	}
	if err == nil {
		err = parseErr
	}
	return err
}

// detect returns the format of an input from its beginning, else from its extension.
func detect(in *input, content *bufio.Reader) (string, error) {
	head, err := content.Peek(16 << 10)
	if err != nil && err != io.EOF {
		return "", in.readError(err)
	}
	if len(head) == 0 {
		return "", &DataError{File: in.name, What: "empty, expected a trace as " +
			strings.Join(Formats(), ", ")}
	}
	line, _, _ := strings.Cut(string(head), "\n")
	line = strings.TrimRight(line, "\r")
	ext := strings.ToLower(filepath.Ext(in.base))
	switch {
	case strings.HasPrefix(line, "PAR1") || ext == ".parquet" || ext == ".pq":
		return "parquet", nil
	case strings.HasPrefix(line, "loi-text "):
		return "text", nil
	case looksLikeHeader(line):
		return "csv", nil
	case line != "" && valgrindLine([]byte(line)) || looksLikeLackey(line) || ext == ".lackey":
		return "lackey", nil
	case ext == ".din":
		return "din", nil
	case looksLikeKeySize(line) || ext == ".keysize":
		return "keysize", nil
	case ext == ".csv":
		return "csv", nil
	}
	if looksLikeDin(string(head)) {
		return "", optionError("Format", "%s looks like din (label and address), or like keysize; say "+
			"which it is", in.name)
	}
	return "", optionError("Format", "%s looks like none of %s; say which it is", in.name,
		strings.Join(Formats(), ", "))
}

func looksLikeLackey(line string) bool {
	if len(line) < 4 || !slices.Contains([]string{"I  ", " L ", " S ", " M "}, line[:3]) {
		return false
	}
	_, _, err := lackeyAccess([]byte(line[3:]))
	return err == nil
}

func looksLikeKeySize(line string) bool {
	if !strings.Contains(line, ",") { // any two numbers may stand beside each other
		return false
	}
	key, size, err := new(keyParser).split(1, []byte(line))
	if err != nil {
		return false
	}
	_, err = number(size)
	return err == nil || strings.EqualFold(string(key), "key") && strings.EqualFold(string(size),
		"size")
}

var _ sink = (*loi.Builder)(nil)
