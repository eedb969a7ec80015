//! Arbitrary operations: decoding and checking them with any model ends with a verdict or an error, never with a panic.

use fastrand::Rng;
use omnilink_engine::{CheckError, Limits, Options, check};
use omnilink_models::{NativeModel, Visitor, catalogue, with_model};
use omnilink_trace::{self as trace, Args, Timebox};
use omnilink_value::Value;

fn value(rng: &mut Rng, depth: usize) -> Value {
    let numbers = [i64::MIN, i64::MAX, -1, 0, 1, 2, 3];
    let words = ["", "a", "r", "w", "ok", "7", "value"];
    match rng.usize(..if depth == 0 { 5 } else { 8 }) {
        0 | 1 => Value::int(numbers[rng.usize(..numbers.len())]),
        2 => Value::bool(rng.bool()),
        3 => Value::str(words[rng.usize(..words.len())]),
        4 => Value::null(),
        5 => Value::set(
            (0..rng.usize(..3))
                .map(|_| value(rng, depth - 1))
                .collect::<Vec<_>>(),
        ),
        6 => Value::tuple(
            (0..rng.usize(..4))
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
    let fields: Vec<_> = (0..rng.usize(..5))
        .map(|_| (names[rng.usize(..names.len())], value(rng, depth)))
        .collect();
    Value::record(fields)
}

fn operation(rng: &mut Rng, names: &[&str], start: i64) -> trace::Operation {
    let args = if rng.bool() {
        Args::Named(record(rng, 2))
    } else {
        Args::positional((0..rng.usize(..4)).map(|_| value(rng, 2)).collect::<Vec<_>>())
    };
    let timebox = if rng.usize(..5) == 0 {
        Timebox::pending(start)
    } else {
        Timebox::new(start, start + 3)
    };
    let name = names[rng.usize(..names.len())];
    let mut operation = trace::Operation::new(rng.usize(..3) as i64, name, args, timebox);
    operation.ret = (rng.usize(..3) != 0).then(|| value(rng, 2));
    operation.aborted = rng.usize(..6) == 0;
    operation
}

struct DecodeAndCheck<'a>(&'a mut Rng);

impl Visitor for DecodeAndCheck<'_> {
    type Output = usize;

    fn visit<M: NativeModel>(self, model: M) -> usize {
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
                Ok(decoded) => history.extend(decoded.timed(0, operation.timebox)),
                Err(error) => assert!(error.to_string().starts_with("memory: "), "{error}"),
            }
        }
        let decoded = history.len();
        let limits = Limits {
            configurations: Some(20_000),
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        match check(&model, history, options) {
            // Numbers may exceed the range of the model.
            Ok(_) | Err(CheckError::Exceeded(_)) => {}
            Err(error) => panic!("{error}"),
        }
        decoded
    }
}

#[test]
fn no_operation_makes_a_model_panic() {
    for entry in catalogue() {
        let mut decoded = 0;
        for seed in 0..500 {
            decoded += with_model(entry.name, DecodeAndCheck(&mut Rng::with_seed(seed))).unwrap();
        }
        assert!(
            decoded > 100,
            "{}: only {decoded} operations were decoded",
            entry.name
        );
    }
}
