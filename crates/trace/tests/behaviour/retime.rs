//! Retiming: clip, shift, tighten, and that a true explanation is never lost.

use omnilink_trace::{Args, OpenOptions, Operation, RetimeRule, Timebox, Trace, encode_json};
use omnilink_value::Value;
use proptest::prelude::*;

fn operation(thread: i64, name: &str, timebox: (i64, Option<i64>), meta: &[(&str, Value)]) -> Operation {
    let timebox = Timebox {
        start: timebox.0,
        end: timebox.1,
    };
    let mut operation = Operation::new(thread, name, Args::none(), timebox);
    operation.meta = (!meta.is_empty()).then(|| Value::record(meta.iter().cloned()));
    operation
}

fn trace(operations: &[Operation]) -> Trace {
    let mut text = String::new();
    for operation in operations {
        encode_json(operation, &mut text);
        text.push('\n');
    }
    Trace::from_bytes("test", text.into_bytes(), &OpenOptions::default()).expect("a trace")
}

/// `name[start,end]` for each operation.
fn retime(operations: &[Operation], rule: &str) -> Result<String, String> {
    let rule: RetimeRule = rule.parse().expect(rule);
    let retimed = trace(operations)
        .retimed(&[rule])
        .map_err(|error| error.to_string())?;
    let mut drawn = Vec::new();
    for operation in retimed {
        let operation = operation.map_err(|error| error.to_string())?;
        let end = operation
            .timebox
            .end
            .map_or("…".to_owned(), |end| end.to_string());
        drawn.push(format!("{}[{},{end}]", operation.name, operation.timebox.start));
    }
    Ok(drawn.join(" "))
}

#[test]
fn clip_intersects_the_timebox_with_the_interval_in_meta() {
    let pair = |earliest: i64, latest: i64| Value::tuple([earliest.into(), latest.into()]);
    let operations = [
        operation(0, "a", (0, Some(10)), &[("lin", pair(4, 20))]),
        operation(1, "b", (1, Some(10)), &[("lin", Value::int(3))]),
        operation(2, "c", (2, None), &[("lin", pair(5, 6))]),
        operation(3, "d", (3, Some(4)), &[]),
    ];
    assert_eq!(
        retime(&operations, "clip=lin").as_deref(),
        Ok("b[3,3] d[3,4] a[4,10] c[5,…]")
    );
}

/// After clipping, only the order of the calls within the thread determines which came first.
#[test]
fn operations_of_a_thread_that_become_one_instant_keep_their_order() {
    let at = |name, start, end| operation(0, name, (start, Some(end)), &[("lin", Value::int(5))]);
    let other = operation(1, "z", (0, Some(5)), &[("lin", Value::int(5))]);
    let operations = [other, at("c", 0, 5), at("b", 5, 5), at("a", 5, 9)];
    assert_eq!(
        retime(&operations, "clip=lin").as_deref(),
        Ok("z[5,5] c[5,5] b[5,5] a[5,5]")
    );
}

#[test]
fn a_clip_outside_of_the_timebox_is_an_error() {
    let operations = [operation(0, "a", (0, Some(10)), &[("lin", Value::int(11))])];
    assert_eq!(
        retime(&operations, "clip=lin"),
        Err(
            "test:1: a: the field \"lin\" of \"meta\" says [11, 11], which is outside of the timebox"
                .to_owned()
        )
    );
    let operations = [operation(0, "a", (0, Some(10)), &[("lin", "x".into())])];
    assert!(
        retime(&operations, "clip=lin")
            .is_err_and(|error| error.contains("expected a time or a pair of times"))
    );
}

#[test]
fn shift_moves_the_operations_of_one_clock() {
    let operations = [
        operation(0, "a", (0, Some(10)), &[("node", "n1".into())]),
        operation(1, "b", (5, None), &[("node", "n2".into())]),
    ];
    assert_eq!(
        retime(&operations, "shift=0:100").as_deref(),
        Ok("b[5,…] a[100,110]")
    );
    assert_eq!(
        retime(&operations, "shift=node=n2:-7").as_deref(),
        Ok("b[-2,…] a[0,10]")
    );
    assert!(
        retime(&operations, &format!("shift=0:{}", i64::MAX))
            .is_err_and(|error| error.contains("64-bit clock"))
    );
}

