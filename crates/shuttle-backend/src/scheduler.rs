//! Our decisions, asked for by shuttle.

use crate::world::{self, Phase, World, WorldRef};
use omnilink_sched::{Ending, Step, ThreadId, Touch};
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};

/// Decides one execution.
pub(crate) struct WorldScheduler {
    world: WorldRef,
    begun: bool,
}

impl WorldScheduler {
    pub(crate) fn new(world: WorldRef) -> Self {
        Self { world, begun: false }
    }
}

impl Scheduler for WorldScheduler {
    fn new_execution(&mut self) -> Option<Schedule> {
        (!std::mem::replace(&mut self.begun, true)).then(|| Schedule::new(0))
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, yields: bool) -> Option<TaskId> {
        let mut world = world::lock(&self.world);
        let columns = usize::from(world.columns);
        let main = TaskId::from(0);
        match world.phase {
            Phase::Over => return None,
            Phase::Alone => {
                let first = runnable
                    .iter()
                    .map(|task| task.id())
                    .min_by_key(|&task| usize::from(task))?;
                return Some(if runnable.iter().any(|task| task.id() == main) {
                    main
                } else {
                    first
                });
            }
            Phase::Columns => {}
        }
        let mut can_run = 0;
        for task in runnable.iter().filter(|task| task.id() != main) {
            match thread_of(task.id().into(), columns) {
                Some(thread) => can_run |= 1 << thread,
                None => {
                    world.end(Ending::TooManyThreads);
                    return None;
                }
            }
        }
        let current = current
            .filter(|&task| task != main)
            .and_then(|task| thread_of(task.into(), columns));
        match world.decide(can_run, current, yields) {
            Decision::Thread(thread) => Some(TaskId::from(task_of(thread, columns))),
            Decision::Main => Some(main),
            Decision::End => None,
        }
    }

    fn next_u64(&mut self) -> u64 {
        world::lock(&self.world).chooser.number()
    }
}

/// Task 0 is the main one, which counts as the thread after the columns; all the others come in their order.
fn thread_of(task: usize, columns: usize) -> Option<ThreadId> {
    let thread = if task > columns { task } else { task - 1 };
    (thread < omnilink_sched::THREADS_MAX).then_some(thread as ThreadId)
}

fn task_of(thread: ThreadId, columns: usize) -> usize {
    let thread = usize::from(thread);
    if thread < columns { thread + 1 } else { thread }
}

enum Decision {
    Thread(ThreadId),
    Main,
    End,
}

impl World {
    fn decide(&mut self, can_run: u32, current: Option<ThreadId>, yields: bool) -> Decision {
        let goes_on = current.is_some_and(|current| can_run & (1 << current) != 0);
        let boundary = current.is_none_or(|current| self.leaves_boundary(current));
        if let Some(current) = current
            && self.is_first_access(current)
            && goes_on
            && !yields
        {
            return Decision::Thread(current);
        }
        self.fairness.step_ended(can_run, yields);
        // Main finds out whether all is done.
        if self.finished == self.all_columns() || can_run == 0 {
            return Decision::Main;
        }
        let allowed = if self.serial {
            self.serial_candidates(can_run, current)
        } else {
            can_run
        };
        if allowed == 0 {
            self.give_up(if self.inside == 0 {
                !self.finished
            } else {
                self.inside
            });
            return Decision::End;
        }
        let candidates = match self.fairness.candidates(allowed) {
            0 => allowed,
            fair => fair,
        };
        if self.steps.len() as u64 >= self.steps_max {
            self.end(Ending::StepLimit);
            return Decision::End;
        }
        let chosen = match self.chooser.choose(self.steps.len(), current, candidates, yields) {
            Ok(chosen) => chosen,
            Err(wanted) => {
                self.end(Ending::Diverged {
                    step: self.steps.len(),
                    wanted,
                });
                return Decision::End;
            }
        };
        self.record(Step {
            current,
            chosen,
            candidates,
            preemptible: goes_on
                && !yields
                && current.is_some_and(|current| candidates & (1 << current) != 0),
            yielding: yields,
            boundary,
            calls: false,
            returns: false,
            touch: Touch::ANYTHING,
            current_code: 0,
            chosen_code: 0,
        });
        self.fairness.step_begins(chosen, can_run);
        Decision::Thread(chosen)
    }

    /// Between calls any column; inside a call its column, and tasks of the component when it cannot go on.
    fn serial_candidates(&self, can_run: u32, current: Option<ThreadId>) -> u32 {
        let columns = self.all_columns();
        if self.inside == 0 {
            return can_run & columns;
        }
        let helpers = can_run & !columns;
        if can_run & self.inside != 0 || helpers == 0 {
            return can_run & self.inside;
        }
        match current {
            Some(current) if helpers & (1 << current) != 0 => 1 << current,
            _ => 1 << helpers.trailing_zeros(),
        }
    }
}
