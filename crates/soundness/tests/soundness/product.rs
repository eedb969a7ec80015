//! The product's answers.

use std::path::Path;

use omnilink_engine::{Options, Reductions, Strategy, TimedOp, check};
use omnilink_evidence::Verdict;
use omnilink_link::{CollectedConstants, Instance, LinkFile, LinkOptions, Linked, TlaModel};
use omnilink_trace::{OpenOptions, Trace};
use omnilink_verify::{CheckRequest, Input, ProgressCounter, Validation};

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Valid,
    Violation,
    /// A limit was reached.
    Unknown,
    /// An error.
    Other(String),
}

/// How the product is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Usual,
    /// Without one of the reductions.
    Without(usize),
    WithoutAll,
    Sweep,
    DepthFirst,
    /// Depth-first search joins at once.
    Alternating,
    WithoutWitness,
    /// By the plain evaluator over the whole specification.
    Naive,
}

pub const WAYS: [Way; 13] = [
    Way::Usual,
    Way::Without(0),
    Way::Without(1),
    Way::Without(2),
    Way::Without(3),
    Way::Without(4),
    Way::Without(5),
    Way::WithoutAll,
    Way::Sweep,
    Way::DepthFirst,
    Way::Alternating,
    Way::WithoutWitness,
    Way::Naive,
];

impl Way {
    pub fn options(self) -> Options {
        let mut options = Options::default();
        match self {
            Self::Usual => {}
            Self::Without(number) => {
                let reductions = &mut options.reductions;
                let switches = [
                    &mut reductions.absorption,
                    &mut reductions.minimal_frontier,
                    &mut reductions.dominance,
                    &mut reductions.symmetry,
                    &mut reductions.footprints,
                    &mut reductions.partitions,
                ];
                for (at, switch) in switches.into_iter().enumerate() {
                    *switch = at != number;
                }
            }
            Self::WithoutAll => options.reductions = Reductions::NONE,
            Self::Sweep => options.strategy = Strategy::Sweep,
            Self::DepthFirst => options.strategy = Strategy::DepthFirst,
            Self::Alternating => options.sweep_budget = 0,
            Self::WithoutWitness => options.witness = false,
            Self::Naive => options.naive = true,
        }
        options
    }
}

/// How steps are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// As the product does.
    Usual,
    /// Every one by evaluating the action.
    Evaluated,
    /// As the product does, and each is compared with its definition and with what the analysis says of it.
    Audited,
}

/// A specification, read once.
pub struct Product {
    linked: Linked,
}

/// The options of a specification that stands by itself.
pub fn link_options(link: &str, steps: Steps) -> LinkOptions {
    LinkOptions {
        file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}\n{link}")),
        evaluates_steps: steps == Steps::Evaluated,
        audits: steps == Steps::Audited,
        ..LinkOptions::default()
    }
}

impl Product {
    /// Reads a module.
    pub fn new(module: &str, text: &str, link: &str, steps: Steps) -> Result<Self, String> {
        let options = link_options(link, steps);
        match Linked::from_text(module, text, &options) {
            Ok(linked) => Ok(Self { linked }),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Reads a file.
    pub fn load(path: &Path, options: &LinkOptions) -> Result<Self, String> {
        match Linked::load(path, options) {
            Ok(linked) => Ok(Self { linked }),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Runs with a model of the specification.
    pub fn run<T: Send>(
        &self,
        work: impl FnOnce(&TlaModel<'_>) -> Result<T, String> + Send,
    ) -> Result<T, String> {
        self.linked
            .run(work)
            .unwrap_or_else(|error| Err(error.to_string()))
    }

    /// The answers about traces (NDJSON), one after the other by one model: what it remembers of one trace is there for the next.
    pub fn answers(&self, questions: &[(&str, Options)]) -> Vec<Answer> {
        let asked = self.linked.run(|model| {
            let answers = questions
                .iter()
                .map(|(trace, options)| answer(model, trace, *options));
            answers.collect::<Vec<_>>()
        });
        asked.unwrap_or_else(|error| vec![Answer::Other(error.to_string()); questions.len()])
    }
}

fn answer(model: &TlaModel<'_>, ndjson: &str, options: Options) -> Answer {
    let operations = match bound(model, ndjson, options.async_threads) {
        Ok(operations) => operations,
        Err(error) => return Answer::Other(error),
    };
    match check(model, operations, options) {
        Ok(outcome) if outcome.conclusion.is_valid() => Answer::Valid,
        Ok(outcome) if outcome.conclusion.is_violation() => Answer::Violation,
        Ok(_) => Answer::Unknown,
        Err(error) => Answer::Other(error.to_string()),
    }
}

/// The operations of a trace for the engine.
pub fn bound(model: &TlaModel<'_>, ndjson: &str, is_async: bool) -> Result<Vec<TimedOp<Instance>>, String> {
    let reader = std::io::Cursor::new(ndjson.as_bytes().to_vec());
    let trace = Trace::from_reader(
        "trace",
        reader,
        &OpenOptions::default().with_async_threads(is_async),
    );
    let mut operations = Vec::new();
    for operation in trace.map_err(|error| error.to_string())? {
        let operation = operation.map_err(|error| error.to_string())?;
        let thread = operation.thread.as_int().unwrap_or(0) as u32;
        let bound = model.bind(&operation).map_err(|error| error.to_string())?;
        operations.extend(bound.timed(thread, operation.timebox));
    }
    Ok(operations)
}

/// The answer of the whole command about a file.
pub fn validated(
    spec: &Path,
    trace: &Path,
    link: LinkOptions,
    collection: CollectedConstants,
    options: Options,
) -> Answer {
    let request = CheckRequest {
        options,
        ..CheckRequest::new("")
    };
    let validation = match Validation::new(spec, link, collection, request) {
        Ok(validation) => validation,
        Err(error) => return Answer::Other(error.to_string()),
    };
    match Input::new(
        trace,
        OpenOptions::default().with_async_threads(options.async_threads),
        None,
    ) {
        Ok(input) => answer_of(&validation.check(&input, &ProgressCounter::default())),
        Err(error) => Answer::Other(error.to_string()),
    }
}

pub fn answer_of(evidence: &omnilink_evidence::Evidence) -> Answer {
    match evidence.verdict {
        Verdict::Valid => Answer::Valid,
        Verdict::Violation => Answer::Violation,
        Verdict::Unknown => Answer::Unknown,
        Verdict::Error => Answer::Other(evidence.error.clone().unwrap_or_default()),
    }
}
