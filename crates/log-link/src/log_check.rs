//! One check, from files to evidence.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use omnilink_engine::{LimitWatch, Limits};
use omnilink_evidence::{
    Command, Evidence, Figures, LogActionFindings, LogFindings, Subject, Unknown, VacuityFindings, Violation,
};
use omnilink_link::{EvalSession, LinkOptions, LogLink, LogOrder, identifiers};
use omnilink_log_extract::{ExtractionCounts, ExtractionRules};
use omnilink_tla::deep_stack;
use omnilink_tla::eval::Evaluator;
use omnilink_value::Value;

use crate::attempt::{Attempt, Listener};
use crate::confirmation::confirm;
use crate::counterexample::{counterexample, endings, line_operation};
use crate::error::LogError;
use crate::expansion::Expander;
use crate::guess::guesses;
use crate::line_filter::LineFilter;
use crate::line_stream::LineStream;
use crate::lines::Lines;
use crate::log_input::{LogInput, extraction_note};
use crate::log_spec::LogSpec;
use crate::ordered_lines::{OrderedLines, ordered};
use crate::search::{Search, SearchEnd};

/// How much of a log is read into memory by default.
const IN_MEMORY_BYTES: u64 = 16 << 20;

/// What is asked about logs.
#[derive(Clone, Debug)]
pub struct LogCheck {
    spec: PathBuf,
    pub(crate) options: LinkOptions,
    /// Rules that make events of lines of text; lines are JSON if there are none.
    pub extraction: Option<Arc<ExtractionRules>>,
    /// Values of constants, of which the spec may have only some.
    pub constants: Vec<(String, Value)>,
    /// The limits of each check.
    pub limits: Limits,
    /// Whether identities that the spec does not tell apart are interchangeable.
    pub uses_interchange: bool,
    /// Whether orders of lines that do not conflict are the same.
    pub uses_independence: bool,
    /// Whether hidden actions that no explanation needs are left out.
    pub leaves_out_hidden: bool,
    /// Whether the plain evaluator decides over the whole specification: no restriction to events, and neither of the reductions.
    pub is_naive: bool,
    /// Whether the answer tells which entries of the link file had no effect. With several logs, that is told of all of them together.
    pub tells_unused: bool,
    /// Logs up to this size are read into memory. Then the rest of the log is known, and with it which identities it no longer mentions.
    pub in_memory_bytes: u64,
}

impl LogCheck {
    /// A check against a spec.
    pub fn new(spec: &Path, options: LinkOptions, limits: Limits) -> Self {
        Self {
            spec: spec.to_owned(),
            options,
            extraction: None,
            constants: Vec::new(),
            limits,
            uses_interchange: true,
            uses_independence: true,
            leaves_out_hidden: true,
            is_naive: false,
            tells_unused: true,
            in_memory_bytes: IN_MEMORY_BYTES,
        }
    }

    /// Reads the spec, if that does not depend on the log.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn shared_spec(&self) -> Result<Option<LogSpec>, LogError> {
        match self.options.file.log.header {
            0 => LogSpec::load(&self.spec, &self.options, &self.constants, &[]).map(Some),
            _ => Ok(None),
        }
    }
}

/// Checks one log: the lines of all its files. Whatever goes wrong is part of the answer. `on_line` is told of every line that is explained for
/// the first time.
pub fn check_log(
    check: &LogCheck,
    shared: Option<&LogSpec>,
    name: &str,
    files: &[PathBuf],
    on_line: &mut (dyn FnMut(u32) + Send),
) -> Evidence {
    answer(check, shared, name, files, on_line, None)
}

/// Checks a log that is still being written. `input` reads the file, and gives nothing where nothing more is there yet. When all lines that are there are
/// explained, `wait` is asked whether to look for more.
pub fn follow_log(
    check: &LogCheck,
    name: &str,
    file: &Path,
    input: Box<dyn Read + Send>,
    on_line: &mut (dyn FnMut(u32) + Send),
    wait: &mut (dyn FnMut() -> bool + Send),
) -> Evidence {
    let followed = Followed { input, wait };
    answer(check, None, name, &[file.to_owned()], on_line, Some(followed))
}

