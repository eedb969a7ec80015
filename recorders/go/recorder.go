// Package omnilink records what a running system does, for the command omnilink: operations as a trace (Recorder), or the steps of a
// distributed program as a log (SpecLog).
//
//	recorder, err := omnilink.Create("traces/run-1", map[string]any{"seed": 42})
//	log, err := recorder.Thread(0) // one for each goroutine
//	call, err := log.Call("enqueue", map[string]any{"value": 3})
//	queue.Enqueue(3)
//	call.EndNothing()
//	err = recorder.Close()
//
// What has ended survives kill -9; what was under way is pending.
package omnilink

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Recorder records the operations of a running system as a trace: a new folder with one file for each thread.
type Recorder struct {
	folder string
	header string
	began  time.Time
	stop   *stop

	mutex    sync.Mutex
	logs     []*ThreadLog
	isClosed bool
}

var errClosed = errors.New("omnilink: the recorder is closed")

// Create creates the folder of a trace, which must be new or empty. The header says what is known about the run: seed, command, host.
func Create(folder string, header map[string]any) (*Recorder, error) {
	all := map[string]any{"unit": "ns", "clock": "monotonic"}
	for name, value := range header {
		if _, isTaken := all[name]; isTaken || name == "omnilink" {
			return nil, fmt.Errorf("omnilink: the header field %s is written by the recorder; choose another name", name)
		}
		all[name] = value
	}
	members, err := encoded(all)
	if err != nil {
		return nil, fmt.Errorf("omnilink: the header: %w", err)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("omnilink: a trace needs a folder of its own: %w", err)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("omnilink: %w", err)
	}
	if len(files) > 0 {
		return nil, fmt.Errorf("omnilink: %s: the folder is not empty, and a folder is one trace; choose another", folder)
	}
	// The version comes first: by it a header is recognised.
	return &Recorder{folder: folder, header: `{"omnilink":1,` + members[1:], began: time.Now(), stop: &stop{}}, nil
}

// Thread is the log of a goroutine, a session or a client that makes one call at a time: a number or a string, one log for each. A log is used by
// one goroutine at a time.
func (recorder *Recorder) Thread(thread any) (*ThreadLog, error) {
	switch thread.(type) {
	case string, int, int32, int64, uint32:
	default:
		return nil, fmt.Errorf("omnilink: a thread is a number or a string, not %v", thread)
	}
	label := fmt.Sprint(thread)
	if label == "" || strings.Contains(label, "'") {
		return nil, fmt.Errorf("omnilink: a thread cannot be called %q: the name is empty, or has a '", label)
	}
	recorder.mutex.Lock()
	defer recorder.mutex.Unlock()
	if recorder.isClosed {
		return nil, errClosed
	}
	for _, log := range recorder.logs {
		if fmt.Sprint(log.thread) == label {
			return nil, fmt.Errorf("omnilink: the thread %s has a log already; each thread needs a name of its own", label)
		}
	}
	file, err := newLineFile(filepath.Join(recorder.folder, fmt.Sprintf("%d.ndjson", len(recorder.logs))), recorder.stop)
	if err != nil {
		return nil, err
	}
	file.append(recorder.header)
	log := &ThreadLog{file: file, thread: thread, began: recorder.began}
	recorder.logs = append(recorder.logs, log)
	return log, nil
}

// Close ends the recording. Calls that have not ended stay pending. The error tells if something could not be recorded.
func (recorder *Recorder) Close() error {
	recorder.mutex.Lock()
	defer recorder.mutex.Unlock()
	if recorder.isClosed {
		return nil
	}
	recorder.isClosed = true
	for _, log := range recorder.logs {
		log.isClosed.Store(true)
		log.file.close()
	}
	return recorder.stop.err()
}

// ThreadLog has the operations of one thread.
type ThreadLog struct {
	file   *lineFile
	thread any
	began  time.Time
	// The calls that stay pending: nothing of the same thread can come after one, so the thread goes on under another label.
	pending  int
	open     *Call
	isClosed atomic.Bool
}

