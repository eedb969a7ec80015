//! What the runs of a campaign are checked against, as arguments: a specification or a model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Parser};
use omnilink_campaign::{CampaignRecord, CheckedTrace};
use omnilink_engine::Options;
use omnilink_evidence::{Command, Evidence, Subject, Verdict, Violation};
use omnilink_link::{LinkFile, LogLink};
use omnilink_trace::OpenOptions;
use omnilink_verify::{
    CheckRequest, Detail, Exercise, Input, Keyed, LogValidation, ModelCheck, ProgressCounter, Scrutiny,
    Validation, is_log,
};

use crate::check::Criteria;
use crate::error::CliError;
use crate::interrupt;
use crate::linking::{Linking, found_in};

/// What runs are checked against.
#[derive(Clone, Debug, Args)]
pub(crate) struct SubjectArgs {
    /// The specification that runs are checked against: an operation `Name(args)` is its action `Name`
    #[arg(long, value_name = "SPEC.tla", conflicts_with = "model")]
    spec: Option<PathBuf>,
    /// The model that runs are checked against, such as queue:capacity=8; omnilink check --list-models lists them
    #[arg(long, short, value_name = "NAME[:OPT=VAL,…]")]
    model: Option<String>,
    #[command(flatten)]
    linking: Linking,
    #[command(flatten)]
    criteria: Criteria,
    /// A run that is valid without meaning anything is a finding: nothing was placed, or nothing recorded could have been refused
    #[arg(long)]
    strict: bool,
    /// Runs write logs of events and variables: see docs/logs.md. A link file with `[log]` says the same
    #[arg(long, requires = "spec")]
    log: bool,
}

/// Checks traces against a specification or a model.
pub(crate) enum TraceChecker {
    Spec {
        validation: Box<Validation>,
        reading: OpenOptions,
        end: Option<&'static str>,
    },
    Log(Box<LogValidation>),
    Model(ModelCheck),
}

impl SubjectArgs {
    /// The specification or the model, as the store names it.
    pub(crate) fn name(&self) -> Option<String> {
        match (&self.spec, &self.model) {
            (Some(spec), _) => Some(spec.display().to_string()),
            (None, model) => model.clone(),
        }
    }

    /// What belongs to the subject besides its name, as words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = self.linking.words();
        words.extend(self.criteria.level_word());
        words.extend(self.strict.then(|| "--strict".to_owned()));
        words.extend(self.log.then(|| "--log".to_owned()));
        words
    }

    /// These arguments if they name a subject; else that of a campaign with what was given for it, and these on top of it.
    pub(crate) fn or_of(&self, campaign: &CampaignRecord) -> Result<Self, CliError> {
        if self.name().is_some() {
            return Ok(self.clone());
        }
        let earlier = stored(campaign)?;
        let folder = Path::new(&campaign.directory);
        Ok(Self {
            spec: earlier.spec.map(|spec| found_in(&spec, folder)),
            model: earlier.model,
            linking: self.linking.over(&earlier.linking, folder),
            criteria: self.criteria.at_level_of(&earlier.criteria),
            strict: self.strict || earlier.strict,
            log: self.log || earlier.log,
        })
    }

    /// Reads the specification, or finds the model.
    pub(crate) fn checker(&self) -> Result<TraceChecker, CliError> {
        self.criteria.validate(false)?;
        self.linking.needs(self.spec.as_ref())?;
        if !matches!(self.criteria.consistency(), "linearizable" | "sequential") {
            let message = "--consistency is linearizable or sequential for runs; for the other levels export a run and use \
                           omnilink check";
            return Err(CliError::Usage(message.to_owned()));
        }
        let Some(name) = self.name() else {
            let message = "against what? Give --spec SPEC.tla, or --model NAME (omnilink check --list-models lists them)";
            return Err(CliError::Usage(message.to_owned()));
        };
        let request = CheckRequest {
            options: self.criteria.options(),
            // What is found is looked at later, when the specification may have changed.
            detail: Detail::Violations,
            ..CheckRequest::new(&name)
        };
        let Some(spec) = &self.spec else {
            let model = ModelCheck::new(&request.model_name.clone(), Keyed::ByContent, request)?;
            return Ok(TraceChecker::Model(model));
        };
        let (mut options, collection) = self.linking.options(spec)?;
        // Branches are what a campaign wants to have exercised.
        options.counts_branches = true;
        if self.log || options.file.log != LogLink::default() {
            let Options { limits, naive, .. } = self.criteria.options();
            let logs = LogValidation::new(spec, options, None, limits)?
                .with_strictness(self.strict)
                .with_naive_search(naive);
            return Ok(TraceChecker::Log(Box::new(logs)));
        }
        let reading = OpenOptions::new().with_thread_ends(options.file.keeps_thread_ends(spec));
        let request = CheckRequest {
            command: Command::Validate,
            ..request
        };
        let scrutiny = Scrutiny {
            is_strict: self.strict,
            mutation: None,
        };
        Ok(TraceChecker::Spec {
            validation: Box::new(
                Validation::new(spec, options, collection, request)?.with_scrutiny(scrutiny),
            ),
            reading,
            end: LinkFile::end_of_trace(spec),
        })
    }
}