#[test]
fn tighten_narrows_both_ends_of_a_synchronisation_and_passes_it_on() {
    // a  |----------|            sent m
    // b    |---|                 received m, sent n
    // c |----------------|       received n
    let operations = [
        operation(2, "c", (0, Some(20)), &[("rx", "n".into())]),
        operation(0, "a", (3, Some(15)), &[("tx", "m".into())]),
        operation(1, "b", (5, Some(9)), &[("rx", "m".into()), ("tx", "n".into())]),
    ];
    assert_eq!(
        retime(&operations, "tighten=tx,rx").as_deref(),
        Ok("a[3,9] b[5,9] c[5,20]")
    );
}

#[test]
fn synchronisation_that_cannot_be_true_is_left_alone_and_noted() {
    let operations = [
        operation(0, "b", (0, Some(4)), &[("rx", "m".into())]),
        operation(1, "long", (1, Some(9)), &[]),
        operation(2, "a", (4, Some(9)), &[("tx", "m".into())]),
        operation(3, "c", (0, Some(3)), &[("rx", "m".into())]),
    ];
    assert_eq!(
        retime(&operations, "tighten=tx,rx").as_deref(),
        Ok("c[0,3] long[1,9] b[4,4] a[4,4]")
    );
}

#[test]
fn a_message_with_two_senders_is_an_error() {
    let operations = [
        operation(0, "a", (0, Some(4)), &[("tx", 1.into())]),
        operation(1, "b", (1, Some(4)), &[("tx", 1.into())]),
    ];
    assert!(
        retime(&operations, "tighten=tx,rx")
            .is_err_and(|error| error.contains("the message 1 was already sent"))
    );
}

/// A true run: operations of a few threads with calls, effects and returns on one clock, messages sent after
/// returns and received before calls, and timeboxes that are a little wider than the truth.
fn true_run() -> impl Strategy<Value = Vec<(Operation, i64)>> {
    let step = (
        0..3_i64,
        1..6_i64,
        1..6_i64,
        1..6_i64,
        0..8_i64,
        0..8_i64,
        any::<prop::sample::Index>(),
        any::<bool>(),
    );
    prop::collection::vec(step, 1..14).prop_map(|steps| {
        let mut free = [0_i64; 3];
        let mut recorded_end = [0_i64; 3];
        let mut returns: Vec<(i64, i64)> = Vec::new();
        let mut run = Vec::new();
        for (number, (thread, gap, before, after, early, late, message, receives)) in (0..).zip(steps) {
            let at = thread as usize;
            let mut called = free[at] + gap;
            let mut meta = vec![("tx", Value::int(number))];
            if receives && !returns.is_empty() {
                let (sender, returned) = returns[message.index(returns.len())];
                called = called.max(returned + 1);
                meta.push(("rx", Value::int(sender)));
            }
            let effect = called + before;
            let returned = effect + after;
            let start = (called - early).max(recorded_end[at]);
            let end = returned + late;
            (free[at], recorded_end[at]) = (end, end);
            returns.push((number, returned));
            run.push((
                operation(thread, &number.to_string(), (start, Some(end)), &meta),
                effect,
            ));
        }
        run
    })
}

proptest! {
    #[test]
    fn tightening_never_loses_a_true_effect(run in true_run()) {
        let operations: Vec<Operation> = run.iter().map(|(operation, _)| operation.clone()).collect();
        let rule = RetimeRule::Tighten { sent: "tx".to_owned(), received: "rx".to_owned() };
        let retimed = trace(&operations).retimed(&[rule]).expect("a retimed trace");
        for operation in retimed {
            let operation = operation.expect("a checked operation");
            let number: usize = operation.name.parse().expect("a number");
            let (original, effect) = &run[number];
            prop_assert!(operation.timebox.start <= *effect && Some(*effect) <= operation.timebox.end);
            prop_assert!(original.timebox.start <= operation.timebox.start && operation.timebox.end <= original.timebox.end);
        }
    }
}
