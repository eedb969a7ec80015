//! All executions, as the leaves of the tree of decisions.
//!
//! A [`Task`] is an execution that was not made yet: it goes like one that was made up to some decision, and then
//! another candidate is chosen. Making it leads to new decisions behind that point, whose other candidates are
//! new tasks. The last task is taken first, so that few are open at any time; tasks with one more preemption
//! than the bound wait for the next bound, so that nothing is made twice when the bound grows.

use crate::progress::{Progress, Visit};
use crate::reduction::{Reduction, candidates_in_order, moved_before};
use crate::{
    BoundSummary, Ending, Execution, Executor, Exploration, ExploreOptions, RunOptions, SchedError, Schedule,
    SchedulerStep, SchedulingPolicy, TestProgram, ThreadId,
};
use std::ops::RangeInclusive;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Which tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree {
    pub(crate) serial: bool,
    pub(crate) preemptions_max: Option<u32>,
    pub(crate) reduction: bool,
}

/// What has to be kept of a decision while it has tasks: millions of them may wait for the next bound.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Decision {
    candidates: u32,
    chosen: ThreadId,
    preemptible: bool,
}

impl From<&SchedulerStep> for Decision {
    fn from(step: &SchedulerStep) -> Self {
        Self {
            candidates: step.candidates,
            chosen: step.chosen,
            preemptible: step.preemptible,
        }
    }
}

/// Executions to be made: like `parent`, but at one of these decisions `thread` is chosen.
///
/// More than one decision if the parent's current thread takes one step after the other there and would be
/// preempted: then what `thread` does is often the same at each, and need not be made to be known.
struct Task {
    parent: Arc<[Decision]>,
    thread: ThreadId,
    decisions: RangeInclusive<usize>,
}

impl Task {
    fn schedule(&self, decision: usize) -> Schedule {
        let before = self.parent.iter().take(decision).map(|step| step.chosen);
        Schedule::new(before.chain([self.thread]).collect())
    }
}

struct Shared {
    /// Whether the first execution, which has no parent, is still to be made.
    is_new: bool,
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
    program: &'a TestProgram,
    options: &'a ExploreOptions,
    shared: &'a Mutex<Shared>,
    changed: &'a Condvar,
    progress: &'a Progress<'v>,
}

