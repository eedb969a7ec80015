//! The evidence of a check: what reports and `--json` show.

use omnilink_evidence::{
    BehaviourLengths, Command, Evidence, Exploration, Figures, Limit, Subject, Unknown, Verdict, Violation,
};

use super::{Answer, Report};

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
            behaviours: self.behaviours.map(|lengths| lengths.count),
            lengths: self.behaviours.map(|lengths| BehaviourLengths {
                mean: lengths.mean(),
                deviation: lengths.deviation(),
                min: lengths.min,
                max: lengths.max,
            }),
            further: self.further,
            stopped: matches!(self.answer, Answer::Stopped),
            unchecked: self.unchecked,
            held: self.held,
            coverage: self.coverage,
            definitions: self.definitions,
            compared: self.compared,
            graph: None,
        };
        match self.answer {
            Answer::Valid | Answer::Stopped if verdict == Verdict::Valid => {}
            Answer::Valid | Answer::Stopped => {
                evidence.give_up(Unknown::limited(Limit::Unchecked));
            }
            Answer::Limit(limit) => evidence.give_up(Unknown::limited(limit)),
            Answer::Wrong(wrong) => {
                exploration.violated.clone_from(&wrong.violated);
                evidence.error.clone_from(&wrong.error);
                evidence.violation = Some(Violation::Behaviour(wrong));
            }
        }
        evidence.verdict = verdict;
        evidence.exploration = Some(exploration);
        evidence
    }
}
