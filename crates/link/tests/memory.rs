//! Memory does not grow with the length of a trace: whatever is remembered is forgotten again.
//!
//! A binary of its own, because it counts every byte that the process allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use omnilink_engine::{Checker, Options, Partitioning};
use omnilink_link::{LinkFile, LinkOptions, Linked};
use omnilink_trace::{OpenOptions, Trace};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller's layout is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's pointer and layout are handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Transfers in two steps, and what was withdrawn and not yet deposited.
const BANK: &str = r"---- MODULE Bank ----
EXTENDS Integers
VARIABLES bal, flight
vars == <<bal, flight>>
Init == bal = [a \in 0..5 |-> 100] /\ flight = [t \in 0..5 |-> 0]
Transfer_Step(thread, from, to, amount, ok) ==
    /\ ok /\ flight[thread] = 0 /\ bal[from] >= amount
    /\ bal' = [bal EXCEPT ![from] = @ - amount] /\ flight' = [flight EXCEPT ![thread] = amount]
Transfer_Done(thread, from, to, amount, ok) ==
    IF ok THEN /\ flight[thread] = amount
               /\ bal' = [bal EXCEPT ![to] = @ + amount] /\ flight' = [flight EXCEPT ![thread] = 0]
          ELSE flight[thread] = 0 /\ bal[from] < amount /\ UNCHANGED vars
Balance(account, result) == result = bal[account] /\ UNCHANGED vars
====";

/// The state is one record, and each value is new.
const LOG: &str = r"---- MODULE Log ----
EXTENDS Integers
VARIABLE s
Init == s = [last |-> 0, sum |-> 0]
Put(value) == s' = [last |-> value, sum |-> (s.sum + value) % 1000]
Last(result) == result = s.last /\ UNCHANGED s
====";

/// What is not known to be sorted is looked through first.
const HEADER: &str = "{\"omnilink\":1,\"sorted\":true}\n";

struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn bank(operations: usize) -> String {
    let (mut chance, mut text) = (Chance(7), HEADER.to_owned());
    let mut bal = [100i64; 6];
    for number in 0..operations {
        // Overlapping, but so that what happens in the order of the lines explains all of it.
        let (thread, start) = (number % 6, number * 10);
        let end = start + 25;
        let (from, to) = (chance.below(6), chance.below(6));
        let amount = 1 + chance.below(150) as i64;
        if chance.below(3) == 0 {
            text.push_str(&format!(
                "{{\"thread\":{thread},\"op\":\"Balance\",\"args\":{{\"account\":{from}}},\"ret\":{},\"start\":{start},\"end\":{end}}}\n",
                bal[from as usize]
            ));
            continue;
        }
        let ok = bal[from as usize] >= amount;
        if ok {
            bal[from as usize] -= amount;
            bal[to as usize] += amount;
        }
        text.push_str(&format!(
            "{{\"thread\":{thread},\"op\":\"Transfer\",\"args\":{{\"from\":{from},\"to\":{to},\"amount\":{amount},\"ok\":{ok}}},\"start\":{start},\"end\":{end}}}\n"
        ));
    }
    text
}

fn log(operations: usize) -> String {
    let mut text = HEADER.to_owned();
    for number in 0..operations {
        let (thread, start, value) = (number % 4, number * 10, number / 2);
        let end = start + 25;
        let (op, field) = match number % 2 {
            0 => ("Put", "value"),
            _ => ("Last", "result"),
        };
        text.push_str(&format!(
            "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{\"{field}\":{value}}},\"start\":{start},\"end\":{end}}}\n"
        ));
    }
    text
}

/// How much more than before a check holds, at most.
fn most_held(spec: &str, toml: &str, trace: &str, search: Options) -> usize {
    let module = spec.split_whitespace().nth(2).unwrap();
    let options = LinkOptions {
        file: LinkFile::parse(toml).unwrap(),
        ..LinkOptions::default()
    };
    let linked = Linked::from_text(module, spec, &options).unwrap();
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let bytes = trace.to_owned().into_bytes();
    let length = bytes.len();
    linked
        .run(|model| {
            let trace =
                Trace::from_reader("trace", std::io::Cursor::new(bytes), &OpenOptions::default()).unwrap();
            let mut checker = Checker::with_partitioning(model, search, Partitioning::Whole);
            for operation in trace {
                let operation = operation.unwrap();
                let thread = operation.thread.as_int().unwrap_or(0) as u32;
                for part in model.bind(&operation).unwrap().timed(thread, operation.timebox) {
                    checker.push(part).unwrap();
                }
            }
            assert!(checker.finish().unwrap().conclusion.is_valid());
        })
        .unwrap();
    MOST.load(Ordering::Relaxed) - before - length
}

/// One test: it must have the process for itself.
#[test]
fn four_times_the_trace_takes_no_more_memory() {
    let usual = Options::default();
    // The sweep has no budget, so that everything waits, and is explained window by window.
    let windows = Options {
        sweep_budget: 0,
        commit_after: Some(1 << 10),
        ..usual
    };
    for (spec, toml, trace, search) in [
        (BANK, "", bank as fn(usize) -> String, usual),
        (BANK, "", bank, windows),
        (LOG, "", log, usual),
        (LOG, "invariants = ['s.sum >= 0']", log, usual),
        (LOG, "view = 's.last'", log, usual),
    ] {
        let (short, long) = (
            most_held(spec, toml, &trace(12_000), search),
            most_held(spec, toml, &trace(48_000), search),
        );
        assert!(
            long < short + short / 4 + (2 << 20),
            "{short} bytes for a short trace, {long} for one four times as long: {toml}"
        );
    }
}
