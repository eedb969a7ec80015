//! Whatever a trace holds, reading and checking it with any model ends in an answer or an error, never in a panic.

use crate::common::Rng;
use omnilink_engine::{CheckError, Limits, Operation, Options, check};
use omnilink_models::{Decoded, Shipped, Visitor, catalogue, with_model};
use omnilink_trace::{self as trace, Args, Timebox};
use omnilink_value::Value;

fn value(rng: &mut Rng, depth: usize) -> Value {
    let numbers = [i64::MIN, i64::MAX, -1, 0, 1, 2, 3];
    let words = ["", "a", "r", "w", "ok", "7", "value"];
    match rng.below(if depth == 0 { 5 } else { 8 }) {
        0 | 1 => Value::int(numbers[rng.below(numbers.len())]),
        2 => Value::bool(rng.once_in(2)),
        3 => Value::str(words[rng.below(words.len())]),
        4 => Value::null(),
        5 => Value::set(
            (0..rng.below(3))
                .map(|_| value(rng, depth - 1))
                .collect::<Vec<_>>(),
        ),
        6 => Value::tuple(
            (0..rng.below(4))
                .map(|_| value(rng, depth - 1))
                .collect::<Vec<_>>(),
        ),
        _ => record(rng, depth - 1),
    }
}

fn record(rng: &mut Rng, depth: usize) -> Value {
    let names = [
        "key", "value", "values", "result", "ret", "from", "to", "amount", "account", "lo", "hi", "count",
        "index", "permits", "max", "op", "ok", "exists", "unknown", "Value",
    ];
    let fields: Vec<_> = (0..rng.below(5))
        .map(|_| (names[rng.below(names.len())], value(rng, depth)))
        .collect();
    Value::record(fields)
}

fn operation(rng: &mut Rng, names: &[&str], start: i64) -> trace::Operation {
    let args = if rng.once_in(2) {
        Args::Named(record(rng, 2))
    } else {
        Args::positional((0..rng.below(4)).map(|_| value(rng, 2)).collect::<Vec<_>>())
    };
    let timebox = if rng.once_in(5) {
        Timebox::pending(start)
    } else {
        Timebox::new(start, start + 3)
    };
    let name = names[rng.below(names.len())];
    let mut operation = trace::Operation::new(rng.below(3) as i64, name, args, timebox);
    operation.ret = (!rng.once_in(3)).then(|| value(rng, 2));
    operation.aborted = rng.once_in(6);
    operation
}

struct Survive<'a>(&'a mut Rng);

impl Visitor for Survive<'_> {
    type Output = usize;

    fn visit<M: Shipped>(self, model: M) -> usize {
        let names: Vec<&str> = M::ENTRY
            .ops
            .iter()
            .map(|op| op.name)
            .chain(["call", "nonsense"])
            .collect();
        let mut history = Vec::new();
        for start in 0..24 {
            let operation = operation(self.0, &names, start);
            match model.decode(&operation) {
                Ok(Decoded::Op(op)) => history.push(Operation::new(0, op, operation.timebox)),
                Ok(Decoded::DidNotHappen) => {}
                Err(error) => assert!(error.to_string().starts_with("memory: "), "{error}"),
            }
        }
        let understood = history.len();
        let limits = Limits {
            configurations: Some(20_000),
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        match check(&model, history, options) {
            // Numbers may go beyond what the model can count.
            Ok(_) | Err(CheckError::Exceeded(_)) => {}
            Err(error) => panic!("{error}"),
        }
        understood
    }
}

#[test]
fn no_operation_whatever_it_carries_makes_a_model_panic() {
    for entry in catalogue() {
        let mut understood = 0;
        for seed in 0..500 {
            understood += with_model(entry.name, Survive(&mut Rng::new(seed))).unwrap();
        }
        assert!(
            understood > 100,
            "{}: only {understood} operations made sense",
            entry.name
        );
    }
}
