//! The order of lines, from what the link file and their clocks say.

use std::sync::Arc;

use omnilink_link::LogOrder;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::clock_reading::ClockReading;
use crate::error::LogError;
use crate::line_filter::LineFilter;
use crate::line_order::LineOrder;
use crate::line_times::LineTimes;
use crate::log_spec::LogSpec;
use crate::message_order::MessageOrder;
use crate::raw_line::{Place, RawLine};

/// Refuses a clock that is none: taking it for a missing one would take the lines as they stand.
///
/// # Errors
/// If the order depends on clocks, and this one is neither a whole number nor a vector.
pub(crate) fn check_clock(line: &RawLine, spec: &LogSpec) -> Result<(), LogError> {
    let field = spec.settings.clock.as_deref().unwrap_or("clock");
    let clock = line.field(field).filter(|clock| **clock != Value::null());
    match clock {
        Some(clock)
            if spec.settings.order.is_none()
                && ClockReading::of(clock).is_none()
                && clock.as_record().is_none() =>
        {
            Err(LogError::Line {
                place: line.place.to_string(),
                message: format!(
                    "\"{field}\" is {clock}, and a clock is a whole number, [physical, logical], or an object with a number for each node; name another field \
                     ([log] clock = … in the link file), or write order = \"lines\" there if the lines stand in the order of their steps"
                ),
            })
        }
        _ => Ok(()),
    }
}

/// Lines in memory with what is known about their order.
#[derive(Debug)]
pub(crate) struct OrderedLines {
    /// The lines, numbered along an order that respects what is known: that of the files as far as possible.
    pub lines: Vec<RawLine>,
    pub order: LineOrder,
    /// What is to be said about the order.
    pub note: Option<String>,
}

/// Leaves out the lines that are no part of the log, brings the others into an order, and finds out what is known about it.
///
/// # Errors
/// If clocks are missing or no clocks.
pub(crate) fn ordered(
    lines: Vec<RawLine>,
    files: usize,
    spec: &LogSpec,
    filter: &mut LineFilter<'_>,
) -> Result<OrderedLines, LogError> {
    let is_kept = kept(&lines, files, spec, filter)?;
    let mut files_read: FxHashMap<Arc<str>, usize> = FxHashMap::default();
    for line in &lines {
        let next = files_read.len();
        files_read.entry(Arc::clone(&line.place.file)).or_insert(next);
    }
    let (mut lines, mut order) = match spec.settings.order {
        // Other lines may come after a line by way of one that is left out.
        Some(LogOrder::Edges) => {
            let (lines, order) = known_order(lines, files, spec)?;
            order.without(lines, &is_kept)
        }
        _ => {
            let kept = lines.into_iter().zip(&is_kept);
            let kept = kept
                .filter_map(|(line, is_kept)| is_kept.then_some(line))
                .collect();
            known_order(kept, files, spec)?
        }
    };
    let read_at = |line: u32| {
        let place = &lines[line as usize].place;
        (files_read.get(&place.file).copied(), place.line)
    };
    let note = order.note.take();
    if order.chains.len() > 1 {
        let numbering = admissible(&lines, &order, read_at)?;
        (lines, order) = order.renumbered(lines, &numbering);
    }
    let mut times = LineTimes::default();
    lines.iter().for_each(|line| times.add(line, spec));
    Ok(OrderedLines {
        lines,
        order,
        note: times.note(spec).or(note),
    })
}

