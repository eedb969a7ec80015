//! A failure again, with fewer switches.

use omnilink_sched::{StopConditions, WholeProgram};

use crate::failure::TestFailure;
use crate::schedule_text::ScheduleText;
use crate::shrink::shrunk;

/// Repetitions of a failure.
pub(crate) struct Shrinking<'a> {
    pub(crate) program: &'a WholeProgram,
    pub(crate) stop: &'a StopConditions,
    pub(crate) runs_max: u64,
    pub(crate) failure: &'a TestFailure,
    /// The last repetition that failed in the same way, with the switches that it made.
    pub(crate) best: Option<(TestFailure, ScheduleText)>,
    pub(crate) runs: u64,
}

impl Shrinking<'_> {
    /// The shortest schedule so far.
    fn shortest(&self) -> ScheduleText {
        let best = self.best.as_ref();
        best.map_or(ScheduleText::USUAL, |(_, schedule)| schedule.clone())
    }

    /// Tries the usual time and the usual random numbers.
    pub(crate) fn simplify(&mut self) {
        let usual = ScheduleText::USUAL;
        let with_time = ScheduleText {
            step_ns: usual.step_ns,
            ..self.shortest()
        };
        if with_time != self.shortest() {
            self.fails(&with_time);
        }
        let with_numbers = ScheduleText {
            environment: usual.environment,
            ..self.shortest()
        };
        if with_numbers != self.shortest() {
            self.fails(&with_numbers);
        }
    }

    /// Leaves out switches.
    pub(crate) fn leave_out(&mut self) {
        let first = self.shortest();
        shrunk(&first.switches, |switches| {
            self.fails(&ScheduleText {
                switches: switches.to_vec(),
                ..first.clone()
            })
        });
    }

    /// Whether a schedule makes the test fail in the same way; none if it is time to end.
    pub(crate) fn fails(&mut self, schedule: &ScheduleText) -> Option<bool> {
        if self.runs >= self.runs_max {
            return None;
        }
        self.runs += 1;
        let again = self.program.run(&schedule.schedule(), self.stop).ok()?;
        let same = TestFailure::of(&again).filter(|again| again.is_like(self.failure));
        let is_same = same.is_some();
        if let Some(same) = same {
            let made = ScheduleText {
                switches: again.switches.unwrap_or_default(),
                ..schedule.clone()
            };
            self.best = Some((same, made));
        }
        Some(is_same)
    }
}
