//! Exhaustive exploration: the executions are the leaves of the tree of scheduling decisions.
//!
//! A [`Task`] is an execution that was not made yet: it follows one that was made up to some decision, and then another candidate
//! is chosen. Making it leads to new decisions after that point, whose other candidates are new tasks. The last task is taken
//! first (depth-first), so that few are open at any time. Tasks with one more preemption than the bound wait for the next bound,
//! so that nothing is made twice when the bound grows.

use crate::control::{Control, Visit};
use crate::reduction::{Reduction, candidates_in_order, moved_before};
use crate::{
    BoundSummary, Ending, Execution, Executor, ExplorationResult, ExploreOptions, RunOptions, SchedError,
    Schedule, ScheduledStep, SchedulerStep, SchedulingPolicy, TestProgram, ThreadId,
};
use std::ops::RangeInclusive;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Which executions are explored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScheduleTree {
    pub(crate) serial: bool,
    pub(crate) preemptions_max: Option<u32>,
    pub(crate) reduction: bool,
}

/// A decision with tasks. Small, because millions of them may wait for the next bound.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Decision {
    candidates: u32,
    chosen: ThreadId,
    store: u8,
    goes_on: bool,
    preemptible: bool,
}

impl From<&SchedulerStep> for Decision {
    fn from(step: &SchedulerStep) -> Self {
        Self {
            candidates: step.candidates,
            chosen: step.chosen,
            store: step.store,
            goes_on: step.goes_on,
            preemptible: step.preemptible,
        }
    }
}

/// Executions to be made: they follow `parent` up to one of `decisions`, where `step` is chosen.
///
/// Either the thread is another one than in the parent, or goes on past its yield, and chooses the newest store; or it is the same
/// and chooses another store.
///
/// There are several decisions if the parent's current thread takes consecutive steps there and would be preempted: what
/// the other thread then does is often the same at each, and can be derived without making the execution.
struct Task {
    parent: Arc<[Decision]>,
    step: ScheduledStep,
    decisions: RangeInclusive<usize>,
}

impl Task {
    fn schedule(&self, decision: usize) -> Schedule {
        let before = self.parent.iter().take(decision).map(|decision| ScheduledStep {
            thread: decision.chosen,
            store: decision.store,
            goes_on: decision.goes_on,
        });
        Schedule::new(before.chain([self.step]))
    }
}

/// What the workers share.
struct Frontier {
    /// Whether the first execution, which has no parent, has not been begun.
    is_new: bool,
    tasks: Vec<Task>,
    /// Tasks with one preemption more than the bound.
    beyond: Vec<Task>,
    /// Workers that may still add tasks.
    busy: usize,
    bound: u32,
    counts: Vec<BoundSummary>,
}

struct Worker<'a, 'v> {
    tree: ScheduleTree,
    program: &'a TestProgram,
    options: &'a ExploreOptions,
    frontier: &'a Mutex<Frontier>,
    changed: &'a Condvar,
    control: &'a Control<'v>,
}