/// Which lines are part of the log.
fn kept(
    lines: &[RawLine],
    files: usize,
    spec: &LogSpec,
    filter: &mut LineFilter<'_>,
) -> Result<Vec<bool>, LogError> {
    let mut is_kept = Vec::with_capacity(lines.len());
    if !filter.looks_around() {
        for line in lines {
            is_kept.push(filter.is_seen(line)? && filter.keeps(line, None)?);
        }
        return Ok(is_kept);
    }
    let mut seen = Vec::new();
    for line in lines {
        if filter.is_seen(line)? {
            seen.push(line.clone());
        }
    }
    // A line that is left out may have no clock. Then each node's lines are taken in the order in which they were read.
    let mut times = LineTimes::default();
    seen.iter().for_each(|line| times.add(line, spec));
    let known = match times.note(spec) {
        None => known_order(seen.clone(), files, spec).ok(),
        Some(_) => None,
    };
    let (seen, order) = known.unwrap_or_else(|| {
        let order = LineOrder::total(seen.len());
        (seen, order)
    });
    let mut decided: FxHashMap<&Place, bool> = FxHashMap::default();
    for (line, (previous, next)) in seen.iter().zip(neighbours(&seen, &order, spec)) {
        let neighbour = |line: Option<u32>| seen.get(line? as usize);
        let keeps = filter.keeps(line, Some((neighbour(previous), neighbour(next))))?;
        decided.insert(&line.place, keeps);
    }
    let is_kept = |line: &RawLine| decided.get(&line.place).copied().unwrap_or(false);
    Ok(lines.iter().map(is_kept).collect())
}

/// For each line, the previous and the next line of its node.
pub(crate) fn neighbours(
    lines: &[RawLine],
    order: &LineOrder,
    spec: &LogSpec,
) -> Vec<(Option<u32>, Option<u32>)> {
    let mut last: FxHashMap<Value, u32> = FxHashMap::default();
    let mut neighbours = vec![(None, None); lines.len()];
    for chain in &order.chains {
        for line in chain {
            let node = node_of(&lines[*line as usize], spec);
            if let Some(previous) = last.insert(node, *line) {
                neighbours[*line as usize].0 = Some(previous);
                neighbours[previous as usize].1 = Some(*line);
            }
        }
    }
    neighbours
}

fn admissible<K: Ord>(
    lines: &[RawLine],
    order: &LineOrder,
    key: impl Fn(u32) -> K,
) -> Result<Vec<u32>, LogError> {
    order.linear(key).map_err(|stuck| LogError::Line {
        place: lines[stuck as usize].place.to_string(),
        message: "this line comes before a line that it comes after: clocks or `after` form a circle"
            .to_owned(),
    })
}