/// What a campaign was given: a specification if the subject is a file of TLA+, else a model.
fn stored(campaign: &CampaignRecord) -> Result<SubjectArgs, CliError> {
    #[derive(Debug, Parser)]
    #[command(no_binary_name = true)]
    struct Stored {
        #[command(flatten)]
        subject: SubjectArgs,
    }
    let option = if campaign.subject.ends_with(".tla") {
        "--spec"
    } else {
        "--model"
    };
    let subject = format!("{option}={}", campaign.subject);
    let words = std::iter::once(&subject).chain(&campaign.subject_options);
    let stored = Stored::try_parse_from(words).map_err(|_| {
        CliError::Usage(format!(
            "campaign {} was checked with options that this version does not know: {}; give --spec or --model",
            campaign.id,
            campaign.subject_options.join(" ")
        ))
    })?;
    Ok(stored.subject)
}

/// The arguments of a specification that a campaign was given.
pub(crate) fn stored_linking(campaign: &CampaignRecord) -> Linking {
    stored(campaign)
        .map(|subject| subject.linking)
        .unwrap_or_default()
}

impl TraceChecker {
    /// Checks the trace of a run, or the traces of its objects: the worst of them is the run's.
    pub(crate) fn check(&self, trace: &Path) -> CheckedTrace {
        let all = objects(trace).into_iter().map(|object| {
            let mut one = self.check_one(&object);
            let name = object.file_name().unwrap_or_default().to_string_lossy();
            one.headline = one.headline.map(|headline| format!("{name}: {headline}"));
            one
        });
        all.reduce(worse).unwrap_or_else(|| self.check_one(trace))
    }

    /// Checks one trace.
    fn check_one(&self, trace: &Path) -> CheckedTrace {
        let options = match self {
            Self::Spec { .. } if is_log(trace) => {
                let message =
                    "the run wrote a log of events and variables, and no trace of operations: give --log";
                return CheckedTrace::error(message);
            }
            Self::Spec { reading, .. } => reading.clone(),
            Self::Log(logs) => {
                let mut evidence = logs.check(&[trace.to_owned()], &ProgressCounter::default());
                return self.finished(&mut evidence, trace);
            }
            Self::Model(_) => OpenOptions::default(),
        };
        let mut input = match Input::new(trace, options, Some(interrupt::flag())) {
            Ok(input) => input,
            Err(error) => return CheckedTrace::error(error.to_string()),
        };
        let progress = ProgressCounter::default();
        let mut evidence = match self {
            Self::Spec { validation, end, .. } => {
                input.end = *end;
                validation.check(&input, &progress)
            }
            Self::Model(model) => model.check(&input, &progress),
            Self::Log(logs) => logs.check(&[trace.to_owned()], &progress),
        };
        let mut checked = self.finished(&mut evidence, trace);
        // A trace that cannot be read to its end is an error already.
        let mut exercise = Exercise::default();
        let mut recorded = 0;
        for operation in input.open().into_iter().flatten().flatten() {
            exercise.observe(&operation);
            recorded += 1;
        }
        // The checker counts what it placed: a step of an operation is one more, and after a violation nothing is placed.
        checked.ops = recorded;
        checked.coverage.extend(exercise.features());
        checked
    }

