package omnilink

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// SpecLog is the log of one node of a distributed program, for omnilink validate SPEC LOG: which action of a specification happened, and what is known
// of its arguments and of variables. What is left out is unknown.
//
//	log, err := omnilink.CreateLog("logs/tm.ndjson", "tm")
//	log.Event("TMRcvPrepared").Arg("rm-1").Add("tmPrepared", "rm-1").Write()
//
// Lines are ordered by a vector clock: send Clock with every message, and call Receive with the clock of every message that comes.
type SpecLog struct {
	mutex    sync.Mutex
	file     *lineFile
	node     string
	vector   map[string]any
	isClosed bool
}

// CreateLog creates the log of a node, a new file.
func CreateLog(path, node string) (*SpecLog, error) {
	file, err := newLineFile(path, &stop{})
	if err != nil {
		return nil, err
	}
	return &SpecLog{file: file, node: node, vector: map[string]any{}}, nil
}

// Clock is what goes with a message: everything that this node has logged so far.
func (log *SpecLog) Clock() map[string]int64 {
	log.mutex.Lock()
	defer log.mutex.Unlock()
	clock := make(map[string]int64, len(log.vector))
	for node, time := range log.vector {
		clock[node] = time.(int64)
	}
	return clock
}

// Receive takes the clock that came with a message: what follows comes after what its sender had logged.
func (log *SpecLog) Receive(clock map[string]int64) {
	log.mutex.Lock()
	defer log.mutex.Unlock()
	for node, time := range clock {
		if known, ok := log.vector[node].(int64); !ok || known < time {
			log.vector[node] = time
		}
	}
}

// Event begins a line for a step of this action; of any action if the name is empty.
func (log *SpecLog) Event(action string) *SpecEvent {
	return &SpecEvent{log: log, action: action}
}

// Close ends the log. The error tells if something could not be written.
func (log *SpecLog) Close() error {
	log.mutex.Lock()
	defer log.mutex.Unlock()
	if log.isClosed {
		return nil
	}
	log.isClosed = true
	log.file.close()
	return log.file.stop.err()
}

// SpecEvent is a line that is being made. Nothing is written before Write.
type SpecEvent struct {
	log     *SpecLog
	action  string
	args    []any
	updates map[string][]any
}

// Arg is the next argument of the action; nil if it is not known.
func (event *SpecEvent) Arg(value any) *SpecEvent {
	event.args = append(event.args, value)
	return event
}

// Set gives the next value of a variable, or of the part of it to which a path of keys, fields and positions leads.
func (event *SpecEvent) Set(variable string, value any, path ...any) *SpecEvent {
	return event.Update(variable, "Update", path, value)
}

// Add adds an element to a set.
func (event *SpecEvent) Add(variable string, element any, path ...any) *SpecEvent {
	return event.Update(variable, "AddElement", path, element)
}

// Remove removes an element from a set.
func (event *SpecEvent) Remove(variable string, element any, path ...any) *SpecEvent {
	return event.Update(variable, "RemoveElement", path, element)
}

// Append adds an element at the end of a sequence.
func (event *SpecEvent) Append(variable string, element any, path ...any) *SpecEvent {
	return event.Update(variable, "AppendElement", path, element)
}

// Update is any other update: those of the page docs/logs.md.
func (event *SpecEvent) Update(variable, op string, path []any, args ...any) *SpecEvent {
	if event.updates == nil {
		event.updates = map[string][]any{}
	}
	if path == nil {
		path = []any{}
	}
	event.updates[variable] = append(event.updates[variable], map[string]any{"op": op, "path": path, "args": args})
	return event
}

// Write writes the line. It is in the file when this returns.
func (event *SpecEvent) Write() error {
	var members strings.Builder
	add := func(name string, value any) error {
		text, err := encoded(value)
		if err != nil {
			return fmt.Errorf("omnilink: %s of %s: %w", name, event.action, err)
		}
		fmt.Fprintf(&members, ",%q:%s", name, text)
		return nil
	}
	var err error
	if event.action != "" {
		err = add("event", event.action)
	}
	if err == nil && len(event.args) > 0 {
		err = add("args", event.args)
	}
	if err == nil && len(event.updates) > 0 {
		err = add("vars", event.updates)
	}
	if err != nil {
		return err
	}
	log := event.log
	log.mutex.Lock()
	defer log.mutex.Unlock()
	if log.isClosed {
		return errors.New("omnilink: the log is closed")
	}
	own, _ := log.vector[log.node].(int64)
	log.vector[log.node] = own + 1
	node, _ := encoded(log.node)
	clock, _ := encoded(log.vector)
	log.file.append(fmt.Sprintf(`{"node":%s,"clock":%s%s}`, node, clock, members.String()))
	return log.file.stop.err()
}
