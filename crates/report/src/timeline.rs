//! Operations drawn as boxes, one row per thread.
//!
//! A drawing that is wider than the page is cut into bands that stand below each other, where possible at a moment
//! when nothing was running; a box that is cut goes on with `~` in the next band.

use std::fmt::Write;

use omnilink_evidence::{ReportedOperation, ThreadName};
use omnilink_trace::Timebox;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::layout::{Item, Layout, Span, lay_out};
use crate::look::{Look, Tone};

/// An operation in a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The thread that called it.
    pub thread: ThreadName,
    /// The call.
    pub text: String,
    /// When it ran.
    pub timebox: Timebox,
    /// How it is marked.
    pub mark: Mark,
}

/// How an operation is marked in a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing special.
    #[default]
    Plain,
    /// Nothing explains this one.
    Unexplained,
    /// It took effect at this position of the order.
    Placed(u64),
}

impl Mark {
    fn tone(self) -> Tone {
        match self {
            Self::Unexplained => Tone::Bad,
            Self::Plain | Self::Placed(_) => Tone::Plain,
        }
    }
}

impl Bar {
    /// An operation; without times it is drawn at the beginning.
    pub(crate) fn new(op: &ReportedOperation, mark: Mark) -> Self {
        Self {
            thread: op.thread.clone(),
            text: op.text.clone(),
            timebox: Timebox {
                start: op.start.unwrap_or(0),
                end: op.end,
            },
            mark,
        }
    }
}

/// How much of an operation's text is drawn.
const TEXT_MAX: usize = 40;
/// How much of a thread's name is drawn.
const NAME_MAX: usize = 16;
/// What a box has around its text.
const FRAME: usize = "|--|".len();

/// Draws operations as boxes, one row per thread. Lines end without blanks; every line ends with a newline.
pub fn draw(bars: &[Bar], look: &Look) -> String {
    let mut threads: Vec<&ThreadName> = bars.iter().map(|bar| &bar.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let labels: Vec<String> = threads
        .iter()
        .map(|thread| {
            look.shorten(&look.clean(&thread.to_string()), NAME_MAX)
                .into_owned()
        })
        .collect();
    let gutter = labels.iter().map(|label| label.width()).max().unwrap_or(0) + 2;
    let body = look.columns() - gutter;

    let texts: Vec<String> = bars.iter().map(|bar| text_of(bar, look, body)).collect();
    let items: Vec<Item> = bars
        .iter()
        .zip(&texts)
        .map(|(bar, text)| Item {
            row: threads
                .iter()
                .position(|thread| **thread == bar.thread)
                .unwrap_or(0),
            timebox: bar.timebox,
            width: text.width() + FRAME,
        })
        .collect();
    let layout = lay_out(&items, threads.len());
    let drawing = Drawing {
        bars,
        texts: &texts,
        items: &items,
        layout: &layout,
        look,
    };

    let mut page = String::new();
    let bands = drawing.bands(body);
    for (at, (band, members)) in bands.iter().zip(drawing.members(&bands)).enumerate() {
        if at > 0 {
            page.push('\n');
        }
        for (row, label) in labels.iter().enumerate() {
            for lane in 0..layout.lanes[row] {
                let label = if lane == 0 { label.as_str() } else { "" };
                let line = drawing.line(row, lane, *band, &members);
                if lane == 0 || !line.is_empty() {
                    page.push_str(&look.paint(Tone::Strong, label));
                    if !line.is_empty() {
                        let blanks = gutter - label.width();
                        let _ = write!(page, "{:blanks$}{line}", "");
                    }
                    page.push('\n');
                }
            }
        }
    }
    page
}

fn text_of(bar: &Bar, look: &Look, body: usize) -> String {
    let text = look.clean(&bar.text);
    let text = match bar.mark {
        Mark::Plain => text.into_owned(),
        Mark::Unexplained => format!("{} {text}", look.cross()),
        Mark::Placed(order) => format!("#{order} {text}"),
    };
    look.shorten(&text, TEXT_MAX.min(body.saturating_sub(FRAME)))
        .into_owned()
}

/// The columns of a band, the last one excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Band {
    first: usize,
    end: usize,
}

struct Drawing<'a> {
    bars: &'a [Bar],
    texts: &'a [String],
    items: &'a [Item],
    layout: &'a Layout,
    look: &'a Look,
}

/// One column: a character, or the second half of the wide one before it.
type Cell = (Option<char>, Tone);

