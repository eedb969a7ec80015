//! A schedule as text: what repeats a run of a test.

use std::fmt;
use std::str::FromStr;

use omnilink_sched::{ProgramPolicy, ProgramSchedule, ProgramSwitch};

/// The switches of a run, and what else it depends on: `1.4-2,2.9-1` is a switch from thread 1 to thread 2 where thread 1 has stopped four
/// times before, and one from 2 to 1. `2.9-1+` lets thread 1 go on although it waits. `step=100000` and `environment=3` come first, if steps do
/// not take a microsecond or random numbers are other ones than usual. `1.7~2` is no switch: what thread 1 does next takes the choice 2 instead of
/// 0, such as which thread it wakes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleText {
    /// The switches.
    pub switches: Vec<ProgramSwitch>,
    /// How long each step takes, in nanoseconds.
    pub step_ns: u64,
    /// The number from which random numbers are derived.
    pub environment: u64,
}

impl ScheduleText {
    /// No switch, and nothing unusual.
    pub const USUAL: Self = Self {
        switches: Vec::new(),
        step_ns: ProgramSchedule::STEP_NS,
        environment: 0,
    };

    /// The schedule that makes these switches.
    pub fn schedule(&self) -> ProgramSchedule {
        ProgramSchedule {
            policy: ProgramPolicy::Switches(self.switches.clone()),
            step_ns: self.step_ns,
            environment: self.environment,
        }
    }
}

impl fmt::Display for ScheduleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.step_ns != ProgramSchedule::STEP_NS {
            parts.push(format!("step={}", self.step_ns));
        }
        if self.environment != 0 {
            parts.push(format!("environment={}", self.environment));
        }
        let mut sorted: Vec<&ProgramSwitch> = self.switches.iter().collect();
        sorted.sort_by_key(|switch| (switch.from, switch.decision, switch.chooses));
        parts.extend(sorted.iter().map(|switch| {
            let goes_on = if switch.goes_on { "+" } else { "" };
            let sign = if switch.chooses { '~' } else { '-' };
            format!("{}.{}{sign}{}{goes_on}", switch.from, switch.decision, switch.to)
        }));
        f.write_str(&parts.join(","))
    }
}

/// What is wrong with the text of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{part}\" is no part of a schedule: `1.4-2,2.9-1` switches from thread 1 to 2 where it has stopped four times before, and then back; \
     `step=100000` and `environment=3` may come first"
)]
pub struct ScheduleTextError {
    /// The part that is not understood.
    pub part: String,
}

impl FromStr for ScheduleText {
    type Err = ScheduleTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut read = Self::USUAL;
        let parts = text.split(',').map(str::trim);
        for part in parts.filter(|_| !text.trim().is_empty()) {
            let error = || ScheduleTextError {
                part: part.to_owned(),
            };
            match part.split_once('=') {
                Some(("step", value)) => read.step_ns = value.parse().map_err(|_| error())?,
                Some(("environment", value)) => read.environment = value.parse().map_err(|_| error())?,
                Some(_) => return Err(error()),
                None => read.switches.push(switch(part).ok_or_else(error)?),
            }
        }
        Ok(read)
    }
}

fn switch(text: &str) -> Option<ProgramSwitch> {
    let (from, rest) = text.split_once('.')?;
    let chooses = rest.contains('~');
    let (decision, to) = rest.split_once(if chooses { '~' } else { '-' })?;
    let (to, goes_on) = match to.strip_suffix('+') {
        Some(to) => (to, true),
        None => (to, false),
    };
    Some(ProgramSwitch {
        from: from.parse().ok()?,
        decision: decision.parse().ok()?,
        to: to.parse().ok()?,
        goes_on,
        preempts: false,
        chooses,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_read_as_it_is_written() {
        for text in [
            "",
            "0.7-2,1.5-0+,1.30-2",
            "0.7-2,1.5~1,1.30-2",
            "step=100000",
            "step=5,environment=3,1.4-2",
        ] {
            assert_eq!(text.parse::<ScheduleText>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_schedule_is_refused_with_its_part() {
        for wrong in ["1", "1.2", "a.1-2", "1.2-300", "1.2-3,,", "time=3", "step=x"] {
            assert!(wrong.parse::<ScheduleText>().is_err(), "{wrong}");
        }
        assert_eq!("1.2-3,x".parse::<ScheduleText>().unwrap_err().part, "x");
    }
}
