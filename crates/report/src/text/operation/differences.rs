//! What differs between states, marked: `<<1, *2*, 3>>` beside `<<1, *4*, 3>>`.
//!
//! States are texts here, whatever the model. Texts of the same make-up are compared word by word; of others, all that lies
//! between their common beginning and their common end is what differs.

/// The texts, with what is not the same in all of them between stars.
pub(super) fn marked(texts: &[&str]) -> Vec<String> {
    let words: Vec<Vec<&str>> = texts.iter().map(|text| split(text)).collect();
    let Some((first, others)) = words.split_first() else {
        return Vec::new();
    };
    if others.iter().all(|other| other == first) {
        return texts.iter().map(|text| (*text).to_owned()).collect();
    }
    let is_same_make_up = others.iter().all(|other| {
        other.len() == first.len()
            && other
                .iter()
                .zip(first)
                .all(|(a, b)| is_word(a) == is_word(b) && (is_word(a) || a == b))
    });
    if is_same_make_up {
        let differs = |at: usize| words.iter().any(|words| words[at] != first[at]);
        return words
            .iter()
            .map(|words| starred(words, &|at| differs(at)))
            .collect();
    }
    let common = |word: &dyn Fn(&[&str], usize) -> Option<String>| {
        let is_common = |at: &usize| {
            let expected = word(first, *at);
            expected.is_some() && others.iter().all(|other| word(other, *at) == expected)
        };
        (0..).take_while(is_common).count()
    };
    let shortest = words.iter().map(Vec::len).min().unwrap_or(0);
    let start = common(&|words, at| words.get(at).map(|word| (*word).to_owned()));
    let end =
        common(&|words, at| words.iter().rev().nth(at).map(|word| (*word).to_owned())).min(shortest - start);
    words
        .iter()
        .map(|words| starred(words, &|at| at >= start && at < words.len() - end))
        .collect()
}

fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"' || c == '-')
}

/// Names, numbers and strings as one piece each, everything else by character.
fn split(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            c if c.is_alphanumeric() || c == '_' || c == '-' => {
                let inner = rest[c.len_utf8()..].find(|c: char| !c.is_alphanumeric() && c != '_');
                inner.map_or(rest.len(), |end| c.len_utf8() + end)
            }
            c => c.len_utf8(),
        };
        let (word, tail) = rest.split_at(len);
        words.push(word);
        rest = tail;
    }
    words
}

/// The words as one text, runs of those that differ between stars.
fn starred(words: &[&str], differs: &dyn Fn(usize) -> bool) -> String {
    let mut text = String::new();
    let mut is_open = false;
    for (at, word) in words.iter().enumerate() {
        if differs(at) != is_open {
            text.push('*');
            is_open = !is_open;
        }
        text.push_str(word);
    }
    if is_open {
        text.push('*');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn values_that_differ_stand_between_stars() {
        assert_eq!(
            marked(&["map = <<0, 12, 0>>", "map = <<0, 7, 0>>"]),
            ["map = <<0, *12*, 0>>", "map = <<0, *7*, 0>>"]
        );
    }

    #[test]
    fn texts_of_other_make_up_differ_between_their_common_ends() {
        assert_eq!(
            marked(&[
                "q = <<1, 2>> /\\ n = 1",
                "q = <<1, 2, 3>> /\\ n = 1",
                "q = <<1>> /\\ n = 1"
            ]),
            [
                "q = <<1*, 2*>> /\\ n = 1",
                "q = <<1*, 2, 3*>> /\\ n = 1",
                "q = <<1>> /\\ n = 1"
            ]
        );
    }

    #[test]
    fn strings_are_one_piece() {
        assert_eq!(
            marked(&[r#"<<"a b">>"#, r#"<<"a c">>"#]),
            [r#"<<*"a b"*>>"#, r#"<<*"a c"*>>"#]
        );
    }

    #[test]
    fn equal_texts_are_left_as_they_are() {
        assert_eq!(marked(&["x = 1", "x = 1"]), ["x = 1", "x = 1"]);
        assert_eq!(marked(&["x = 1"]), ["x = 1"]);
        assert!(marked(&[]).is_empty());
    }
}
