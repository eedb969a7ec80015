//! A violation is decided again before it is reported.
//!
//! The second search is as simple as it can be: sets of states, one for each number of explained lines, and every line that may come next. It shares
//! with the first what each line means by itself and which may come next, and nothing else: lines of one step are compared with it one by one ([`plain_lines`](crate::plain_lines)), no restriction to events, no independence, no interchangeable
//! identities, no batches, no order of trying. It begins with the initial states if it can afford that, and otherwise with *all* states of
//! the first search some lines earlier.
//!
//! Where the order of lines is partial, leaving out orders may end the first search at fewer lines. So the two agree exactly if the second, too,
//! finds no explanation of all lines; with one order of lines, none that goes further.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use omnilink_engine::{Interrupt, Limits};
use omnilink_evidence::Confirmation;
use omnilink_link::EvalSession;
use omnilink_tla::eval::{Evaluator, Session, State};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::error::LogError;
use crate::expansion::Expander;
use crate::layer::{Cut, HiddenCounts};
use crate::lines::Lines;
use crate::plain_lines::lines_of_step;
use crate::prepared_line::PreparedLine;
use crate::search::Search;

/// How many states one attempt may visit.
const STATES_MAX: u64 = 20_000;
/// How long all attempts may take.
const TIME_MAX: Duration = Duration::from_secs(10);
/// How many lines before the end of the first search the attempts begin, if the whole log is too much.
const LINES_BACK: [u32; 3] = [32, 8, 1];

/// How a simple search ended.
enum SimpleEnd {
    /// It explains all lines, or more than the first search: this many.
    Explained { lines: u32, is_whole: bool },
    /// It explains no more than the first search, after this many states.
    Unexplained { states: u64 },
    /// It was too much.
    Stopped(String),
}

/// Decides a violation again.
///
/// # Errors
/// If the answers disagree.
pub(crate) fn confirm(search: &mut Search<'_>, limits: &Limits) -> Result<Confirmation, LogError> {
    let spec = search.lines.spec();
    let starts = starts(search);
    let time = limits.time.map_or(TIME_MAX, |time| time.min(TIME_MAX)) / starts.len().max(1) as u32;
    let mut reason = String::new();
    for start in starts {
        // Each attempt has its share of the time: the whole log may take all of it where the last lines take little.
        let session = EvalSession::until(Some(Instant::now() + time), limits.interrupt);
        let mut simple = SimpleSearch {
            expander: Expander::plain(spec, Evaluator::new(&spec.program, &session)),
            session: &session,
            interrupt: limits.interrupt,
            refused_at: search.depth(),
        };
        let configurations = simple.first(search, &start)?;
        match simple.decided(&mut search.lines, configurations) {
            Ok(SimpleEnd::Unexplained { states }) => {
                return Ok(Confirmation::Confirmed {
                    search: start.described(),
                    configurations: states,
                });
            }
            Ok(SimpleEnd::Explained { lines, is_whole }) => {
                return Err(disagreement(search, lines, is_whole));
            }
            Ok(SimpleEnd::Stopped(why)) => reason = why,
            // An evaluation that is cut off fails, too.
            Err(LogError::Evaluation { .. }) if simple.is_over() => {
                reason = "a search without reductions takes too long".to_owned();
            }
            Err(LogError::Evaluation { place, message }) => {
                reason = format!("a search without reductions failed at {place}: {message}");
            }
            Err(error) => return Err(error),
        }
        if limits.interrupt.is_some_and(|interrupt| interrupt.is_raised()) {
            break;
        }
    }
    Ok(Confirmation::NotConfirmed { reason })
}

/// Where an attempt begins.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// With the initial states.
    Initial,
    /// With all states of the first search that explain this many lines, some lines before its end.
    Layer { explained: u32, back: u32, states: u64 },
}

impl Start {
    fn described(&self) -> String {
        match self {
            Self::Initial => "a search without reductions over the whole log".to_owned(),
            Self::Layer { back, states, .. } => {
                let are = if *states == 1 { "state" } else { "states" };
                let lines = if *back == 1 { "line" } else { "lines" };
                format!("a search without reductions from all {states} {are} {back} {lines} before")
            }
        }
    }
}

fn starts(search: &Search<'_>) -> Vec<Start> {
    let depth = search.depth();
    let mut starts = Vec::new();
    if search.lines.begins_at_first() && u64::from(depth) < STATES_MAX {
        starts.push(Start::Initial);
    }
    for back in LINES_BACK {
        if let Some(explained) = depth.checked_sub(back)
            && let Some(layer) = search.layer(explained)
        {
            let states = layer.entries.len() as u64;
            starts.push(Start::Layer {
                explained,
                back,
                states,
            });
        }
    }
    if depth == 0 && starts.is_empty() {
        starts.push(Start::Initial);
    }
    starts
}

/// A state that explains the lines of a cut.
type Configuration = (Cut, State);

struct SimpleSearch<'e, 'c> {
    expander: Expander<'e>,
    session: &'c EvalSession,
    interrupt: Option<Interrupt>,
    /// How many lines the first search explains.
    refused_at: u32,
}

