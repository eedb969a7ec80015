//! Long states, shortened: a page shows them in full, a text does not.

use std::borrow::Cow;

/// The number of elements of a long state that are shown.
const SHOWN_MAX: usize = 32;

/// A list in brackets with its first elements and the number of the others. Anything else stays as it is.
pub(crate) fn short_state(state: &str) -> Cow<'_, str> {
    let mut ends = state.char_indices();
    let (Some((_, open)), Some((close_at, close))) = (ends.next(), ends.next_back()) else {
        return Cow::Borrowed(state);
    };
    if !matches!((open, close), ('{', '}') | ('[', ']') | ('(', ')') | ('<', '>')) {
        return Cow::Borrowed(state);
    }
    let inside = &state[open.len_utf8()..close_at];
    let commas = outer_commas(inside);
    let Some(cut) = commas.get(SHOWN_MAX - 1) else {
        return Cow::Borrowed(state);
    };
    let left_out = commas.len() + 1 - SHOWN_MAX;
    Cow::Owned(format!("{open}{}, and {left_out} more{close}", &inside[..*cut]))
}

/// The positions of the commas that separate the elements of a list: outside of brackets and quotes.
fn outer_commas(list: &str) -> Vec<usize> {
    let mut commas = Vec::new();
    let mut depth = 0_u32;
    let mut quoted = false;
    let mut escaped = false;
    for (at, letter) in list.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => commas.push(at),
            _ => {}
        }
    }
    commas
}

#[cfg(test)]
mod tests {
    use super::short_state;

    #[test]
    fn the_first_elements_are_shown_and_the_others_counted() {
        let list = |count: usize| {
            let items: Vec<String> = (0..count)
                .map(|at| format!("{at}: [\"a,\\\"]\", {at}]"))
                .collect();
            format!("{{{}}}", items.join(", "))
        };
        assert_eq!(short_state(&list(32)), list(32));
        let long = list(40);
        let short = short_state(&long);
        assert!(short.ends_with("31: [\"a,\\\"]\", 31], and 8 more}"), "{short}");
        for text in ["", "{", "7", "{}", "x = {1, 2}"] {
            assert_eq!(short_state(text), text);
        }
    }
}
