//! Race detection against the definition of a race, on all interleavings of small programs.

mod definition;
mod detector;
mod program;

use crate::memory_model::program::Random;
use crate::weak_memory::{digit, number_of, start};
use detector::Mutant;
use omnilink_sched::{
    Execution, Executor, ExplorationStrategy, ExploreOptions, StopReason, TestProgram, explore,
};
use omnilink_sched_runtime::happens_before::HappensBefore;
use program::{DATA, RaceEvent, RaceInstruction, RaceProgram, random_program, random_publication};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const PROGRAMS: usize = 1_500;

fn programs() -> Vec<RaceProgram> {
    let mut random = Random::with_seed(33);
    let mut programs: Vec<RaceProgram> = (0..PROGRAMS).map(|_| random_publication(&mut random)).collect();
    for instructions in [4, 5, 6] {
        programs.extend((0..PROGRAMS).map(|_| random_program(&mut random, instructions)));
    }
    programs
}

/// Whether the detector reports, for each event, a race with an earlier one exactly if there is one; and nothing that is none.
fn is_right(events: &[RaceEvent], mutant: Option<Mutant>) -> bool {
    let (races, reported) = (definition::races(events), detector::reported(events, mutant));
    let is_racing = |races: &[(usize, usize)], event: usize| races.iter().any(|(_, later)| *later == event);
    reported.iter().all(|race| races.contains(race))
        && (0..events.len()).all(|event| is_racing(&races, event) == is_racing(&reported, event))
}

#[test]
fn the_races_of_thousands_of_programs_are_those_of_the_definition() {
    let (mut interleavings, mut with_races, mut without) = (0_u64, 0_u64, 0_u64);
    for program in programs() {
        program.interleavings(&mut |events| {
            assert!(
                is_right(events, None),
                "{events:#?}: {:?}, reported {:?}",
                definition::races(events),
                detector::reported(events, None)
            );
            interleavings += 1;
            if definition::races(events).is_empty() {
                without += 1
            } else {
                with_races += 1
            }
        });
    }
    // Otherwise the comparison says little.
    assert!(
        with_races > 10_000 && without > 10_000,
        "{interleavings} interleavings, {with_races} with races"
    );
}

#[test]
fn each_rule_of_race_detection_is_needed() {
    let programs = programs();
    for mutant in Mutant::ALL {
        let mut is_noticed = false;
        for program in &programs {
            program.interleavings(&mut |events| is_noticed |= !is_right(events, Some(mutant)));
            if is_noticed {
                break;
            }
        }
        assert!(is_noticed, "{mutant:?} is not noticed");
    }
}

/// A function of a library that is not instrumented may have synchronised with every release so far.
#[test]
fn what_acquires_everything_acquires_what_was_released_and_nothing_later() {
    let mut hb = HappensBefore::NEW;
    (0..2).for_each(|thread| hb.create(2, thread, std::iter::empty()));
    let before = hb.epoch(0);
    let _released_at_some_address = hb.release(0);
    let after = hb.epoch(0);
    hb.acquire_all(1);
    let known = hb.clock(1).happened[0];
    assert!(before <= known && known < after, "{before} {known} {after}");
}

/// The program as calls of `components/litmus.rs`, one for each thread.
fn test_program(program: &RaceProgram) -> TestProgram {
    let digit = |instruction: &RaceInstruction| match *instruction {
        RaceInstruction::Atomic(instruction) => digit(instruction),
        RaceInstruction::Plain { at: DATA, writes, .. } => 37 + u32::from(writes),
        RaceInstruction::Plain { at, writes, .. } => 39 + at as u32 + 2 * u32::from(writes),
    };
    let call = |thread: &Vec<RaceInstruction>| vec![number_of(thread.iter().map(digit))];
    TestProgram::new(program.threads.iter().map(call).collect())
}

/// The same accesses, all of eight bytes.
fn with_whole_words(program: &RaceProgram) -> RaceProgram {
    let whole = |instruction: &RaceInstruction| match *instruction {
        RaceInstruction::Plain { at, writes, .. } => RaceInstruction::Plain {
            at,
            bytes: 0xff,
            writes,
        },
        atomic => atomic,
    };
    let thread = |thread: &Vec<RaceInstruction>| thread.iter().map(whole).collect();
    RaceProgram {
        threads: program.threads.iter().map(thread).collect(),
    }
}

/// The pairs of threads that race in some execution of the compiled program.
fn racing_threads(
    executor: &mut Box<dyn Executor>,
    program: &RaceProgram,
    reduction: bool,
) -> BTreeSet<(usize, usize)> {
    let mut racing = BTreeSet::new();
    let mut visit = |execution: &Execution| {
        for race in &execution.races {
            let [one, other] = race.accesses.map(|access| usize::from(access.thread));
            racing.insert((one.min(other), one.max(other)));
        }
        ControlFlow::Continue(())
    };
    let strategy = ExplorationStrategy::Bounded {
        preemptions_max: None,
        reduction,
    };
    // Happens-before depends on the order of atomic accesses only, so switches at plain ones would show no other race.
    let options = ExploreOptions {
        detects_races: true,
        ..ExploreOptions::default()
    };
    let executors = std::slice::from_mut(executor);
    let made = explore(executors, &test_program(program), strategy, &options, &mut visit)
        .expect("the harness answers");
    assert_eq!((made.stopped, made.diverged), (StopReason::Exhausted, 0));
    racing
}

#[test]
fn the_races_of_compiled_programs_are_those_of_the_definition_with_and_without_reduction() {
    let (mut executor, mut random) = (start(), Random::with_seed(3));
    let (mut racing, mut ordered, mut overwriting) = (0, 0, 0);
    for number in 0..16 {
        // A plain store to a flag is the whole of its thread, which begins with a switch. Elsewhere its place would matter too.
        let program = match number % 2 {
            0 => random_publication(&mut random),
            _ => loop {
                let program = with_whole_words(&random_program(&mut random, 4));
                if !program.overwrites_an_atomic() {
                    break program;
                }
            },
        };
        let mut expected = BTreeSet::new();
        program.interleavings(&mut |events| {
            for (a, b) in definition::races(events) {
                let (one, other) = (events[a].thread, events[b].thread);
                expected.insert((one.min(other), one.max(other)));
            }
        });
        for reduction in [true, false] {
            let found = racing_threads(&mut executor, &program, reduction);
            assert_eq!(found, expected, "{program:?}, reduction {reduction}");
        }
        overwriting += u32::from(program.overwrites_an_atomic());
        if expected.is_empty() {
            ordered += 1
        } else {
            racing += 1
        }
    }
    assert!(
        racing > 3 && ordered > 3 && overwriting > 1,
        "{racing} programs with races, {ordered} without, {overwriting} with plain stores to atomic variables"
    );
}
