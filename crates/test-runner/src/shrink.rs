//! The fewest switches that still make a test fail.

/// Leaves out elements as long as `fails` is true of the rest, and returns what is left (delta debugging: Zeller and Hildebrandt, TSE 2002).
/// Ends early when `fails` returns `None`.
pub(crate) fn shrunk<T: Clone>(elements: &[T], mut fails: impl FnMut(&[T]) -> Option<bool>) -> Vec<T> {
    let mut left = elements.to_vec();
    let mut part = left.len().div_ceil(2);
    while part > 0 && !left.is_empty() {
        let mut at = 0;
        let mut has_shrunk = false;
        while at < left.len() {
            let end = (at + part).min(left.len());
            let rest: Vec<T> = left[..at].iter().chain(&left[end..]).cloned().collect();
            match fails(&rest) {
                Some(true) => {
                    left = rest;
                    has_shrunk = true;
                }
                Some(false) => at = end,
                None => return left,
            }
        }
        // What was needed with the others may not be needed without them.
        part = match (part, has_shrunk) {
            (1, true) => 1,
            (1, false) => 0,
            (part, _) => part / 2,
        };
    }
    left
}

#[cfg(test)]
mod tests {
    use super::shrunk;

    #[test]
    fn what_is_needed_is_left() {
        let all: Vec<u32> = (0..1_000).collect();
        let mut runs = 0;
        let left = shrunk(&all, |some| {
            runs += 1;
            Some([7, 500, 501].iter().all(|needed| some.contains(needed)))
        });
        assert_eq!(left, [7, 500, 501]);
        assert!(runs < 200, "{runs}");
        assert!(shrunk(&all, |_| Some(true)).is_empty());
        assert_eq!(shrunk(&all, |_| Some(false)), all);
    }

    #[test]
    fn an_end_leaves_what_fails() {
        let mut runs = 0;
        let left = shrunk(&[1, 2, 3, 4], |some| {
            runs += 1;
            (runs < 3).then(|| some.contains(&4))
        });
        assert!(left.contains(&4));
    }
}
