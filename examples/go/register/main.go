// A register that several goroutines write and read, and a history of it. With "wrong" a goroutine remembers what it wrote, and reads that.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"omnilink"
)

func client(log *omnilink.ThreadLog, register *atomic.Int64, number int64, isWrong bool) error {
	for at := int64(0); at < 20; at++ {
		value := 100*number + at
		call, err := log.Call("Put", map[string]any{"value": value})
		if err != nil {
			return err
		}
		register.Store(value)
		call.EndNothing()
		// Others run in between.
		time.Sleep(50 * time.Microsecond)

		call, err = log.Call("Get", nil)
		if err != nil {
			return err
		}
		if !isWrong {
			value = register.Load()
		}
		call.End(value)
	}
	return nil
}

func run(folder string, isWrong bool) error {
	recorder, err := omnilink.Create(folder, nil)
	if err != nil {
		return err
	}
	var register atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, 3)
	for number := int64(1); number <= 3; number++ {
		log, err := recorder.Thread(number)
		if err != nil {
			return err
		}
		group.Add(1)
		go func(number int64) {
			defer group.Done()
			if err := client(log, &register, number, isWrong); err != nil {
				failures <- err
			}
		}(number)
	}
	group.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return recorder.Close()
	}
}

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 || len(os.Args) == 3 && os.Args[2] != "wrong" {
		fmt.Fprintln(os.Stderr, "usage: register FOLDER [wrong]")
		os.Exit(2)
	}
	if err := run(os.Args[1], len(os.Args) == 3); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
