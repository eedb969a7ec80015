// The conformance program in Go: conformance PART FOLDER. What each part does: ../README.md.
package main

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"omnilink"
)

type object = map[string]any

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("ERROR", err)
		os.Exit(3)
	}
	return value
}

func calls(recorder *omnilink.Recorder) {
	one := must(recorder.Thread(1))
	main := must(recorder.Thread("main"))
	must(one.Call("write", object{"value": 1})).EndNothing()
	must(one.Record("read", nil, func() any { return 1 }))
	must(one.Call("cas", object{"from": 1, "to": 2})).End(true)
	must(one.Call("refused", nil)).Abort()
	must(one.Call("another", object{"value": 1})).Cancel()
	must(one.Call("noted", object{"value": 2})).EndWithMeta(3, object{"node": 4})
	narrow := must(one.Call("narrow", nil))
	narrow.TightenEnd()
	time.Sleep(20 * time.Millisecond)
	narrow.EndNothing()
	must(one.Call("lost", nil)).Leave()
	must(one.Call("after", nil)).EndNothing()
	must(main.Call("hello", nil)).End(nil)
}

func nested(depth int) any {
	if depth == 0 {
		return []any{}
	}
	return []any{nested(depth - 1)}
}

func values(recorder *omnilink.Recorder) {
	type sample struct {
		X     int
		Names []string
	}
	log := must(recorder.Thread(0))
	for _, one := range []struct {
		name  string
		value any
	}{
		{"null", nil}, {"true", true}, {"false", false}, {"zero", 0}, {"negative", -1}, {"exact", int64(1)<<53 + 1},
		{"least", int64(math.MinInt64)}, {"greatest", int64(math.MaxInt64)}, {"unsigned", uint64(math.MaxUint64)},
		{"huge", new(big.Int).Lsh(big.NewInt(1), 64)}, {"empty text", ""}, {"text", "a é 😀 \n \x01 \" \\"},
		{"list", []any{1, []any{2, []any{}}}}, {"bytes", []byte{0, 127, 255}}, {"record", sample{1, []string{"n"}}},
		{"function", map[int]string{1: "one"}}, {"dollar", map[string]int{"$set": 7}}, {"set", omnilink.Set{1, 2}},
		{"empty set", omnilink.Set{}}, {"empty list", []int{}}, {"model", omnilink.ModelValue("n1")}, {"deep", nested(25)},
	} {
		must(log.Call(one.name, object{"value": one.value})).End(one.value)
	}
}

func texts(recorder *omnilink.Recorder) {
	log := must(recorder.Thread(0))
	for _, one := range []struct{ name, text string }{
		{"byte", "a\xffb"}, {"other byte", "a\xfeb"}, {"cut off", "\xf0\x9f\x98"}, {"surrogate", "\xed\xa0\x80"},
		{"looks like one", `a\ud800b`}, {"looks like a byte", `\xff`}, {"path", `C:\users\xyz`}, {"nul", "a\x00b"},
	} {
		must(log.Call(one.name, object{"value": map[string]string{one.text: one.text}})).End(one.text)
	}
	must(log.Call("error", nil)).End(fmt.Errorf("no such key"))
	must(log.Call("time", nil)).End(time.Unix(0, 1).UTC())
}

func threads(recorder *omnilink.Recorder, count, rounds int) {
	var counter atomic.Int64
	var group sync.WaitGroup
	for number := 0; number < count; number++ {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			log := must(recorder.Thread(number))
			for round := 0; round < rounds; round++ {
				call := must(log.Call("next", nil))
				call.End(counter.Add(1) - 1)
			}
		}(number)
	}
	group.Wait()
	fmt.Println("DONE", counter.Load())
}

func die(recorder *omnilink.Recorder) {
	log := must(recorder.Thread(0))
	for i := 0; i < 1000; i++ {
		must(log.Call("op", object{"i": i})).End(i)
	}
	must(log.Call("op", object{"i": 1000}))
	fmt.Println("open")
	time.Sleep(10 * time.Minute)
}

func race(recorder *omnilink.Recorder) {
	for number := 0; number < 2; number++ {
		go func(number int) {
			log := must(recorder.Thread(number))
			for i := 0; ; i++ {
				must(log.Call("op", object{"i": i})).End(i)
				if i%64 == 63 {
					fmt.Printf("%d %d\n", number, i)
				}
			}
		}(number)
	}
	time.Sleep(10 * time.Minute)
}

func misuse(recorder *omnilink.Recorder, folder string) {
	tried := func(name string, err error) {
		if err == nil {
			fmt.Printf("%s: nothing\n", name)
		} else {
			fmt.Printf("%s: %s\n", name, err)
		}
	}
	mistaken := func(_ any, err error) error { return err }
	log := must(recorder.Thread(0))
	own := []any{nil, nil}
	own[0], own[1] = own, own
	var shared any = []any{1}
	for level := 0; level < 60; level++ {
		shared = []any{shared, shared}
	}
	call := func(value any) error { return mistaken(log.Call("f", object{"x": value})) }
	tried("header", mistaken(omnilink.Create(folder+"-other", object{"unit": "s"})))
	tried("label type", mistaken(recorder.Thread(1.5)))
	tried("label taken", mistaken(recorder.Thread("0")))
	tried("label form", mistaken(recorder.Thread("0'1")))
	tried("nan", call(math.NaN()))
	tried("infinity", call([]float64{math.Inf(-1)}))
	tried("type", call(func() {}))
	tried("hidden", call(struct{ hidden int }{1}))
	tried("no name", mistaken(log.Call("", nil)))
	tried("cycle", call(own))
	tried("shared", call(shared))
	first := must(log.Call("f", nil))
	tried("open", mistaken(log.Call("g", nil)))
	first.End(1)
	must(log.Call("h", nil)).End(make(chan int))
	late := must(log.Call("late", nil))
	tried("result", recorder.Close())
	late.End(1)
	tried("closed thread", mistaken(recorder.Thread(2)))
	tried("closed call", mistaken(log.Call("f", nil)))
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func cost(recorder *omnilink.Recorder) {
	log := must(recorder.Thread(0))
	args := object{"value": 3}
	for batch := 0; batch < 5; batch++ {
		start := processorTime()
		for at := 0; at < 20_000; at++ {
			must(log.Call("write", args)).EndNothing()
		}
		fmt.Println("COST", int64(processorTime()-start)/20_000)
	}
}

func main() {
	part, folder := os.Args[1], os.Args[2]
	// Where a limit on the size of files stands for a full disk.
	signal.Ignore(syscall.SIGXFSZ)
	recorder := must(omnilink.Create(folder, object{"seed": 42}))
	switch part {
	case "calls":
		calls(recorder)
	case "texts":
		texts(recorder)
	case "values":
		values(recorder)
	case "threads":
		threads(recorder, 100, 50)
	case "full":
		threads(recorder, 4, 25_000)
	case "die":
		die(recorder)
	case "race":
		race(recorder)
	case "misuse":
		misuse(recorder, folder)
		return
	case "cost":
		cost(recorder)
	default:
		panic(part)
	}
	if err := recorder.Close(); err != nil {
		fmt.Println("ERROR", err)
		os.Exit(3)
	}
}
