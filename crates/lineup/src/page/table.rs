//! What each thread called and got, side by side.

use omnilink_report::{Look, Tone};
use unicode_width::UnicodeWidthStr;

use crate::history::{CallHistory, HistoryEnding};
use crate::slot::{CallSlot, Lane};
use crate::words::Words;

/// A column for each lane, a row for each of its calls.
pub(crate) fn table(words: Words<'_>, history: &CallHistory, look: &Look) -> String {
    let columns: Vec<Vec<String>> = words
        .matrix
        .lanes()
        .map(|lane| {
            std::iter::once(lane.to_string())
                .chain(cells(words, lane, history, look))
                .collect()
        })
        .collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().map(|cell| cell.width()).max().unwrap_or(0))
        .collect();
    let mut page = String::new();
    for row in 0..rows {
        let mut line = String::from("  ");
        for (column, width) in columns.iter().zip(&widths) {
            let cell = column.get(row).map_or("", String::as_str);
            let blanks = width.saturating_sub(cell.width()) + 3;
            let tone = if row == 0 { Tone::Strong } else { Tone::Plain };
            line.push_str(&look.paint(tone, cell));
            line.push_str(&" ".repeat(blanks));
        }
        page.push_str(line.trim_end());
        page.push('\n');
    }
    page
}

fn cells(words: Words<'_>, lane: Lane, history: &CallHistory, look: &Look) -> Vec<String> {
    let slots = (0..words.matrix.lane(lane).len()).map(|index| CallSlot {
        lane,
        index: index as u8,
    });
    let pending = history.pending();
    slots
        .map(|slot| {
            let text = match (history.result(slot), history.ending) {
                (Some(_), _) => words.outcome(slot, history),
                (None, HistoryEnding::Crashed(crashed, reason)) if crashed == slot => {
                    format!("{} crashes: {}", words.call(slot), words.results.text(reason))
                }
                (None, HistoryEnding::Stuck) if pending.contains(&slot) => {
                    format!("{} is stuck", words.call(slot))
                }
                (None, _) if pending.contains(&slot) => words.outcome(slot, history),
                (None, _) => format!("({} is not called)", words.call(slot)),
            };
            look.clean(&text).into_owned()
        })
        .collect()
}