fn answer(
    check: &LogCheck,
    shared: Option<&LogSpec>,
    name: &str,
    files: &[PathBuf],
    on_line: &mut (dyn FnMut(u32) + Send),
    followed: Option<Followed<'_>>,
) -> Evidence {
    let started = Instant::now();
    let begin = || {
        let mut evidence = Evidence::new(Command::Validate, Subject::Log, name);
        evidence.model = Some(check.spec.display().to_string());
        evidence
    };
    let mut evidence = begin();
    // A file that turns out not to be in order of its clocks is read again, as a whole.
    let may_read_again = followed.is_none() && files.iter().all(|file| file.is_file());
    let result =
        deep_stack::run(
            || match check_here(check, shared, files, &mut evidence, on_line, followed, true) {
                Err(LogError::Unordered { .. }) if may_read_again => {
                    evidence = begin();
                    check_here(check, shared, files, &mut evidence, on_line, None, false)
                }
                result => result,
            },
        );
    if let Err(error) = result {
        if matches!(error, LogError::Unordered { .. }) {
            evidence = begin();
        }
        evidence.fail(error.to_string());
    }
    evidence.figures.seconds = started.elapsed().as_secs_f64();
    evidence
}

/// How a log is read that is still being written.
struct Followed<'w> {
    input: Box<dyn Read + Send>,
    wait: &'w mut (dyn FnMut() -> bool + Send),
}

fn check_here(
    check: &LogCheck,
    shared: Option<&LogSpec>,
    files: &[PathBuf],
    evidence: &mut Evidence,
    on_line: &mut (dyn FnMut(u32) + Send),
    followed: Option<Followed<'_>>,
    may_read_by_line: bool,
) -> Result<(), LogError> {
    let settings = &check.options.file.log;
    let mut watch = LimitWatch::new(check.limits);
    let deadline = check.limits.time.map(|time| Instant::now() + time);
    let is_ordered_stream = matches!(settings.order, None | Some(LogOrder::Lines))
        && settings.apart_ns().is_none()
        && settings.header == 0;
    let may_stream = is_ordered_stream && !looks_ahead(settings);
    if followed.is_some() && !may_stream {
        return Err(LogError::Usage(
            "a log that is followed is read line by line: it can have no header, no other order than that of its lines, and no \
             `next` in the link file"
                .to_owned(),
        ));
    }
    let in_memory_bytes = (may_stream && may_read_by_line).then_some(check.in_memory_bytes);
    let is_followed = followed.is_some();
    let (input, mut wait) = match followed {
        Some(Followed { input, wait }) => (LogInput::followed(check, files, input)?, Some(wait)),
        None => (LogInput::read(check, files, in_memory_bytes)?, None),
    };
    let own;
    let spec = match shared {
        Some(spec) => spec,
        None => {
            own = LogSpec::load(&check.spec, &check.options, &check.constants, input.header())?;
            &own
        }
    };
    evidence.notes.extend(spec.notes().iter().cloned());
    let session = EvalSession::until(deadline, check.limits.interrupt);
    let evaluator = || Evaluator::new(&spec.program, &session);
    let mut filter = LineFilter::new(spec, evaluator());
    let mut in_one_order = None;
    let mut extracted = None;
    let lines = match input {
        LogInput::ByLine(reader) => Lines::streamed(spec, LineStream::new(spec, reader, filter)),
        LogInput::Whole {
            lines, extraction, ..
        } => {
            extracted = extraction;
            evidence
                .notes
                .extend(extraction.map(extraction_note).transpose()?);
            let OrderedLines {
                lines,
                order,
                has_circle,
                notes,
            } = ordered(lines, files.len(), spec, &mut filter)?;
            evidence.notes.extend(notes);
            evidence.figures.threads = Some(order.chains.len() as u64);
            if order.chains.len() > 1 && !has_circle && !check.is_naive {
                in_one_order =
                    Attempt::in_one_order(check, spec, &lines, filter.left_out, &evaluator, &mut watch)?;
            }
            Lines::in_memory(spec, lines, order, filter.left_out)
        }
    };
    let attempt = match in_one_order {
        Some(attempt) => {
            (0..attempt.search.depth()).for_each(on_line);
            attempt
        }
        None => {
            let listener = Listener {
                on_line,
                wait: &mut || wait.as_mut().is_some_and(|wait| wait()),
            };
            let most = check.limits.configurations;
            Attempt::new(check, spec, lines, &evaluator, &mut watch, most, listener)?
        }
    };
    let Attempt {
        mut search,
        mut expander,
        replay,
        end,
    } = attempt;
    let is_rejected = matches!(end, SearchEnd::Rejected);
    evidence.notes.extend(search.lines.order_notes());
    let extraction = search.lines.extraction();
    evidence
        .notes
        .extend(extraction.map(extraction_note).transpose()?);
    report(&mut search, &mut expander, end, &mut watch, evidence)?;
    if matches!(end, SearchEnd::Accepted) {
        let found = vacuity(check, &search, extracted.or(extraction));
        // How many lines no rule is about is told with the other counts.
        let told = found.iter().filter(|reason| reason.kind != "no_rule");
        evidence.notes.extend(told.map(|reason| reason.message.clone()));
        evidence.vacuity = Some(found);
        evidence.figures.replayed = Some(replay.steps);
        evidence.notes.extend(replay.problem.map(|problem| {
            format!(
                "only {} steps of the explanation were replayed, because evaluating all of the next-state relation failed: {problem}",
                replay.steps
            )
        }));
    }
    if is_rejected {
        evidence.confirmation = Some(confirm(&mut search, &check.limits)?);
    }
    // A log that is followed has no end: its lines are judged as they come.
    if is_rejected && !is_followed {
        search.lines.check_rest_of_order()?;
    }
    Ok(())
}

