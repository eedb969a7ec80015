//! One input, from the first byte to the report: reads it as often as the engine needs, and collects the evidence.

mod confirmation;
mod context;
mod rereading;
mod source;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

use omnilink_engine::{
    CheckError, Conclusion, Consistency, HistorySource, Limit, Model, Options, Unknown, check_source,
};
use omnilink_evidence::{Command, Evidence, Figures, Subject, Violation};
use omnilink_memory::peak_bytes;
use omnilink_trace::Timebox;

use self::source::{InputFacts, Source};
use crate::detail::Detail;
use crate::error::VerifyError;
use crate::history::DecodeOp;
use crate::input::Input;
use crate::limits::{is_interrupted, limit_instead_of_error};
use crate::progress::ProgressCounter;
use crate::witness;

/// What is wanted of each input.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// The command that was given.
    pub command: Command,
    /// The model with its options, as the user asked for it.
    pub model_name: String,
    /// What the engine is to do.
    pub options: Options,
    /// Whether to shrink violations.
    pub minimize: bool,
    /// Where to write the explanation of a valid history.
    pub witness: Option<PathBuf>,
    /// How much the evidence says beyond the verdict.
    pub detail: Detail,
}

impl CheckRequest {
    /// A check against a model, named with its options, for linearizability and without limits.
    pub fn new(model_name: &str) -> Self {
        Self {
            command: Command::Check,
            model_name: model_name.to_owned(),
            options: Options::default(),
            minimize: false,
            witness: None,
            detail: Detail::default(),
        }
    }
}