impl ScheduleTree {
    pub(crate) fn explore(
        self,
        executors: &mut [Box<dyn Executor>],
        program: &TestProgram,
        options: &ExploreOptions,
        visit: Visit<'_>,
    ) -> Result<ExplorationResult, SchedError> {
        let control = Control::new(options, visit);
        let frontier = Mutex::new(Frontier {
            is_new: true,
            tasks: Vec::new(),
            beyond: Vec::new(),
            busy: 0,
            bound: 0,
            counts: vec![BoundSummary::default()],
        });
        let changed = Condvar::new();
        let worker = Worker {
            tree: self,
            program,
            options,
            frontier: &frontier,
            changed: &changed,
            control: &control,
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
        let (stopped, _) = control.finish()?;
        let frontier = frontier
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let bounds = if self.serial {
            Vec::new()
        } else {
            frontier.counts.clone()
        };
        Ok(ExplorationResult {
            executions: frontier.counts.iter().map(|count| count.executions).sum(),
            redundant: frontier.counts.iter().map(|count| count.redundant).sum(),
            diverged: frontier.counts.iter().map(|count| count.diverged).sum(),
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
                self.control.fail(error);
            }
            let mut frontier = self.frontier();
            frontier.busy -= 1;
            outcome.add_to(&mut frontier);
            drop(frontier);
            self.changed.notify_all();
        }
    }

    fn frontier(&self) -> MutexGuard<'_, Frontier> {
        self.frontier
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits for a task and returns it with the current bound; none when there are no more. The first execution has no task.
    fn next_task(&self) -> Option<(Option<Task>, u32)> {
        let mut frontier = self.frontier();
        loop {
            if self.control.is_stopped() {
                return None;
            }
            if std::mem::take(&mut frontier.is_new) {
                frontier.busy += 1;
                return Some((None, frontier.bound));
            }
            if let Some(task) = frontier.tasks.pop() {
                frontier.busy += 1;
                return Some((Some(task), frontier.bound));
            }
            if frontier.busy == 0 {
                if frontier.beyond.is_empty() {
                    return None;
                }
                // In the order of the search, the alternatives of earlier executions come first.
                let mut beyond = std::mem::take(&mut frontier.beyond);
                beyond.reverse();
                frontier.tasks = beyond;
                frontier.bound += 1;
                frontier.counts.push(BoundSummary::default());
                self.changed.notify_all();
                continue;
            }
            frontier = self
                .changed
                .wait(frontier)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    fn make_first(&self, executor: &mut dyn Executor, outcome: &mut Outcome) -> Result<(), SchedError> {
        if self.control.begin().is_some() {
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
            let derived = next.as_deref().and_then(|next| moved_before(next, decision));
            if let Some(steps) = derived {
                let mut branches = Branches::default();
                if self.branch(&steps, decision + 1, decision, outcome.bound, &mut branches)
                    == Redundancy::Always
                {
                    outcome.add(branches);
                    next = Some(steps);
                    continue;
                }
            }
            if self.control.begin().is_none() {
                return Ok(());
            }
            let before = task.parent.get(..decision).unwrap_or_default();
            next = self.execute(executor, task.schedule(decision), before, outcome)?;
        }
        Ok(())
    }

    /// Makes one execution, shows it, and adds the tasks that it leads to. Returns its steps if it followed `before` and then the
    /// schedule.
    fn execute(
        &self,
        executor: &mut dyn Executor,
        schedule: Schedule,
        before: &[Decision],
        outcome: &mut Outcome,
    ) -> Result<Option<Vec<SchedulerStep>>, SchedError> {
        let decided = schedule.len();
        // The stores that the last step could choose are new, unless it is the choice of a store itself.
        let last_is_new = schedule.steps().last().is_some_and(|last| last.store == 0);
        let run = RunOptions {
            serial: self.tree.serial,
            detects_races: self.options.detects_races && !self.tree.serial,
            ..self.options.run_options(SchedulingPolicy::Follow(schedule))
        };
        let execution = executor.run(self.program, &run)?;
        outcome.count.executions += 1;
        let made = execution.steps.iter().take(before.len()).map(Decision::from);
        if !made.eq(before.iter().copied()) || matches!(execution.ending, Ending::Diverged { .. }) {
            outcome.count.diverged += 1;
            return Ok(None);
        }
        if execution.ending == Ending::Idle {
            outcome.count.redundant += 1;
            return Ok(None);
        }
        let mut branches = Branches::default();
        let stores_decided = decided - usize::from(last_is_new);
        let redundancy = self.branch(
            &execution.steps,
            decided,
            stores_decided,
            outcome.bound,
            &mut branches,
        );
        outcome.add(branches);
        if redundancy == Redundancy::Always || (redundancy == Redundancy::IfEnded && has_ended(&execution)) {
            outcome.count.redundant += 1;
        } else {
            self.control.show(&execution);
        }
        Ok(Some(execution.steps))
    }

    /// Finds the tasks that an execution leads to, at decisions from `decided` on, and at choices of stores from `stores_decided`
    /// on.
    fn branch(
        &self,
        steps: &[SchedulerStep],
        decided: usize,
        stores_decided: usize,
        bound: u32,
        branches: &mut Branches,
    ) -> Redundancy {
        let bounded = self.tree.preemptions_max.is_some();
        let decisions: Arc<[Decision]> = steps.iter().map(Decision::from).collect();
        let mut reduction = self
            .tree
            .reduction
            .then(|| (Reduction::new(steps, bounded), next_steps(steps)));
        let stale_max = self.options.memory_model.choices_max();
        let (mut preemptions, mut stale, mut spins) = (0, 0, 0);
        for (index, step) in steps.iter().enumerate() {
            if index >= decided {
                let is_turn_redundant = reduction
                    .as_ref()
                    .is_some_and(|(reduction, _)| reduction.is_turn_redundant());
                for &thread in candidates_in_order(step)
                    .iter()
                    .rev()
                    .filter(|&&thread| thread != step.chosen)
                {
                    let is_redundant = reduction.as_ref().is_some_and(|(reduction, next)| {
                        reduction.is_alternative_redundant(
                            index,
                            thread,
                            later_step(steps, next, index, thread),
                        )
                    });
                    if is_redundant || (is_turn_redundant && step.current != Some(thread)) {
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
            if index >= decided && spins < self.options.spins_max && (!bounded || preemptions <= bound) {
                let yielded = (0..32).rev().filter(|id| step.yielded & (1 << id) != 0);
                branches.tasks.extend(yielded.map(|thread| Task {
                    parent: decisions.clone(),
                    step: ScheduledStep {
                        goes_on: true,
                        ..thread.into()
                    },
                    decisions: index..=index,
                }));
            }
            preemptions += u32::from(step.is_preemption());
            spins += u32::from(step.goes_on);
            if index >= stores_decided && stale < stale_max && (!bounded || preemptions <= bound) {
                // Another store may make the step return, and so depend on others: its redundancy is seen when it was made.
                branches.tasks.extend((1..step.stores).rev().map(|store| Task {
                    parent: decisions.clone(),
                    step: ScheduledStep {
                        thread: step.chosen,
                        store,
                        goes_on: step.goes_on,
                    },
                    decisions: index..=index,
                }));
            }
            stale += u32::from(step.is_stale());
            if reduction
                .as_mut()
                .is_some_and(|(reduction, _)| reduction.is_redundant_after(index))
            {
                return Redundancy::Always;
            }
        }
        if reduction.is_some_and(|(reduction, _)| reduction.is_turn_redundant()) {
            Redundancy::IfEnded
        } else {
            Redundancy::No
        }
    }
}

/// Whether nothing was cut off. A crash cuts off what other threads would still have done.
fn has_ended(execution: &Execution) -> bool {
    matches!(execution.ending, Ending::Finished | Ending::Stuck(_))
}

/// Whether the current thread went on at this decision and at the one before, so that `thread` would have preempted it.
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
        task.step == thread.into()
            && task.decisions.end() + 1 == decision
            && Arc::ptr_eq(&task.parent, parent)
    });
    match before.filter(|_| joins) {
        Some(task) => task.decisions = *task.decisions.start()..=decision,
        None => tasks.push(Task {
            parent: parent.clone(),
            step: thread.into(),
            decisions: decision..=decision,
        }),
    }
}

/// Whether an execution is redundant.
#[derive(PartialEq, Eq)]
enum Redundancy {
    No,
    Always,
    /// Unless it was cut off.
    IfEnded,
}

#[derive(Default)]
struct Branches {
    tasks: Vec<Task>,
    beyond: Vec<Task>,
}

/// The result of making one task.
#[derive(Default)]
struct Outcome {
    branches: Branches,
    bound: u32,
    count: BoundSummary,
}

impl Outcome {
    fn add(&mut self, branches: Branches) {
        self.branches.tasks.extend(branches.tasks);
        self.branches.beyond.extend(branches.beyond);
    }

    fn add_to(self, frontier: &mut Frontier) {
        frontier.tasks.extend(self.branches.tasks);
        frontier.beyond.extend(self.branches.beyond);
        if let Some(count) = frontier.counts.get_mut(self.bound as usize) {
            count.executions += self.count.executions;
            count.redundant += self.count.redundant;
            count.diverged += self.count.diverged;
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