impl Drawing<'_> {
    /// Cuts the drawing into pieces of at most `width` columns.
    fn bands(&self, width: usize) -> Vec<Band> {
        let crossings = self.crossings();
        let mut bands = Vec::new();
        let mut first = 0;
        while self.layout.width - first > width {
            let latest = first + width;
            let ends = (first + width / 2..=latest).rev();
            let end = ends.min_by_key(|end| crossings.get(*end)).unwrap_or(latest);
            bands.push(Band { first, end });
            first = end;
        }
        let end = self.layout.width;
        bands.push(Band { first, end });
        bands
    }

    /// For each column, how many boxes a cut in front of it goes through. Pending ones go on anyway.
    fn crossings(&self) -> Vec<usize> {
        let mut begun = vec![0; self.layout.width + 1];
        let mut over = vec![0; self.layout.width + 1];
        let boxes = self.items.iter().zip(&self.layout.spans);
        for (_, span) in boxes.filter(|(item, _)| !item.timebox.is_pending()) {
            begun[span.first + 1] += 1;
            over[span.last + 1] += 1;
        }
        let mut open = 0;
        let through = |(begun, over): (usize, usize)| {
            open = open + begun - over;
            open
        };
        begun.into_iter().zip(over).map(through).collect()
    }

    /// The boxes of each band, in the order of the items.
    fn members(&self, bands: &[Band]) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); bands.len()];
        for (index, span) in self.layout.spans.iter().enumerate() {
            let from = bands.partition_point(|band| band.end <= span.first);
            let to = bands.partition_point(|band| band.first <= span.last);
            for members in &mut members[from..to] {
                members.push(index);
            }
        }
        members
    }

    fn line(&self, row: usize, lane: usize, band: Band, members: &[usize]) -> String {
        let mut cells: Vec<Cell> = vec![(Some(' '), Tone::Plain); band.end - band.first];
        for &index in members {
            let span = self.layout.spans[index];
            if self.items[index].row == row && span.lane == lane {
                self.draw_box(index, span, band, &mut cells);
            }
        }
        let used = cells
            .iter()
            .rposition(|cell| *cell != (Some(' '), Tone::Plain))
            .map_or(0, |last| last + 1);
        cells.truncate(used);
        let mut line = String::new();
        for run in cells.chunk_by(|a, b| a.1 == b.1) {
            let text: String = run.iter().filter_map(|(c, _)| *c).collect();
            line.push_str(&self.look.paint(run[0].1, &text));
        }
        line
    }

    fn draw_box(&self, index: usize, span: Span, band: Band, cells: &mut [Cell]) {
        let bar = &self.bars[index];
        let tone = bar.mark.tone();
        let is_pending = bar.timebox.is_pending();
        let from = span.first.max(band.first);
        let to = span.last.min(band.end - 1);
        let column = |at: usize| at - band.first;
        for at in from..=to {
            let starts = at == span.first;
            let ends = at == span.last && !is_pending;
            let is_cut = (at == from && !starts) || (at == to && to != span.last && !is_pending);
            let c = match (starts || ends, is_cut) {
                (true, _) => '|',
                (false, true) => '~',
                (false, false) if is_pending && at > from + 2 => self.look.open_end(),
                (false, false) => '-',
            };
            cells[column(at)] = (Some(c), tone);
        }
        let room = (to + 1 - from).saturating_sub(FRAME);
        // A box that was cut carries its text where there is most room for it, and again wherever it fits.
        let text = &self.texts[index];
        let is_widest = room * 2 + 2 * FRAME >= span.last + 1 - span.first;
        if text.width() > room && !is_widest {
            return;
        }
        let text = self.look.shorten(text, room);
        let slack = room - text.width();
        let before = if is_pending { 0 } else { slack / 2 };
        let mut at = column(from) + FRAME / 2 + before;
        for c in text.chars() {
            let width = c.width().unwrap_or(0);
            if width == 0 {
                continue;
            }
            cells[at] = (Some(c), tone);
            for half in cells.iter_mut().skip(at + 1).take(width - 1) {
                *half = (None, tone);
            }
            at += width;
        }
        if is_pending && let Some(cell) = cells.get_mut(at) {
            *cell = (Some(' '), tone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `thread text start..end`, an end of `?` for a pending operation, `!` before the text for the unexplained one.
    fn bars(picture: &str) -> Vec<Bar> {
        let line = |line: &str| {
            let (thread, rest) = line.trim().split_once(' ').unwrap();
            let (text, times) = rest.rsplit_once(' ').unwrap();
            let (start, end) = times.split_once("..").unwrap();
            let start = start.parse().unwrap();
            let timebox = end
                .parse()
                .map_or(Timebox::pending(start), |end| Timebox::new(start, end));
            let (text, mark) = match text.strip_prefix('!') {
                Some(text) => (text, Mark::Unexplained),
                None => (text, Mark::Plain),
            };
            Bar {
                thread: ThreadName::Name(format!("t{thread}")),
                text: text.to_owned(),
                timebox,
                mark,
            }
        };
        picture
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(line)
            .collect()
    }

    fn drawn(picture: &str, look: Look) -> String {
        draw(&bars(picture), &look)
    }

    #[test]
    fn boxes_are_scaled_by_rank_and_not_by_time() {
        let picture = "
            0 write 1 0..1000000
            1 read 2 10..1000020
            0 write 2 1000010..1000030";
        insta::assert_snapshot!(drawn(picture, Look::plain()), @r#"
            t0  |-write 1-||-write 2-|
            t1   |--read 2--|
        "#);
    }

    #[test]
    fn a_pending_operation_is_open_to_the_right_and_the_unexplained_one_is_marked() {
        let picture = "
            0 write 1 0..5
            1 write 2 2..?
            2 !read 3 8..11
            0 read 1 9..20";
        insta::assert_snapshot!(drawn(picture, Look::plain()), @r#"
            t0  |-write 1-| |--read 1--|
            t1   |-write 2 ·············
            t2             |-✗ read 3-|
        "#);
        insta::assert_snapshot!(drawn(picture, Look { ascii: true, ..Look::plain() }), @r#"
            t0  |-write 1-| |--read 1--|
            t1   |-write 2 .............
            t2             |-x read 3-|
        "#);
    }

    #[test]
    fn overlapping_calls_of_one_thread_take_several_lines() {
        insta::assert_snapshot!(drawn("0 get a 0..10\n0 get b 5..15\n1 put 3..20", Look::plain()), @r#"
            t0  |-get a-|
                  |-get b-|
            t1   |---put---|
        "#);
    }

    #[test]
    fn an_operation_that_ends_when_it_starts_still_has_room_for_its_text() {
        insta::assert_snapshot!(drawn("0 tick 5..5\n1 tock 5..9\n0 tack 6..6", Look::plain()), @r#"
            t0  |-tick-||-tack-|
            t1  |-----tock------|
        "#);
    }

    #[test]
    fn a_drawing_wider_than_the_page_goes_on_below() {
        let mut picture = String::from("2 slow write 4..95\n1 lost 15..?\n");
        for i in 0..10 {
            picture.push_str(&format!(
                "{} enqueue({i}) {}..{}\n",
                i % 2 * 3,
                i * 10,
                i * 10 + 8
            ));
        }
        let page = drawn(
            &picture,
            Look {
                width: 60,
                ..Look::plain()
            },
        );
        assert!(page.lines().all(|line| line.width() <= 60));
        insta::assert_snapshot!(page, @r#"
            t0  |-enqueue(0)-|              |-enqueue(2)-|
            t1                 |-lost ··································
            t2   |---------------------slow write----------------------~
            t3                |-enqueue(1)-|              |-enqueue(3)-|

            t0  |-enqueue(4)-|              |-enqueue(6)-|
            t1  ~-lost ·················································
            t2  ~----------------------slow write----------------------~
            t3                |-enqueue(5)-|              |-enqueue(7)-|

            t0  |-enqueue(8)-|
            t1  ~-lost ·····················
            t2  ~--slow write--|
            t3                |-enqueue(9)-|
        "#);
    }

    #[test]
    fn the_order_of_a_witness_stands_before_the_text() {
        let mut bars = bars("0 write 1 0..5\n1 read 2 2..20\n0 write 2 8..11");
        for (bar, order) in bars.iter_mut().zip([1, 3, 2]) {
            bar.mark = Mark::Placed(order);
        }
        let page = draw(&bars, &Look::plain());
        insta::assert_snapshot!(page, @r#"
        t0  |-#1 write 1-||-#2 write 2-|
        t1   |--------#3 read 2---------|
        "#);
    }

    #[test]
    fn wide_characters_keep_the_columns() {
        insta::assert_snapshot!(drawn("0 put 日本 0..5\n1 get 2..9\n0 put x 7..8", Look::plain()), @r#"
            t0  |-put 日本-||-put x-|
            t1   |--------get--------|
        "#);
    }

    #[test]
    fn colour_comes_only_when_it_is_asked_for() {
        let colored = drawn(
            "0 !read 3 0..5",
            Look {
                color: true,
                ..Look::plain()
            },
        );
        assert!(colored.contains("\u{1b}["));
        assert!(!drawn("0 !read 3 0..5", Look::plain()).contains('\u{1b}'));
    }
}
