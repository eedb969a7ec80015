//! Where the boxes of a timeline stand.
//!
//! Columns follow the *rank* of an event, not its time: only the order of calls and returns decides whether a history is
//! explained, and a box that took a thousand times as long would push everything else off the page. Each box is as wide
//! as its text needs, and an event that comes later stands further right. So boxes that are apart on the page are apart
//! in time, and boxes that share a column overlap.

use omnilink_trace::{Time, Timebox};

/// What a box needs to know to find its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// Which thread's row, counted from the top.
    pub row: usize,
    pub timebox: Timebox,
    /// How many columns it takes at least.
    pub width: usize,
}

/// The columns of a box, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub first: usize,
    pub last: usize,
    /// Which line of its thread's row: more than one where boxes of a thread overlap.
    pub lane: usize,
}

/// The places of all boxes.
#[derive(Debug)]
pub(crate) struct Layout {
    /// In the order of the items.
    pub spans: Vec<Span>,
    /// How many columns there are.
    pub width: usize,
    /// How many lines each row needs.
    pub lanes: Vec<usize>,
}

/// The columns in which operations start and end at one moment.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    starts: usize,
    ends: usize,
}

/// Finds a place for each item, in time that grows with `n log n`.
pub(crate) fn lay_out(items: &[Item], rows: usize) -> Layout {
    let mut times: Vec<Time> = items
        .iter()
        .flat_map(|item| std::iter::once(item.timebox.start).chain(item.timebox.end))
        .collect();
    times.sort_unstable();
    times.dedup();
    let rank = |time: Time| times.partition_point(|earlier| *earlier < time);

    let mut ending: Vec<Vec<usize>> = vec![Vec::new(); times.len()];
    for (index, item) in items.iter().enumerate() {
        if let Some(end) = item.timebox.end {
            ending[rank(end)].push(index);
        }
    }
    let starts: Vec<usize> = items.iter().map(|item| rank(item.timebox.start)).collect();
    let mut moments = vec![Moment::default(); times.len()];
    let mut next = 0;
    for at in 0..times.len() {
        // A box that ends when it starts needs room between the two.
        let is_point = |index: &usize| starts[*index] == at;
        let reach = |index: &usize| moments[starts[*index]].starts + items[*index].width - 1;
        let (points, others): (Vec<usize>, Vec<usize>) = ending[at].iter().copied().partition(is_point);
        let ends = others.iter().map(reach).fold(next, usize::max);
        moments[at] = match points.iter().map(|index| items[*index].width - 1).max() {
            None => Moment { starts: ends, ends },
            Some(widest) => Moment {
                starts: next,
                ends: ends.max(next + widest),
            },
        };
        next = moments[at].ends + 1;
    }
    let open = |(item, start): (&Item, &usize)| moments[*start].starts + item.width;
    let pending = items
        .iter()
        .zip(&starts)
        .filter(|(item, _)| item.timebox.is_pending());
    let width = pending.map(open).fold(next, usize::max);

    let mut spans: Vec<Span> = items
        .iter()
        .zip(&starts)
        .map(|(item, start)| Span {
            first: moments[*start].starts,
            last: item
                .timebox
                .end
                .map_or(width.saturating_sub(1), |end| moments[rank(end)].ends),
            lane: 0,
        })
        .collect();
    let lanes = assign_lanes(items, &mut spans, rows);
    Layout { spans, width, lanes }
}

/// Puts boxes of one row that overlap on lines of their own. Two that only touch share the column in which they do.
fn assign_lanes(items: &[Item], spans: &mut [Span], rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|index| (spans[*index].first, spans[*index].last));
    let mut taken: Vec<Vec<usize>> = vec![Vec::new(); rows];
    for index in order {
        let span = &mut spans[index];
        let lanes = &mut taken[items[index].row];
        match lanes.iter().position(|last| *last <= span.first) {
            Some(lane) => {
                span.lane = lane;
                lanes[lane] = span.last;
            }
            None => {
                span.lane = lanes.len();
                lanes.push(span.last);
            }
        }
    }
    taken.into_iter().map(|lanes| lanes.len().max(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(row: usize, start: Time, end: Option<Time>) -> Item {
        let timebox = end.map_or(Timebox::pending(start), |end| Timebox::new(start, end));
        Item {
            row,
            timebox,
            width: 5,
        }
    }

    #[test]
    fn what_is_apart_in_time_is_apart_on_the_page_and_what_overlaps_shares_a_column() {
        let boxes = [
            (0, 10),
            (5, 20),
            (10, 30),
            (11, 11),
            (12, 40),
            (1_000, 2_000),
            (7, 7),
            (2_000, 2_000),
        ];
        let items: Vec<Item> = boxes
            .iter()
            .enumerate()
            .map(|(row, (start, end))| item(row, *start, Some(*end)))
            .collect();
        let layout = lay_out(&items, items.len());
        for (a, first) in items.iter().zip(&layout.spans) {
            assert!(first.last - first.first + 1 >= a.width && first.last < layout.width);
            for (b, second) in items.iter().zip(&layout.spans) {
                assert_eq!(
                    a.timebox.precedes(&b.timebox),
                    first.last < second.first,
                    "{a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn a_pending_operation_reaches_the_right_edge() {
        let layout = lay_out(&[item(0, 0, None), item(1, 5, Some(9)), item(2, 20, None)], 3);
        let last = layout.width - 1;
        assert_eq!(
            layout
                .spans
                .iter()
                .map(|span| span.last == last)
                .collect::<Vec<_>>(),
            [true, false, true]
        );
    }

    #[test]
    fn calls_of_one_thread_that_overlap_get_lines_of_their_own() {
        let layout = lay_out(
            &[item(0, 0, Some(10)), item(0, 5, Some(15)), item(0, 12, Some(20))],
            1,
        );
        assert_eq!(
            layout.spans.iter().map(|span| span.lane).collect::<Vec<_>>(),
            [0, 1, 0]
        );
        assert_eq!(layout.lanes, [2]);
    }

    #[test]
    fn nothing_takes_no_room() {
        assert_eq!(lay_out(&[], 0).width, 0);
    }
}
