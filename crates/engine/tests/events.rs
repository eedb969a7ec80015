//! Calls and returns as they happen.

mod toys;

use omnilink_engine::{Event, EventError, Monitor, Options, Progress};
use toys::{Register, RegisterOp};

fn write(call: u64, value: u8) -> Event<RegisterOp> {
    Event::Call {
        call,
        thread: call as u32,
        op: RegisterOp::Write(0, value),
    }
}

fn wrote(call: u64, value: u8) -> Event<RegisterOp> {
    Event::Return {
        call,
        op: RegisterOp::Write(0, value),
    }
}

fn read(call: u64) -> Event<RegisterOp> {
    Event::Call {
        call,
        thread: call as u32,
        op: RegisterOp::Read(0, None),
    }
}

fn saw(call: u64, value: u8) -> Event<RegisterOp> {
    Event::Return {
        call,
        op: RegisterOp::Read(0, Some(value)),
    }
}

fn verdict(events: impl IntoIterator<Item = Event<RegisterOp>>) -> Result<bool, EventError> {
    let mut monitor = Monitor::new(&Register, Options::default());
    for event in events {
        monitor.feed(event)?;
    }
    Ok(monitor.finish()?.verdict.is_valid())
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
            Event::Lost { call: 1 },
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
    let mut monitor = Monitor::new(&Register, Options::default());
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
        .any(|event| monitor.feed(event).unwrap() == Progress::Decided);
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
