//! Ten objects that no reduction was made for, from a bounded queue and a table of locks to a bank and an index.
//!
//! Each is written twice: as a spec, in whatever style came to mind, and as a few lines of Rust, which give the results of a random
//! run of three to five threads. Such a history must be valid. With one result changed, the verdict must be that of trying every order with
//! actions that are evaluated one by one.

mod coordination;
mod stores;

use crate::styles::{Numbers, assert_same, verdicts};

/// A call and its result: the name of the action, and its fields in JSON.
type Call = (&'static str, String);

/// Makes a call of a thread.
type Caller = Box<dyn FnMut(u64, &mut Numbers, bool) -> Call>;

/// An object: its spec, and what makes a call. With `true` the call has a result that is not the right one, or not for certain.
struct Object {
    name: &'static str,
    body: &'static str,
    start: fn() -> Caller,
}

fn objects() -> impl Iterator<Item = Object> {
    coordination::OBJECTS.into_iter().chain(stores::OBJECTS)
}

/// A history of three to five threads, with five to eight calls, of which some never return.
fn short_history(object: &Object, numbers: &mut Numbers, is_changed: bool) -> String {
    let calls = 5 + numbers.below(4);
    history(object, numbers, calls, is_changed, true)
}

/// A history of three to five threads. Each call takes effect at one moment inside its timebox; if it is changed one of them has a wrong result.
fn history(
    object: &Object,
    numbers: &mut Numbers,
    calls: u64,
    is_changed: bool,
    may_be_open: bool,
) -> String {
    let threads = 3 + numbers.below(3);
    let wrong = numbers.below(calls);
    let mut call = (object.start)();
    let mut free = vec![0; threads as usize];
    let mut lines = Vec::new();
    for at in 0..calls {
        let thread = numbers.below(threads);
        // The moment at which the call takes effect: the calls come in this order.
        let moment = 10 * (at + 1);
        let start = (moment - numbers.below(25).min(moment)).max(free[thread as usize]);
        let end = moment + 1 + numbers.below(25);
        let (op, args) = call(thread, numbers, is_changed && at == wrong);
        let is_pending = may_be_open && numbers.below(12) == 0;
        let (ended, free_from) = if is_pending {
            ("null".to_owned(), u64::MAX)
        } else {
            (end.to_string(), end + 1)
        };
        // While the call of a thread is open, another thread calls.
        let number = if start > moment {
            threads + at
        } else {
            free[thread as usize] = free_from;
            thread
        };
        let start = start.min(moment);
        let line = format!(
            "{{\"thread\":{number},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{ended}}}\n"
        );
        lines.push((start, line));
    }
    lines.sort_by_key(|(start, _)| *start);
    lines.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn objects_that_nothing_was_made_for_have_the_verdict_of_trying_every_order() {
    for (seed, object) in (11..).zip(objects()) {
        let mut numbers = Numbers(seed);
        let style = (object.name, "", object.body);
        let right: Vec<String> = (0..200)
            .map(|_| short_history(&object, &mut numbers, false))
            .collect();
        assert_same(object.name, &verdicts(style, &right, false), &[true; 200], &right);
        let changed: Vec<String> = (0..400)
            .map(|_| short_history(&object, &mut numbers, true))
            .collect();
        let expected = verdicts(style, &changed, true);
        let valid = expected.iter().filter(|valid| **valid).count();
        assert!(
            (20..380).contains(&valid),
            "{}: the histories are too easy or too hard: {valid} are valid",
            object.name
        );
        assert_same(
            object.name,
            &verdicts(style, &changed, false),
            &expected,
            &changed,
        );
    }
}

/// Compiled steps, caches and what is settled on the way: nothing of that is at work in a short history.
#[test]
fn long_runs_of_these_objects_are_valid() {
    for (seed, object) in (71..).zip(objects()) {
        let mut numbers = Numbers(seed);
        let runs: Vec<String> = (0..2)
            .map(|_| history(&object, &mut numbers, 1500, false, false))
            .collect();
        let style = (object.name, "", object.body);
        assert_same(object.name, &verdicts(style, &runs, false), &[true; 2], &runs);
    }
}
