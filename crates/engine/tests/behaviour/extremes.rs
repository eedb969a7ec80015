//! Histories of extreme shape: empty, huge, highly concurrent, hard, out of order.

use crate::test_models::{self, Register, RegisterOp};
use omnilink_engine::{
    CheckOutcome, Checker, Conclusion, Consistency, Limit, Limits, Model, Options, Outcomes, Progress,
    Strategy, TimedOp, check,
};
use omnilink_trace::Timebox;

fn write(thread: u32, value: u8, timebox: Timebox) -> TimedOp<RegisterOp> {
    TimedOp::new(thread, RegisterOp::Write(0, value), timebox)
}

fn read(thread: u32, value: u8, timebox: Timebox) -> TimedOp<RegisterOp> {
    TimedOp::new(thread, RegisterOp::Read(0, Some(value)), timebox)
}

fn outcome(history: Vec<TimedOp<RegisterOp>>) -> CheckOutcome {
    check(&Register, history, Options::default()).expect("registers do not fail")
}

fn is_valid(history: Vec<TimedOp<RegisterOp>>) -> bool {
    match outcome(history).conclusion {
        Conclusion::Valid(_) => true,
        Conclusion::Violation(_) => false,
        Conclusion::Unknown(_) => panic!("no limit was set"),
    }
}

#[test]
fn nothing_happened() {
    assert!(is_valid(vec![]));
}

#[test]
fn one_operation() {
    assert!(is_valid(vec![read(0, 0, Timebox::new(0, 1))]));
    assert!(!is_valid(vec![read(0, 9, Timebox::new(0, 1))]));
    assert!(is_valid(vec![read(0, 9, Timebox::pending(0))]));
}

/// ```text
/// t0    |------write 1------|
/// t1    |------read 1-------|
/// t2    |------write 2------|      … 100 of each, all at once
/// ```
#[test]
fn everything_overlaps() {
    let at_once = Timebox::new(0, 1_000);
    let mut history: Vec<_> = (1..=100)
        .map(|value| write(value.into(), value, at_once))
        .collect();
    history.extend((1..=100).map(|value| read(100 + u32::from(value), value, at_once)));
    assert!(is_valid(history));
}

/// A long run of a register: short calls, some that stay open for thousands of others, and some that took effect and never return. What is settled
/// is forgotten while such calls are still open.
#[test]
fn long_calls_outlive_what_is_settled() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut history = Vec::new();
    let mut free: Vec<(i64, u32)> = (0..6).map(|thread| (0, thread)).collect();
    let (mut held, mut threads) = ([0, 0], 6);
    for number in 0..30_000 {
        // The moment at which the call takes effect.
        let moment = 10 * number;
        let Some(at) = (0..free.len()).find(|at| free[*at].0 < moment) else {
            continue;
        };
        let (earliest, thread) = free[at];
        let start = earliest.max(moment - rng.i64(1..40));
        let end = match rng.u32(..50) {
            0 => None,
            1 => Some(moment + 20_000 + rng.i64(0..20_000)),
            _ => Some(moment + 1 + rng.i64(0..40)),
        };
        let key = rng.u8(..2);
        let op = if rng.bool() {
            RegisterOp::Read(key, Some(held[key as usize]))
        } else {
            held[key as usize] = rng.u8(..200);
            RegisterOp::Write(key, held[key as usize])
        };
        free[at] = match end {
            Some(end) if end < moment + 1_000 => (end + 1, thread),
            _ => {
                threads += 1;
                (moment + 1, threads)
            }
        };
        let timebox = match end {
            Some(end) => Timebox::new(start, end),
            None => Timebox::pending(start),
        };
        history.push(TimedOp::new(thread, op, timebox));
    }
    history.sort_by_key(|operation| operation.timebox.start);
    for commit_after in [None, Some(64)] {
        let options = Options {
            sweep_budget: if commit_after.is_some() { 0 } else { 4_096 },
            commit_after,
            ..Options::default()
        };
        let mut checker = Checker::new(&Register, options);
        for operation in &history {
            checker.push(operation.clone()).expect("in order");
        }
        let outcome = checker.finish().expect("registers do not fail");
        assert!(outcome.conclusion.is_valid(), "{commit_after:?}");
    }
}

#[test]
fn everything_is_pending() {
    let mut history: Vec<_> = (0..5_000)
        .map(|n| write(n, (n % 200) as u8, Timebox::pending(n.into())))
        .collect();
    assert!(is_valid(history.clone()));
    history.push(read(9_000, 150, Timebox::new(9_000, 9_001)));
    assert!(is_valid(history.clone()), "one of the writes took effect");
    history.push(read(9_000, 201, Timebox::new(9_002, 9_003)));
    assert!(!is_valid(history), "no operation writes 201");
}

