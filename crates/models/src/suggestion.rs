//! Suggestions for mistyped names.

/// The candidate most similar to a mistyped `name`, if it is similar enough.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let distances = candidates.into_iter().map(|candidate| {
        (
            strsim::damerau_levenshtein(&name, &candidate.to_lowercase()),
            candidate,
        )
    });
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + candidate.chars().count() / 4).then_some(candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_typo_is_recognised_and_a_different_word_is_not() {
        let models = ["register", "cas-register", "queue", "stack", "set"];
        assert_eq!(nearest("regsiter", models), Some("register"));
        assert_eq!(nearest("Queue", models), Some("queue"));
        assert_eq!(nearest("stak", models), Some("stack"));
        assert_eq!(nearest("blockchain", models), None);
        assert_eq!(nearest("x", []), None);
    }
}