/// What is known about the order of lines.
///
/// # Errors
/// If clocks are missing or no clocks.
fn known_order(
    mut lines: Vec<RawLine>,
    files: usize,
    spec: &LogSpec,
) -> Result<(Vec<RawLine>, LineOrder), LogError> {
    let settings = &spec.settings;
    lines.iter().try_for_each(|line| check_clock(line, spec))?;
    let clock_field = settings.clock.as_deref().unwrap_or("clock");
    let start_field = settings.start.as_deref().unwrap_or("start");
    let end_field = settings.end.as_deref().unwrap_or("end");
    let mut times = LineTimes::default();
    lines.iter().for_each(|line| times.add(line, spec));
    let order = settings.order.map(Ok).unwrap_or_else(|| {
        if times.all_have_vectors() {
            Ok(LogOrder::Vector)
        } else if times.all_have_timeboxes() {
            Ok(LogOrder::Timeboxes)
        } else if times.all_have_clocks() && settings.uncertainty.is_some() {
            Ok(LogOrder::Nodes)
        } else if times.all_have_clocks() {
            Ok(LogOrder::Clock)
        } else if files == 1 {
            Ok(LogOrder::Lines)
        } else {
            Err(LogError::Usage(format!(
                "nothing tells the order of the lines of {files} files: not every line has a \"{clock_field}\" (a number, or a vector as an \
                 object); name the field in the link file ([log] clock = …)"
            )))
        }
    })?;
    let number = |line: &RawLine, field: &str| -> Result<ClockReading, LogError> {
        line.field(field).and_then(ClockReading::of).ok_or_else(|| LogError::Line {
            place: line.place.to_string(),
            message: format!("there is no whole number in \"{field}\", which the order of lines needs ([log] order in the link file)"),
        })
    };
    match order {
        LogOrder::Lines => {
            let order = LineOrder::total(lines.len());
            Ok((lines, order))
        }
        LogOrder::Clock | LogOrder::Nodes | LogOrder::Timeboxes => {
            let wide = match order {
                LogOrder::Nodes | LogOrder::Timeboxes => settings.uncertainty.unwrap_or(0),
                _ => 0,
            };
            let mut timed = Vec::with_capacity(lines.len());
            for line in lines {
                let (start, end) = match order {
                    LogOrder::Timeboxes => (number(&line, start_field)?, number(&line, end_field)?),
                    _ => {
                        let clock = number(&line, clock_field)?;
                        (clock, clock)
                    }
                };
                if end < start {
                    return Err(LogError::Line {
                        place: line.place.to_string(),
                        message: format!("its \"{end_field}\" is before its \"{start_field}\""),
                    });
                }
                timed.push((start.plus(-wide), end.plus(wide), line));
            }
            timed.sort_by_key(|(start, ..)| *start);
            let nodes: Vec<Value> = timed.iter().map(|(.., line)| node_of(line, spec)).collect();
            let is_total = timed
                .windows(2)
                .zip(nodes.windows(2))
                .all(|(pair, nodes)| pair[0].1 < pair[1].0 || nodes[0] == nodes[1]);
            if is_total {
                let order = LineOrder::total(timed.len());
                let lines: Vec<RawLine> = timed.into_iter().map(|(.., line)| line).collect();
                MessageOrder::of(&lines, false)?.check_total(&lines)?;
                return Ok((lines, order));
            }
            let (chains, chain_of) = chains_of(&nodes);
            // For each position of a chain, the first end of the lines from there on: the line that ends then, and those before it in its
            // chain, come before what starts later.
            let first_end: Vec<Vec<ClockReading>> = chains
                .iter()
                .map(|chain| {
                    let mut ends: Vec<ClockReading> =
                        chain.iter().map(|line| timed[*line as usize].1).collect();
                    for at in (1..ends.len()).rev() {
                        ends[at - 1] = ends[at - 1].min(ends[at]);
                    }
                    ends
                })
                .collect();
            let mut needs: Vec<Vec<(u32, u32)>> = (0..timed.len())
                .map(|at| {
                    (0u32..)
                        .zip(&first_end)
                        .filter(|(chain, _)| *chain != chain_of[at])
                        .filter_map(|(chain, ends)| {
                            let count = ends.partition_point(|end| *end < timed[at].0);
                            (count > 0).then_some((chain, count as u32))
                        })
                        .collect()
                })
                .collect();
            let lines: Vec<RawLine> = timed.into_iter().map(|(.., line)| line).collect();
            let by_clocks = needs.iter().filter(|needs| !needs.is_empty()).count();
            let messages = MessageOrder::of(&lines, false)?;
            messages.add_to(&mut needs, &lines, &chains, &chain_of)?;
            let mut order = LineOrder::new(chains, needs);
            if settings.uncertainty.is_some() || messages.lines() > 0 {
                order.note = Some(format!(
                    "of {} lines of {} nodes, {by_clocks} come after lines of other nodes by their clocks, and {} by messages",
                    lines.len(),
                    order.chains.len(),
                    messages.lines()
                ));
            }
            Ok((lines, order))
        }
        LogOrder::Vector => vectors(lines, clock_field, spec),
        LogOrder::Edges => edges(std::mem::take(&mut lines), spec),
    }
}

/// The node of a line; the file, if no field names one.
pub(crate) fn node_of(line: &RawLine, spec: &LogSpec) -> Value {
    let field = spec.settings.node.as_deref().unwrap_or("node");
    match line.field(field) {
        Some(node) => node.clone(),
        None => Value::str(&line.place.file),
    }
}