/// More operations open than fit one word, or two.
#[test]
fn hundreds_of_threads() {
    for threads in [65, 130, 300] {
        let mut history = Vec::new();
        for thread in 0..threads {
            // Each write stays open until all have begun; the reads in between see the newest.
            let start = i64::from(thread) * 10;
            history.push(write(
                thread,
                (thread % 250) as u8,
                Timebox::new(start, 1_000_000 + start),
            ));
            history.push(read(
                threads,
                (thread % 250) as u8,
                Timebox::new(start + 1, start + 2),
            ));
        }
        assert!(is_valid(history.clone()), "{threads} threads");
        history.push(read(threads, 251, Timebox::new(500_000, 500_001)));
        assert!(!is_valid(history), "{threads} threads");
    }
}

/// A million operations: the checker keeps a window of them.
#[test]
fn a_million_operations() {
    let mut checker = Checker::new(&Register, Options::default());
    for n in 0..500_000i64 {
        let value = (n % 200) as u8;
        for operation in [
            write(0, value, Timebox::new(10 * n, 10 * n + 7)),
            read(1, value, Timebox::new(10 * n + 5, 10 * n + 9)),
        ] {
            assert_eq!(checker.push(operation).expect("in order"), Progress::Going);
        }
    }
    let outcome = checker.finish().expect("no failure");
    let Conclusion::Valid(witness) = outcome.conclusion else {
        panic!("valid")
    };
    assert_eq!(witness.replayed, 1_000_000);
    assert!(outcome.figures.frontier_max < 10);
}

/// A history that no strategy decides quickly: concurrent writes of different values, then a read of none of them.
fn hard() -> Vec<TimedOp<RegisterOp>> {
    let mut history: Vec<_> = (0..60)
        .flat_map(|n| {
            let value = n as u8 + 1;
            [
                write(n, value, Timebox::new(0, 1_000)),
                read(100 + n, value, Timebox::new(0, 1_000)),
            ]
        })
        .collect();
    history.push(read(0, 0, Timebox::new(2_000, 2_001)));
    history
}

fn limited(limits: Limits) -> CheckOutcome {
    check(
        &Register,
        hard(),
        Options {
            limits,
            ..Options::default()
        },
    )
    .expect("registers do not fail")
}

#[test]
fn a_limit_on_configurations_is_kept_to_the_number() {
    for limit in [1, 10, 255, 256, 257, 10_000] {
        let outcome = limited(Limits {
            configurations: Some(limit),
            ..Limits::default()
        });
        let Conclusion::Unknown(unfinished) = outcome.conclusion else {
            panic!("too hard for {limit}")
        };
        assert_eq!(unfinished.limit, Limit::Configurations);
        assert!(
            outcome.figures.configurations <= limit,
            "{} > {limit}",
            outcome.figures.configurations
        );
    }
}

#[test]
fn a_time_limit_ends_the_search_with_unknown() {
    let outcome = limited(Limits {
        time: Some(std::time::Duration::from_millis(50)),
        ..Limits::default()
    });
    let Conclusion::Unknown(unfinished) = outcome.conclusion else {
        panic!("too hard for 50 ms")
    };
    assert_eq!(unfinished.limit, Limit::Time);
    assert!(unfinished.at.is_some() && !unfinished.alternatives.is_empty());
}

/// Every step takes longer than the time limit, and returns without a successor when it is interrupted.
struct Slow;

impl Model for Slow {
    type State = ();
    type Op = ();

    fn initial(&self) -> Vec<()> {
        vec![()]
    }

    fn step(&self, (): &(), (): &(), outcomes: &mut Outcomes<()>) {
        for _ in 0..100 {
            std::thread::sleep(std::time::Duration::from_millis(1));
            if outcomes.is_interrupted() {
                return;
            }
        }
        outcomes.accept(());
    }
}

#[test]
fn a_step_that_the_time_limit_cuts_short_is_no_refusal() {
    let strategies = [Strategy::Portfolio, Strategy::Sweep, Strategy::DepthFirst];
    let runs = strategies.map(|strategy| (strategy, Consistency::Linearizable));
    for (strategy, consistency) in runs
        .into_iter()
        .chain([(Strategy::Portfolio, Consistency::Sequential)])
    {
        let options = Options {
            strategy,
            consistency,
            limits: Limits {
                time: Some(std::time::Duration::from_millis(5)),
                ..Limits::default()
            },
            ..Options::default()
        };
        let calls = (0..3).map(|n| TimedOp::new(0, (), Timebox::new(10 * n, 10 * n + 5)));
        let outcome = check(&Slow, calls, options).expect("no failure");
        let Conclusion::Unknown(unfinished) = outcome.conclusion else {
            panic!("{strategy:?} {consistency:?}: {:?}", outcome.conclusion)
        };
        assert_eq!(unfinished.limit, Limit::Time);
    }
}

/// The second call ends by a limit of the model's own, in a check without limits.
struct Impatient;

