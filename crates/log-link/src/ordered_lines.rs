//! The order of lines, from what the link file and their clocks say.

use std::sync::Arc;

use omnilink_link::LogOrder;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::clock_order::TimedOrder;
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
    let field = spec.clock_field();
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
    /// Whether lines of one step come before and after another line: then no order of the lines explains them.
    pub has_circle: bool,
    /// What is to be said about the order.
    pub notes: Vec<String>,
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
    let kept = |lines: Vec<RawLine>| -> Vec<RawLine> {
        let kept = lines.into_iter().zip(&is_kept);
        kept.filter_map(|(line, is_kept)| is_kept.then_some(line))
            .collect()
    };
    let (mut lines, mut order) = match spec.settings.order {
        // Other lines may come after a line by way of one that is left out.
        Some(LogOrder::Edges) => {
            let (lines, order) = edges(lines, spec)?;
            let (lines, order) = order.without(lines, &is_kept);
            order.folded(lines, spec)?
        }
        _ => known_order(kept(lines), files, spec, true)?,
    };
    let read_at = |line: u32| {
        let place = &lines[line as usize].place;
        (files_read.get(&place.file).copied(), place.line)
    };
    let mut notes = std::mem::take(&mut order.notes);
    let mut has_circle = false;
    if order.chains.len() > 1 {
        let numbering = match order.linear(read_at) {
            Ok(numbering) => numbering,
            // What the lines of one step say contradicts each other: no order explains them.
            Err((some, _)) if lines.iter().any(|line| !line.joined.is_empty()) => {
                has_circle = true;
                with_the_others(some, lines.len())
            }
            Err((_, stuck)) => {
                return Err(LogError::Line {
                    place: lines[stuck as usize].place.to_string(),
                    message:
                        "this line comes before a line that it comes after: clocks or `after` form a circle"
                            .to_owned(),
                });
            }
        };
        (lines, order) = order.renumbered(lines, &numbering);
    }
    let mut times = LineTimes::default();
    let all = lines.iter().flat_map(RawLine::parts);
    all.for_each(|line| times.add(line, spec));
    notes.extend(times.note(spec));
    Ok(OrderedLines {
        lines,
        order,
        has_circle,
        notes,
    })
}

/// These lines, and then the others.
fn with_the_others(mut some: Vec<u32>, count: usize) -> Vec<u32> {
    let mut is_there = vec![false; count];
    some.iter().for_each(|line| is_there[*line as usize] = true);
    some.extend((0..count as u32).filter(|line| !is_there[*line as usize]));
    some
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
        None => known_order(seen.clone(), files, spec, false).ok(),
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

/// What is known about the order of lines. Whether lines of one step become one.
///
/// # Errors
/// If clocks are missing or no clocks.
fn known_order(
    lines: Vec<RawLine>,
    files: usize,
    spec: &LogSpec,
    folds: bool,
) -> Result<(Vec<RawLine>, LineOrder), LogError> {
    let settings = &spec.settings;
    lines.iter().try_for_each(|line| check_clock(line, spec))?;
    let order = match settings.order {
        Some(order) => order,
        None => usual_order(&lines, files, spec)?,
    };
    let timed = TimedOrder {
        spec,
        apart: match order {
            LogOrder::Nodes | LogOrder::Timeboxes => settings.apart_ns().unwrap_or(0),
            _ => 0,
        },
        is_file_a_node: files > 1,
        folds,
        uses_messages: order != LogOrder::Lines,
        tells: settings.apart_ns().is_some(),
    };
    if matches!(order, LogOrder::Clock | LogOrder::Nodes | LogOrder::Timeboxes) {
        spec.used.took("log.clock_unit");
    }
    let unit = settings.clock_unit.unwrap_or_default().nanoseconds();
    let number = |line: &RawLine, field: &str| -> Result<ClockReading, LogError> {
        let reading = line.field(field).and_then(ClockReading::of);
        reading.map(|reading| reading.in_units_of(unit)).ok_or_else(|| LogError::Line {
            place: line.place.to_string(),
            message: format!("there is no whole number in \"{field}\", which the order of lines needs ([log] order in the link file)"),
        })
    };
    match order {
        LogOrder::Lines => {
            let times = (0..lines.len() as i64).map(|at| {
                let at = ClockReading::of(&Value::int(at)).unwrap_or(ClockReading::FIRST);
                (at, at)
            });
            let times = times.collect();
            timed.of(lines, times)
        }
        LogOrder::Clock | LogOrder::Nodes => {
            let times = lines.iter().map(|line| {
                let clock = number(line, spec.clock_field())?;
                Ok((clock, clock))
            });
            let times = times.collect::<Result<_, LogError>>()?;
            timed.of(lines, times)
        }
        LogOrder::Timeboxes => {
            let [start_field, end_field] = spec.timebox_fields();
            let times = lines.iter().map(|line| {
                let (start, end) = (number(line, start_field)?, number(line, end_field)?);
                if end < start {
                    return Err(LogError::Line {
                        place: line.place.to_string(),
                        message: format!("its \"{end_field}\" is before its \"{start_field}\""),
                    });
                }
                Ok((start, end))
            });
            let times = times.collect::<Result<_, LogError>>()?;
            timed.of(lines, times)
        }
        LogOrder::Vector | LogOrder::Edges => {
            let (lines, order) = match order {
                LogOrder::Vector => vectors(lines, spec.clock_field(), spec)?,
                _ => edges(lines, spec)?,
            };
            if folds {
                order.folded(lines, spec)
            } else {
                Ok((lines, order))
            }
        }
    }
}

/// The order of lines if the link file names none: that of what they all have.
fn usual_order(lines: &[RawLine], files: usize, spec: &LogSpec) -> Result<LogOrder, LogError> {
    let mut times = LineTimes::default();
    lines.iter().for_each(|line| times.add(line, spec));
    if times.all_have_vectors() {
        Ok(LogOrder::Vector)
    } else if times.all_have_timeboxes() {
        Ok(LogOrder::Timeboxes)
    } else if times.all_have_clocks() && spec.settings.apart_ns().is_some() {
        Ok(LogOrder::Nodes)
    } else if times.all_have_clocks() {
        Ok(LogOrder::Clock)
    } else if files == 1 {
        Ok(LogOrder::Lines)
    } else {
        Err(LogError::Usage(format!(
            "nothing tells the order of the lines of {files} files: not every line has a \"{}\" (a number, or a vector as an \
             object); name the field in the link file ([log] clock = …)",
            spec.clock_field()
        )))
    }
}

/// Whether a line says which node wrote it.
pub(crate) fn names_node(line: &RawLine, spec: &LogSpec) -> bool {
    line.field(spec.node_field()).is_some()
}

/// The node of a line; the file, if no field names one.
pub(crate) fn node_of(line: &RawLine, spec: &LogSpec) -> Value {
    match line.field(spec.node_field()) {
        Some(node) => node.clone(),
        None => Value::str(&line.place.file),
    }
}

pub(crate) fn chains_of(nodes: &[Value]) -> (Vec<Vec<u32>>, Vec<u32>) {
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
    let node_field = spec.node_field();
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