fn chains_of(nodes: &[Value]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut by_node: FxHashMap<&Value, u32> = FxHashMap::default();
    let mut chains: Vec<Vec<u32>> = Vec::new();
    let mut chain_of = Vec::with_capacity(nodes.len());
    for (at, node) in (0u32..).zip(nodes) {
        let chain = *by_node.entry(node).or_insert_with(|| {
            chains.push(Vec::new());
            chains.len() as u32 - 1
        });
        chains[chain as usize].push(at);
        chain_of.push(chain);
    }
    (chains, chain_of)
}

/// The order of vector clocks: a line comes after the lines of other nodes whose own component its clock has reached.
fn vectors(lines: Vec<RawLine>, field: &str, spec: &LogSpec) -> Result<(Vec<RawLine>, LineOrder), LogError> {
    let wrong = |line: &RawLine, message: String| LogError::Line {
        place: line.place.to_string(),
        message,
    };
    let node_field = spec.settings.node.as_deref().unwrap_or("node");
    let mut with_own = Vec::with_capacity(lines.len());
    for line in lines {
        let node = match line.field(node_field) {
            Some(node) => node.as_str().map_or_else(|| node.to_string(), str::to_owned),
            None => {
                return Err(wrong(
                    &line,
                    format!(
                        "a vector clock needs the node of the line, and there is no \"{node_field}\" ([log] node in the link file)"
                    ),
                ));
            }
        };
        let clock = line
            .field(field)
            .and_then(|clock| Some((clock, clock.field(&node)?.as_int()?)));
        let Some((clock, own)) = clock else {
            return Err(wrong(
                &line,
                format!("\"{field}\" is no vector clock with a number for the node {node}"),
            ));
        };
        // A linear extension: if one line is before another, its vector is smaller at some component and greater at none.
        let record = clock.as_record();
        let sum: i128 = record
            .iter()
            .flat_map(|record| record.iter())
            .filter_map(|(_, part)| part.as_int().map(i128::from))
            .sum();
        with_own.push((sum, own, node, line));
    }
    with_own.sort_by_key(|(sum, ..)| *sum);
    let nodes: Vec<Value> = with_own.iter().map(|(_, _, node, _)| Value::str(node)).collect();
    let (mut chains, chain_of) = chains_of(&nodes);
    for chain in &mut chains {
        chain.sort_by_key(|line| with_own[*line as usize].1);
        for pair in chain.windows(2) {
            let (one, other) = (&with_own[pair[0] as usize], &with_own[pair[1] as usize]);
            if one.1 == other.1 {
                return Err(wrong(
                    &other.3,
                    format!(
                        "its vector clock has the same own component as {}: {}",
                        one.3.place, one.1
                    ),
                ));
            }
        }
    }
    let names: Vec<String> = chains
        .iter()
        .map(|chain| {
            chain
                .first()
                .map(|line| with_own[*line as usize].2.clone())
                .unwrap_or_default()
        })
        .collect();
    let needs = with_own
        .iter()
        .zip(&chain_of)
        .map(|((_, _, _, line), own_chain)| {
            (0u32..)
                .zip(&names)
                .filter(|(chain, _)| chain != own_chain)
                .filter_map(|(chain, name)| {
                    let seen = line.field(field)?.field(name)?.as_int()?;
                    let own = &chains[chain as usize];
                    let count = own.partition_point(|line| with_own[*line as usize].1 <= seen);
                    (count > 0).then_some((chain, count as u32))
                })
                .collect()
        })
        .collect();
    Ok((
        with_own.into_iter().map(|(.., line)| line).collect(),
        LineOrder::new(chains, needs),
    ))
}

/// Each node's own order, and what messages tell.
fn edges(lines: Vec<RawLine>, spec: &LogSpec) -> Result<(Vec<RawLine>, LineOrder), LogError> {
    let nodes: Vec<Value> = lines.iter().map(|line| node_of(line, spec)).collect();
    let (chains, chain_of) = chains_of(&nodes);
    let mut needs = vec![Vec::new(); lines.len()];
    MessageOrder::of(&lines, true)?.add_to(&mut needs, &lines, &chains, &chain_of)?;
    Ok((lines, LineOrder::new(chains, needs)))
}
