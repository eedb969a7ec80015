package omnilink

import (
	"fmt"
	"os"
)

// A file of lines that survives the end of its process: each line is written by one system call before anything else happens. What cannot be
// written stops the recording, not the system.
type lineFile struct {
	file    *os.File
	end     int64
	failure error
}

func newLineFile(path string) (*lineFile, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("omnilink: %w", err)
	}
	return &lineFile{file: file}, nil
}

// Appends a line.
func (lines *lineFile) append(line string) {
	lines.write(line + "\n")
}

// Goes on with the last line, which ends with a brace, by one system call: it is whole before and after.
func (lines *lineFile) extend(more string) {
	if lines.failure == nil {
		lines.end -= 2
		lines.write(more + "}\n")
	}
}

// Cuts the last line off, of which the length is known.
func (lines *lineFile) removeLast(length int) {
	if lines.failure == nil {
		lines.end -= int64(length)
		if err := lines.file.Truncate(lines.end); err != nil {
			lines.fail(err)
		}
	}
}

func (lines *lineFile) write(text string) {
	if lines.failure != nil {
		return
	}
	if _, err := lines.file.WriteAt([]byte(text), lines.end); err != nil {
		lines.fail(err)
		return
	}
	lines.end += int64(len(text))
}

func (lines *lineFile) fail(err error) {
	if lines.failure == nil {
		lines.failure = fmt.Errorf("omnilink: recording stopped: %w", err)
	}
}

func (lines *lineFile) close() error {
	if err := lines.file.Close(); err != nil {
		lines.fail(err)
	}
	return lines.failure
}