// Call begins a call. Its record is in the file when this returns, unless recording has stopped; Close tells. If it returns an error, the call was not recorded: do not make it, or
// accept that its effect is not explained.
func (log *ThreadLog) Call(op string, args map[string]any) (*Call, error) {
	if log.isClosed.Load() {
		return nil, errClosed
	}
	if log.open != nil {
		return nil, fmt.Errorf("omnilink: %s of this thread has not ended; end or leave it first", log.open.op)
	}
	if op == "" {
		return nil, errors.New("omnilink: an operation has no name")
	}
	label := log.thread
	if log.pending > 0 {
		label = fmt.Sprintf("%v'%d", log.thread, log.pending)
	}
	if args == nil {
		args = map[string]any{}
	}
	members, err := encoded(args)
	if err != nil {
		return nil, fmt.Errorf("omnilink: the arguments of %s: %w", op, err)
	}
	name, _ := encoded(op)
	thread, _ := encoded(label)
	line := fmt.Sprintf(`{"thread":%s,"op":%s,"args":%s,"start":%d}`, thread, name, members, log.now())
	length := log.file.append(line)
	if length == 0 {
		log.file.stop.lost.Add(1)
	}
	log.open = &Call{log: log, op: op, length: length}
	return log.open, nil
}

// Record makes a call and records it. If it panics, it stays pending: it may have taken effect.
func (log *ThreadLog) Record(op string, args map[string]any, function func() any) (any, error) {
	call, err := log.Call(op, args)
	if err != nil {
		return nil, err
	}
	defer call.Leave()
	result := function()
	call.End(result)
	return result, nil
}

// Nanoseconds of a monotonic clock that all threads share.
func (log *ThreadLog) now() int64 {
	return int64(time.Since(log.began))
}

// Call is a call that has begun. Unless it is ended, it stays pending: it may have taken effect, or may take effect later.
type Call struct {
	log *ThreadLog
	op  string
	// The length of its line; 0 if it is not recorded.
	length int
	ended  int64
	isOver bool
}

// TightenEnd ends the timebox now, and the call later: for what only releases a lock or formats a result.
func (call *Call) TightenEnd() {
	call.ended = call.log.now()
}

// End tells that the call returned. A result that cannot be recorded leaves the call pending; Close tells.
func (call *Call) End(result any) {
	call.stamp()
	call.end(result, "")
}

// EndWithMeta tells that the call returned, and anything else: kept, and ignored by checks.
func (call *Call) EndWithMeta(result any, meta map[string]any) {
	call.stamp()
	members, err := encoded(meta)
	if err != nil {
		call.refuse(err)
		return
	}
	call.end(result, `,"meta":`+members)
}

func (call *Call) end(result any, more string) {
	ret, err := encoded(result)
	if err != nil {
		call.refuse(err)
		return
	}
	call.finish(`,"ret":` + ret + more)
}

// It happened, so it must not get lost: it stays pending, and recording stops with the reason.
func (call *Call) refuse(err error) {
	call.log.file.stop.because(fmt.Errorf("%s returned what cannot be recorded: %w", call.op, err))
	call.Leave()
}

// EndNothing tells that the call returned nothing.
func (call *Call) EndNothing() {
	call.stamp()
	call.finish("")
}

// Abort tells that the system said that the operation did not happen, and will not.
func (call *Call) Abort() {
	call.stamp()
	call.finish(`,"aborted":true`)
}

// Cancel forgets a call that was not even tried.
func (call *Call) Cancel() {
	if call.once() {
		if call.length > 0 {
			call.log.file.removeLast(call.length)
		}
		call.log.open = nil
	}
}

// Leave leaves a call that has not ended pending, as after a time-out.
func (call *Call) Leave() {
	if call.once() {
		call.log.open = nil
		call.log.pending++
	}
}

func (call *Call) stamp() {
	if call.ended == 0 {
		call.TightenEnd()
	}
}

func (call *Call) finish(more string) {
	if call.once() {
		call.log.open = nil
		// If the operation saw any effect of one that is not recorded, it also sees that recording has stopped, and stays pending.
		if call.length == 0 || call.log.isClosed.Load() {
			return
		}
		call.log.file.extend(fmt.Sprintf(`,"end":%d%s`, call.ended, more))
	}
}

func (call *Call) once() bool {
	isFirst := !call.isOver
	call.isOver = true
	return isFirst
}
