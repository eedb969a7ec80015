//! The isolation checks against the definition, on histories of a shape that random ones almost never have.

use fastrand::Rng;

use crate::isolation_agrees::{Made, agrees, recorded};

const X: usize = 0;
const Y: usize = 1;

fn rounds(count: usize) -> usize {
    let more = std::env::var("OMNILINK_ROUNDS").ok();
    count * more.and_then(|more| more.parse().ok()).unwrap_or(1)
}

/// A transaction of unknown outcome that has read, that others read from, and after which its session goes on.
#[test]
fn sessions_go_on_after_a_transaction_of_unknown_outcome() {
    let mut rng = Rng::with_seed(1);
    let mut found = [0; 6];
    for _ in 0..rounds(1_200) {
        let made = |session: usize, end: Option<usize>, steps: Vec<(usize, usize, bool)>| Made {
            session,
            start: 0,
            end,
            is_aborted: false,
            steps,
        };
        let mut session = || rng.usize(..3);
        let (first, second, last) = (session(), session(), session());
        let seen = rng.usize(..3);
        let mut reads = || {
            let mut steps = vec![(X, rng.usize(..3), false), (Y, 9 * rng.usize(..2), false)];
            rng.shuffle(&mut steps);
            steps
        };
        let made = [
            made(first, Some(1), vec![(X, 1, true)]),
            made(second, Some(1), vec![(X, 1, false), (X, 2, true)]),
            made(0, None, vec![(X, seen, false), (Y, 9, true)]),
            made(0, Some(1), reads()),
            made(last, Some(1), reads()),
        ];
        found[agrees(&recorded(&made, false), &made, false)] += 1;
    }
    assert!(found.iter().filter(|count| **count > 0).count() >= 3, "{found:?}");
}

/// Several writers that overlap the one that was read from, all ended before the reader begins, of which one read from it.
#[test]
fn every_writer_that_ended_before_a_read_counts() {
    let mut rng = Rng::with_seed(2);
    let mut found = [0; 6];
    for _ in 0..rounds(1_200) {
        let mut made = |session: usize, latest: usize, steps: Vec<(usize, usize, bool)>| {
            let start = rng.usize(..3) + latest;
            Made {
                session,
                start,
                end: Some(start + 1 + rng.usize(..4)),
                is_aborted: false,
                steps,
            }
        };
        let made = [
            made(0, 0, vec![(X, 1, true)]),
            made(1, 0, vec![(X, 1, false), (X, 2, true)]),
            made(2, 0, vec![(X, 3, true)]),
            made(3, 4, vec![(X, 1, false)]),
        ];
        found[agrees(&recorded(&made, true), &made, true)] += 1;
    }
    assert!(found[4] > 100 && found[5] > 100, "{found:?}");
}
