//! The lines of a log as the search takes them: all in memory, or a window of a stream.

use std::collections::VecDeque;

use omnilink_log_extract::ExtractionCounts;
use omnilink_sorting::sort_by_key;
use omnilink_tla::eval::Evaluator;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::error::LogError;
use crate::independence::EnabledLines;
use crate::interchange::{FreeClasses, identity_name};
use crate::line_order::LineOrder;
use crate::line_stream::LineStream;
use crate::log_spec::LogSpec;
use crate::mutant::{Mutant, mutated};
use crate::ordered_lines::neighbours;
use crate::prepared_line::{LineKind, Preparation, PreparedLine, RawPart};
use crate::raw_line::{Place, RawLine};

/// Lines that the search may still need.
#[derive(Debug)]
pub(crate) struct Lines<'s> {
    spec: &'s LogSpec,
    raw: VecDeque<RawLine>,
    /// The meaning of each line, once it is asked for: a function of the line and its neighbours, which do not change. (A line of a stream has no
    /// next line: what would depend on it is read as a whole.)
    prepared: VecDeque<Option<PreparedLine>>,
    /// How many lines have been dropped.
    base: u32,
    stream: Option<LineStream<'s>>,
    /// For each line of a stream, the previous one of its node, if a formula may ask for it.
    previous: VecDeque<Option<RawLine>>,
    pub preparation: Preparation<'s>,
    order: Option<LineOrder>,
    /// For each line in memory, the previous and the next line of its node.
    neighbours: Vec<(Option<u32>, Option<u32>)>,
    /// For each interchangeable identity, how far each chain mentions it; `None` if that is not known.
    mentions: Option<Vec<(Value, Vec<u32>)>>,
    /// The variables that some line mentions, as far as lines are known.
    pub logged: Vec<bool>,
    /// How many lines of a stream join others.
    joined: u64,
    /// How many lines of the files are no part of the log, if these are in memory.
    left_out: u64,
    /// Lines that say nothing: how many, and the first.
    pub saying_nothing: Option<(u64, Place)>,
    /// Lines that are steps.
    pub steps: u64,
}

impl<'s> Lines<'s> {
    /// Lines in memory.
    pub fn in_memory(spec: &'s LogSpec, lines: Vec<RawLine>, order: LineOrder, left_out: u64) -> Self {
        let neighbours = neighbours(&lines, &order, spec);
        let mut logged = vec![false; spec.program.variables.len()];
        let parts = lines.iter().flat_map(RawLine::parts);
        parts.for_each(|line| note_variables(spec, &line.record, &mut logged));
        let mentions = (!spec.interchange.is_empty()).then(|| mentions(spec, &lines, &order, &neighbours));
        Self {
            prepared: vec![None; lines.len()].into(),
            raw: lines.into(),
            neighbours,
            mentions,
            logged,
            left_out,
            ..Self::new(spec, None, Some(order))
        }
    }

    /// Lines that are read when they are needed, one after the other.
    pub fn streamed(spec: &'s LogSpec, stream: LineStream<'s>) -> Self {
        Self::new(spec, Some(stream), None)
    }

    fn new(spec: &'s LogSpec, stream: Option<LineStream<'s>>, order: Option<LineOrder>) -> Self {
        Self {
            spec,
            raw: VecDeque::new(),
            prepared: VecDeque::new(),
            base: 0,
            stream,
            previous: VecDeque::new(),
            preparation: Preparation::new(spec),
            order,
            neighbours: Vec::new(),
            mentions: None,
            joined: 0,
            left_out: 0,
            logged: vec![false; spec.program.variables.len()],
            saying_nothing: None,
            steps: 0,
        }
    }

