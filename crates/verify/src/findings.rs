//! What a check against a specification finds besides the verdict, for reports.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use omnilink_engine::{Consistency, Decoded, Options};
use omnilink_evidence::{
    AbstractStateFindings, ActionFindings, BranchFindings, Evidence, Figures, InvariantFindings, LastWriter,
    LongOperation, SpecFindings, VacuityFindings, Verdict, Violation,
};
use omnilink_link::{ActionCoverage, Instance, PlacedInstances, TlaModel, Vacuity, VacuityKind, toml_key};
use omnilink_trace::{Operation, Statistics, Timebox};

use crate::check_run::{CheckEvent, CheckRequest};
use crate::explanation::{ExplainedPrefix, explanation_before};
use crate::input::Input;
use crate::mutation::Mutation;
use crate::places::each_of;
use crate::validation::meaning;

/// Listens while a trace is checked.
pub struct Findings<'m, 'l> {
    model: &'m TlaModel<'l>,
    input: &'m Input,
    unexplained: RefCell<Option<Operation>>,
    is_contradicted: Cell<bool>,
}

/// Advice is given from these numbers of explanations on, on average and at most.
const FRONTIER_MEAN_MAX: f64 = 16.0;
const FRONTIER_MAX: u64 = 1_000;
/// How many of the longest operations are told.
const LONGEST_TOLD: usize = 3;

impl<'m, 'l> Findings<'m, 'l> {
    pub fn new(model: &'m TlaModel<'l>, input: &'m Input) -> Self {
        Self {
            model,
            input,
            unexplained: RefCell::default(),
            is_contradicted: Cell::default(),
        }
    }

    #[inline]
    pub fn take(&self, event: CheckEvent<'_, Instance>) {
        match event {
            CheckEvent::Begin => self.model.begin(),
            CheckEvent::Took(instance, timebox) => self.model.took(instance, timebox.is_pending()),
            CheckEvent::Disagreement => self.is_contradicted.set(true),
            CheckEvent::Unexplained(operation) => *self.unexplained.borrow_mut() = Some(operation.clone()),
        }
    }

    /// Whether two searches have disagreed.
    pub fn is_contradicted(&self) -> bool {
        self.is_contradicted.get()
    }

