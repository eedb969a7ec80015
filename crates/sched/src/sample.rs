//! Independent executions that draw their own decisions.

use crate::progress::{Progress, Visit};
use crate::{Executor, Exploration, ExploreOptions, RunOptions, SchedError, SchedulingPolicy, TestProgram};

/// Makes `executions` executions; `choices` decides the one with a given number.
pub(crate) fn sample(
    executors: &mut [Box<dyn Executor>],
    program: &TestProgram,
    options: &ExploreOptions,
    executions: u64,
    choices: &(dyn Fn(u64) -> SchedulingPolicy + Sync),
    visit: Visit<'_>,
) -> Result<Exploration, SchedError> {
    let progress = Progress::new(options, visit);
    let work = |executor: &mut Box<dyn Executor>| {
        while let Some(index) = progress.begin().filter(|&index| index < executions) {
            let plan = RunOptions {
                choices: choices(index),
                serial: false,
                accesses: options.accesses,
                races: options.races,
                places: options.places.clone(),
                steps_max: options.steps_max,
                environment: options.environment,
            };
            match executor.run(program, &plan) {
                Ok(execution) => progress.show(&execution),
                Err(error) => progress.fail(error),
            }
        }
    };
    std::thread::scope(|scope| {
        let mut executors = executors.iter_mut();
        let first = executors.next();
        for executor in executors {
            scope.spawn(|| work(executor));
        }
        if let Some(first) = first {
            work(first);
        }
    });
    let (stopped, begun) = progress.finish()?;
    let executions = begun.min(executions);
    Ok(Exploration {
        executions,
        redundant: 0,
        diverged: 0,
        bounds: Vec::new(),
        stopped,
    })
}
