//! The live check: calls and returns one by one.

use crate::test_models::{self, Register, RegisterOp};
use fastrand::Rng;
use omnilink_engine::{
    CallEvent, Conclusion, Consistency, EventError, Limits, LiveCheck, Model, Options, Outcomes, Progress,
    naive,
};

fn write(call: u64, value: u8) -> CallEvent<RegisterOp> {
    CallEvent::Call {
        call,
        thread: call as u32,
        op: RegisterOp::Write(0, value),
    }
}

fn wrote(call: u64, value: u8) -> CallEvent<RegisterOp> {
    CallEvent::Return {
        call,
        op: RegisterOp::Write(0, value),
    }
}

fn read(call: u64) -> CallEvent<RegisterOp> {
    CallEvent::Call {
        call,
        thread: call as u32,
        op: RegisterOp::Read(0, None),
    }
}

fn saw(call: u64, value: u8) -> CallEvent<RegisterOp> {
    CallEvent::Return {
        call,
        op: RegisterOp::Read(0, Some(value)),
    }
}

fn verdict(events: impl IntoIterator<Item = CallEvent<RegisterOp>>) -> Result<bool, EventError> {
    let mut live = LiveCheck::new(&Register, Options::default());
    for event in events {
        live.feed(event)?;
    }
    Ok(live.finish()?.conclusion.is_valid())
}

#[test]
fn overlapping_calls_may_take_effect_in_either_order() {
    assert!(verdict([write(1, 1), read(2), saw(2, 0), wrote(1, 1)]).unwrap());
    assert!(verdict([write(1, 1), read(2), saw(2, 1), wrote(1, 1)]).unwrap());
    assert!(!verdict([write(1, 1), wrote(1, 1), read(2), saw(2, 0)]).unwrap());
}

#[test]
fn a_lost_call_may_take_effect_later_or_never() {
    let lost = |seen: [u8; 2]| {
        verdict([
            write(1, 1),
            CallEvent::Lost { call: 1 },
            read(2),
            saw(2, seen[0]),
            read(3),
            saw(3, seen[1]),
        ])
    };
    assert!(lost([0, 0]).unwrap());
    assert!(lost([0, 1]).unwrap());
    assert!(!lost([1, 0]).unwrap());
}

#[test]
fn calls_still_open_at_the_end_count_as_lost() {
    assert!(verdict([write(1, 1), read(2), saw(2, 1)]).unwrap());
    assert!(verdict([write(1, 1), read(2), saw(2, 0)]).unwrap());
}

#[test]
fn a_violation_is_reported_while_events_still_come() {
    let mut live = LiveCheck::new(&Register, Options::default());
    let events = [
        write(1, 1),
        wrote(1, 1),
        read(2),
        saw(2, 0),
        write(3, 1),
        wrote(3, 1),
    ];
    let decided = events
        .into_iter()
        .any(|event| live.feed(event).unwrap() == Progress::Decided);
    assert!(decided);
}

#[test]
fn events_that_do_not_fit_are_refused() {
    assert!(matches!(
        verdict([write(1, 1), write(1, 2)]),
        Err(EventError::AlreadyOpen { event: 1, call: 1 })
    ));
    assert!(matches!(
        verdict([wrote(1, 1)]),
        Err(EventError::NotOpen { event: 0, call: 1 })
    ));
    assert!(matches!(
        verdict([write(1, 1), wrote(1, 1), wrote(1, 1)]),
        Err(EventError::NotOpen { event: 2, call: 1 })
    ));
}

/// Threads use a register in rounds: all call, then all return. A wrong read is found one round later.
#[test]
fn a_violation_is_found_when_the_open_calls_have_returned() {
    for threads in [2, 5, 8, 10] {
        let mut live = LiveCheck::new(&Undeclared, Options::default());
        let (mut held, mut decided) = (0, None);
        'rounds: for round in 1..=120u64 {
            let before = held;
            let call = |thread: u64| round * threads + thread;
            for thread in 0..threads {
                let op = if thread % 2 == 1 {
                    Op::Write(call(thread))
                } else {
                    Op::Read(None)
                };
                let event = CallEvent::Call {
                    call: call(thread),
                    thread: thread as u32,
                    op,
                };
                live.feed(event).expect("fits");
            }
            for thread in 0..threads {
                let op = match thread % 2 {
                    1 => {
                        held = call(thread);
                        Op::Write(held)
                    }
                    _ => Op::Read(Some(if round == 100 { 1 << 40 } else { before })),
                };
                let event = CallEvent::Return {
                    call: call(thread),
                    op,
                };
                if live.feed(event).expect("fits") == Progress::Decided {
                    decided = Some(round);
                    break 'rounds;
                }
            }
        }
        assert!(
            decided.is_some_and(|round| round <= 101),
            "{threads} threads: {decided:?}"
        );
        assert!(live.finish().expect("no failure").conclusion.is_violation());
    }
}

