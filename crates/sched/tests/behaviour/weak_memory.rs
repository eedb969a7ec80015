//! Weak memory in executions of compiled code: the outcomes are those of the axioms, with and without reduction, and each
//! execution is repeated by its schedule.

use crate::memory_model::{axioms, known_shapes, program::*};
use crate::support::built;
use omnilink_sched::build::RustBuild;
use omnilink_sched::{
    Execution, Executor, ExplorationStrategy, ExploreOptions, HarnessEventKind, HarnessExecutor,
    HarnessOptions, MemoryModel, StopReason, TestProgram, explore, replay,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

/// As in `components/litmus.rs`.
const BASE: u32 = 43;

pub fn start() -> Box<dyn Executor> {
    static PROGRAM: OnceLock<std::path::PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/components/litmus.rs");
        built("litmus", |program| RustBuild::build_file(&source, program, &[]))
    });
    let started = HarnessExecutor::start(program, &HarnessOptions::default());
    Box::new(started.unwrap_or_else(|error| panic!("{error}")))
}

pub fn digit(instruction: Instruction) -> u32 {
    let place =
        |order, orders: &[_]| orders.iter().position(|other| *other == order).expect("an order") as u32;
    let both = [RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST];
    let kind = match instruction {
        Instruction::Load(_, order) => place(order, &[RELAXED, ACQUIRE, SEQ_CST]),
        Instruction::Store(_, order) => 3 + place(order, &[RELAXED, RELEASE, SEQ_CST]),
        Instruction::Swap(_, order) => 6 + place(order, &both),
        Instruction::CompareExchange(_, order) => 11 + place(order, &both),
        Instruction::Fence(order) => return 33 + place(order, &both[1..]),
    };
    1 + kind + 16 * instruction.location().unwrap_or(0) as u32
}

fn call(instructions: &[Instruction]) -> u32 {
    number_of(instructions.iter().map(|instruction| digit(*instruction)))
}

/// The number of a call, from the digits of its instructions.
pub fn number_of(digits: impl DoubleEndedIterator<Item = u32>) -> u32 {
    digits.rev().fold(0, |number, digit| number * BASE + digit)
}

/// The program as calls: one for each thread, and one that reads the locations at the end.
fn test_program(program: &Program) -> TestProgram {
    let mut test = TestProgram::new(program.threads.iter().map(|thread| vec![call(thread)]).collect());
    test.after = vec![call(&[
        Instruction::Load(0, SEQ_CST),
        Instruction::Load(1, SEQ_CST),
    ])];
    test
}

/// The outcome of an execution, with the values of the harness: 1 + 8 × thread + position.
fn outcome(execution: &Execution, threads: usize) -> Outcome {
    let mut values = vec![Vec::new(); threads + 1];
    for event in &execution.events {
        if let HarnessEventKind::Return(result) = &event.kind {
            let words = result.split_whitespace();
            values[usize::from(event.thread)] = words.map(|word| word.parse().expect("a number")).collect();
        }
    }
    Outcome {
        last: values.pop().expect("the main thread"),
        threads: values,
    }
}

/// The outcomes that the axioms allow, with the values of the harness.
fn allowed(program: &Program) -> BTreeSet<Outcome> {
    let names: Vec<u64> = program
        .threads
        .iter()
        .enumerate()
        .flat_map(|(thread, instructions)| {
            (0..instructions.len()).map(move |position| (1 + 8 * thread + position) as u64)
        })
        .collect();
    let named = |value: &u64| value.checked_sub(1).map_or(0, |event| names[event as usize]);
    let all_named = |values: &Vec<u64>| values.iter().map(named).collect();
    let outcomes = axioms::outcomes(program);
    let renamed = outcomes.iter().map(|outcome| Outcome {
        threads: outcome.threads.iter().map(all_named).collect(),
        last: all_named(&outcome.last),
    });
    renamed.collect()
}

struct Explored {
    outcomes: BTreeSet<Outcome>,
    executions: Vec<Execution>,
}

fn explored(
    executor: &mut Box<dyn Executor>,
    program: &Program,
    reduction: bool,
    options: &ExploreOptions,
) -> Explored {
    let strategy = ExplorationStrategy::Bounded {
        preemptions_max: None,
        reduction,
    };
    let mut explored = Explored {
        outcomes: BTreeSet::new(),
        executions: Vec::new(),
    };
    let mut visit = |execution: &Execution| {
        explored
            .outcomes
            .insert(outcome(execution, program.threads.len()));
        explored.executions.push(execution.clone());
        ControlFlow::Continue(())
    };
    let executors = std::slice::from_mut(executor);
    let made = explore(executors, &test_program(program), strategy, options, &mut visit)
        .expect("the harness answers");
    assert_eq!(
        (made.stopped, made.diverged),
        (StopReason::Exhausted, 0),
        "{program:?}"
    );
    explored
}

