//! Whole programs, run by the library: what is found, and that it can be repeated.

use crate::support::built;
use omnilink_sched::build::RustBuild;
use omnilink_sched::{
    MemoryErrorKind, MemoryModel, ProgramEnding, ProgramExecution, ProgramPolicy, ProgramSchedule,
    ProgramSwitch, StopAt, StopConditions, WholeProgram,
};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

fn program(name: &str) -> WholeProgram {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let path = PROGRAM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/components/connected.rs");
        built("connected", |program| {
            RustBuild::build_file(&source, program, &[])
        })
    });
    WholeProgram {
        path: path.clone(),
        arguments: vec![name.into()],
        directory: None,
        environment: Vec::new(),
        background_threads: 0,
        detects_races: true,
        memory_model: MemoryModel::SequentiallyConsistent,
        detects_leaks: false,
        compute_max: Duration::from_secs(20),
        time_max: Duration::from_secs(120),
    }
}

fn run(name: &str, policy: ProgramPolicy) -> ProgramExecution {
    let schedule = ProgramSchedule::new(policy);
    program(name)
        .run(&schedule, &StopConditions::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Some schedules of each kind, the one without preemptions first.
fn schedules(each: u64) -> Vec<ProgramPolicy> {
    let mut all = vec![ProgramPolicy::Switches(Vec::new())];
    for seed in 0..each {
        all.push(ProgramPolicy::Random { seed });
        all.push(ProgramPolicy::PartialOrders { seed });
        all.push(ProgramPolicy::Priorities {
            seed,
            changes: 2,
            steps: 60,
        });
    }
    all
}

/// The first schedule of a program that ends in some way.
fn first(name: &str, is_it: impl Fn(&ProgramExecution) -> bool) -> ProgramExecution {
    let mut runs = schedules(60).into_iter().map(|policy| run(name, policy));
    runs.find(is_it).unwrap_or_else(|| panic!("{name} never ends so"))
}

#[test]
fn a_run_is_repeated_by_its_switches() {
    for policy in schedules(4) {
        let once = run("update", policy);
        let switches = once.switches.clone().expect("the program is short");
        let again = run("update", ProgramPolicy::Switches(switches));
        assert_eq!((again.interleaving, again.steps), (once.interleaving, once.steps));
        assert_eq!((again.switches, again.ending), (once.switches, once.ending));
    }
}

#[test]
fn a_lost_update_needs_one_switch() {
    let without = run("update", ProgramPolicy::Switches(Vec::new()));
    assert!(without.ending.is_success(), "{without:?}");
    let lost = first("update", |run| !run.ending.is_success());
    assert!(lost.output.contains("an update was lost"), "{}", lost.output);
    // Between the load and the store of the first thread the second one comes.
    let is_enough = (0..10).any(|decision| {
        let switch = ProgramSwitch {
            from: 1,
            decision,
            to: 2,
            goes_on: false,
            chooses: false,
            preempts: true,
        };
        let one = run("update", ProgramPolicy::Switches(vec![switch]));
        !one.ending.is_success()
    });
    assert!(is_enough);
}

#[test]
fn the_threads_of_a_deadlock_are_where_they_wait() {
    let deadlock = first("locks", |run| run.ending == ProgramEnding::Deadlock);
    assert_eq!(deadlock.stuck.len(), 2, "{:?}", deadlock.stuck);
    assert!(deadlock.stuck.iter().all(|place| !place.frames.is_empty()));
    let again = ProgramPolicy::Switches(deadlock.switches.expect("the program is short"));
    assert_eq!(run("locks", again).ending, ProgramEnding::Deadlock);
}

#[test]
fn races_and_uses_of_freed_memory_are_found_in_any_schedule() {
    for policy in schedules(2) {
        assert_eq!(run("race", policy.clone()).races.len(), 1);
        let freed = run("freed", policy);
        let is_found = matches!(freed.ending, ProgramEnding::MemoryError(error) if error.kind == MemoryErrorKind::UseAfterFree);
        assert!(is_found, "{freed:?}");
    }
}

/// Pipes, sockets, timers, reused numbers, stacks and blocks, and more addresses than there is room for.
#[test]
fn correct_programs_have_neither_failures_nor_races() {
    let rounds: u64 = if cfg!(debug_assertions) { 2 } else { 10 };
    for name in ["pipe", "network", "timer", "detached", "crowd", "large-blocks"] {
        for policy in schedules(rounds) {
            let run = run(name, policy.clone());
            assert!(run.ending.is_success(), "{name} {policy:?}: {run:?}");
            let races: Vec<_> = run.races.iter().filter(|race| !race.is_inconclusive).collect();
            assert!(races.is_empty(), "{name} {policy:?}: {races:?}");
            assert_eq!(run.has_all_races, name != "crowd");
        }
    }
    for name in ["addresses", "read-limit", "child"] {
        let run = run(name, ProgramPolicy::Switches(Vec::new()));
        assert!(run.ending.is_success() && run.races.is_empty(), "{run:?}");
    }
}

#[test]
fn what_is_not_on_this_machine_is_refused() {
    let run = run("elsewhere", ProgramPolicy::Switches(Vec::new()));
    assert!(run.ending.is_success(), "{run:?}");
    assert!(
        run.output.contains("another machine is refused"),
        "{}",
        run.output
    );
    assert!(run.asked_for_other_machine);
    let network = self::run("network", ProgramPolicy::Switches(Vec::new()));
    assert!(!network.asked_for_other_machine, "{network:?}");
}

#[test]
fn what_nothing_points_to_at_the_end_is_a_leak() {
    let leaks = WholeProgram {
        detects_leaks: true,
        ..program("made-twice")
    };
    let run = |program: &WholeProgram, policy| {
        let run = program.run(&ProgramSchedule::new(policy), &StopConditions::default());
        run.unwrap_or_else(|error| panic!("{error}")).ending
    };
    let without_preemption = run(&leaks, ProgramPolicy::Switches(Vec::new()));
    assert!(without_preemption.is_success(), "{without_preemption:?}");
    let endings: Vec<ProgramEnding> = (0..60)
        .map(|seed| run(&leaks, ProgramPolicy::Random { seed }))
        .collect();
    let is_leak = |ending: &ProgramEnding| {
        matches!(ending, ProgramEnding::MemoryError(error)
            if error.kind == MemoryErrorKind::Leak && error.size == 40 && error.offset == 1)
    };
    assert!(endings.iter().any(is_leak), "{endings:?}");
    assert!(
        endings
            .iter()
            .all(|ending| is_leak(ending) || ending.is_success()),
        "{endings:?}"
    );
    // Nothing is said that was not asked for, and correct programs leave nothing behind.
    for seed in 0..60 {
        assert!(run(&program("made-twice"), ProgramPolicy::Random { seed }).is_success());
    }
    for name in ["pipe", "timer", "detached", "crowd", "addresses", "network"] {
        let leaks = WholeProgram {
            detects_leaks: true,
            ..program(name)
        };
        for policy in schedules(2) {
            let ending = run(&leaks, policy);
            assert!(ending.is_success(), "{name}: {ending:?}");
        }
    }
}

#[test]
fn the_steps_of_a_run_are_recorded_with_their_calls() {
    let schedule = ProgramSchedule::new(ProgramPolicy::Random { seed: 3 });
    let (run, steps) = program("update")
        .run_recorded(&schedule, None, &StopConditions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(steps.len() as u64, run.steps);
    assert!(steps.iter().any(|step| !step.frames.is_empty()));
    assert!(steps.iter().any(|step| step.step.access_words().is_some()));
    // Another run without a record has the same steps.
    let (again, observed) = program("update")
        .run_observed(&schedule, &StopConditions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.interleaving, run.interleaving);
    assert!(!observed.locations.is_empty() && !observed.reads_from.is_empty());
}

#[test]
fn a_program_stops_for_a_debugger() {
    for (name, stop_at) in [("race", StopAt::Failure), ("update", StopAt::Beginning)] {
        let schedule = ProgramSchedule::new(ProgramPolicy::Random { seed: 3 });
        let stopped = program(name).start_stopped(&schedule, stop_at, &StopConditions::default());
        let stopped = stopped.unwrap_or_else(|error| panic!("{error}"));
        let stopped = stopped.unwrap_or_else(|| panic!("{name} did not stop"));
        let process = PathBuf::from(format!("/proc/{}", stopped.process()));
        assert!(process.exists());
        drop(stopped);
        assert!(!process.exists());
    }
}

#[test]
fn a_program_sees_the_same_processors_everywhere() {
    let run = run("processors", ProgramPolicy::Switches(Vec::new()));
    assert!(run.output.starts_with('4'), "{}", run.output);
}

#[test]
fn a_program_that_is_not_linked_with_the_runtime_is_not_controlled() {
    let program = WholeProgram {
        path: "/bin/true".into(),
        arguments: Vec::new(),
        ..program("update")
    };
    let run = program
        .run(
            &ProgramSchedule::new(ProgramPolicy::Random { seed: 1 }),
            &StopConditions::default(),
        )
        .expect("it can be started");
    assert!(run.ending.is_success() && !run.is_controlled);
}