    /// The spec that they are about.
    pub fn spec(&self) -> &'s LogSpec {
        self.spec
    }

    /// Whether the first line is still there.
    pub fn begins_at_first(&self) -> bool {
        self.base == 0
    }

    /// What is known about the order of lines in memory.
    pub fn order(&self) -> Option<&LineOrder> {
        self.order.as_ref()
    }

    /// The number of chains.
    pub fn chains(&self) -> usize {
        self.order.as_ref().map_or(1, |order| order.chains.len())
    }

    /// Whether a cut has all lines. There may be none that comes next although there are more: what the lines of one step say may contradict each other.
    pub fn is_end(&self, cut: &[u32]) -> bool {
        self.waiting(cut).next().is_none()
    }

    /// The next line of each chain after a cut, whether it may come or not.
    pub fn waiting<'l>(&'l self, cut: &'l [u32]) -> impl Iterator<Item = u32> + 'l {
        let chains = self.order.iter().flat_map(|order| &order.chains).zip(cut);
        chains.filter_map(|(lines, at)| lines.get(*at as usize).copied())
    }

    /// The lines that may come next after a cut, in the order in which they should be tried, with their chains. Empty at the end.
    ///
    /// # Errors
    /// If a line cannot be read.
    pub fn enabled(&mut self, cut: &[u32]) -> Result<EnabledLines, LogError> {
        if let Some(order) = &self.order {
            let chains = (0u32..).zip(&order.chains).zip(cut);
            let mut enabled: EnabledLines = chains
                .filter_map(|((chain, lines), at)| Some((chain, *lines.get(*at as usize)?)))
                .filter(|(_, line)| order.is_enabled(*line, cut))
                .collect();
            sort_by_key(&mut enabled, |(_, line)| *line);
            return Ok(enabled);
        }
        let mut enabled = EnabledLines::new();
        if self.is_there(cut[0])? {
            enabled.push((0, cut[0]));
        }
        Ok(enabled)
    }

    /// Whether there is a line of this number; reads up to it.
    fn is_there(&mut self, line: u32) -> Result<bool, LogError> {
        while line >= self.base + self.raw.len() as u32 {
            let Some(stream) = &mut self.stream else {
                return Ok(false);
            };
            match stream.next_line()? {
                Some((read, previous)) => {
                    self.joined += read.joined.len() as u64;
                    for part in read.parts() {
                        note_variables(self.spec, &part.record, &mut self.logged);
                    }
                    self.raw.push_back(read);
                    self.previous.push_back(previous);
                    self.prepared.push_back(None);
                }
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Reads a stream to its end, to see whether it is in order: a line that has not been read may come before the one that was rejected.
    ///
    /// # Errors
    /// If a line cannot be read, or is not in order.
    pub fn check_rest_of_order(&mut self) -> Result<(), LogError> {
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        while stream.order.has_clocks() && stream.next_line()?.is_some() {}
        Ok(())
    }

    /// What rules have made of lines of text so far, if they are read one by one.
    pub fn extraction(&self) -> Option<ExtractionCounts> {
        self.stream.as_ref().and_then(LineStream::extraction)
    }

    /// How many lines are no part of the log, so far.
    pub fn left_out(&self) -> u64 {
        self.stream.as_ref().map_or(self.left_out, LineStream::left_out)
    }

    /// What is to be said about the order of a stream.
    pub fn order_notes(&self) -> Vec<String> {
        let stream = self.stream.as_ref();
        stream
            .map(|stream| stream.order.notes(self.spec))
            .unwrap_or_default()
    }

    /// Nobody waits for more lines any longer. Whether that makes a line known.
    pub fn close(&mut self) -> bool {
        self.stream.as_mut().is_some_and(LineStream::close)
    }

    /// A line with its meaning.
    ///
    /// # Errors
    /// If it has none.
    pub fn prepare(&mut self, line: u32, evaluator: &mut Evaluator<'_>) -> Result<(), LogError> {
        let at = (line - self.base) as usize;
        if self.prepared[at].is_some() {
            return Ok(());
        }
        let step = parts_of(&self.raw, &self.previous, &self.neighbours, self.base, line);
        let mut parts = self.preparation.prepare_step(evaluator, &step)?.into_iter();
        let Some(mut prepared) = parts.next() else {
            return Ok(());
        };
        parts.for_each(|part| prepared.join(part));
        self.steps += u64::from(matches!(prepared.kind, LineKind::Step(_) | LineKind::Stuttering));
        if matches!(prepared.kind, LineKind::Step(_)) && !prepared.constrains() {
            let place = prepared.place.clone();
            self.saying_nothing.get_or_insert((0, place)).0 += 1;
        }
        self.prepared[at] = Some(prepared);
        Ok(())
    }

    /// The lines of a step as they were read, each with the lines of its node before and after it.
    pub fn parts(&self, line: u32) -> Vec<RawPart<'_>> {
        parts_of(&self.raw, &self.previous, &self.neighbours, self.base, line)
    }

    /// A prepared line.
    pub fn get(&self, line: u32) -> Option<&PreparedLine> {
        self.prepared.get(line.checked_sub(self.base)? as usize)?.as_ref()
    }

    /// A line as it was read.
    pub fn raw(&self, line: u32) -> Option<&RawLine> {
        self.raw.get(line.checked_sub(self.base)? as usize)
    }

    /// Drops lines before this one, if they are not all kept.
    pub fn forget_before(&mut self, line: u32) {
        while self.stream.is_some() && self.base < line && self.raw.len() > 1 {
            self.raw.pop_front();
            self.previous.pop_front();
            self.prepared.pop_front();
            self.base += 1;
        }
    }

    /// How many lines are known, those of one step as one.
    pub fn known(&self) -> u32 {
        self.base + self.raw.len() as u32
    }

    /// How many lines of files are known.
    pub fn count_known(&self) -> u64 {
        let joined = match &self.order {
            Some(_) => self.raw.iter().map(|line| line.joined.len() as u64).sum(),
            None => self.joined,
        };
        u64::from(self.known()) + joined
    }

    /// How many lines of files are among the first ones of each chain.
    pub fn count(&self, cut: &[u32]) -> u64 {
        let Some(order) = &self.order else {
            return self.joined + cut.iter().map(|lines| u64::from(*lines)).sum::<u64>();
        };
        let lines = order
            .chains
            .iter()
            .zip(cut)
            .flat_map(|(lines, at)| &lines[..*at as usize]);
        lines.map(|line| self.raw[*line as usize].count()).sum()
    }

    /// The identities that lines after a cut do not mention, in classes.
    pub fn free_classes(&self, cut: &[u32]) -> FreeClasses {
        let Some(mentions) = &self.mentions else {
            return FreeClasses::default();
        };
        self.spec.interchange.free(|identity| {
            let until = mentions.iter().find(|(own, _)| own == identity);
            mutated(Mutant::InterchangeMentioned)
                || until.is_some_and(|(_, until)| until.iter().zip(cut).all(|(until, at)| at >= until))
        })
    }

    /// Whether it is known how far identities are mentioned.
    pub fn has_mentions(&self) -> bool {
        self.mentions.is_some()
    }
}

/// The lines of a step, each with the lines of its node before and after it. `base` is the number of the first line.
fn parts_of<'l>(
    raw: &'l VecDeque<RawLine>,
    before: &'l VecDeque<Option<RawLine>>,
    neighbours: &[(Option<u32>, Option<u32>)],
    base: u32,
    line: u32,
) -> Vec<RawPart<'l>> {
    let at = (line - base) as usize;
    let neighbour = |line: Option<u32>| raw.get((line?.checked_sub(base)?) as usize);
    let (previous, next) = match neighbours.get(line as usize) {
        Some((previous, next)) => (neighbour(*previous).map(RawLine::last_part), neighbour(*next)),
        // The next line of a stream may not be there yet.
        None => (before.get(at).and_then(Option::as_ref), None),
    };
    let lines: Vec<&RawLine> = raw[at].parts().collect();
    let part = |number: usize| RawPart {
        line: lines[number],
        previous: number
            .checked_sub(1)
            .map_or(previous, |before| Some(lines[before])),
        next: lines.get(number + 1).copied().or(next),
    };
    (0..lines.len()).map(part).collect()
}