impl Tree {
    pub(crate) fn explore(
        self,
        executors: &mut [Box<dyn Executor>],
        program: &TestProgram,
        options: &ExploreOptions,
        visit: Visit<'_>,
    ) -> Result<Exploration, SchedError> {
        let progress = Progress::new(options, visit);
        let shared = Mutex::new(Shared {
            is_new: true,
            tasks: Vec::new(),
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
            let mut outcome = Outcome {
                bound,
                ..Outcome::default()
            };
            let made = match &task {
                Some(task) => self.make(executor, task, &mut outcome),
                None => self.make_first(executor, &mut outcome),
            };
            if let Err(error) = made {
                self.progress.fail(error);
            }
            let mut shared = self.shared();
            shared.busy -= 1;
            outcome.add_to(&mut shared);
            drop(shared);
            self.changed.notify_all();
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits for a task; none when there will be no more. The first one has no parent.
    fn next_task(&self) -> Option<(Option<Task>, u32)> {
        let mut shared = self.shared();
        loop {
            if self.progress.is_stopped() {
                return None;
            }
            if std::mem::take(&mut shared.is_new) {
                shared.busy += 1;
                return Some((None, shared.bound));
            }
            if let Some(task) = shared.tasks.pop() {
                shared.busy += 1;
                return Some((Some(task), shared.bound));
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

    fn make_first(&self, executor: &mut dyn Executor, outcome: &mut Outcome) -> Result<(), SchedError> {
        if self.progress.begin().is_some() {
            self.execute(executor, Schedule::default(), &[], outcome)?;
        }
        Ok(())
    }

    /// Makes the executions of a task, from the last decision to the first.
    fn make(
        &self,
        executor: &mut dyn Executor,
        task: &Task,
        outcome: &mut Outcome,
    ) -> Result<(), SchedError> {
        let mut next: Option<Vec<SchedulerStep>> = None;
        for decision in task.decisions.clone().rev() {
            let foreseen = next.as_deref().and_then(|next| moved_before(next, decision));
            if let Some(steps) = foreseen {
                let mut branches = Branches::default();
                if self.branch(&steps, decision + 1, outcome.bound, &mut branches) == Branched::LeftOut {
                    outcome.add(branches);
                    next = Some(steps);
                    continue;
                }
            }
            if self.progress.begin().is_none() {
                return Ok(());
            }
            let before = task.parent.get(..decision).unwrap_or_default();
            next = self.execute(executor, task.schedule(decision), before, outcome)?;
        }
        Ok(())
    }

    /// Makes one execution, shows it, and finds out what it leads to. Returns its steps if it went as it should:
    /// like `before`, and then as the schedule says.
    fn execute(
        &self,
        executor: &mut dyn Executor,
        schedule: Schedule,
        before: &[Decision],
        outcome: &mut Outcome,
    ) -> Result<Option<Vec<SchedulerStep>>, SchedError> {
        let decided = schedule.len();
        let plan = RunOptions {
            choices: SchedulingPolicy::Follow(schedule),
            serial: self.tree.serial,
            accesses: self.options.accesses,
            races: self.options.races && !self.tree.serial,
            places: self.options.places.clone(),
            steps_max: self.options.steps_max,
            environment: self.options.environment,
        };
        let execution = executor.run(self.program, &plan)?;
        outcome.count.executions += 1;
        let went = execution.steps.iter().take(before.len()).map(Decision::from);
        if !went.eq(before.iter().copied()) || matches!(execution.ending, Ending::Diverged { .. }) {
            outcome.diverged += 1;
            return Ok(None);
        }
        let mut branches = Branches::default();
        let branched = self.branch(&execution.steps, decided, outcome.bound, &mut branches);
        outcome.add(branches);
        if branched == Branched::LeftOut || (branched == Branched::LeftOutIfOver && is_over(&execution)) {
            outcome.count.redundant += 1;
        } else {
            self.progress.show(&execution);
        }
        Ok(Some(execution.steps))
    }

    /// Finds the tasks that an execution leads to, at decisions from `decided` on.
    fn branch(
        &self,
        steps: &[SchedulerStep],
        decided: usize,
        bound: u32,
        branches: &mut Branches,
    ) -> Branched {
        let bounded = self.tree.preemptions_max.is_some();
        let decisions: Arc<[Decision]> = steps.iter().map(Decision::from).collect();
        let mut reduction = self
            .tree
            .reduction
            .then(|| (Reduction::new(steps, bounded), next_steps(steps)));
        let mut preemptions = 0;
        for (index, step) in steps.iter().enumerate() {
            if index >= decided {
                let over = reduction
                    .as_ref()
                    .is_some_and(|(reduction, _)| reduction.leaves_out_turn());
                for &thread in candidates_in_order(step)
                    .iter()
                    .rev()
                    .filter(|&&thread| thread != step.chosen)
                {
                    let asleep = reduction.as_ref().is_some_and(|(reduction, next)| {
                        reduction.leaves_out_alternative(
                            index,
                            thread,
                            later_step(steps, next, index, thread),
                        )
                    });
                    if asleep || (over && step.current != Some(thread)) {
                        continue;
                    }
                    let cost = preemptions + u32::from(step.preemptible && step.current != Some(thread));
                    let within = !bounded || cost <= bound;
                    if within || self.tree.preemptions_max.is_some_and(|most| cost <= most) {
                        let tasks = if within {
                            &mut branches.tasks
                        } else {
                            &mut branches.beyond
                        };
                        let joins = reduction.is_some() && goes_on_alone(steps, index, thread);
                        add_task(tasks, &decisions, index, thread, joins);
                    }
                }
            }
            if reduction
                .as_mut()
                .is_some_and(|(reduction, _)| reduction.leaves_out_after(index))
            {
                return Branched::LeftOut;
            }
            preemptions += u32::from(step.is_preemption());
        }
        match reduction.is_some_and(|(reduction, _)| reduction.leaves_out_turn()) {
            true => Branched::LeftOutIfOver,
            false => Branched::Kept,
        }
    }
}

/// A crash cuts off what others would still have done, which an equal execution may have shown.
fn is_over(execution: &Execution) -> bool {
    matches!(execution.ending, Ending::Finished | Ending::Stuck(_))
}

/// Whether the current thread went on here and at the decision before, when `thread` would have preempted it.
fn goes_on_alone(steps: &[SchedulerStep], decision: usize, thread: ThreadId) -> bool {
    let preempts =
        |step: &SchedulerStep| step.preemptible && step.current == Some(step.chosen) && step.chosen != thread;
    let both = decision
        .checked_sub(1)
        .and_then(|before| steps.get(before..=decision));
    both.is_some_and(|both| both.iter().all(preempts))
}

/// Adds a task, or if it `joins`, a decision to the task for the decision before.
fn add_task(tasks: &mut Vec<Task>, parent: &Arc<[Decision]>, decision: usize, thread: ThreadId, joins: bool) {
    let mut last = tasks.iter_mut().rev().take(crate::THREADS_MAX);
    let before = last.find(|task| {
        task.thread == thread && task.decisions.end() + 1 == decision && Arc::ptr_eq(&task.parent, parent)
    });
    match before.filter(|_| joins) {
        Some(task) => task.decisions = *task.decisions.start()..=decision,
        None => tasks.push(Task {
            parent: parent.clone(),
            thread,
            decisions: decision..=decision,
        }),
    }
}

/// What is known about an execution after its decisions were looked at.
#[derive(PartialEq, Eq)]
enum Branched {
    /// It shows something new.
    Kept,
    /// It shows nothing new.
    LeftOut,
    /// It shows nothing new unless it was cut off.
    LeftOutIfOver,
}

#[derive(Default)]
struct Branches {
    tasks: Vec<Task>,
    beyond: Vec<Task>,
}

/// What making one task led to.
#[derive(Default)]
struct Outcome {
    branches: Branches,
    bound: u32,
    count: BoundSummary,
    diverged: u64,
}

impl Outcome {
    fn add(&mut self, branches: Branches) {
        self.branches.tasks.extend(branches.tasks);
        self.branches.beyond.extend(branches.beyond);
    }

    fn add_to(self, shared: &mut Shared) {
        shared.tasks.extend(self.branches.tasks);
        shared.beyond.extend(self.branches.beyond);
        shared.diverged += self.diverged;
        if let Some(count) = shared.counts.get_mut(self.bound as usize) {
            count.executions += self.count.executions;
            count.redundant += self.count.redundant;
        }
    }
}

/// For each step the index of the next step of the same thread; and of each thread the first step.
struct NextSteps {
    after: Vec<usize>,
    first: [usize; 32],
}

fn next_steps(steps: &[SchedulerStep]) -> NextSteps {
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
fn later_step<'a>(
    steps: &'a [SchedulerStep],
    next: &NextSteps,
    index: usize,
    thread: ThreadId,
) -> Option<&'a SchedulerStep> {
    let before = steps[..index].iter().rposition(|step| step.chosen == thread);
    let later = match before {
        Some(before) => next.after.get(before).copied(),
        None => next.first.get(usize::from(thread)).copied(),
    };
    steps.get(later?)
}
