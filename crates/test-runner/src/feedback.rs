//! Schedules that showed something new, and changes of them.

use fastrand::Rng;
use omnilink_sched::{ObservedAccesses, ProgramExecution, ProgramSwitch};
use rustc_hash::FxHashSet;

/// Schedules that are kept, the last ones.
const KEPT_MAX: usize = 200;

/// The schedules in which a pair of a write and a read was seen for the first time.
#[derive(Debug, Default)]
pub(crate) struct Feedback {
    seen: FxHashSet<u64>,
    kept: Vec<KeptSchedule>,
}

#[derive(Debug)]
struct KeptSchedule {
    switches: Vec<ProgramSwitch>,
    /// How often each thread stopped.
    decisions: Vec<(u8, u32)>,
}

impl Feedback {
    /// Keeps the schedule of a run if the run showed something new.
    pub(crate) fn add(&mut self, execution: &ProgramExecution, observed: &ObservedAccesses) {
        let before = self.seen.len();
        self.seen.extend(&observed.reads_from);
        let Some(switches) = execution.switches.clone().filter(|_| self.seen.len() > before) else {
            return;
        };
        if self.kept.len() == KEPT_MAX {
            self.kept.remove(0);
        }
        self.kept.push(KeptSchedule {
            switches,
            decisions: observed.decisions.clone(),
        });
    }

    /// A change of one of them: some switches are left out, or all from one on, and one to three others come in.
    pub(crate) fn changed(&self, seed: u64) -> Option<Vec<ProgramSwitch>> {
        let mut random = Rng::with_seed(seed);
        let kept = random.choice(&self.kept)?;
        let mut switches = kept.switches.clone();
        match random.bool() {
            true => switches.truncate(random.usize(..=switches.len())),
            false => switches.retain(|_| random.u8(..) >= 77),
        }
        for _ in 0..random.usize(1..=3) {
            let (from, decisions) = *random.choice(&kept.decisions)?;
            let (to, _) = *random.choice(&kept.decisions)?;
            switches.push(ProgramSwitch {
                from,
                decision: random.u32(..decisions.max(1)),
                to,
                goes_on: false,
                preempts: true,
            });
        }
        Some(switches)
    }
}
