//! A model whose analysis is wrong does not lead to a wrong verdict: an explanation is replayed, and a violation is confirmed.

use std::path::Path;

use omnilink_engine::{Decoded, Footprint, Keys, Model, Options, Outcomes, Reductions};
use omnilink_evidence::{Confirmation, Evidence, Verdict};
use omnilink_trace::OpenOptions;
use omnilink_verify::{CheckRequest, Input, ProgressCounter, VerifyError, check_input};

/// Two registers that say something wrong about their operations, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registers {
    /// Nothing is wrong.
    Honest,
    /// A write is said to touch nothing.
    WritesTouchNothing,
    /// An operation that writes both registers is said to write the first.
    BothIsOne,
    /// The steps of the search forget what is written to the second register.
    ForgetfulSteps,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RegisterOp {
    Write(usize, i64),
    WriteBoth(i64),
    Read(usize, i64),
}

impl Model for Registers {
    type State = [i64; 2];
    type Op = RegisterOp;

    fn initial(&self) -> Vec<[i64; 2]> {
        vec![[0, 0]]
    }

    fn step(&self, state: &[i64; 2], op: &RegisterOp, outcomes: &mut Outcomes<[i64; 2]>) {
        match op {
            RegisterOp::Write(1, _) if *self == Self::ForgetfulSteps => outcomes.accept(*state),
            _ => self.plain_step(state, op, outcomes),
        }
    }

    fn plain_step(&self, state: &[i64; 2], op: &RegisterOp, outcomes: &mut Outcomes<[i64; 2]>) {
        let mut next = *state;
        match op {
            RegisterOp::Write(at, value) => next[*at] = *value,
            RegisterOp::WriteBoth(value) => next = [*value; 2],
            RegisterOp::Read(at, value) if state[*at] == *value => {}
            RegisterOp::Read(at, value) => {
                return outcomes.refuse(|| format!("it holds {}, not {value}", state[*at]));
            }
        }
        outcomes.accept(next);
    }

    fn footprint(&self, op: &RegisterOp) -> Footprint {
        match op {
            RegisterOp::Write(..) if *self == Self::WritesTouchNothing => Footprint::reads(Keys::none()),
            RegisterOp::Write(at, _) => Footprint::overwrites(Keys::one(*at as u64)),
            RegisterOp::WriteBoth(_) if *self == Self::BothIsOne => Footprint::overwrites(Keys::one(0)),
            RegisterOp::WriteBoth(_) => Footprint::overwrites(Keys::Only([0, 1].as_slice().into())),
            RegisterOp::Read(at, _) => Footprint::reads(Keys::one(*at as u64)),
        }
    }
}

fn decode(operation: &omnilink_trace::Operation) -> Result<Decoded<RegisterOp>, VerifyError> {
    let number = |name: &str| {
        let value = operation.args.field(name).and_then(|value| value.as_int());
        value.unwrap_or_default()
    };
    let at = number("at") as usize;
    Ok(Decoded::Once(match operation.name.as_str() {
        "write" => RegisterOp::Write(at, number("value")),
        "write_both" => RegisterOp::WriteBoth(number("value")),
        _ => RegisterOp::Read(at, number("value")),
    }))
}

fn line(thread: u32, op: &str, at: usize, value: i64, (start, end): (i64, i64)) -> String {
    format!(
        "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{\"at\":{at},\"value\":{value}}},\"start\":{start},\"end\":{end}}}\n"
    )
}

fn checked(model: Registers, history: &str, options: Options) -> Evidence {
    checked_in(tempfile::tempdir().unwrap().path(), model, history, options)
}

fn checked_in(folder: &Path, model: Registers, history: &str, options: Options) -> Evidence {
    let path = folder.join("history.ndjson");
    std::fs::write(&path, history).unwrap();
    let input = Input::new(&path, OpenOptions::default(), None).unwrap();
    let request = CheckRequest {
        options,
        ..CheckRequest::new("registers")
    };
    check_input(&model, &decode, &input, &request, &ProgressCounter::default())
}

/// A write that overlaps the read of what it wrote.
fn read_of_an_open_write() -> String {
    line(0, "write", 0, 7, (0, 10)) + &line(1, "read", 0, 7, (1, 5))
}

/// A read of the second register that misses what was written to both.
fn read_after_writing_both() -> String {
    line(0, "write_both", 0, 7, (0, 1)) + &line(1, "read", 1, 0, (2, 3))
}

fn error_of(evidence: &Evidence) -> String {
    assert_eq!(evidence.verdict, Verdict::Error, "{evidence:?}");
    format!("{evidence:?}")
}

