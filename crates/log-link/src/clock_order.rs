//! The order of lines by times: clocks, timeboxes, or where they stand in the file.
//!
//! A line happened within a time: its clock, its timebox, or its place. A line comes before one of another node if its time ends before the other's
//! begins, by more than the clocks of two nodes may be apart. A node's own lines keep the order of their file. Times are nanoseconds, exactly.
//!
//! **Where a node's clock goes back.** If line `j` of a node follows line `i`, and `j` ends before `i` begins, one of the two readings is wrong, and nobody
//! knows which. So both happened at some time from `j`'s end to `i`'s beginning: times become wide enough that no pair of the node is contradicted.
//! Then no circle can come about: let each line's beginning be at most the end of every later line of its node. Along a circle of lines, each of which follows the one before
//! it in its node or is ordered after it by times, the beginnings of those that are ordered by times would increase for ever.
//!
//! **A step of several lines** happened between the first and the last of them.

use std::sync::Arc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::clock_reading::ClockReading;
use crate::error::LogError;
use crate::line_order::LineOrder;
use crate::log_spec::LogSpec;
use crate::message_order::MessageOrder;
use crate::ordered_lines::{chains_of, names_node, node_of};
use crate::raw_line::RawLine;
use crate::step_lines::{steps_of, taken};

/// When a line happened.
pub(crate) type Span = (ClockReading, ClockReading);

/// What to do with lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimedOrder<'s> {
    pub spec: &'s LogSpec,
    /// How far the clocks of two nodes may be apart, in nanoseconds.
    pub apart: i128,
    /// Whether a file is a node if its lines name none.
    pub is_file_a_node: bool,
    /// Whether lines of one step become one.
    pub folds: bool,
    /// Whether messages order lines, too. (Lines that stand in the order of their steps need none.)
    pub uses_messages: bool,
    /// Whether the answer says how much order there is.
    pub tells: bool,
}

impl TimedOrder<'_> {
    /// Lines with their order.
    ///
    /// # Errors
    /// If messages contradict it, or a line joins nothing.
    pub fn of(
        self,
        lines: Vec<RawLine>,
        mut times: Vec<Span>,
    ) -> Result<(Vec<RawLine>, LineOrder), LogError> {
        let spec = self.spec;
        let nodes: Vec<Value> = lines.iter().map(|line| node_of(line, spec)).collect();
        let (mut chains, _) = chains_of(&nodes);
        let mut notes = Vec::new();
        for chain in &mut chains {
            self.bring_into_own_order(chain, &lines, &times);
            notes.extend(widen(chain, &lines, &mut times));
        }
        let mut steps: Vec<(Span, RawLine)> = Vec::with_capacity(lines.len());
        let mut step_chains: Vec<Vec<u32>> = Vec::with_capacity(chains.len());
        let groups: Vec<Vec<Vec<u32>>> = chains
            .iter()
            .map(|chain| match self.folds {
                true => steps_of(chain, &lines, spec),
                false => Ok(chain.iter().map(|line| vec![*line]).collect()),
            })
            .collect::<Result<_, _>>()?;
        let mut lines: Vec<Option<RawLine>> = lines.into_iter().map(Some).collect();
        for chain in &groups {
            let mut own = Vec::with_capacity(chain.len());
            for step in chain {
                let of_step = step.iter().map(|line| times[*line as usize]);
                let span = of_step.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
                if let (Some(span), Some(line)) = (span, taken(&mut lines, step)) {
                    own.push(steps.len() as u32);
                    steps.push((span, line));
                }
            }
            step_chains.push(own);
        }
        let (lines, mut order) = self.ordered(steps, step_chains)?;
        order.notes.splice(0..0, notes);
        Ok((lines, order))
    }

    /// A node's lines in its own order: that of each of its files, and of its files by their times. Lines that nobody is said to have written are in order of their times.
    fn bring_into_own_order(self, chain: &mut [u32], lines: &[RawLine], times: &[Span]) {
        let is_nobodys = !self.is_file_a_node
            && chain
                .first()
                .is_some_and(|line| !names_node(&lines[*line as usize], self.spec));
        let mut latest: FxHashMap<&Arc<str>, ClockReading> = FxHashMap::default();
        let mut keys: FxHashMap<u32, ClockReading> = FxHashMap::default();
        for line in chain.iter() {
            let start = times[*line as usize].0;
            let of_file = latest.entry(&lines[*line as usize].place.file).or_insert(start);
            *of_file = if is_nobodys { start } else { start.max(*of_file) };
            keys.insert(*line, *of_file);
        }
        chain.sort_by_key(|line| keys[line]);
    }

    fn messages(self, lines: &[RawLine]) -> Result<MessageOrder, LogError> {
        let used = if self.uses_messages { lines } else { &[] };
        MessageOrder::of(used, false)
    }

    fn ordered(
        self,
        steps: Vec<(Span, RawLine)>,
        chains: Vec<Vec<u32>>,
    ) -> Result<(Vec<RawLine>, LineOrder), LogError> {
        let (spans, lines): (Vec<Span>, Vec<RawLine>) = steps.into_iter().unzip();
        let mut chain_of = vec![0; lines.len()];
        // Along a chain, a line is sorted no earlier than those before it.
        let mut sort_key = spans.iter().map(|span| span.0).collect::<Vec<_>>();
        for (chain, own) in (0u32..).zip(&chains) {
            for pair in own.windows(2) {
                sort_key[pair[1] as usize] = sort_key[pair[1] as usize].max(sort_key[pair[0] as usize]);
            }
            own.iter().for_each(|line| chain_of[*line as usize] = chain);
        }
        let mut sorted: Vec<u32> = (0..lines.len() as u32).collect();
        sorted.sort_by_key(|line| sort_key[*line as usize]);
        let is_total = sorted.windows(2).all(|pair| {
            let [one, other] = [pair[0] as usize, pair[1] as usize];
            chain_of[one] == chain_of[other] || spans[one].1.plus(self.apart) < spans[other].0
        });
        if is_total {
            let mut lines: Vec<Option<RawLine>> = lines.into_iter().map(Some).collect();
            let lines: Vec<RawLine> = sorted
                .iter()
                .filter_map(|line| lines[*line as usize].take())
                .collect();
            self.messages(&lines)?.check_total(&lines)?;
            let order = LineOrder::total(lines.len());
            return Ok((lines, order));
        }
        // For each position of a chain, the first end of the lines from there on: the line that ends then, and those before it in its
        // chain, come before what starts later.
        let first_end: Vec<Vec<ClockReading>> = chains
            .iter()
            .map(|chain| {
                let mut ends: Vec<ClockReading> = chain.iter().map(|line| spans[*line as usize].1).collect();
                for at in (1..ends.len()).rev() {
                    ends[at - 1] = ends[at - 1].min(ends[at]);
                }
                ends
            })
            .collect();
        let mut needs: Vec<Vec<(u32, u32)>> = (0..lines.len())
            .map(|at| {
                let others = (0u32..)
                    .zip(&first_end)
                    .filter(|(chain, _)| *chain != chain_of[at]);
                let counts = others.map(|(chain, ends)| {
                    (
                        chain,
                        ends.partition_point(|end| end.plus(self.apart) < spans[at].0) as u32,
                    )
                });
                counts.filter(|(_, count)| *count > 0).collect()
            })
            .collect();
        let by_clocks = needs.iter().filter(|needs| !needs.is_empty()).count();
        let messages = self.messages(&lines)?;
        messages.add_to(&mut needs, &lines, &chains, &chain_of)?;
        let mut order = LineOrder::new(chains, needs);
        if self.tells || messages.lines() > 0 {
            order.notes.push(format!(
                "of {} lines of {} nodes, {by_clocks} come after lines of other nodes by their clocks, and {} by messages",
                lines.len(),
                order.chains.len(),
                messages.lines()
            ));
        }
        Ok((lines, order))
    }
}

