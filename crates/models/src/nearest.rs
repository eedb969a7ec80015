//! "Did you mean …?"

/// The candidate that a mistyped `name` most likely stands for, if one is near enough.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distances = candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate));
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + candidate.chars().count() / 4).then_some(candidate)
}

/// Letters to insert, drop or replace to turn one text into the other, whatever their case.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, from) in left.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, to) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_a_different_word_is_not() {
        let models = ["register", "cas-register", "queue", "stack", "set"];
        assert_eq!(nearest("regsiter", models), Some("register"));
        assert_eq!(nearest("Queue", models), Some("queue"));
        assert_eq!(nearest("stak", models), Some("stack"));
        assert_eq!(nearest("blockchain", models), None);
        assert_eq!(nearest("x", []), None);
    }
}