fn weak() -> ExploreOptions {
    ExploreOptions {
        memory_model: MemoryModel::Cpp20 { stale_max: u32::MAX },
        ..ExploreOptions::default()
    }
}

/// Well-known shapes of two threads, and some random programs.
fn programs(random: usize) -> Vec<Program> {
    let mut numbers = Random::with_seed(7);
    let shapes = known_shapes()
        .into_iter()
        .filter(|shape| shape.threads.len() == 2);
    let shapes: Vec<Program> = shapes.collect();
    let variants: Vec<Program> = (0..random)
        .map(|_| {
            let shape = &shapes[numbers.below(shapes.len())];
            numbers.variant(shape)
        })
        .collect();
    let mut programs = [shapes, variants].concat();
    programs.extend((0..random).map(|_| numbers.program(5)));
    programs
}

#[test]
fn the_outcomes_of_compiled_programs_are_those_that_the_axioms_allow() {
    let mut executor = start();
    for program in programs(25) {
        let reduced = explored(&mut executor, &program, true, &weak());
        assert_eq!(reduced.outcomes, allowed(&program), "{program:?}");
    }
}

#[test]
fn reduction_loses_no_outcome_of_weak_memory() {
    let mut executor = start();
    let mut fewer = 0;
    for program in programs(4).into_iter().step_by(4) {
        let all = explored(&mut executor, &program, false, &weak());
        let reduced = explored(&mut executor, &program, true, &weak());
        assert_eq!(reduced.outcomes, all.outcomes, "{program:?}");
        fewer += usize::from(reduced.executions.len() < all.executions.len());
    }
    assert!(fewer > 0);
}

/// Store buffering with relaxed accesses.
fn store_buffering() -> Program {
    use Instruction::{Load, Store};
    Program {
        threads: vec![
            vec![Store(0, RELAXED), Load(1, RELAXED)],
            vec![Store(1, RELAXED), Load(0, RELAXED)],
        ],
    }
}

#[test]
fn every_execution_with_stale_reads_is_repeated_by_its_schedule() {
    let (mut executor, mut other) = (start(), start());
    let program = store_buffering();
    let explored = explored(&mut executor, &program, true, &weak());
    assert!(
        explored
            .executions
            .iter()
            .any(|execution| execution.stale_reads() > 0)
    );
    for first in explored.executions {
        let schedule = first.schedule().to_string().parse().expect("it reads back");
        let again = replay(&mut *other, &test_program(&program), &schedule, &weak(), false)
            .expect("the schedule can be followed");
        assert_eq!(again.events, first.events);
        assert_eq!(again.steps, first.steps);
    }
}

#[test]
fn the_number_of_stale_reads_is_bounded() {
    let mut executor = start();
    let program = store_buffering();
    let most = |stale_max| {
        let options = ExploreOptions {
            memory_model: MemoryModel::Cpp20 { stale_max },
            ..ExploreOptions::default()
        };
        let explored = explored(&mut start(), &program, false, &options);
        let both_zero = explored
            .outcomes
            .iter()
            .any(|outcome| outcome.threads == [[0], [0]]);
        let stale = explored.executions.iter().map(Execution::stale_reads).max();
        (stale, both_zero)
    };
    assert_eq!(most(0), (Some(0), false));
    assert_eq!(most(1), (Some(1), true));
    let none = explored(&mut executor, &program, false, &ExploreOptions::default());
    assert!(
        none.executions
            .iter()
            .all(|execution| execution.stale_reads() == 0)
    );
    assert_eq!(none.outcomes.len(), 3);
}

#[test]
fn random_executions_read_stale_values_within_their_bound() {
    let mut executor = start();
    let strategy = ExplorationStrategy::Random {
        seed: 3,
        executions: 200,
    };
    let options = ExploreOptions {
        memory_model: MemoryModel::Cpp20 { stale_max: 1 },
        ..ExploreOptions::default()
    };
    let program = store_buffering();
    let (mut found, mut most) = (BTreeSet::new(), 0);
    let mut visit = |execution: &Execution| {
        found.insert(outcome(execution, 2).threads);
        most = most.max(execution.stale_reads());
        ControlFlow::Continue(())
    };
    let executors = std::slice::from_mut(&mut executor);
    explore(executors, &test_program(&program), strategy, &options, &mut visit).expect("the harness answers");
    assert_eq!((most, found.len()), (1, 4));
}
