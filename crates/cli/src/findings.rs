//! What a check against a specification finds besides the verdict, for reports.

use std::cell::RefCell;

use omnilink_engine::{Figures, Verdict};
use omnilink_link::{ActionCoverage, Bound, Instance, TlaModel};
use omnilink_report::{
    ActionFindings, Answer, BranchFindings, InvariantFindings, LongFindings, Report, SpecFindings,
};
use omnilink_trace::{Operation, Statistics};

use crate::check::Event;
use crate::input::Input;

/// Listens while a trace is checked.
pub(crate) struct Findings<'m, 'l> {
    model: &'m TlaModel<'l>,
    input: &'m Input,
    unexplained: RefCell<Option<Operation>>,
}

/// With fewer explanations alive, on average or at most, nobody needs advice.
const FRONTIER_MEAN_MAX: f64 = 16.0;
const FRONTIER_MAX: u64 = 1_000;
/// How many of the longest operations are told.
const LONGEST_TOLD: usize = 3;

impl<'m, 'l> Findings<'m, 'l> {
    pub(crate) fn new(model: &'m TlaModel<'l>, input: &'m Input) -> Self {
        Self {
            model,
            input,
            unexplained: RefCell::default(),
        }
    }

    #[inline]
    pub(crate) fn take(&self, event: Event<'_, Instance>) {
        match event {
            Event::Begin => self.model.begin(),
            Event::Took(instance, timebox) => self.model.took(instance, timebox.is_pending()),
            Event::Unexplained(operation) => *self.unexplained.borrow_mut() = Some(operation.clone()),
        }
    }

    /// Completes a report.
    pub(crate) fn add_to(&self, report: &mut Report, is_told: bool) {
        let Answer::Checked { outcome, .. } = &report.answer else {
            return;
        };
        let coverage = self.model.coverage();
        let figures = outcome.figures;
        let mut notes = self.model.slow_expressions();
        let mut findings = SpecFindings {
            frontier_mean: mean(&figures),
            actions: coverage
                .actions
                .iter()
                .filter(|action| action.in_next || action.tried > 0)
                .map(action)
                .collect(),
            is_told,
            ..SpecFindings::default()
        };
        findings.invariants = coverage
            .invariants
            .iter()
            .map(|invariant| InvariantFindings {
                name: invariant.name.clone(),
                evaluated: invariant.evaluated,
                broken: invariant.broken,
            })
            .collect();
        if findings.frontier_mean > FRONTIER_MEAN_MAX || figures.frontier_max > FRONTIER_MAX {
            findings.longest = self.longest();
        }
        if let Some(operation) = &*self.unexplained.borrow() {
            let tagged = self.model.tagged(operation);
            findings.tags = tagged.tags;
            notes.extend(tagged.failures);
            notes.extend(self.bound_on_steps(operation));
        }
        match &outcome.verdict {
            Verdict::Valid(_) => notes.extend(self.doubts(&figures, &coverage.actions)),
            Verdict::Violation(_) | Verdict::Unknown(_) => notes.extend(self.unread()),
        }
        report.notes.extend(notes);
        report.findings = Some(Box::new(findings));
    }

    /// Reasons why a trace may be valid without meaning much.
    fn doubts(&self, figures: &Figures, actions: &[ActionCoverage]) -> Vec<String> {
        if figures.operations == 0 {
            return vec![
                "no operation of the trace is an action of the spec: nothing was checked".to_owned(),
            ];
        }
        let mut doubts = self.unread();
        for action in actions {
            // An action may be known by another name, or be a step of an operation.
            let plain = action.op.strip_suffix("_Step").unwrap_or(&action.op);
            let is_it = |other: &&ActionCoverage| other.action == action.action || other.op == plain;
            let placed: u64 = actions
                .iter()
                .filter(is_it)
                .map(|action| action.placed + action.pending)
                .sum();
            if action.in_next && placed == 0 {
                doubts.push(format!(
                    "the trace has no operation {}, so nothing is known about the action {} ({})",
                    action.op, action.action, action.at
                ));
            }
        }
        if self.model.is_unconstrained() {
            doubts.push(
                "every operation is possible in every state: whatever was recorded would have been explained"
                    .to_owned(),
            );
        }
        doubts
    }

    fn unread(&self) -> Vec<String> {
        let unread = self.model.unread_fields();
        let note = |(op, field): &(String, String)| {
            format!("the field \"{field}\" of {op} was recorded, but nothing in the spec reads it")
        };
        unread.iter().map(note).collect()
    }

    /// An operation in steps may be unexplained because it needs more steps than it is given.
    fn bound_on_steps(&self, operation: &Operation) -> Option<String> {
        let Ok(Bound::InSteps { times, .. }) = self.model.bind(operation) else {
            return None;
        };
        let op = &operation.name;
        Some(format!(
            "{op}_Step was tried up to {times} times before {op}_Done; if the operation may take more steps than its longest \
             argument has elements, say how many in the link file: [ops.{op}] steps = N"
        ))
    }

    /// The longest operations. A trace that was read before can be read again; if it cannot, there is less to tell.
    fn longest(&self) -> Vec<LongFindings> {
        let Ok(statistics) = self.input.open().map(Statistics::of) else {
            return Vec::new();
        };
        let longest = statistics
            .map(|statistics| statistics.longest)
            .unwrap_or_default();
        let long = longest.into_iter().take(LONGEST_TOLD).map(|long| LongFindings {
            call: format!("thread {}: {}", long.thread, long.call),
            place: long.place,
            length: long.length,
        });
        long.collect()
    }
}

fn mean(figures: &Figures) -> f64 {
    match figures.returns {
        0 => 0.0,
        returns => figures.frontier_sum as f64 / returns as f64,
    }
}

fn action(action: &ActionCoverage) -> ActionFindings {
    let branch = |branch: &omnilink_link::BranchCoverage| BranchFindings {
        text: branch.text.clone(),
        at: branch.at.clone(),
        taken: branch.taken,
    };
    ActionFindings {
        op: action.op.clone(),
        action: action.action.clone(),
        at: action.at.clone(),
        placed: action.placed,
        pending: action.pending,
        tried: action.tried,
        refused: action.refused,
        branches: action.branches.iter().map(branch).collect(),
    }
}
