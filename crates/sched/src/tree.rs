//! All executions, as the leaves of the tree of decisions.
//!
//! A task is a schedule that was not made yet: the decisions of an execution that was made, up to some point,
//! and then another candidate. Making it leads to new decisions behind that point, whose other candidates are
//! new tasks. The last task is taken first, so that few are open at any time; tasks with one more preemption
//! than the bound wait for the next bound, so that nothing is made twice when the bound grows.

use crate::progress::{Progress, Visit};
use crate::reduction::{Reduction, candidates_in_order};
use crate::{
    BoundSummary, Choices, Ending, Execution, Executor, Exploration, ExploreOptions, Plan, Program,
    SchedError, Schedule, Step, ThreadId,
};
use std::hash::Hasher;
use std::sync::{Condvar, Mutex, MutexGuard};

/// Which tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree {
    pub(crate) serial: bool,
    pub(crate) preemptions_max: Option<u32>,
    pub(crate) reduction: bool,
}

/// An execution to be made.
struct Task {
    schedule: Vec<ThreadId>,
    /// What the decisions before the last one were when they were made first.
    fingerprint: u64,
}

struct Shared {
    tasks: Vec<Task>,
    /// Tasks with one preemption more than allowed now.
    beyond: Vec<Task>,
    /// Workers that may still add tasks.
    busy: usize,
    bound: u32,
    counts: Vec<BoundSummary>,
    diverged: u64,
}

struct Worker<'a, 'v> {
    tree: Tree,
    program: &'a Program,
    options: &'a ExploreOptions,
    shared: &'a Mutex<Shared>,
    changed: &'a Condvar,
    progress: &'a Progress<'v>,
}

impl Tree {
    pub(crate) fn explore(
        self,
        executors: &mut [Box<dyn Executor>],
        program: &Program,
        options: &ExploreOptions,
        visit: Visit<'_>,
    ) -> Result<Exploration, SchedError> {
        let progress = Progress::new(options, visit);
        let shared = Mutex::new(Shared {
            tasks: vec![Task {
                schedule: Vec::new(),
                fingerprint: 0,
            }],
            beyond: Vec::new(),
            busy: 0,
            bound: 0,
            counts: vec![BoundSummary::default()],
            diverged: 0,
        });
        let changed = Condvar::new();
        let worker = Worker {
            tree: self,
            program,
            options,
            shared: &shared,
            changed: &changed,
            progress: &progress,
        };
        std::thread::scope(|scope| {
            let mut executors = executors.iter_mut();
            let first = executors.next();
            for executor in executors {
                scope.spawn(|| worker.work(executor.as_mut()));
            }
            if let Some(first) = first {
                worker.work(first.as_mut());
            }
        });
        let (stopped, _) = progress.finish()?;
        let shared = shared
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let bounds = if self.serial {
            Vec::new()
        } else {
            shared.counts.clone()
        };
        Ok(Exploration {
            executions: shared.counts.iter().map(|count| count.executions).sum(),
            redundant: shared.counts.iter().map(|count| count.redundant).sum(),
            diverged: shared.diverged,
            bounds,
            stopped,
        })
    }
}

