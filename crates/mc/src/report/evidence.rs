//! The evidence of a check: what reports and `--json` show.

use omnilink_evidence::{
    Behaviour, Bindings, Command, Evidence, Exploration, Figures, Subject, Unknown, Verdict, Violation,
};

use super::{Answer, Report};
use crate::limits::Limit;

impl Report {
    /// The verdict. A property that was not checked cannot make it valid.
    pub fn verdict(&self) -> Verdict {
        match &self.answer {
            Answer::Wrong(wrong) if wrong.kind.is_error() => Verdict::Error,
            Answer::Wrong(_) => Verdict::Violation,
            Answer::Limit(_) => Verdict::Unknown,
            Answer::Valid | Answer::Stopped if self.unchecked.is_empty() => Verdict::Valid,
            Answer::Valid | Answer::Stopped => Verdict::Unknown,
        }
    }

    /// The evidence: all that reports show.
    pub fn into_evidence(self, peak_bytes: Option<u64>) -> Evidence {
        let verdict = self.verdict();
        let mut evidence = Evidence::new(Command::Mc, Subject::States, self.input);
        evidence.config = self.config;
        evidence.notes = self.notes;
        evidence.figures = Figures {
            threads: Some(self.workers as u64),
            seconds: self.seconds,
            peak_bytes,
            configurations: Some(self.figures.distinct),
            frontier_max: Some(self.figures.queued_max),
            ..Figures::default()
        };
        let mut exploration = Exploration {
            violated: None,
            distinct: self.behaviours.is_none().then_some(self.figures.distinct),
            generated: self.figures.generated,
            depth: self.figures.depth,
            waiting: self.figures.queued,
            behaviours: self.behaviours,
            stopped: matches!(self.answer, Answer::Stopped),
            unchecked: self.unchecked,
            held: self.held,
            coverage: self.coverage,
            definitions: self.definitions,
        };
        match self.answer {
            Answer::Valid | Answer::Stopped if verdict == Verdict::Valid => {}
            Answer::Valid | Answer::Stopped => {
                evidence.give_up(Unknown::limited(omnilink_evidence::Limit::Unchecked));
            }
            Answer::Limit(limit) => evidence.give_up(Unknown::limited(limit_of(limit))),
            Answer::Wrong(wrong) => {
                exploration.violated.clone_from(&wrong.violated);
                evidence.error.clone_from(&wrong.error);
                evidence.violation = Some(Violation::Behaviour(Box::new(behaviour(*wrong))));
            }
        }
        evidence.verdict = verdict;
        evidence.exploration = Some(exploration);
        evidence
    }
}

fn behaviour(wrong: super::Violation) -> Behaviour {
    let states = wrong.trace.into_iter();
    let states = states.map(|state| (state.action, Bindings(state.values)));
    let mut behaviour = Behaviour::new(wrong.kind, wrong.violated, states);
    behaviour.false_part = wrong.false_part;
    if let Some(cycle) = wrong.cycle {
        behaviour.lasso = Some(cycle.back_to);
        behaviour.back = cycle.action;
    }
    behaviour.reasons = wrong.reasons;
    behaviour.fairness = wrong.fairness;
    behaviour
}

fn limit_of(limit: Limit) -> omnilink_evidence::Limit {
    match limit {
        Limit::Time => omnilink_evidence::Limit::Time,
        Limit::Memory => omnilink_evidence::Limit::Memory,
        Limit::Interrupt => omnilink_evidence::Limit::Interrupt,
        Limit::Behaviours => omnilink_evidence::Limit::Behaviours,
        Limit::Depth => omnilink_evidence::Limit::Depth,
    }
}
