//! Running text that keeps to the page.

use unicode_width::UnicodeWidthStr;

use crate::look::Look;

/// A blank that no line breaks at.
const GLUE: char = '\u{a0}';

/// `text` as one word: `read() = 1` says less on two lines.
pub(crate) fn glued(text: &str) -> String {
    text.replace(' ', GLUE.encode_utf8(&mut [0; 2]))
}

/// `text` after `indent`, broken between words to fit the page, ending with a newline.
pub fn wrapped(indent: &str, text: &str, look: &Look) -> String {
    let mut page = String::new();
    push_wrapped(&mut page, indent, indent, text, look);
    page
}

/// Appends `text` with its first line after `first` and the others after `rest`, broken between words to fit the page.
/// A word that is wider than the page keeps its line to itself: cutting it would hide what it says.
pub(crate) fn push_wrapped(page: &mut String, first: &str, rest: &str, text: &str, look: &Look) {
    let width = look.columns();
    let mut used = first.width();
    page.push_str(first);
    let mut is_first_of_line = true;
    for word in text.split(' ') {
        let blank = usize::from(!is_first_of_line);
        if !is_first_of_line && used + blank + word.width() > width {
            page.push('\n');
            page.push_str(rest);
            used = rest.width();
            is_first_of_line = true;
        }
        if !is_first_of_line {
            page.push(' ');
            used += 1;
        }
        page.extend(word.chars().map(|c| if c == GLUE { ' ' } else { c }));
        used += word.width();
        is_first_of_line = false;
    }
    page.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_hang_under_their_first() {
        let look = Look {
            width: 40,
            ..Look::plain()
        };
        let mut page = String::new();
        let text = "dequeued [7], but the queue holds [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]";
        push_wrapped(&mut page, "  1. ", "     ", text, &look);
        insta::assert_snapshot!(page, @r#"
            1. dequeued [7], but the queue holds
               [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
               12]
        "#);
    }
}