impl Worker<'_, '_> {
    fn work(&self, executor: &mut dyn Executor) {
        while let Some((task, bound)) = self.next_task() {
            let made = self.progress.begin().map(|_| self.make(executor, task, bound));
            let mut shared = self.shared();
            shared.busy -= 1;
            match made {
                Some(Ok(outcome)) => outcome.add_to(&mut shared),
                Some(Err(error)) => self.progress.fail(error),
                None => {}
            }
            drop(shared);
            self.changed.notify_all();
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits for a task; none when there will be no more.
    fn next_task(&self) -> Option<(Task, u32)> {
        let mut shared = self.shared();
        loop {
            if self.progress.is_stopped() {
                return None;
            }
            if let Some(task) = shared.tasks.pop() {
                shared.busy += 1;
                return Some((task, shared.bound));
            }
            if shared.busy == 0 {
                if shared.beyond.is_empty() {
                    return None;
                }
                // The order of the search: those of the first executions come first again.
                let mut beyond = std::mem::take(&mut shared.beyond);
                beyond.reverse();
                shared.tasks = beyond;
                shared.bound += 1;
                shared.counts.push(BoundSummary::default());
                self.changed.notify_all();
                continue;
            }
            shared = self
                .changed
                .wait(shared)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    fn make(&self, executor: &mut dyn Executor, task: Task, bound: u32) -> Result<Outcome, SchedError> {
        let Task {
            schedule,
            fingerprint,
        } = task;
        let decided = schedule.len();
        let plan = Plan {
            choices: Choices::Follow(Schedule::new(schedule)),
            serial: self.tree.serial,
            accesses: self.options.accesses,
            steps_max: self.options.steps_max,
        };
        let execution = executor.run(self.program, &plan)?;
        let followed = execution
            .steps
            .get(..decided.saturating_sub(1))
            .map(fingerprint_of);
        let mut outcome = Outcome {
            bound,
            ..Outcome::default()
        };
        if followed != Some(fingerprint) || matches!(execution.ending, Ending::Diverged { .. }) {
            outcome.diverged = true;
            return Ok(outcome);
        }
        self.branch(&execution, decided, bound, &mut outcome);
        if !outcome.redundant {
            self.progress.show(&execution);
        }
        Ok(outcome)
    }

    /// Finds the tasks that an execution leads to, at decisions from `decided` on.
    fn branch(&self, execution: &Execution, decided: usize, bound: u32, outcome: &mut Outcome) {
        let steps = execution.steps.as_slice();
        let bounded = self.tree.preemptions_max.is_some();
        let next_steps = self.tree.reduction.then(|| next_steps(steps));
        let mut reduction = self.tree.reduction.then(|| Reduction::new(steps, bounded));
        let mut fingerprint = Fingerprint::default();
        let mut preemptions = 0;
        for (index, step) in steps.iter().enumerate() {
            if index >= decided {
                let over = reduction
                    .as_ref()
                    .is_some_and(|reduction| reduction.leaves_out_turn());
                for &thread in candidates_in_order(step)
                    .iter()
                    .rev()
                    .filter(|&&thread| thread != step.chosen)
                {
                    if over && step.current != Some(thread) {
                        continue;
                    }
                    let later = next_steps
                        .as_ref()
                        .and_then(|next| later_step(steps, next, index, thread));
                    let asleep = |r: &Reduction<'_>| r.leaves_out_alternative(index, thread, later);
                    if reduction.as_ref().is_some_and(asleep) {
                        continue;
                    }
                    let cost = preemptions + u32::from(step.preemptible && step.current != Some(thread));
                    let within = !bounded || cost <= bound;
                    if within || self.tree.preemptions_max.is_some_and(|most| cost <= most) {
                        let mut schedule: Vec<ThreadId> = steps[..index].iter().map(|s| s.chosen).collect();
                        schedule.push(thread);
                        let task = Task {
                            schedule,
                            fingerprint: fingerprint.0.finish(),
                        };
                        if within {
                            outcome.tasks.push(task)
                        } else {
                            outcome.beyond.push(task)
                        }
                    }
                }
            }
            if reduction
                .as_mut()
                .is_some_and(|reduction| reduction.leaves_out_after(index))
            {
                outcome.redundant = true;
                return;
            }
            preemptions += u32::from(step.is_preemption());
            fingerprint.add(step);
        }
        // A crash cuts off what others would still have done, which an equal execution may have shown.
        let ended = matches!(execution.ending, Ending::Finished | Ending::Stuck(_));
        outcome.redundant = ended && reduction.is_some_and(|reduction| reduction.leaves_out_turn());
    }
}

/// What making one task led to.
#[derive(Default)]
struct Outcome {
    tasks: Vec<Task>,
    beyond: Vec<Task>,
    bound: u32,
    redundant: bool,
    diverged: bool,
}

impl Outcome {
    fn add_to(self, shared: &mut Shared) {
        shared.tasks.extend(self.tasks);
        shared.beyond.extend(self.beyond);
        shared.diverged += u64::from(self.diverged);
        if let Some(count) = shared.counts.get_mut(self.bound as usize) {
            count.executions += 1;
            count.redundant += u64::from(self.redundant);
        }
    }
}

/// For each step the index of the next step of the same thread; and of each thread the first step.
struct NextSteps {
    after: Vec<usize>,
    first: [usize; 32],
}

fn next_steps(steps: &[Step]) -> NextSteps {
    let mut next = NextSteps {
        after: vec![usize::MAX; steps.len()],
        first: [usize::MAX; 32],
    };
    for (index, step) in steps.iter().enumerate().rev() {
        let first = &mut next.first[usize::from(step.chosen) % 32];
        next.after[index] = std::mem::replace(first, index);
    }
    next
}

/// The first step of a thread after `index`.
fn later_step<'a>(steps: &'a [Step], next: &NextSteps, index: usize, thread: ThreadId) -> Option<&'a Step> {
    let before = steps[..index].iter().rposition(|step| step.chosen == thread);
    let later = match before {
        Some(before) => next.after.get(before).copied(),
        None => next.first.get(usize::from(thread)).copied(),
    };
    steps.get(later?)
}

/// Decisions without addresses, which may differ between two processes.
#[derive(Default)]
struct Fingerprint(rustc_hash::FxHasher);

impl Fingerprint {
    fn add(&mut self, step: &Step) {
        self.0.write_u32(step.candidates);
        self.0
            .write_u32(u32::from(step.chosen) | u32::from(step.preemptible) << 8);
    }
}

fn fingerprint_of(steps: &[Step]) -> u64 {
    let mut fingerprint = Fingerprint::default();
    for step in steps {
        fingerprint.add(step);
    }
    fingerprint.0.finish()
}
