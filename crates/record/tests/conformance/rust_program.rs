//! The conformance program in Rust. What each part does: recorders/conformance/README.md.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use omnilink_record::{
    ModelValue, Record, RecordError, RecordOptions, Recorder, ThreadLog, ValueSlot, Written, record,
};

struct Sample;

impl Record for Sample {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.fields(|sample| {
            sample.field("x", &1);
            sample.field("names", &["n"]);
        })
    }
}

/// Lists in lists.
struct Nested(u32);

impl Record for Nested {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.items(|items| {
            if self.0 > 0 {
                items.item(&Nested(self.0 - 1));
            }
        })
    }
}

/// Runs a part in this process.
pub fn run(part: &str, folder: &Path) -> Result<(), RecordError> {
    let recorder = RecordOptions::new().header("seed", 42)?.create(folder)?;
    match part {
        "calls" => calls(&recorder)?,
        "values" => values(&mut recorder.thread(0)?),
        "texts" => texts(&mut recorder.thread(0)?),
        "threads" => threads(&recorder, 100, 50),
        "full" => threads(&recorder, 4, 25_000),
        "die" => die(&mut recorder.thread(0)?),
        "race" => race(&recorder),
        "fork" => forked(recorder.thread(0)?),
        "misuse" => {
            misuse(recorder, folder);
            return Ok(());
        }
        "cost" => cost(&mut recorder.thread(0)?),
        _ => unreachable!("{part}"),
    }
    recorder.finish().map(drop)
}

fn calls(recorder: &Recorder) -> Result<(), RecordError> {
    let mut one = recorder.thread(1)?;
    let mut main = recorder.thread("main")?;
    record!(one, write(value = 1) => ());
    record!(one, read() => 1);
    record!(one, cas(from = 1, to = 2) => true);
    one.call("refused").begin().abort();
    one.call("another").arg("value", 1).begin().cancel();
    let meta = BTreeMap::from([("node", 4)]);
    one.call("noted").arg("value", 2).begin().end_with_meta(3, meta);
    let mut narrow = one.call("narrow").begin();
    narrow.tighten_end();
    std::thread::sleep(Duration::from_millis(20));
    narrow.end(());
    drop(one.call("lost").begin());
    record!(one, after() => ());
    main.call("hello").begin().end(None::<i64>);
    Ok(())
}

fn echo(log: &mut ThreadLog, name: &str, value: &impl Record) {
    log.call(name).arg("value", value).begin().end(value);
}

fn values(log: &mut ThreadLog) {
    echo(log, "null", &None::<i64>);
    echo(log, "true", &true);
    echo(log, "false", &false);
    echo(log, "zero", &0);
    echo(log, "negative", &-1);
    echo(log, "exact", &((1_i64 << 53) + 1));
    echo(log, "least", &i64::MIN);
    echo(log, "greatest", &i64::MAX);
    echo(log, "unsigned", &u64::MAX);
    echo(log, "empty text", &"");
    echo(log, "text", &"a é 😀 \n \u{1} \" \\");
    let nothing: [i64; 0] = [];
    echo(log, "list", &(1, (2, nothing)));
    echo(log, "bytes", &[0_u8, 127, 255]);
    echo(log, "record", &Sample);
    echo(log, "function", &BTreeMap::from([(1, "one")]));
    echo(log, "dollar", &BTreeMap::from([("$set", 7)]));
    echo(log, "set", &BTreeSet::from([1, 2]));
    echo(log, "empty set", &BTreeSet::<i64>::new());
    echo(log, "empty list", &nothing);
    echo(log, "model", &ModelValue("n1"));
    echo(log, "deep", &Nested(25));
}

fn texts(log: &mut ThreadLog) {
    let texts: [(&str, &[u8]); 8] = [
        ("byte", b"a\xffb"),
        ("other byte", b"a\xfeb"),
        ("cut off", b"\xf0\x9f\x98"),
        ("surrogate", b"\xed\xa0\x80"),
        ("looks like one", b"a\\ud800b"),
        ("looks like a byte", b"\\xff"),
        ("path", b"C:\\users\\xyz"),
        ("nul", b"a\0b"),
    ];
    for (name, text) in texts {
        // Keys of maps are any values.
        let text = OsStr::from_bytes(text);
        let value = BTreeMap::from([(text, text)]);
        log.call(name).arg("value", value).begin().end(text);
    }
}

fn threads(recorder: &Recorder, count: i64, rounds: usize) {
    let counter = AtomicI64::new(0);
    std::thread::scope(|scope| {
        for number in 0..count {
            let counter = &counter;
            let mut log = recorder.thread(number).expect("a log");
            scope.spawn(move || {
                for _ in 0..rounds {
                    record!(log, next() => counter.fetch_add(1, Ordering::SeqCst));
                }
            });
        }
    });
    println!("DONE {}", counter.into_inner());
}

fn die(log: &mut ThreadLog) {
    for i in 0..1000 {
        record!(log, op(i = i) => i);
    }
    let _open = log.call("op").arg("i", 1000).begin();
    println!("open");
    std::thread::sleep(Duration::from_secs(600));
}

fn race(recorder: &Recorder) {
    std::thread::scope(|scope| {
        for number in 0..2 {
            let mut log = recorder.thread(number).expect("a log");
            scope.spawn(move || {
                for i in 0_i64.. {
                    record!(log, op(i = i) => i);
                    if i % 64 == 63 {
                        let line = format!("{number} {i}\n");
                        std::io::stdout().write_all(line.as_bytes()).expect("a reader");
                    }
                }
            });
        }
    });
}

/// A child may do no more than drop what it inherits.
fn forked(mut log: ThreadLog) {
    record!(log, a() => ());
    // SAFETY: the child only drops the log, which allocates nothing and takes no lock, and ends at once.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop(log);
        // SAFETY: ends the child without running what belongs to the parent.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: waits for the child that was just made.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    println!("child: ended with {status}");
    record!(log, b() => ());
}

fn misuse(recorder: Recorder, folder: &Path) {
    fn tried<T>(name: &str, result: Result<T, RecordError>) {
        match result {
            Ok(_) => println!("{name}: nothing"),
            Err(error) => println!("{name}: {error}"),
        }
    }
    let log = recorder.thread(0).expect("a log");
    tried("header", RecordOptions::new().header("unit", "s"));
    tried("label taken", recorder.thread("0"));
    tried("label form", recorder.thread("0'1"));
    tried("folder", Recorder::create(folder));
    tried("open", recorder.finish());
    drop(log);
}

fn cost(log: &mut ThreadLog) {
    for _ in 0..5 {
        let start = processor_nanoseconds();
        for _ in 0..100_000 {
            record!(log, write(value = 3) => ());
        }
        println!("COST {}", (processor_nanoseconds() - start) / 100_000);
    }
}

fn processor_nanoseconds() -> i64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: reads a clock into a local variable.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut now) };
    assert_eq!(failed, 0);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}
