// A map in shards, each of which is copied when it is written, and a trace of what several goroutines do to it.
//
// With "wrong" the copy is made without a lock: of two writers of one shard one loses what it wrote.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"omnilink"
)

const (
	shards     = 2
	keys       = 4
	goroutines = 4
	calls      = 200
)

type shard struct {
	content atomic.Value // map[int]int
	mutex   sync.Mutex
}

type shardedMap struct {
	shards  [shards]shard
	isWrong bool
}

func newMap(isWrong bool) *shardedMap {
	made := &shardedMap{isWrong: isWrong}
	for at := range made.shards {
		made.shards[at].content.Store(map[int]int{})
	}
	return made
}

func (all *shardedMap) put(key, value int) {
	one := &all.shards[key%shards]
	if !all.isWrong {
		one.mutex.Lock()
		defer one.mutex.Unlock()
	}
	old := one.content.Load().(map[int]int)
	content := make(map[int]int, len(old)+1)
	for key, value := range old {
		content[key] = value
	}
	content[key] = value
	// As on a busy machine: others run in between.
	time.Sleep(20 * time.Microsecond)
	one.content.Store(content)
}

// The value of a key, or nil.
func (all *shardedMap) get(key int) any {
	value, ok := all.shards[key%shards].content.Load().(map[int]int)[key]
	if !ok {
		return nil
	}
	return value
}

func work(all *shardedMap, log *omnilink.ThreadLog, number int) error {
	random := rand.New(rand.NewSource(int64(number)))
	for at := 0; at < calls; at++ {
		key := random.Intn(keys)
		if random.Intn(2) == 0 {
			value := number*calls + at
			call, err := log.Call("put", map[string]any{"key": key, "value": value})
			if err != nil {
				return err
			}
			all.put(key, value)
			call.EndNothing()
		} else if _, err := log.Record("get", map[string]any{"key": key}, func() any { return all.get(key) }); err != nil {
			return err
		}
	}
	return nil
}

func run(folder string, isWrong bool) error {
	recorder, err := omnilink.Create(folder, nil)
	if err != nil {
		return err
	}
	all := newMap(isWrong)
	var group sync.WaitGroup
	errors := make(chan error, goroutines)
	// All begin together: on a busy machine the first would have ended before the last begins.
	begin := make(chan struct{})
	for number := 0; number < goroutines; number++ {
		log, err := recorder.Thread(number)
		if err != nil {
			close(begin)
			return err
		}
		group.Add(1)
		go func(number int) {
			defer group.Done()
			<-begin
			if err := work(all, log, number); err != nil {
				errors <- err
			}
		}(number)
	}
	close(begin)
	group.Wait()
	select {
	case err := <-errors:
		return err
	default:
		return recorder.Close()
	}
}

func main() {
	if len(os.Args) < 2 || len(os.Args) == 3 && os.Args[2] != "wrong" || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: sharded-map FOLDER [wrong]")
		os.Exit(2)
	}
	if err := run(os.Args[1], len(os.Args) == 3); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
