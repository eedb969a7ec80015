//! A TLA+ specification as the sequential model answers as the native model does.

use std::path::PathBuf;

use fastrand::Rng;
use omnilink_consistency::{
    ConsistencyLevel, Criterion, Decoder, History, RecordedHistory, Ret, WeakChecker, WeakOptions, naive,
    read_histories,
};
use omnilink_engine::{Model, Outcomes};
use omnilink_evidence::Conclusion;
use omnilink_link::{BindError, Instance, LinkOptions, Linked, TlaModel};
use omnilink_models::{CasRegister, Decode, DecodeError, Decoded, FailedCas};
use omnilink_trace::Operation;
use omnilink_value::Value;

/// A history of random operations, three threads and a random order: `op` writes the operation's fields.
fn random_history(rng: &mut Rng, count: usize, op: impl Fn(&mut Rng) -> String) -> RecordedHistory {
    let threads: Vec<usize> = (0..count).map(|_| rng.usize(..3)).collect();
    let ops: Vec<String> = threads
        .iter()
        .map(|thread| format!(r#"{{"thread":{thread},{}}}"#, op(rng)))
        .collect();
    let density = rng.usize(..4);
    let mut pairs = Vec::new();
    for second in 0..count {
        for first in 0..second {
            if rng.usize(..4) < density {
                pairs.push(format!("[{first},{second}]"));
            }
        }
    }
    let line = format!(r#"{{"ops":[{}],"hb":[{}]}}"#, ops.join(","), pairs.join(","));
    read_histories("random", line.as_bytes()).next().unwrap().unwrap()
}

fn example(name: &str) -> Linked {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/consistency/{name}.tla"));
    Linked::load(&path, &LinkOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Operations of a spec.
struct Actions<'a, 'l>(&'a TlaModel<'l>);

impl Decoder<Instance> for Actions<'_, '_> {
    type Error = BindError;

    fn returned(&self, operation: &Operation) -> Result<Option<Instance>, BindError> {
        once(self.0.bind(operation)?)
    }

    fn effect(&self, operation: &Operation) -> Result<Option<Instance>, BindError> {
        once(self.0.bind_effect(operation)?)
    }
}

fn once(bound: Decoded<Instance>) -> Result<Option<Instance>, BindError> {
    match bound {
        Decoded::Once(instance) => Ok(Some(instance)),
        other => panic!("{other:?}"),
    }
}

/// One verdict for each level and each reading.
fn verdicts<M: Model>(checker: &mut WeakChecker<'_, M>, history: &History<M::Op>) -> Vec<bool> {
    let mut found = Vec::new();
    for level in ConsistencyLevel::ALL {
        for ret in [Ret::Own, Ret::All] {
            found.push(verdict(checker, history, &level.criterion(), ret));
        }
    }
    found
}

fn verdict<M: Model>(
    checker: &mut WeakChecker<'_, M>,
    history: &History<M::Op>,
    criterion: &Criterion,
    ret: Ret,
) -> bool {
    let options = WeakOptions {
        ret,
        minimise: false,
        ..WeakOptions::default()
    };
    match checker.check(history, criterion, &options).unwrap().conclusion {
        Conclusion::Unknown(unfinished) => panic!("{unfinished:?}"),
        verdict => verdict.is_valid(),
    }
}

/// Compares a spec with a native model on random histories.
fn agree<M: Model>(
    linked: &Linked,
    (model, decode): (&(impl Fn() -> M + Sync), &(impl Decoder<M::Op> + Sync)),
    rounds: usize,
    op: impl Fn(&mut Rng) -> String + Sync,
) {
    let compare = |spec: &TlaModel<'_>| {
        let model = model();
        let mut of_spec = WeakChecker::new(spec);
        let mut native = WeakChecker::new(&model);
        let (mut rng, mut valid, mut total) = (Rng::with_seed(11), 0, 0);
        for round in 0..rounds {
            let recorded = random_history(&mut rng, 1 + round % 6, &op);
            let expected = verdicts(&mut native, &History::of_recorded(&recorded, decode).unwrap());
            let found = verdicts(
                &mut of_spec,
                &History::of_recorded(&recorded, &Actions(spec)).unwrap(),
            );
            assert_eq!(found, expected, "{recorded:#?}");
            valid += expected.iter().filter(|is_valid| **is_valid).count();
            total += expected.len();
        }
        // Both answers are common, or the comparison would show little.
        assert!(
            valid * 6 > total && (total - valid) * 6 > total,
            "{valid} of {total}"
        );
    };
    linked.run(compare).unwrap();
}

#[test]
fn a_register_with_compare_and_set_agrees_with_the_native_model_at_every_level() {
    let model = || CasRegister {
        initial: Value::int(0),
        failed_cas: FailedCas::default(),
    };
    let decode = |operation: &Operation| -> Result<Option<_>, DecodeError> {
        model().decode(operation).map(Decoded::into_last)
    };
    agree(&example("Register"), (&model, &decode), 400, |rng| {
        let [a, b] = [rng.usize(..3), rng.usize(..3)];
        match rng.usize(..4) {
            0 => format!(r#""op":"Write","args":[{a}]"#),
            1 | 2 => format!(r#""op":"Read","args":[],"ret":{a}"#),
            _ => format!(r#""op":"Cas","args":[{a},{b}],"ret":{}"#, rng.usize(..2) == 0),
        }
    });
}

/// The store of the example, in Rust.
struct Store;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum StoreOp {
    Put(usize, i64, Option<i64>),
    Get(usize, Option<i64>),
    Size(Option<i64>),
}

impl Model for Store {
    type State = [i64; 2];
    type Op = StoreOp;

    fn initial(&self) -> Vec<[i64; 2]> {
        vec![[0, 0]]
    }

    fn step(&self, state: &[i64; 2], op: &StoreOp, outcomes: &mut Outcomes<[i64; 2]>) {
        let mut next = *state;
        let (would_return, returned) = match op {
            StoreOp::Put(key, new, result) => (std::mem::replace(&mut next[*key], *new), result),
            StoreOp::Get(key, result) => (state[*key], result),
            StoreOp::Size(result) => (state.iter().filter(|value| **value != 0).count() as i64, result),
        };
        if returned.is_none_or(|returned| returned == would_return) {
            outcomes.accept(next);
        }
    }
}

fn decode_store(operation: &Operation) -> Result<Option<StoreOp>, String> {
    let key = || match operation.args.field("key").and_then(Value::as_str) {
        Some("x") => 0,
        _ => 1,
    };
    let ret = operation.ret.as_ref().and_then(Value::as_int);
    let new = || operation.args.field("new").and_then(Value::as_int).unwrap();
    Ok(Some(match operation.name.as_str() {
        "Put" => StoreOp::Put(key(), new(), ret),
        "Get" => StoreOp::Get(key(), ret),
        _ => StoreOp::Size(ret),
    }))
}

fn random_store_op(rng: &mut Rng) -> String {
    let key = ["x", "y"][rng.usize(..2)];
    let [new, old] = [1, rng.usize(..2)];
    match rng.usize(..4) {
        0 | 1 => format!(r#""op":"Put","args":{{"key":"{key}","new":{new}}},"ret":{old}"#),
        2 => format!(r#""op":"Get","args":{{"key":"{key}"}},"ret":{old}"#),
        _ => format!(r#""op":"Size","args":{{}},"ret":{old}"#),
    }
}

#[test]
fn a_store_agrees_with_the_native_model_at_every_level() {
    agree(
        &example("Store"),
        (&|| Store, &decode_store),
        400,
        random_store_op,
    );
}

/// Where a spec may choose, everyone who sees an operation may see another choice in the `own` reading; in the `all`
/// reading the choice must be one with which all that is seen returned what it returned.
#[test]
fn a_spec_that_may_choose_is_checked_as_the_definition_says() {
    let text = "---- MODULE Lossy ----\nEXTENDS Integers\nVARIABLE value\nInit == value \\in {0, 1}\n\
        Write(new, result) == value' \\in {value, new} /\\ result = (value' = new)\n\
        Read(result) == result = value /\\ UNCHANGED value\n\
        Next == \\/ \\E new \\in 0..2, result \\in BOOLEAN : Write(new, result)\n\
        \x20       \\/ \\E result \\in 0..2 : Read(result)\n====";
    let linked = Linked::from_text("Lossy", text, &LinkOptions::default()).unwrap();
    let compare = |spec: &TlaModel<'_>| {
        let (mut rng, mut checker) = (Rng::with_seed(5), WeakChecker::new(spec));
        let mut found = [0, 0];
        for round in 0..150 {
            let recorded = random_history(&mut rng, 1 + round % 4, |rng| match rng.usize(..2) {
                0 => format!(
                    r#""op":"Write","args":[{}],"ret":{}"#,
                    rng.usize(..3),
                    rng.usize(..2) == 0
                ),
                _ => format!(r#""op":"Read","args":[],"ret":{}"#, rng.usize(..3)),
            });
            let history = History::of_recorded(&recorded, &Actions(spec)).unwrap();
            for level in ConsistencyLevel::ALL {
                for ret in [Ret::Own, Ret::All] {
                    let criterion = level.criterion();
                    let expected = naive::explain(spec, &history, &criterion, ret).is_some();
                    let is_valid = verdict(&mut checker, &history, &criterion, ret);
                    assert_eq!(is_valid, expected, "{level} {ret:?} {recorded:#?}");
                    found[usize::from(is_valid)] += 1;
                }
            }
        }
        assert!(found.iter().all(|count| *count > 300), "{found:?}");
    };
    linked.run(compare).unwrap();
}

/// ```text
/// t0  |--Write(1)--------------------|
/// t1  |--Cas(0, 2) = FALSE--|
/// t2                          |--Read = 2--|
/// ```
/// The compare-and-set failed because it saw the write; who sees it alone sees it succeed, if its result is forgotten.
#[test]
fn a_result_is_forgotten_wherever_it_stands() {
    for cas in [
        r#""args":[0,2],"ret":false"#,
        r#""args":{"from":0,"to":2,"result":false}"#,
        r#""args":{"from":0,"to":2},"ret":false"#,
    ] {
        let line = format!(
            r#"{{"ops":[{{"thread":0,"op":"Write","args":[1]}},{{"thread":1,"op":"Cas",{cas}}},
            {{"thread":2,"op":"Read","args":[],"ret":2}}],"hb":[[1,2]]}}"#
        );
        let line = line.replace('\n', " ");
        let recorded = read_histories("h", line.as_bytes()).next().unwrap().unwrap();
        let weak = |spec: &TlaModel<'_>| {
            let history = History::of_recorded(&recorded, &Actions(spec)).unwrap();
            let mut checker = WeakChecker::new(spec);
            [Ret::Own, Ret::All]
                .map(|ret| verdict(&mut checker, &history, &ConsistencyLevel::Weak.criterion(), ret))
        };
        assert_eq!(example("Register").run(weak).unwrap(), [true, false], "{cas}");
    }
}

#[test]
fn a_result_that_may_be_anything_must_be_said_to_range_over_something() {
    let text = "---- MODULE Bare ----\nVARIABLE value\nInit == value = 0\nRead(result) == result = value /\\ UNCHANGED value\n====";
    let linked = Linked::from_text("Bare", text, &LinkOptions::default()).unwrap();
    let line = r#"{"ops":[{"thread":0,"op":"Read","args":[],"ret":0}]}"#;
    let recorded = read_histories("h.jsonl", line.as_bytes())
        .next()
        .unwrap()
        .unwrap();
    let message = |spec: &TlaModel<'_>| {
        History::of_recorded(&recorded, &Actions(spec))
            .unwrap_err()
            .to_string()
    };
    let message = linked.run(message).unwrap();
    assert!(message.starts_with("h.jsonl:1: operation 0: "), "{message}");
    assert!(
        message.contains("\\E result \\in Results : Read(result)"),
        "{message}"
    );
}
