package omnilink

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func lines(t *testing.T, path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestValues(t *testing.T) {
	type point struct {
		X      int
		Names  []string `json:"n"`
		hidden int
	}
	three := 3
	for _, one := range []struct {
		value any
		text  string
	}{
		{nil, "null"},
		{true, "true"},
		{int64(math.MinInt64), "-9223372036854775808"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{1.5, "1.5"},
		{"a é \n", `"a é \n"`},
		{"\xff\\xff", `"\\xff\\x5cxff"`},
		{errors.New("no such key"), `"no such key"`},
		{time.Unix(0, 1).UTC(), `"1970-01-01T00:00:00.000000001Z"`},
		{(*time.Time)(nil), "null"},
		{[]int{1, 2}, "[1,2]"},
		{Set{4}, `{"$set":[4]}`},
		{map[string]int{"k": 5, "a": 1}, `{"a":1,"k":5}`},
		{map[int]string{6: "six"}, `{"$fn":[[6,"six"]]}`},
		{map[string]int{"$set": 7}, `{"$fn":[["$set",7]]}`},
		{&three, "3"},
		{(*int)(nil), "null"},
		{point{X: 9, Names: []string{"n"}, hidden: 1}, `{"x":9,"n":["n"]}`},
		{ModelValue("n1"), `{"$model":"n1"}`},
	} {
		text, err := encoded(one.value)
		if err != nil || text != one.text {
			t.Errorf("%v is %s, %v; expected %s", one.value, text, err, one.text)
		}
	}
	self := []any{nil}
	self[0] = self
	for _, value := range []any{math.NaN(), math.Inf(1), func() {}, make(chan int), self, map[string]any{"x": math.NaN()}} {
		if text, err := encoded(value); err == nil {
			t.Errorf("%T is recorded as %s", value, text)
		}
	}
}

func TestCallsOfAThread(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "traces", "run")
	recorder, err := Create(folder, map[string]any{"seed": 42})
	if err != nil {
		t.Fatal(err)
	}
	log, err := recorder.Thread(3)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := log.Call("write", map[string]any{"value": 1})
	if _, err := log.Call("write", nil); err == nil {
		t.Error("two calls at once")
	}
	first.End("ok")
	first.End("again")
	second, _ := log.Call("write", map[string]any{"value": 2})
	second.Leave()
	third, _ := log.Call("write", map[string]any{"value": 3})
	third.Abort()
	fourth, _ := log.Call("write", map[string]any{"value": 4})
	fourth.Cancel()
	if _, err := log.Record("read", nil, func() any { return 1 }); err != nil {
		t.Error(err)
	}
	if _, err := log.Call("write", map[string]any{"value": math.NaN()}); err == nil {
		t.Error("NaN is recorded")
	}
	if err := recorder.Close(); err != nil {
		t.Error(err)
	}
	if _, err := recorder.Thread(4); err == nil {
		t.Error("a thread of a closed recorder")
	}
	if _, err := Create(folder, nil); err == nil {
		t.Error("a folder that is there")
	}
	all := lines(t, filepath.Join(folder, "0.ndjson"))
	expected := []string{`{"omnilink":1,`, `{"thread":3,"op":"write","args":{"value":1}`, `{"thread":3,"op":"write","args":{"value":2}`,
		`{"thread":"3'1","op":"write","args":{"value":3}`, `{"thread":"3'1","op":"read"`}
	if len(all) != len(expected) {
		t.Fatalf("%d lines: %s", len(all), all)
	}
	for at, beginning := range expected {
		if !strings.HasPrefix(all[at], beginning) {
			t.Errorf("%s does not begin with %s", all[at], beginning)
		}
	}
	if !strings.HasSuffix(all[1], `,"ret":"ok"}`) || strings.Contains(all[2], "end") || !strings.HasSuffix(all[3], `,"aborted":true}`) {
		t.Error(all)
	}
}

func TestAResultThatCannotBeRecordedStopsTheRecording(t *testing.T) {
	recorder, err := Create(filepath.Join(t.TempDir(), "run"), nil)
	if err != nil {
		t.Fatal(err)
	}
	log, _ := recorder.Thread("a")
	call, _ := log.Call("f", nil)
	call.End(make(chan int))
	if err := recorder.Close(); err == nil || !strings.Contains(err.Error(), "chan int") {
		t.Errorf("%v", err)
	}
}

func TestAHundredGoroutines(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	recorder, err := Create(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for number := 0; number < 100; number++ {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			log, err := recorder.Thread(number)
			if err != nil {
				t.Error(err)
				return
			}
			for round := 0; round < 50; round++ {
				call, _ := log.Call("add", map[string]any{"value": round})
				call.EndNothing()
			}
		}(number)
	}
	group.Wait()
	if err := recorder.Close(); err != nil {
		t.Error(err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	for _, file := range files {
		if all := lines(t, file); len(all) != 51 {
			t.Errorf("%s has %d lines", file, len(all))
		}
	}
	if len(files) != 100 {
		t.Errorf("%d files", len(files))
	}
}

func TestLogsHaveVectorClocks(t *testing.T) {
	folder := t.TempDir()
	a, err := CreateLog(filepath.Join(folder, "a.ndjson"), "a")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := CreateLog(filepath.Join(folder, "b.ndjson"), "b")
	if err := a.Event("Send").Arg("b").Arg(nil).Add("msgs", map[string]any{"to": "b"}).Set("state", "waiting", "a").Write(); err != nil {
		t.Error(err)
	}
	b.Receive(a.Clock())
	if err := b.Event("").Write(); err != nil {
		t.Error(err)
	}
	if a.Close() != nil || b.Close() != nil || b.Event("Late").Write() == nil {
		t.Error("closing")
	}
	sent := lines(t, filepath.Join(folder, "a.ndjson"))[0]
	expected := `{"node":"a","clock":{"a":1},"event":"Send","args":["b",null],"vars":{"msgs":[{"args":[{"to":"b"}],"op":"AddElement","path":[]}],` +
		`"state":[{"args":["waiting"],"op":"Update","path":["a"]}]}}`
	if sent != expected {
		t.Errorf("%s\n%s", sent, expected)
	}
	if received := lines(t, filepath.Join(folder, "b.ndjson"))[0]; received != `{"node":"b","clock":{"a":1,"b":1}}` {
		t.Error(received)
	}
}

func BenchmarkRecord(b *testing.B) {
	recorder, err := Create(filepath.Join(b.TempDir(), "run"), nil)
	if err != nil {
		b.Fatal(err)
	}
	log, _ := recorder.Thread(0)
	args := map[string]any{"value": 3}
	for at := 0; at < b.N; at++ {
		call, _ := log.Call("write", args)
		call.EndNothing()
	}
	if err := recorder.Close(); err != nil {
		b.Fatal(err)
	}
}