impl SimpleSearch<'_, '_> {
    fn is_over(&self) -> bool {
        self.session.is_over()
    }

    fn first(&mut self, search: &Search<'_>, start: &Start) -> Result<FxHashSet<Configuration>, LogError> {
        match start {
            Start::Initial => {
                let cut: Cut = SmallVec::from_elem(0, search.lines.chains());
                let mut found = FxHashSet::default();
                for state in &self.expander.spec.initial {
                    if self.expander.is_allowed(state)? {
                        found.insert((cut.clone(), state.clone()));
                    }
                }
                Ok(found)
            }
            // What hidden actions led to is reached again from the states before them.
            Start::Layer { explained, .. } => Ok(search
                .layer(*explained)
                .into_iter()
                .flat_map(|layer| &layer.entries)
                .filter(|entry| entry.hidden_step.is_none())
                .map(|entry| (entry.cut.clone(), entry.state.clone()))
                .collect()),
        }
    }

    fn decided(
        &mut self,
        lines: &mut Lines<'_>,
        mut layer: FxHashSet<Configuration>,
    ) -> Result<SimpleEnd, LogError> {
        let mut states = 0;
        let is_one_order = lines.chains() == 1;
        loop {
            let mut after = FxHashSet::default();
            for (cut, state) in &layer {
                states += 1;
                if states > STATES_MAX {
                    return Ok(SimpleEnd::Stopped(format!(
                        "a search without reductions would visit more than {STATES_MAX} states"
                    )));
                }
                if self.is_over() {
                    return Ok(SimpleEnd::Stopped(match self.interrupt {
                        Some(interrupt) if interrupt.is_raised() => "it was interrupted".to_owned(),
                        _ => "a search without reductions takes too long".to_owned(),
                    }));
                }
                let explained: u32 = cut.iter().sum();
                let enabled = lines.enabled(cut)?;
                let is_whole = enabled.is_empty() && lines.is_end(cut);
                if is_whole || (is_one_order && explained > self.refused_at) {
                    return Ok(SimpleEnd::Explained {
                        lines: explained,
                        is_whole,
                    });
                }
                for (chain, line) in enabled {
                    lines.prepare(line, &mut self.expander.evaluator)?;
                    let Some(prepared) = lines.get(line).cloned() else {
                        continue;
                    };
                    let parts = lines_of_step(lines, line, &mut self.expander.evaluator)?;
                    let mut cut = cut.clone();
                    cut[chain as usize] += 1;
                    for state in self.after_hidden(state, &prepared)? {
                        for successor in self.expander.plain_successors(&state, &parts)? {
                            if self.expander.is_allowed(&successor)? {
                                after.insert((cut.clone(), successor));
                            }
                        }
                    }
                }
            }
            if after.is_empty() {
                return Ok(SimpleEnd::Unexplained { states });
            }
            layer = after;
        }
    }

    /// The states after any hidden actions that may happen before a line, as often as each may.
    fn after_hidden(&mut self, state: &State, line: &PreparedLine) -> Result<Vec<State>, LogError> {
        let hidden = &self.expander.spec.hidden;
        let none: HiddenCounts = SmallVec::from_elem(0, hidden.len());
        let mut found: FxHashSet<(State, HiddenCounts)> = FxHashSet::default();
        let mut open = vec![(state.clone(), none)];
        while let Some((state, counts)) = open.pop() {
            if !found.insert((state.clone(), counts.clone())) {
                continue;
            }
            for number in 0..counts.len() {
                if counts[number] >= self.expander.spec.hidden[number].bound {
                    continue;
                }
                for successor in self.expander.hidden(number, &state, line)? {
                    if self.expander.is_allowed(&successor.state)? {
                        let mut counts = counts.clone();
                        counts[number] += 1;
                        open.push((successor.state, counts));
                    }
                }
            }
        }
        let states: FxHashSet<State> = found.into_iter().map(|(state, _)| state).collect();
        Ok(states.into_iter().collect())
    }
}

/// The error that two searches disagree, with a file of the lines.
fn disagreement(search: &Search<'_>, lines: u32, is_whole: bool) -> LogError {
    let refused = search.depth();
    let answer = if is_whole {
        format!("explains all {lines} lines (valid)")
    } else {
        format!("explains {lines} lines")
    };
    let known = search.lines.known();
    let text: Option<String> = (0..known)
        .map(|line| {
            let parts = search.lines.raw(line)?.parts();
            Some(
                parts
                    .map(|part| format!("{}\n", part.record.to_json()))
                    .collect::<String>(),
            )
        })
        .collect();
    let name = search.lines.spec().name();
    let file = text.and_then(|text| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let file = std::env::temp_dir().join(format!("omnilink-log-{:016x}.ndjson", hasher.finish()));
        std::fs::write(&file, text).ok().map(|()| file)
    });
    let reproduce = match file {
        Some(file) => format!(
            "to reproduce it: omnilink validate {name} --log {}",
            file.display()
        ),
        None => "the log itself reproduces it".to_owned(),
    };
    LogError::Internal(format!(
        "the search explains no more than {refused} lines, and a search without reductions {answer}; use --naive for this log; {reproduce}"
    ))
}