/// What happens while an input is checked.
#[derive(Debug)]
pub enum CheckEvent<'a, O> {
    /// The input is read from its beginning, for the engine.
    Begin,
    /// The engine has taken this operation.
    Took(&'a O, Timebox),
    /// No order explains this operation.
    Unexplained(&'a omnilink_trace::Operation),
    /// Two searches disagree.
    Disagreement,
}

/// Checks one input. Whatever goes wrong is part of the evidence.
pub fn check_input<M: Model>(
    model: &M,
    decode: &DecodeOp<'_, M::Op>,
    input: &Input,
    request: &CheckRequest,
    progress: &ProgressCounter,
) -> Evidence {
    check_observed(model, decode, input, request, progress, &|_| ())
}

/// The same, with an observer of what happens.
pub fn check_observed<M: Model>(
    model: &M,
    decode: &DecodeOp<'_, M::Op>,
    input: &Input,
    request: &CheckRequest,
    progress: &ProgressCounter,
    observe: &dyn Fn(CheckEvent<'_, M::Op>),
) -> Evidence {
    let work = request.options.limits.begin();
    let mut run = CheckRun {
        model,
        source: Source {
            decode,
            input,
            progress,
            observe,
            taken: Cell::new(0),
            read: RefCell::default(),
        },
        request,
        started: Instant::now(),
        evidence: evidence_of(input, request),
        places: BTreeMap::new(),
        facts: InputFacts::default(),
        followed: None,
    };
    if let Err(error) = run.run() {
        let error = error.with_codes_of(input);
        if is_interrupted(&request.options.limits) {
            // A reader that waited for its first bytes was woken up.
            run.evidence.give_up(Unknown::limited(Limit::Interrupt))
        } else {
            run.evidence.fail(error.to_string());
            run.evidence.figures.ops = run.source.taken.get();
        }
    }
    let mut evidence = run.finish();
    limit_instead_of_error(&mut evidence, &work);
    evidence
}

/// The evidence of an input about which nothing is known yet.
pub(crate) fn evidence_of(input: &Input, request: &CheckRequest) -> Evidence {
    let mut evidence = Evidence::new(request.command, Subject::Operations, input.name.clone());
    evidence.model = Some(request.model_name.clone());
    evidence.consistency = Some(match request.options.consistency {
        Consistency::Linearizable => "linearizable".to_owned(),
        Consistency::Sequential => "sequential".to_owned(),
    });
    evidence.figures = Figures {
        threads: Some(0),
        configurations: Some(0),
        frontier_max: Some(0),
        model_steps: Some(0),
        partitions: Some(0),
        ..Figures::default()
    };
    evidence
}

struct CheckRun<'a, M: Model> {
    model: &'a M,
    source: Source<'a, M::Op>,
    request: &'a CheckRequest,
    started: Instant,
    evidence: Evidence,
    /// Where operations of the evidence were read, by position.
    places: BTreeMap<u64, String>,
    /// What the reading on which the verdict rests found out.
    facts: InputFacts,
    /// For each operation whether another one of its thread starts where it ends, once a confirmation has asked.
    followed: Option<Vec<bool>>,
}

impl<M: Model> CheckRun<'_, M> {
    fn run(&mut self) -> Result<(), VerifyError> {
        let detail = self.request.detail;
        let keep_order = self.request.witness.is_some()
            || detail >= Detail::WitnessEnd
            || (detail >= Detail::ShortWitness && self.source.is_short());
        let outcome = check_source(self.model, &self.source, self.options(), keep_order);
        self.facts = self.source.read.take();
        self.evidence.notes = std::mem::take(&mut self.facts.notes);
        let outcome = match outcome {
            Err(VerifyError::Check(CheckError::Contradiction { op, end, .. })) => {
                return Err(self.disagreement(&op, Some(end)));
            }
            outcome => outcome?,
        };
        self.evidence.figures = Figures::from(&outcome);
        let is_valid = outcome.conclusion.is_valid();
        let mut unexplained = None;
        match outcome.conclusion {
            Conclusion::Valid(valid) => {
                if let Some(file) = &self.request.witness {
                    let interrupt = self.request.options.limits.interrupt;
                    witness::write(self.source.decode, self.source.input, &valid, file, interrupt)?;
                }
                if self.request.detail >= Detail::ShortWitness {
                    self.add_witness(valid)
                        .unwrap_or_else(|error| self.note_failure(&error));
                }
            }
            Conclusion::Violation(mut counterexample) => {
                unexplained = Some(counterexample.op.id);
                if !self.request.options.naive {
                    self.evidence.confirmation = Some(self.confirm(&counterexample)?);
                }
                if self.request.minimize {
                    self.evidence.minimal = self
                        .minimize(&counterexample)
                        .unwrap_or_else(|error| self.note_failure(&error));
                }
                if self.request.detail >= Detail::Violations {
                    self.add_context(&counterexample.op)
                        .unwrap_or_else(|error| self.note_failure(&error))
                } else {
                    context::without_steps(&mut counterexample)
                }
                self.evidence.violate(Violation::Operation(counterexample));
            }
            Conclusion::Unknown(unknown) => self.evidence.give_up(*unknown),
        }
        let mut wanted = BTreeSet::new();
        self.evidence.visit_operations(&mut |op| {
            wanted.insert(op.id);
        });
        self.find_places(&wanted, unexplained)
            .unwrap_or_else(|error| self.note_failure(&error));
        if self.request.witness.is_some() && !is_valid {
            self.evidence
                .notes
                .push("there is no explanation, so no witness was written".to_owned());
        }
        let figures = &self.evidence.figures;
        if is_valid && figures.ops == figures.pending {
            let reason = nothing_returned(&self.source.input.name);
            // A trace that has no operations on purpose is explained; one of which nothing is known is not.
            if figures.ops > 0 && self.request.command == Command::Check {
                self.evidence.witness = None;
                self.evidence.give_up(nothing_known(reason));
            } else {
                self.evidence.notes.push(reason);
            }
        }
        Ok(())
    }

    /// The engine's options, less the time that is already gone.
    fn options(&self) -> Options {
        let options = self.request.options;
        Options {
            limits: options.limits.after(self.started.elapsed()),
            ..options
        }
    }

    /// The evidence, with the names of threads, the places of operations and what the check cost.
    fn finish(self) -> Evidence {
        let mut evidence = self.evidence;
        evidence.visit_operations(&mut |op| op.place = self.places.get(&op.id).cloned());
        self.facts.threads.apply_to(&mut evidence);
        evidence.figures.threads = Some(self.facts.threads.len() as u64);
        evidence.figures.aborted = self.facts.aborted;
        evidence.figures.seconds = self.started.elapsed().as_secs_f64();
        evidence.figures.peak_bytes = peak_bytes();
        evidence
    }

    /// A verdict that is known stands, also if the input cannot be read a second time.
    fn note_failure<T: Default>(&mut self, error: &VerifyError) -> T {
        self.evidence
            .notes
            .push(format!("the evidence is not complete: {error}"));
        T::default()
    }
}

/// Why a run of which nothing returned is neither valid nor not.
pub(crate) fn nothing_known(reason: String) -> Unknown {
    Unknown {
        reason: Some(reason),
        ..Unknown::limited(Limit::Inconclusive)
    }
}

/// What to say about an input that says nothing.
pub(crate) fn nothing_returned(input: &str) -> String {
    format!("{input}: no operation returned, so there was nothing to explain")
}