impl Model for Impatient {
    type State = ();
    type Op = bool;

    fn initial(&self) -> Vec<()> {
        vec![()]
    }

    fn step(&self, (): &(), gives_up: &bool, outcomes: &mut Outcomes<()>) {
        if *gives_up {
            outcomes.give_up()
        } else {
            outcomes.accept(())
        }
    }
}

#[test]
fn a_step_that_gives_up_is_neither_a_refusal_nor_a_failure() {
    let strategies = [Strategy::Portfolio, Strategy::Sweep, Strategy::DepthFirst];
    let runs = strategies.map(|strategy| (strategy, Consistency::Linearizable));
    for (strategy, consistency) in runs
        .into_iter()
        .chain([(Strategy::Portfolio, Consistency::Sequential)])
    {
        let options = Options {
            strategy,
            consistency,
            ..Options::default()
        };
        let calls = (0..3).map(|n| TimedOp::new(0, n == 1, Timebox::new(10 * n, 10 * n + 5)));
        let outcome = check(&Impatient, calls, options).expect("no failure");
        let Conclusion::Unknown(unfinished) = outcome.conclusion else {
            panic!("{strategy:?} {consistency:?}: {:?}", outcome.conclusion)
        };
        assert_eq!(unfinished.limit, Limit::Time);
    }
}

#[test]
fn a_memory_limit_ends_the_search_with_unknown() {
    // Less than this process has already.
    let outcome = limited(Limits {
        memory_bytes: Some(1 << 20),
        ..Limits::default()
    });
    let Conclusion::Unknown(unfinished) = outcome.conclusion else {
        panic!("too hard for a megabyte")
    };
    assert_eq!(unfinished.limit, Limit::Memory);
}

#[test]
fn an_end_at_the_largest_time_is_refused() {
    let mut checker = Checker::new(&Register, Options::default());
    assert!(checker.push(write(0, 1, Timebox::new(5, i64::MAX))).is_err());
}

#[test]
fn operations_out_of_order_are_refused() {
    let mut checker = Checker::new(&Register, Options::default());
    checker.push(write(0, 1, Timebox::new(5, 6))).expect("the first");
    assert!(checker.push(write(1, 1, Timebox::new(4, 6))).is_err());
}

/// A model without declarations is checked as one part, without starting over.
#[test]
fn models_without_footprints_need_no_parts() {
    let mut checker = Checker::new(&test_models::Queue, Options::default());
    for (n, op) in [test_models::QueueOp::Push(1), test_models::QueueOp::Pop(Some(1))]
        .into_iter()
        .enumerate()
    {
        let timebox = Timebox::new(10 * n as i64, 10 * n as i64 + 5);
        assert_eq!(
            checker.push(TimedOp::new(0, op, timebox)).expect("in order"),
            Progress::Going
        );
    }
    assert!(checker.finish().expect("no failure").conclusion.is_valid());
}

#[test]
fn the_order_of_a_witness_can_be_kept() {
    for strategy in [Strategy::Portfolio, Strategy::Sweep, Strategy::DepthFirst] {
        let mut checker = Checker::new(
            &Register,
            Options {
                strategy,
                ..Options::default()
            },
        )
        .keep_order();
        for operation in [
            write(0, 1, Timebox::new(0, 10)),
            read(1, 2, Timebox::new(1, 9)),
            write(2, 2, Timebox::new(2, 8)),
            read(3, 1, Timebox::new(12, 13)),
        ] {
            checker.push(operation).expect("in order");
        }
        let Conclusion::Valid(witness) = checker.finish().expect("no failure").conclusion else {
            panic!("valid")
        };
        let order: Vec<u64> = witness
            .order
            .expect("kept")
            .iter()
            .map(|placement| placement.op)
            .collect();
        assert_eq!(order, [2, 1, 0, 3], "{strategy:?}");
    }
}

#[test]
fn a_check_that_is_stopped_before_the_end_is_unknown() {
    for consistency in [Consistency::Linearizable, Consistency::Sequential] {
        let options = Options {
            consistency,
            ..Options::default()
        };
        let mut checker = Checker::new(&Register, options);
        checker.push(write(0, 1, Timebox::new(0, 5))).unwrap();
        checker.stop(Limit::Interrupt);
        let Conclusion::Unknown(unfinished) = checker.finish().unwrap().conclusion else {
            panic!("{consistency:?}: only a part of the history was given")
        };
        assert_eq!(unfinished.limit, Limit::Interrupt);
    }
}

#[test]
fn a_raised_flag_ends_the_search() {
    static FLAG: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(true);
    let outcome = limited(Limits {
        interrupt: Some(omnilink_engine::Interrupt::new(&FLAG)),
        ..Limits::default()
    });
    let Conclusion::Unknown(unfinished) = outcome.conclusion else {
        panic!("interrupted")
    };
    assert_eq!(unfinished.limit, Limit::Interrupt);
}