/// Calls that never return, reported as lost or not: the check ends, and limits hold.
#[test]
fn lost_calls_do_not_block_the_verdict() {
    for (reported, limit) in [(true, None), (false, None), (true, Some(50)), (false, Some(50))] {
        let options = Options {
            limits: Limits {
                configurations: limit,
                ..Limits::default()
            },
            ..Options::default()
        };
        let mut live = LiveCheck::new(&Undeclared, options);
        for round in 0..200u64 {
            let lost = CallEvent::Call {
                call: 2 * round,
                thread: 2 * round as u32,
                op: Op::Write(round),
            };
            live.feed(lost).expect("fits");
            if reported {
                live.feed(CallEvent::Lost { call: 2 * round }).expect("fits");
            }
            // Every tenth lost write is seen.
            let seen = round / 10 * 10;
            live.feed(CallEvent::CallForResult {
                call: 2 * round + 1,
                thread: 1,
            })
            .expect("fits");
            let read = CallEvent::Return {
                call: 2 * round + 1,
                op: Op::Read(Some(seen)),
            };
            if live.feed(read).expect("fits") == Progress::Decided {
                break;
            }
        }
        let verdict = live.finish().expect("no failure").conclusion;
        match limit {
            None => assert!(verdict.is_valid(), "{verdict:?}"),
            Some(_) => assert!(matches!(verdict, Conclusion::Unknown(_)), "{verdict:?}"),
        }
    }
}

/// Lost additions of different amounts: finding the ones that a read observed is hard, so the limit ends the check.
#[test]
fn a_hard_search_ends_with_unknown() {
    let options = Options {
        limits: Limits {
            configurations: Some(20_000),
            ..Limits::default()
        },
        ..Options::default()
    };
    let mut live = LiveCheck::new(&Undeclared, options);
    for call in 0..60 {
        let op = Op::Add(1 << (call % 40));
        live.feed(CallEvent::Call {
            call,
            thread: call as u32,
            op,
        })
        .expect("fits");
        live.feed(CallEvent::Lost { call }).expect("fits");
    }
    live.feed(CallEvent::CallForResult {
        call: 100,
        thread: 100,
    })
    .expect("fits");
    live.feed(CallEvent::Return {
        call: 100,
        op: Op::Read(Some(u64::MAX)),
    })
    .expect("fits");
    let verdict = live.finish().expect("no failure").conclusion;
    assert!(matches!(verdict, Conclusion::Unknown(_)), "{verdict:?}");
}

#[test]
fn a_lost_call_that_needs_its_result_is_left_out() {
    let events = [
        write(1, 1),
        CallEvent::CallForResult { call: 2, thread: 2 },
        wrote(1, 1),
        CallEvent::CallForResult { call: 3, thread: 3 },
        saw(3, 1),
        CallEvent::Lost { call: 2 },
    ];
    assert!(verdict(events).unwrap());
    let twice = [CallEvent::CallForResult { call: 2, thread: 2 }, write(2, 1)];
    assert!(matches!(
        verdict(twice),
        Err(EventError::AlreadyOpen { event: 1, call: 2 })
    ));
}

/// Random histories, event by event, against the naive checker on the same events.
#[test]
fn monitored_histories_agree_with_the_naive_checker() {
    let (model, mut rng) = (Register, Rng::with_seed(31));
    for _ in 0..3_000 {
        let mut history = test_models::random_history(&model, &mut rng);
        let mut moments: Vec<(i64, bool, usize)> = Vec::new();
        for (position, operation) in history.iter_mut().enumerate() {
            operation.optional = false;
            moments.push((operation.timebox.start, false, position));
            moments.extend(operation.timebox.end.map(|end| (end, true, position)));
        }
        moments.sort_unstable();
        let mut live = LiveCheck::new(
            &model,
            Options {
                sweep_budget: rng.u64(..3),
                ..Options::default()
            },
        );
        for (now, &(_, returns, position)) in moments.iter().enumerate() {
            let (call, thread) = (position as u64, history[position].thread);
            let op = history[position].op.clone();
            let event = if returns {
                CallEvent::Return { call, op }
            } else {
                CallEvent::Call { call, thread, op }
            };
            live.feed(event).expect("fits");
            if returns {
                history[position].timebox.end = Some(now as i64)
            } else {
                history[position].timebox.start = now as i64
            }
        }
        let expected = naive::explain(&model, &history, Consistency::Linearizable).is_some();
        let found = live.finish().expect("no failure").conclusion.is_valid();
        assert_eq!(found, expected, "{history:?}");
    }
}

/// A register and counter without declarations.
struct Undeclared;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Op {
    Write(u64),
    Add(u64),
    Read(Option<u64>),
}

impl Model for Undeclared {
    type State = u64;
    type Op = Op;

    fn initial(&self) -> Vec<u64> {
        vec![0]
    }

    fn step(&self, state: &u64, op: &Op, outcomes: &mut Outcomes<u64>) {
        match op {
            Op::Write(value) => outcomes.accept(*value),
            Op::Add(value) => outcomes.accept(state.wrapping_add(*value)),
            Op::Read(value) if value.is_none_or(|value| value == *state) => outcomes.accept(*state),
            Op::Read(_) => {}
        }
    }
}