    /// The answer for a trace, as the store keeps it.
    fn finished(&self, evidence: &mut Evidence, trace: &Path) -> CheckedTrace {
        // The folder is gone when someone reads this.
        evidence.input = "the run's trace".to_owned();
        if let Some(error) = &mut evidence.error {
            *error = error
                .replace(&format!("{}/", trace.display()), "")
                .replace(&trace.display().to_string(), "the trace");
        }
        let folder = format!("{}/", trace.display());
        evidence
            .visit_operations(&mut |op| op.place = op.place.take().map(|place| place.replace(&folder, "")));
        let mut checked = checked(evidence);
        if evidence.verdict == Verdict::Valid && checked.ops == 0 {
            let message = match self {
                Self::Log(_) => "the log has no lines: the harness ended before the first",
                _ => {
                    "the trace has no operations: none of the harness is bound, or it ended before the first"
                }
            };
            checked.verdict = Verdict::Error;
            checked.headline = Some(message.to_owned());
        }
        checked
    }
}

/// The traces of several objects: a folder that holds nothing but folders.
fn objects(trace: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(trace).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    if paths.iter().all(|path| path.is_dir()) {
        paths.sort();
        paths
    } else {
        Vec::new()
    }
}

/// Two traces of one run as one: the worse verdict counts.
fn worse(a: CheckedTrace, b: CheckedTrace) -> CheckedTrace {
    let (mut worse, other) = if b.verdict > a.verdict { (b, a) } else { (a, b) };
    worse.ops += other.ops;
    worse.threads = worse.threads.max(other.threads);
    for (feature, times) in other.coverage {
        *worse.coverage.entry(feature).or_default() += times;
    }
    worse
}

fn checked(evidence: &Evidence) -> CheckedTrace {
    let (headline, cause) = match evidence.verdict {
        Verdict::Violation => violation(evidence),
        Verdict::Error => (evidence.error.clone(), evidence.error.clone()),
        Verdict::Valid | Verdict::Unknown => (None, None),
    };
    CheckedTrace {
        verdict: evidence.verdict,
        headline,
        cause,
        evidence: evidence.to_json(),
        ops: evidence.figures.ops,
        threads: evidence.figures.threads.unwrap_or_default(),
        coverage: coverage(evidence),
    }
}

/// The violation in a sentence, and what violations of one cause have in common: the operation's name with the rule that is
/// broken or the kinds of violation that fit.
fn violation(evidence: &Evidence) -> (Option<String>, Option<String>) {
    let Some(Violation::Operation(counterexample)) = &evidence.violation else {
        return (Some("the trace is not explained".to_owned()), None);
    };
    let op = &counterexample.op;
    let name = op.text.split(['(', ' ']).next().unwrap_or_default();
    let tags = evidence
        .spec
        .as_ref()
        .map(|spec| spec.tags.join(", "))
        .unwrap_or_default();
    let rule = counterexample.broken.as_ref().map(|broken| broken.rule.clone());
    let why = rule.or_else(|| (!tags.is_empty()).then_some(tags));
    let who = match evidence.subject {
        Subject::Log => "node",
        _ => "thread",
    };
    let headline = match &why {
        Some(why) => format!("nothing explains {} of {who} {}: {why}", op.text, op.thread),
        None => format!("nothing explains {} of {who} {}", op.text, op.thread),
    };
    let cause = match &why {
        Some(why) => format!("{name}: {why}"),
        None => name.to_owned(),
    };
    (Some(headline), Some(cause))
}

/// How often each action was placed, each of its branches taken and each abstract state reached. Actions and branches that were never
/// exercised are there with 0.
fn coverage(evidence: &Evidence) -> BTreeMap<String, u64> {
    let mut coverage = BTreeMap::new();
    let actions = || evidence.spec.iter().flat_map(|spec| &spec.actions);
    // An operation in steps is placed under its own name.
    let is_step = |name: &str| {
        let whole = name.strip_suffix("_Step").or_else(|| name.strip_suffix("_Done"));
        whole.is_some_and(|whole| actions().any(|action| action.op == whole))
    };
    for action in actions().filter(|action| !is_step(&action.op)) {
        coverage.insert(format!("action {}", action.op), action.placed);
        for branch in &action.branches {
            let text: String = branch.text.split_whitespace().collect::<Vec<_>>().join(" ");
            coverage.insert(
                format!("branch {}: {text} ({})", action.op, branch.at),
                branch.taken,
            );
        }
    }
    for reached in evidence.spec.iter().flat_map(|spec| &spec.abstract_states) {
        coverage.insert(format!("state {}", reached.state), reached.reached);
    }
    for action in evidence.log.iter().flat_map(|log| &log.actions) {
        *coverage.entry(format!("action {}", action.action)).or_default() += action.taken;
    }
    coverage
}
