//! Schedules that showed something new, and changes of them.

use fastrand::Rng;
use omnilink_sched::{ObservedAccesses, ProgramSwitch};
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
    pub(crate) fn add(&mut self, switches: Option<&[ProgramSwitch]>, observed: &ObservedAccesses) {
        let before = self.seen.len();
        self.seen.extend(&observed.reads_from);
        let Some(switches) = switches.filter(|_| self.seen.len() > before) else {
            return;
        };
        if self.kept.len() == KEPT_MAX {
            self.kept.remove(0);
        }
        self.kept.push(KeptSchedule {
            switches: switches.to_vec(),
            decisions: observed.decisions.clone(),
        });
    }

    /// A change of one of them: some switches are left out, or all from one on, and one to three others come in.
    pub(crate) fn changed(&self, seed: u64) -> Option<Vec<ProgramSwitch>> {
        let mut random = Rng::with_seed(seed);
        let kept = random.choice(&self.kept)?;
        let mut switches = kept.switches.clone();
        if random.bool() {
            switches.truncate(random.usize(..=switches.len()))
        } else {
            switches.retain(|_| random.u8(..) >= 77)
        }
        for _ in 0..random.usize(1..=3) {
            let (from, decisions) = *random.choice(&kept.decisions)?;
            let (to, _) = *random.choice(&kept.decisions)?;
            switches.push(ProgramSwitch {
                from,
                decision: random.u32(..decisions.max(1)),
                to,
                goes_on: false,
                chooses: false,
                preempts: true,
            });
        }
        Some(switches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_shows_something_new_is_kept_and_changed() {
        let observed = |reads_from: &[u64]| ObservedAccesses {
            reads_from: reads_from.to_vec(),
            decisions: vec![(1, 10), (2, 10)],
            ..ObservedAccesses::default()
        };
        let switch = |decision| ProgramSwitch {
            from: 1,
            decision,
            to: 2,
            goes_on: false,
            chooses: false,
            preempts: true,
        };
        let mut feedback = Feedback::default();
        assert_eq!(feedback.changed(1), None);
        feedback.add(Some(&[switch(3)]), &observed(&[7]));
        feedback.add(Some(&[switch(4)]), &observed(&[7]));
        feedback.add(None, &observed(&[8]));
        feedback.add(Some(&[switch(5)]), &observed(&[7, 8]));
        assert_eq!(feedback.kept.len(), 1);
        let changes: Vec<_> = (0..50).filter_map(|seed| feedback.changed(seed)).collect();
        assert_eq!(changes.len(), 50);
        assert!(changes.iter().any(|change| change.contains(&switch(3))));
        assert!(changes.iter().any(|change| !change.contains(&switch(3))));
        let is_possible = |switch: &ProgramSwitch| switch.decision < 10 && (1..=2).contains(&switch.from);
        assert!(changes.iter().flatten().all(is_possible));
        assert_eq!(feedback.changed(9), feedback.changed(9));
    }
}
