//! What messages and `after` tell about the order of lines, however clocks disagree.
//!
//! A line with `receives` comes after the line that has the same value in `sends`, and a line with `after` after the lines that have those `id`s. If several lines send
//! the same (a message that is sent again), a receiver comes after one of them, and nobody knows which: after the first one, if they are of one node, and else
//! nothing is known. What was sent by nobody was sent by somebody who wrote no log.

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::error::LogError;
use crate::line_order::positions;
use crate::raw_line::RawLine;

/// For each line, lines that come before it.
#[derive(Debug)]
pub(crate) struct MessageOrder {
    before: Vec<Vec<Sources>>,
}

/// Lines of which one comes before, and its name for messages.
#[derive(Debug, Clone)]
struct Sources {
    lines: Vec<usize>,
    what: String,
}

impl MessageOrder {
    /// Of these lines. Whether every `after` must be the `id` of a line.
    ///
    /// # Errors
    /// If two lines have one `id`, or an `after` is nobody's.
    pub fn of(lines: &[RawLine], needs_all: bool) -> Result<Self, LogError> {
        let mut before = vec![Vec::new(); lines.len()];
        let mut parts = lines.iter().flat_map(RawLine::parts);
        if parts.all(|line| line.field("after").is_none() && line.field("receives").is_none()) {
            return Ok(Self { before });
        }
        let mut by_id: FxHashMap<&Value, usize> = FxHashMap::default();
        let mut senders: FxHashMap<&Value, Vec<usize>> = FxHashMap::default();
        let numbered = lines.iter().enumerate();
        for (at, line) in numbered.flat_map(|(at, line)| line.parts().map(move |part| (at, part))) {
            if let Some(id) = line.field("id")
                && let Some(earlier) = by_id.insert(id, at)
            {
                return Err(wrong(
                    line,
                    format!("the id {id} is also that of {}", lines[earlier].place),
                ));
            }
            for message in several(line.field("sends")) {
                senders.entry(message).or_default().push(at);
            }
        }
        for (line, before) in lines.iter().zip(&mut before) {
            for part in line.parts() {
                for id in several(part.field("after")) {
                    match by_id.get(id) {
                        Some(at) => before.push(Sources {
                            lines: vec![*at],
                            what: format!("{id}"),
                        }),
                        None if needs_all => {
                            return Err(wrong(
                                part,
                                format!("it comes after {id}, and no line has this id"),
                            ));
                        }
                        None => {}
                    }
                }
                for message in several(part.field("receives")) {
                    before.extend(senders.get(message).map(|lines| Sources {
                        lines: lines.clone(),
                        what: format!("the line that sends {message}"),
                    }));
                }
            }
        }
        Ok(Self { before })
    }

    /// How many lines come after others by it.
    pub fn lines(&self) -> usize {
        self.before.iter().filter(|sources| !sources.is_empty()).count()
    }

    /// Checks that lines that stand in their order already contradict nothing.
    ///
    /// # Errors
    /// If a line stands before one that it comes after.
    pub fn check_total(&self, lines: &[RawLine]) -> Result<(), LogError> {
        for (at, sources) in self.before.iter().enumerate() {
            let contradicted = sources
                .iter()
                .find(|sources| sources.lines.iter().all(|before| *before > at));
            if let Some(sources) = contradicted {
                return Err(contradiction(&lines[at], sources, lines));
            }
        }
        Ok(())
    }

    /// Adds what is known to what lines need of other chains: how many of their lines come before.
    ///
    /// # Errors
    /// If a line comes after one that its own node wrote later.
    pub fn add_to(
        &self,
        needs: &mut [Vec<(u32, u32)>],
        lines: &[RawLine],
        chains: &[Vec<u32>],
        chain_of: &[u32],
    ) -> Result<(), LogError> {
        let position = positions(chains, lines.len());
        for (at, sources) in self.before.iter().enumerate() {
            for sources in sources {
                let Some(first) = sources.lines.iter().copied().min_by_key(|line| position[*line]) else {
                    continue;
                };
                let chain = chain_of[first];
                if sources.lines.iter().any(|line| chain_of[*line] != chain) {
                    continue;
                }
                let count = position[first] + 1;
                if chain == chain_of[at] {
                    // Of the lines of one step, one may come after another.
                    let is_own = first == at && sources.lines.len() == 1 && lines[at].joined.is_empty();
                    if position[first] > position[at] || is_own {
                        return Err(contradiction(&lines[at], sources, lines));
                    }
                    continue;
                }
                let of_line = &mut needs[at];
                match of_line.iter_mut().find(|(own, _)| *own == chain) {
                    Some((_, most)) => *most = (*most).max(count),
                    None => of_line.push((chain, count)),
                }
            }
        }
        Ok(())
    }
}

/// A value, or the elements of a list.
fn several(value: Option<&Value>) -> &[Value] {
    value.map_or(&[], |value| {
        value.as_tuple().unwrap_or(std::slice::from_ref(value))
    })
}

fn wrong(line: &RawLine, message: String) -> LogError {
    LogError::Line {
        place: line.place.to_string(),
        message,
    }
}

fn contradiction(line: &RawLine, sources: &Sources, lines: &[RawLine]) -> LogError {
    let place = sources
        .lines
        .first()
        .map(|first| lines[*first].place.to_string())
        .unwrap_or_default();
    wrong(
        line,
        format!(
            "it comes after {} ({place}), which comes later by the order of its node or of clocks; clocks of different machines need --skew",
            sources.what
        ),
    )
}