/// How far each chain mentions each identity: the number of its lines up to the last mention. A line also mentions what its node's previous line
/// does, if a formula may look back at it.
fn mentions(
    spec: &LogSpec,
    lines: &[RawLine],
    order: &LineOrder,
    neighbours: &[(Option<u32>, Option<u32>)],
) -> Vec<(Value, Vec<u32>)> {
    let looks_back = spec.looks_back && !mutated(Mutant::InterchangeLookedBackAt);
    let names: FxHashMap<&str, usize> = spec
        .interchange
        .members()
        .enumerate()
        .map(|(at, member)| (identity_name(member), at))
        .collect();
    let mut mentions: Vec<(Value, Vec<u32>)> = spec
        .interchange
        .members()
        .map(|member| (member.clone(), vec![0; order.chains.len()]))
        .collect();
    for (chain, own) in order.chains.iter().enumerate() {
        for (at, line) in (1u32..).zip(own) {
            let previous = neighbours[*line as usize].0.filter(|_| looks_back);
            let steps = [Some(*line), previous].into_iter().flatten();
            for part in steps.flat_map(|line| lines[line as usize].parts()) {
                each_text(&part.record, &mut |text| {
                    if let Some(member) = names.get(text) {
                        mentions[*member].1[chain] = at;
                    }
                });
            }
        }
    }
    mentions
}

/// Visits every string in a value, keys included.
fn each_text(value: &Value, visit: &mut dyn FnMut(&str)) {
    if let Some(text) = value.as_str().or_else(|| value.as_model()) {
        visit(text);
    }
    for element in value.as_tuple().or_else(|| value.as_set()).unwrap_or_default() {
        each_text(element, visit);
    }
    for (key, value) in value.as_entries().unwrap_or_default() {
        each_text(key, visit);
        each_text(value, visit);
    }
}

/// Marks the variables that a line mentions.
fn note_variables(spec: &LogSpec, record: &Value, logged: &mut [bool]) {
    let parts = ["vars", "state"]
        .into_iter()
        .filter_map(|name| record.field(name))
        .chain([record]);
    for (name, _) in parts
        .filter_map(Value::as_record)
        .flat_map(|fields| fields.iter().collect::<Vec<_>>())
    {
        if let Some(slot) = spec.variable(name) {
            logged[slot as usize] = true;
        }
    }
}