/// Makes the times of a node's lines wide enough that none contradicts the order of its file; what is to be said if that changes any.
fn widen(chain: &[u32], lines: &[RawLine], times: &mut [Span]) -> Option<String> {
    let mut backwards = Backwards::default();
    let mut latest: Option<ClockReading> = None;
    let original: Vec<Span> = chain.iter().map(|line| times[*line as usize]).collect();
    for (line, (start, end)) in chain.iter().zip(&original) {
        if let Some(latest) = latest.filter(|latest| end < latest) {
            backwards.note(&lines[*line as usize], latest.nanoseconds_after(*end));
            times[*line as usize].1 = latest;
        }
        latest = Some(latest.map_or(*start, |latest| latest.max(*start)));
    }
    let mut earliest: Option<ClockReading> = None;
    for (line, (_, end)) in chain.iter().zip(&original).rev() {
        let start = &mut times[*line as usize].0;
        *start = earliest.map_or(*start, |earliest| earliest.min(*start));
        earliest = Some(earliest.map_or(*end, |earliest| earliest.min(*end)));
    }
    backwards.told()
}

/// Lines of a node whose clock is behind that of a line before them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backwards {
    count: u64,
    first: Option<(String, i128)>,
}

impl Backwards {
    /// By how many nanoseconds a line is behind.
    pub fn note(&mut self, line: &RawLine, nanoseconds: i128) {
        self.count += 1;
        self.first
            .get_or_insert_with(|| (line.place.to_string(), nanoseconds));
    }

    /// What is to be said about them.
    pub fn told(&self) -> Option<String> {
        let (place, behind) = self.first.as_ref()?;
        let others = match self.count {
            1 => String::new(),
            count => format!(" ({count} such lines of its node; this is the first)"),
        };
        Some(format!(
            "{place}: its clock is {} behind that of a line before it of its node{others}. A node's own lines are taken in the order of their file, and such lines as \
             written at any time between the two readings; --skew TIME lets clocks order lines of different nodes only where they are further apart, and order = \"edges\" under \
             [log] in the link file does without clocks",
            duration_text(*behind)
        ))
    }
}

/// Nanoseconds in the largest unit in which they are whole.
fn duration_text(nanoseconds: i128) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let unit = units
        .iter()
        .find(|(unit, _)| nanoseconds != 0 && nanoseconds % unit == 0);
    match unit {
        Some((unit, name)) => format!("{} {name}", nanoseconds / unit),
        None => format!("{nanoseconds} ns"),
    }
}
