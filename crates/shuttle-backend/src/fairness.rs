//! Threads that yield wait for those who did not have their turn.
//!
//! The algorithm of fair stateless model checking (Musuvathi and Qadeer, PLDI 2008): a thread that yields for the
//! second time gets a lower priority than every thread that could have run all the time since it yielded before,
//! and did not, or that it has disabled. The order is without cycles, so that somebody can always run.

/// Sets of threads are words of bits.
#[derive(Debug)]
pub(crate) struct Fairness {
    /// Threads that come before a thread, until they have run.
    before: [u32; 32],
    /// Threads that could run all the time since a thread yielded.
    enabled: [u32; 32],
    /// Threads that a thread has disabled since it yielded.
    disabled: [u32; 32],
    /// Threads that have run since a thread yielded.
    scheduled: [u32; 32],
    /// The step that is going on: who runs, and who could.
    running: Option<(usize, u32)>,
}

impl Fairness {
    pub(crate) fn new() -> Self {
        Self {
            before: [0; 32],
            enabled: [0; 32],
            disabled: [u32::MAX; 32],
            scheduled: [u32::MAX; 32],
            running: None,
        }
    }

    /// The step that was going on ended, with these threads able to run now.
    pub(crate) fn step_ended(&mut self, can_run: u32, yielded: bool) {
        let Some((thread, could_run)) = self.running.take() else {
            return;
        };
        for other in 0..32 {
            self.enabled[other] &= can_run;
            self.scheduled[other] |= 1 << thread;
        }
        self.disabled[thread] |= could_run & !can_run;
        if yielded {
            let starved = (self.enabled[thread] | self.disabled[thread]) & !self.scheduled[thread];
            self.before[thread] |= starved & !(1 << thread);
            self.enabled[thread] = can_run;
            self.disabled[thread] = 0;
            self.scheduled[thread] = 0;
        }
    }

    /// Those among `can_run` whose turn it may be.
    pub(crate) fn candidates(&self, can_run: u32) -> u32 {
        (0..32)
            .filter(|&thread| can_run & (1 << thread) != 0 && self.before[thread] & can_run == 0)
            .fold(0, |candidates, thread| candidates | 1 << thread)
    }

    /// A thread takes its next step.
    pub(crate) fn step_begins(&mut self, thread: u8, can_run: u32) {
        let thread = usize::from(thread) % 32;
        for before in &mut self.before {
            *before &= !(1 << thread);
        }
        self.running = Some((thread, can_run));
    }
}