#[test]
fn a_violation_that_every_order_refutes_is_an_internal_error() {
    let folder = tempfile::tempdir().unwrap();
    let evidence = checked_in(
        folder.path(),
        Registers::WritesTouchNothing,
        &read_of_an_open_write(),
        Options::default(),
    );
    let error = error_of(&evidence);
    assert!(error.contains("internal error"), "{error}");
    assert!(
        error.contains("tried in every order, all of the input is valid"),
        "{error}"
    );
    // The file that reproduces it lies beside the input, and has both operations.
    let (_, kept) = error.split_once("omnilink-disagreement-").unwrap();
    let name = format!("omnilink-disagreement-{}", kept.split_once(".ndjson").unwrap().0);
    let kept = folder.path().join(name + ".ndjson");
    let text = std::fs::read_to_string(&kept).unwrap();
    assert!(text.contains("\"write\"") && text.contains("\"read\""), "{text}");
}

#[test]
fn an_explanation_that_does_not_replay_as_a_whole_is_an_internal_error() {
    for model in [Registers::BothIsOne, Registers::ForgetfulSteps] {
        let history = match model {
            Registers::ForgetfulSteps => line(0, "write", 1, 7, (0, 1)) + &line(1, "read", 1, 0, (2, 3)),
            _ => read_after_writing_both(),
        };
        let error = error_of(&checked(model, &history, Options::default()));
        assert!(
            error.contains("does not replay: as a whole"),
            "{model:?}: {error}"
        );
    }
}

#[test]
fn trying_every_order_needs_no_analysis() {
    let naive = Options {
        naive: true,
        ..Options::default()
    };
    for model in [
        Registers::Honest,
        Registers::WritesTouchNothing,
        Registers::BothIsOne,
        Registers::ForgetfulSteps,
    ] {
        let explained = checked(model, &read_of_an_open_write(), naive);
        assert_eq!(explained.verdict, Verdict::Valid, "{explained:?}");
        let refuted = checked(model, &read_after_writing_both(), naive);
        assert_eq!(refuted.verdict, Verdict::Violation, "{refuted:?}");
    }
}

/// The orders of many overlapping writes of both registers, and a read of what nobody wrote.
fn crowded(threads: u32) -> String {
    let writes = (0..threads).map(|thread| line(thread, "write", 0, i64::from(thread) + 1, (0, 100)));
    let others = (0..threads).map(|thread| line(100 + thread, "write", 1, 5, (0, 100)));
    let read = line(99, "read", 0, 77, (1, 50));
    writes.chain(others).chain([read]).collect()
}

#[test]
fn what_was_tried_is_told() {
    let evidence = checked(Registers::Honest, &read_after_writing_both(), Options::default());
    let Some(Confirmation::Confirmed { search, .. }) = &evidence.confirmation else {
        panic!("{evidence:?}");
    };
    assert_eq!(search, "trying every order of all 2 operations up to there");
    // All orders are too many, those of the operations on one register are not.
    let evidence = checked(Registers::Honest, &crowded(10), Options::default());
    let Some(Confirmation::Confirmed { search, .. }) = &evidence.confirmation else {
        panic!("{evidence:?}");
    };
    assert!(search.contains("on the same part of the state"), "{search}");
    // Without parts nothing is left to try.
    let together = Options {
        reductions: Reductions {
            partitions: false,
            ..Reductions::ALL
        },
        ..Options::default()
    };
    let evidence = checked(Registers::Honest, &crowded(13), together);
    assert_eq!(evidence.verdict, Verdict::Violation);
    let Some(Confirmation::NotConfirmed { reason }) = &evidence.confirmation else {
        panic!("{evidence:?}");
    };
    assert!(reason.contains("trying every order takes more than"), "{reason}");
}

#[test]
fn a_violation_late_in_a_long_history_is_confirmed_from_what_is_alive_before() {
    let mut history = String::new();
    let mut now = 0;
    for round in 0..40_000 {
        let value = round % 5;
        history += &line(0, "write", 0, value, (now, now + 3));
        history += &line(1, "write", 1, value, (now + 1, now + 4));
        now += 5;
    }
    history += &line(2, "read", 0, 9, (now, now + 1));
    let evidence = checked(Registers::Honest, &history, Options::default());
    assert_eq!(evidence.verdict, Verdict::Violation);
    let Some(Confirmation::Confirmed { search, .. }) = &evidence.confirmation else {
        panic!("{evidence:?}");
    };
    assert!(
        search.contains("from every explanation of those before"),
        "{search}"
    );
}
