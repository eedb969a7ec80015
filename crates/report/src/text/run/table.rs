//! The calls of each thread with their results, side by side.

use omnilink_evidence::MatrixLane;
use unicode_width::UnicodeWidthStr;

use crate::look::{Look, Tone};

/// A column for each thread, a row for each of its calls.
pub(super) fn text(lanes: &[MatrixLane], look: &Look) -> String {
    let columns: Vec<Vec<String>> = lanes
        .iter()
        .map(|lane| {
            std::iter::once(&lane.name)
                .chain(&lane.calls)
                .map(|cell| look.clean(cell).into_owned())
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