    /// Completes a report.
    pub fn add_to(&self, report: &mut Evidence) {
        if report.verdict == Verdict::Error {
            return;
        }
        let coverage = self.model.coverage();
        let figures = &report.figures;
        let mut notes = self.model.slow_expressions();
        let mut findings = SpecFindings {
            frontier_mean: figures.frontier_mean.unwrap_or(0.0),
            actions: coverage
                .actions
                .iter()
                .filter(|action| action.in_next || action.tried > 0)
                .map(action)
                .collect(),
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
        findings.abstract_states = coverage
            .abstract_states
            .iter()
            .map(|(state, reached)| AbstractStateFindings {
                state: state.clone(),
                reached: *reached,
            })
            .collect();
        if findings.frontier_mean > FRONTIER_MEAN_MAX || figures.frontier_max.unwrap_or(0) > FRONTIER_MAX {
            findings.longest = self.longest();
        }
        if let Some(operation) = &*self.unexplained.borrow() {
            let tagged = self.model.tagged(operation);
            findings.tags = tagged.tags;
            notes.extend(tagged.failures);
            notes.extend(self.bound_on_steps(operation));
        }
        notes.extend(self.unread());
        let mut vacuity = Vec::new();
        if report.verdict == Verdict::Valid {
            notes.extend(self.without_operations(figures, &coverage.actions));
            vacuity = self.vacuity(figures, figures.aborted);
            notes.extend(vacuity.iter().map(|reason| reason.message.clone()));
        }
        report.notes.extend(notes);
        report.vacuity = Some(vacuity);
        report.spec = Some(Box::new(findings));
    }

    /// Adds who wrote last what the unexplained operation read. The verdict stands without it.
    pub fn add_writers(&self, report: &mut Evidence, request: &CheckRequest) {
        let unexplained = self.unexplained.borrow();
        let (Some(operation), Some(Violation::Operation(counterexample)), Some(findings)) =
            (&*unexplained, &report.violation, &mut report.spec)
        else {
            return;
        };
        let Some(instance) = self.model.bind(operation).ok().and_then(Decoded::into_last) else {
            return;
        };
        findings.is_impossible = self.model.is_impossible(&instance);
        if findings.is_impossible || request.options.consistency != Consistency::Linearizable {
            return;
        }
        let decode = |operation: &Operation| meaning(self.model, operation);
        let explanation = explanation_before(self.model, &decode, self.input, request, &counterexample.op);
        let Ok(Some(ExplainedPrefix { placed, others })) = explanation else {
            return;
        };
        let instances = placed.iter().map(|placed| (&placed.op, placed.timebox));
        let instances: Vec<(&Instance, Timebox)> = instances.collect();
        let others: Vec<&Instance> = others.iter().collect();
        let before = PlacedInstances {
            placed: &instances,
            others: &others,
        };
        let writers = self.model.last_writers(before, &instance);
        report.last_writers = writers
            .into_iter()
            .map(|writer| LastWriter {
                cell: writer.cell,
                value: writer.value,
                is_certain: writer.is_certain,
                by: writer
                    .by
                    .and_then(|by| placed.get(by))
                    .map(|placed| placed.shown.clone()),
            })
            .collect();
        let wrote = report
            .last_writers
            .iter_mut()
            .filter_map(|writer| writer.by.as_mut());
        let mut wrote: Vec<_> = wrote.collect();
        let wanted: BTreeSet<u64> = wrote.iter().map(|op| op.id).collect();
        let mut places = BTreeMap::new();
        // Where they were read is told if the input can be read once more.
        let _ = each_of(&decode, self.input, &wanted, |id, observed| {
            places.insert(id, (observed.location.to_string(), observed.timebox.end));
        });
        for op in &mut wrote {
            // An operation that was open when the violation was found has not ended in the explanation.
            if let Some((place, end)) = places.get(&op.id) {
                (op.place, op.end, op.pending) = (Some(place.clone()), *end, end.is_none());
            }
        }
    }

    /// Adds what became of wrong recordings of a valid trace.
    pub fn add_mutation(&self, report: &mut Evidence, mutation: Mutation, options: Options) {
        if report.verdict != Verdict::Valid {
            report
                .notes
                .push("--mutate changes a valid trace, and this one is not; nothing was changed".to_owned());
            return;
        }
        let mutated = match mutation.run(self.model, self.input, options) {
            Ok(mutated) => mutated,
            Err(error) => {
                report.notes.push(format!("--mutate: {error}"));
                return;
            }
        };
        let (changed, noticed) = mutated.changed();
        if changed > 0 && noticed == 0 {
            let message =
                format!("none of {changed} values that were changed on purpose was noticed by the spec");
            report.notes.push(message.clone());
            let kind = VacuityKind::NothingNoticed;
            report.vacuity.get_or_insert_default().push(VacuityFindings {
                kind: kind.word().to_owned(),
                is_serious: kind.is_serious(),
                op: None,
                field: None,
                message,
            });
        }
        report.mutation = Some(mutated);
    }

    /// Actions that the trace says nothing about.
    fn without_operations(&self, figures: &Figures, actions: &[ActionCoverage]) -> Vec<String> {
        if figures.ops == 0 {
            return Vec::new();
        }
        let mut notes = Vec::new();
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
                notes.push(format!(
                    "the trace has no operation {}, so nothing is known about the action {} ({})",
                    action.op, action.action, action.at
                ));
            }
        }
        notes
    }

    /// Reasons why a trace may be valid without meaning much.
    fn vacuity(&self, figures: &Figures, aborted: u64) -> Vec<VacuityFindings> {
        let whole = match (figures.ops, figures.pending) {
            (0, _) if aborted > 0 => Some((
                VacuityKind::AllAborted,
                "every operation of the trace was aborted: there was nothing to explain, and nothing was checked",
            )),
            (0, _) => Some((
                VacuityKind::NothingPlaced,
                "no operation of the trace is an action of the spec: nothing was checked",
            )),
            (operations, pending) if operations == pending => Some((
                VacuityKind::AllPending,
                "no operation returned: nothing had to be explained, and nothing was checked",
            )),
            _ => None,
        };
        let reasons = match whole {
            Some((kind, message)) => vec![Vacuity::of_trace(kind, message)],
            None => self.model.vacuities(),
        };
        let told = reasons.into_iter().map(|reason| VacuityFindings {
            kind: reason.kind.word().to_owned(),
            is_serious: reason.kind.is_serious(),
            op: reason.op,
            field: reason.field,
            message: reason.message,
        });
        told.collect()
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
        let Ok(Decoded::InSteps { times, .. }) = self.model.bind(operation) else {
            return None;
        };
        let op = &operation.name;
        if self.model.is_run(op) {
            return Some(format!(
                "{op} was tried with up to {times} steps before its last one; if a run of it may be longer, say how long in the link \
                 file, [ops.{}]: steps = N",
                toml_key(op)
            ));
        }
        Some(format!(
            "{op}_Step was tried up to {times} times before {op}_Done; if the operation may take more steps than its longest \
             argument has elements, say how many in the link file, [ops.{}]: steps = N",
            toml_key(op)
        ))
    }

    /// The longest operations. A trace that was read before can be read again; if it cannot, there is less to tell.
    fn longest(&self) -> Vec<LongOperation> {
        let Ok(statistics) = self.input.open().map(Statistics::of) else {
            return Vec::new();
        };
        let longest = statistics
            .map(|statistics| statistics.longest)
            .unwrap_or_default();
        let long = longest.into_iter().take(LONGEST_TOLD).map(|long| LongOperation {
            call: format!("thread {}: {}", long.thread, long.call),
            place: long.location,
            length: long.length,
        });
        long.collect()
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