/// Whether a formula may look at a node's next line.
fn looks_ahead(settings: &LogLink) -> bool {
    let rules = [&settings.only, &settings.skip_when, &settings.fail_when];
    let of_events = settings.events.values().flat_map(|event| {
        let conditions = [&event.action, &event.requires, &event.ensures]
            .into_iter()
            .flatten();
        conditions.chain(&event.compose)
    });
    let of_hidden = settings
        .hidden
        .iter()
        .flat_map(|hidden| std::iter::once(&hidden.action).chain(&hidden.when));
    let mut all = rules.into_iter().flatten().chain(of_events).chain(of_hidden);
    all.any(|text| identifiers(text).contains(&"next"))
}

/// Makes the end of a search the answer.
fn report(
    search: &mut Search<'_>,
    expander: &mut Expander<'_>,
    end: SearchEnd,
    watch: &mut LimitWatch,
    evidence: &mut Evidence,
) -> Result<(), LogError> {
    let explained = search.explained();
    evidence.figures = Figures {
        ops: explained.max(search.lines.count_known()),
        threads: evidence.figures.threads.or(Some(1)),
        configurations: Some(search.figures.distinct),
        frontier_max: Some(search.figures.layer_max),
        model_steps: Some(expander.generated),
        partitions: Some(1),
        ..Figures::default()
    };
    evidence.log = Some(Box::new(findings(search, expander)));
    match end {
        SearchEnd::Accepted => {
            evidence.figures.ops = explained;
        }
        SearchEnd::Rejected => {
            evidence
                .notes
                .extend(expander.spec.stale_translations.iter().cloned());
            let counterexample = counterexample(search, expander)?;
            if let Some(log) = &mut evidence.log {
                let guesses = guesses(search, expander, watch)?;
                let suspects = guesses.iter().filter_map(|guess| guess.suspect);
                log.suspects = suspects
                    .filter_map(|line| line_operation(search, expander.spec, line))
                    .collect();
                log.guesses = guesses.into_iter().map(|guess| guess.text).collect();
                log.endings = endings(search)?;
                let last = search.deepest().entries.len() as u64;
                log.dead_ends = search.figures.dead_ends.saturating_sub(last);
            }
            evidence.violate(Violation::Operation(Box::new(counterexample)));
        }
        SearchEnd::Limited(limit) => {
            let mut unknown = Unknown::limited(limit);
            unknown.explained = explained;
            unknown.frontier = search.deepest().entries.len() as u64;
            evidence.give_up(unknown);
        }
    }
    Ok(())
}

