//! Lines that tell of one step: a line, and those of its node after it that join it (`joins = true`).
//!
//! They are one line from here on: [`RawLine::joined`]. Everything that any of them says holds for the step.

use crate::error::LogError;
use crate::log_spec::LogSpec;
use crate::raw_line::RawLine;

/// The lines of a node, each step's as one list: numbers of lines.
///
/// # Errors
/// If the first line joins a line before it.
pub(crate) fn steps_of(chain: &[u32], lines: &[RawLine], spec: &LogSpec) -> Result<Vec<Vec<u32>>, LogError> {
    let mut steps: Vec<Vec<u32>> = Vec::with_capacity(chain.len());
    for number in chain {
        let line = &lines[*number as usize];
        match (spec.joins(line), steps.last_mut()) {
            (true, Some(step)) => step.push(*number),
            (true, None) => return Err(nothing_to_join(line)),
            (false, _) => steps.push(vec![*number]),
        }
    }
    Ok(steps)
}

/// The error that a line joins nothing.
pub(crate) fn nothing_to_join(line: &RawLine) -> LogError {
    LogError::Line {
        place: line.place.to_string(),
        message: "it belongs to the node's previous line (joins = true in the link file), and there is none"
            .to_owned(),
    }
}

/// Takes the lines of a step out of the others, as one.
pub(crate) fn taken(lines: &mut [Option<RawLine>], step: &[u32]) -> Option<RawLine> {
    let (first, more) = step.split_first()?;
    let mut line = lines[*first as usize].take()?;
    line.joined = more
        .iter()
        .filter_map(|number| lines[*number as usize].take())
        .collect();
    Some(line)
}
