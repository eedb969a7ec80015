//! Independent executions with a random policy.

use crate::control::{Control, Visit};
use crate::{
    Executor, ExplorationResult, ExploreOptions, RunOptions, SchedError, SchedulingPolicy, TestProgram,
};

/// Makes `executions` executions; `policy` gives that of the execution with a given number.
pub(crate) fn sample(
    executors: &mut [Box<dyn Executor>],
    program: &TestProgram,
    options: &ExploreOptions,
    executions: u64,
    policy: &(dyn Fn(u64) -> SchedulingPolicy + Sync),
    visit: Visit<'_>,
) -> Result<ExplorationResult, SchedError> {
    let control = Control::new(options, visit);
    let work = |executor: &mut Box<dyn Executor>| {
        while let Some(index) = control.begin().filter(|&index| index < executions) {
            let run = RunOptions {
                detects_races: options.detects_races,
                ..options.run_options(policy(index))
            };
            match executor.run(program, &run) {
                Ok(execution) => control.show(&execution),
                Err(error) => control.fail(error),
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
    let (stopped, begun) = control.finish()?;
    Ok(ExplorationResult {
        executions: begun.min(executions),
        redundant: 0,
        diverged: 0,
        bounds: Vec::new(),
        stopped,
    })
}
