//! Names as programmers write them: `BecomeLeader`, `become_leader`, `become-leader` are the same words.

/// The words of a name, in small letters.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(at + 1);
        let begins = letter.is_uppercase()
            && (before.is_some_and(|before| !before.is_uppercase())
                || after.is_some_and(|after| after.is_lowercase()));
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether two names have the same letters, however they are written.
pub(crate) fn is_same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| words_of(name).concat();
    let one = plain(one);
    !one.is_empty() && one == plain(other)
}

/// Whether all words of a name are among the words of a message, perhaps with another ending: `prepare` in `prepared`.
pub(crate) fn are_in(name: &[String], message: impl Iterator<Item = String>) -> bool {
    let message = plain(message);
    !name.is_empty() && name.iter().all(|word| is_in(word, &message))
}

/// Whether one of the longer words of a name is among the words of a message.
pub(crate) fn is_one_in(name: &[String], message: impl Iterator<Item = String>) -> bool {
    let message = plain(message);
    name.iter()
        .any(|word| word.chars().count() >= STEM && is_in(word, &message))
}

/// Shorter beginnings of words are those of others, too.
const STEM: usize = 4;

fn plain(message: impl Iterator<Item = String>) -> Vec<String> {
    message
        .map(|word| word.chars().filter(|letter| letter.is_alphanumeric()).collect())
        .collect()
}

fn is_in(word: &str, message: &[String]) -> bool {
    let letters = word.chars().count();
    let stem: String = word.chars().take(STEM.max(letters.saturating_sub(2))).collect();
    let sounds = consonants(word);
    message.iter().any(|other| {
        let has_stem = letters >= STEM && other.starts_with(&stem);
        // `became` for `become`.
        let has_consonants = sounds.len() >= CONSONANTS && consonants(other) == sounds;
        other == word || has_stem || has_consonants
    })
}

/// Words with fewer consonants have them in common by accident.
const CONSONANTS: usize = 3;

fn consonants(word: &str) -> Vec<char> {
    let is_consonant =
        |letter: &char| letter.is_alphabetic() && !matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    word.chars().filter(is_consonant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_words() {
        assert_eq!(words_of("TMRcvPrepared"), ["tm", "rcv", "prepared"]);
        assert_eq!(words_of("become_leader-2"), ["become", "leader", "2"]);
        assert!(is_same_name("BecomeLeader", "become_leader"));
        assert!(!is_same_name("BecomeLeader", "become_follower"));
        assert!(!is_same_name("", "-"));
        let message = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>().into_iter();
        assert!(are_in(&words_of("BecomeLeader"), message("node becomes leader")));
        assert!(!are_in(
            &words_of("BecomeLeader"),
            message("node becomes follower")
        ));
        assert!(!are_in(&words_of("Get"), message("together")));
        assert!(is_one_in(&words_of("RMPrepare"), message("prepared order")));
        assert!(!is_one_in(&words_of("RMAbort"), message("prepared order of rm")));
    }
}
