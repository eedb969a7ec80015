//! The steps of a failing run, as far as a reader wants to see them: whose turn it was, where threads were switched, what they accessed.

use omnilink_evidence::{ReportedOperation, ThreadAccess, ThreadName, ThreadSwitch};
use omnilink_sched::{ProgramStep, SchedulerStep};
use omnilink_source_lines::SourceLines;
use rustc_hash::FxHashMap;

use crate::framework::ScheduledTest;
use crate::place::is_in_dependency;

/// Turns that are kept, the last ones: a failure is at the end.
const TURNS_MAX: usize = 1_000;
/// Accesses that are kept, the last ones.
const ACCESSES_MAX: usize = 3_000;
/// Steps at the beginning and at the end of a turn that are kept, whatever file they are in.
const TURN_BEGIN: usize = 3;
const TURN_END: usize = 6;

/// The steps of a run, in the form of evidence.
#[derive(Debug, Clone, Default)]
pub struct Interleaving {
    /// The turns of the threads; times are the numbers of their first and last steps.
    pub turns: Vec<ReportedOperation>,
    /// The switches between them.
    pub switches: Vec<ThreadSwitch>,
    /// Accesses at the ends of turns, and those in files of the project.
    pub accesses: Vec<ThreadAccess>,
    /// The turn in which the test failed.
    pub failed_in: Option<u64>,
}

/// What the source says about a step, or about where a thread stopped.
#[derive(Clone)]
struct Line {
    /// As reports show it.
    text: String,
    /// What is accessed there.
    name: Option<String>,
    /// Whether it is in a file of the project: not of the standard library, and not of a dependency.
    is_own: bool,
}

impl Interleaving {
    /// Of these steps. `failed` is the thread in which the test failed, if that is known.
    pub(crate) fn of(
        test: &ScheduledTest,
        steps: &[ProgramStep],
        failed: Option<u8>,
        source: &mut SourceLines,
    ) -> Self {
        let mut places = Places {
            source,
            known: FxHashMap::default(),
        };
        let thread = |thread: u8| ThreadName::Name(test.thread_name(thread));
        let mut interleaving = Self::default();
        let mut first = 0;
        let mut before: Option<Line> = None;
        for turn in steps.chunk_by(|one, next| one.step.chosen == next.step.chosen) {
            let chosen = turn[0].step.chosen;
            let lines: Vec<Option<Line>> = turn.iter().map(|step| places.line(step)).collect();
            if let (Some(switched), true) = (turn.first(), first > 0) {
                interleaving.switches.push(ThreadSwitch {
                    after_events: 0,
                    step: first,
                    from: thread(switched.step.current.unwrap_or(0)),
                    to: thread(chosen),
                    preemption: switched.step.is_preemption() && !switched.step.yielding,
                    place: before.map(|line| line.text),
                });
            }
            let is_own = |line: &&Line| line.is_own;
            let known = || lines.iter().flatten();
            let begin = known().find(is_own).or_else(|| known().next());
            let end = known().rfind(is_own).or_else(|| known().next_back());
            let id = interleaving.turns.len() as u64;
            interleaving.turns.push(ReportedOperation {
                id,
                label: None,
                thread: thread(chosen),
                text: match (begin, end) {
                    (Some(begin), Some(end)) if begin.text != end.text => {
                        format!("{} … {}", begin.text, end.text)
                    }
                    (Some(line), _) | (None, Some(line)) => line.text.clone(),
                    (None, None) => "code without source lines".to_owned(),
                },
                start: Some(first as i64),
                end: Some((first + turn.len() - 1) as i64),
                pending: false,
                place: begin.map(|line| line.text.clone()),
            });
            let is_failing = failed.map_or(chosen >= test.harness_threads, |failed| failed == chosen);
            if is_failing {
                interleaving.failed_in = Some(id);
            }
            for (at, (step, line)) in turn.iter().zip(&lines).enumerate() {
                let is_edge = at < TURN_BEGIN || at + TURN_END >= turn.len();
                let Some(line) = line.as_ref().filter(|line| is_edge || line.is_own) else {
                    continue;
                };
                let Some(text) = words(&step.step) else { continue };
                interleaving.accesses.push(ThreadAccess {
                    after_events: 0,
                    step: first + at,
                    thread: thread(chosen),
                    text,
                    stale: false,
                    place: Some(line.text.clone()),
                    name: line.name.clone(),
                });
            }
            before = lines.into_iter().flatten().next_back();
            first += turn.len();
        }
        keep_last(&mut interleaving.turns, TURNS_MAX);
        keep_last(&mut interleaving.switches, TURNS_MAX);
        keep_last(&mut interleaving.accesses, ACCESSES_MAX);
        interleaving
    }
}

fn keep_last<T>(all: &mut Vec<T>, max: usize) {
    all.drain(..all.len().saturating_sub(max));
}

/// What a step did; none if it accessed nothing that is known.
fn words(step: &SchedulerStep) -> Option<String> {
    match (step.access_words(), step.access.address, step.access.writes) {
        (Some(words), _, _) => Some(words),
        (None, 0, _) => None,
        (None, _, true) => Some("changes it".to_owned()),
        (None, _, false) => Some("reads it".to_owned()),
    }
}

/// The source lines of code addresses, each looked up once.
struct Places<'a> {
    source: &'a mut SourceLines,
    known: FxHashMap<u64, Option<(Line, bool)>>,
}

impl Places<'_> {
    /// The line of a step: the innermost one of the project, else the innermost one outside of the standard library, else the innermost.
    fn line(&mut self, step: &ProgramStep) -> Option<Line> {
        let codes = std::iter::once(step.step.chosen_code).chain(step.frames.iter().copied());
        let mut best: Option<(Line, bool)> = None;
        for code in codes.filter(|code| *code != 0) {
            let Some(found) = self.find(code) else { continue };
            if found.0.is_own {
                return Some(found.0);
            }
            if best
                .as_ref()
                .is_none_or(|(_, is_library)| *is_library && !found.1)
            {
                best = Some(found);
            }
        }
        best.map(|(line, _)| line)
    }

    /// The line of a code address, and whether it is one of the standard library.
    fn find(&mut self, code: u64) -> Option<(Line, bool)> {
        if let Some(known) = self.known.get(&code) {
            return known.clone();
        }
        let (text, name) = self.source.find_apart(&[code]).pop().unwrap_or_default();
        let is_library = self.source.find_own(code).is_none();
        let found = text.map(|text| {
            let is_own = !is_library && !is_in_dependency(&text);
            (Line { text, name, is_own }, is_library)
        });
        self.known.insert(code, found.clone());
        found
    }
}
