//! An execution is determined by its schedule.

use crate::support::{explored, program, start};
use omnilink_sched::{
    Ending, Executor, ExplorationStrategy, ExploreOptions, HarnessEventKind, RunOptions, SchedError,
    Schedule, SchedulingPolicy, replay,
};

#[test]
fn every_execution_is_repeated_by_its_schedule() {
    for (component, columns) in [
        ("queue", "02 12"),
        ("blocking", "0 1"),
        ("locks", "0 1"),
        ("spin", "00 01"),
        ("retry", "0 2"),
        ("retry", "3 0 1"),
    ] {
        let strategy = ExplorationStrategy::Bounded {
            preemptions_max: Some(1),
            reduction: false,
        };
        let mut other_process = start(component);
        for first in explored(component, columns, strategy).executions {
            let options = ExploreOptions::default();
            let again = replay(
                &mut other_process,
                &program(columns),
                &first.schedule(),
                &options,
                false,
            )
            .expect("the schedule can be followed");
            assert_eq!(again.events, first.events);
            assert_eq!(again.steps, first.steps);
            assert_eq!(again.ending, first.ending);
        }
    }
}

#[test]
fn a_random_execution_is_repeated_by_its_seed_and_by_its_schedule() {
    let (mut one, mut other) = (start("queue"), start("queue"));
    let program = program("0202 1212 22");
    for seed in 0..20 {
        let random = RunOptions {
            policy: SchedulingPolicy::Random { seed },
            ..RunOptions::follow(Schedule::default())
        };
        let first = one.run(&program, &random).unwrap();
        let again = other.run(&program, &random).unwrap();
        assert_eq!(first.steps, again.steps);
        let followed = other
            .run(&program, &RunOptions::follow(first.schedule()))
            .unwrap();
        assert_eq!(followed.events, first.events);
    }
}

#[test]
fn time_hash_seeds_addresses_and_statics_are_the_same_in_every_execution() {
    let (mut one, mut other) = (start("surroundings"), start("surroundings"));
    let plan = RunOptions::follow(Schedule::default());
    let first = one.run(&program("00 0"), &plan).unwrap();
    assert_eq!(first.ending, Ending::Finished);
    for _ in 0..3 {
        assert_eq!(one.run(&program("00 0"), &plan).unwrap().events, first.events);
        assert_eq!(other.run(&program("00 0"), &plan).unwrap().events, first.events);
    }
}

#[test]
fn another_environment_has_another_time_and_other_hash_seeds_and_addresses() {
    let mut surroundings = start("surroundings");
    let mut seen = |environment: u64| {
        let plan = RunOptions {
            environment,
            ..RunOptions::follow(Schedule::default())
        };
        let execution = surroundings.run(&program("0"), &plan).unwrap();
        let HarnessEventKind::Return(result) = &execution.events[1].kind else {
            panic!("{execution:?}")
        };
        // Time, keys and address, as a tuple shows them.
        let (time, rest) = result.split_once('[').unwrap();
        let (keys, rest) = rest.split_once(']').unwrap();
        let address = rest.split(',').nth(1).unwrap();
        [time.to_owned(), keys.to_owned(), address.to_owned()]
    };
    let here = seen(0);
    assert_eq!(seen(0), here);
    for environment in [1, 2, u64::MAX] {
        let elsewhere = seen(environment);
        assert_eq!(seen(environment), elsewhere);
        for (here, there) in here.iter().zip(&elsewhere) {
            assert_ne!(here, there, "in environment {environment}");
        }
    }
}

#[test]
fn a_schedule_that_cannot_be_followed_is_reported() {
    let mut counter = start("counter");
    let impossible: Schedule = "0x2 5".parse().unwrap();
    let cut = counter
        .run(&program("00 0"), &RunOptions::follow(impossible.clone()))
        .unwrap();
    assert_eq!(cut.ending, Ending::Diverged { step: 2, wanted: 5 });
    let options = ExploreOptions::default();
    let error = replay(&mut counter, &program("00 0"), &impossible, &options, false).unwrap_err();
    assert!(matches!(error, SchedError::Diverged { step: 2 }), "{error}");
    let too_short: Schedule = "0x2".parse().unwrap();
    let error = replay(&mut counter, &program("00 0"), &too_short, &options, false).unwrap_err();
    assert!(matches!(error, SchedError::Diverged { step: 2 }), "{error}");
}