fn findings(search: &Search<'_>, expander: &Expander<'_>) -> LogFindings {
    let spec = expander.spec;
    let mut actions: Vec<LogActionFindings> = Vec::new();
    for (action, taken) in spec.program.actions.iter().zip(&expander.taken) {
        let at = spec
            .program
            .sources
            .get(action.at.source)
            .place(action.at.span.start);
        match actions.iter_mut().find(|own| own.at == at) {
            Some(own) => own.taken += taken,
            None => actions.push(LogActionFindings {
                action: action.name.to_string(),
                at,
                taken: *taken,
            }),
        }
    }
    LogFindings {
        steps: search.lines.steps,
        actions,
        choices: search.figures.choices,
        first_choice: search
            .figures
            .first_choice
            .and_then(|line| Some(search.lines.raw(line)?.place.to_string())),
        guesses: Vec::new(),
        suspects: Vec::new(),
        dead_ends: 0,
        endings: Vec::new(),
    }
}

/// Why an accepted log means less than it seems to.
fn vacuity(
    check: &LogCheck,
    search: &Search<'_>,
    extraction: Option<ExtractionCounts>,
) -> Vec<VacuityFindings> {
    let mut found = Vec::new();
    let mut add = |kind: &str, field: Option<String>, message: String, is_serious: bool| {
        found.push(VacuityFindings {
            kind: kind.to_owned(),
            op: None,
            field,
            message,
            is_serious,
        });
    };
    let lines = &search.lines;
    if lines.steps == 0 {
        let why = match lines.left_out() {
            0 => String::new(),
            1 => "; 1 line is no part of the log ([log] only, skip, skip_when)".to_owned(),
            count => format!("; {count} lines are no part of the log ([log] only, skip, skip_when)"),
        };
        let message = format!("no line of the log is a step, so there was nothing to explain{why}");
        add("nothing_placed", None, message, true);
    }
    for warning in &lines.spec().stale_translations {
        add("stale_translation", None, warning.clone(), true);
    }
    if let Some((count, place)) = &lines.saying_nothing {
        let is_all = *count == lines.steps;
        let message = format!(
            "{} neither an event nor a variable: any step explains {} (the first: {place})",
            if *count == 1 {
                "1 line names".to_owned()
            } else {
                format!("{count} lines name")
            },
            if *count == 1 { "it" } else { "them" },
        );
        add("says_nothing", None, message, is_all);
    }
    for (field, (count, place)) in &lines.preparation.unread {
        let message = format!(
            "nothing reads the field \"{field}\" of {} (the first: {place}); give it to a parameter or a variable, or say that it does not matter: [log] \
             ignore_fields = [\"{field}\"]",
            if *count == 1 {
                "1 line".to_owned()
            } else {
                format!("{count} lines")
            },
        );
        add("unread_field", Some(field.clone()), message, true);
    }
    if check.tells_unused {
        for message in lines.spec().without_effect() {
            add("unused", None, message, true);
        }
    }
    for message in check.extraction.iter().flat_map(|rules| rules.unused_groups()) {
        add("unused", None, message, true);
    }
    if let Some(counts) = extraction
        && let (1.., Some(line)) = (counts.others, counts.first_other)
    {
        let lines = if counts.others == 1 { "line" } else { "lines" };
        let message = format!(
            "no rule of --extract is about {} {lines} (the first: line {line}); write a rule with skip = true for those that are no steps",
            counts.others
        );
        add("no_rule", None, message, true);
    }
    found
}
