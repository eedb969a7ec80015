package omnilink

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
)

// Whether a recording has stopped, for all of its files: if one thread cannot record, no other goes on. An operation that is recorded might
// otherwise depend on one that is not, and look like a violation.
type stop struct {
	reason atomic.Value // error
	lost   atomic.Int64
}

func (stop *stop) because(err error) {
	stop.reason.CompareAndSwap(nil, fmt.Errorf("%w", err))
}

func (stop *stop) isStopped() bool {
	return stop.reason.Load() != nil
}

// What stopped the recording, or nil.
func (stop *stop) err() error {
	if reason, ok := stop.reason.Load().(error); ok {
		return fmt.Errorf("omnilink: recording stopped, and %d operations are missing: %w", stop.lost.Load(), reason)
	}
	return nil
}

// A file of lines that survives the end of its process: each line is written by one system call before anything else happens. What cannot be
// written stops the recording, not the system.
type lineFile struct {
	file *os.File
	end  int64
	stop *stop
}

// What every line ends with.
const lineEnd = "}\n"

// A new file: what another process has written there would be mixed with this.
func newLineFile(path string, stop *stop) (*lineFile, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("omnilink: there is such a file; choose another: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("omnilink: %w", err)
	}
	return &lineFile{file: file, stop: stop}, nil
}

// Appends a line. How many bytes it has, or 0 if it was not written.
func (lines *lineFile) append(line string) int {
	if !lines.write(line+"\n", "") {
		return 0
	}
	return len(line) + 1
}

// Goes on with the last line, which ends with a brace, by one system call: it is whole before and after.
func (lines *lineFile) extend(more string) {
	lines.write(more+lineEnd, lineEnd)
}

// Cuts the last line off, of which the length is known.
func (lines *lineFile) removeLast(length int) {
	if lines.stop.isStopped() {
		return
	}
	if err := lines.file.Truncate(lines.end - int64(length)); err != nil {
		lines.stop.because(err)
		return
	}
	lines.end -= int64(length)
}

// Writes over the last bytes of the file, which are old.
func (lines *lineFile) write(text, old string) bool {
	if lines.stop.isStopped() {
		return false
	}
	start := lines.end - int64(len(old))
	if _, err := lines.file.WriteAt([]byte(text), start); err != nil {
		lines.stop.because(err)
		lines.restore(start, old)
		return false
	}
	lines.end = start + int64(len(text))
	return true
}

// A part of it may have been written: the last line becomes what it was. If that fails, too, the reason is known already, and a last line that is
// cut off is no operation for the reader.
func (lines *lineFile) restore(start int64, old string) {
	if _, err := lines.file.WriteAt([]byte(old), start); err == nil {
		_ = lines.file.Truncate(lines.end)
	}
}

// Closes the file; what goes wrong is a reason to stop.
func (lines *lineFile) close() {
	if err := lines.file.Close(); err != nil {
		lines.stop.because(err)
	}
}
