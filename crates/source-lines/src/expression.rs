//! What the source calls a location: the expression at a line and a column.
//!
//! Debug information says where an access is in the source, and the source says what is accessed there: `queue.head` in
//! `while (queue.head.load() != tail)`. Compilers give the column of the expression, of its method, or of the bracket or the operator
//! behind it. So the name is the longest path of names, members and indices around the column, without the method that is called on
//! it. Text that is no such path has no name.

/// Longer ones say less than their line does.
const LENGTH_MAX: usize = 48;

/// The expression at a column of a line, which counts bytes from 1.
pub(crate) fn expression_at(line: &str, column: u32) -> Option<String> {
    let bytes = line.as_bytes();
    let at = usize::try_from(column).ok()?.checked_sub(1)?;
    let inside = inside_of(bytes, at)?;
    let (mut begin, mut end) = (inside, inside + 1);
    // A closing bracket is the end of an index, whose beginning is looked for.
    if bytes.get(inside) == Some(&b']') {
        begin = opening(bytes, inside)?;
    }
    while let Some(before) = begin.checked_sub(1) {
        begin = match bytes.get(before)? {
            b']' | b')' if is_path(bytes, begin) || bytes.get(begin) == Some(&b'[') => {
                opening(bytes, before)?
            }
            _ if is_path(bytes, before) => before,
            _ => break,
        };
    }
    while let Some(next) = bytes.get(end) {
        end = match next {
            b'[' => closing(bytes, end)? + 1,
            _ if is_path(bytes, end) => end + 1,
            _ => break,
        };
    }
    let path = line.get(begin..end)?;
    let is_called = bytes.get(end) == Some(&b'(') || line.get(end..)?.starts_with("::<");
    let name = if is_called {
        without_last_member(path)?
    } else {
        path
    };
    let name = name.trim_matches(|c: char| matches!(c, '.' | ':' | '-' | '>'));
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '(');
    (is_name && name.len() <= LENGTH_MAX && !KEYWORDS.contains(&name)).then(|| name.to_owned())
}

const KEYWORDS: [&str; 8] = ["if", "while", "for", "return", "let", "match", "auto", "unsafe"];

/// The nearest place in a path: at the column, after operators such as `*`, or before spaces, brackets and assignments.
fn inside_of(bytes: &[u8], at: usize) -> Option<usize> {
    if is_path(bytes, at) || bytes.get(at) == Some(&b']') {
        return Some(at);
    }
    let mut after = at;
    while matches!(bytes.get(after), Some(b'*' | b'&' | b'!')) {
        after += 1;
    }
    if after > at && is_path(bytes, after) {
        return Some(after);
    }
    let is_between = |byte: &u8| matches!(byte, b' ' | b'(' | b'[' | b'=' | b'+' | b'-');
    let mut before = at;
    while bytes.get(before).is_some_and(is_between) {
        before = before.checked_sub(1)?;
    }
    (is_path(bytes, before) || bytes.get(before) == Some(&b']')).then_some(before)
}

/// Whether a byte belongs to a name, or joins two of them.
fn is_path(bytes: &[u8], at: usize) -> bool {
    let is = |at: Option<usize>, byte: u8| at.and_then(|at| bytes.get(at)) == Some(&byte);
    match bytes.get(at) {
        Some(b'-') => is(Some(at + 1), b'>'),
        Some(b'>') => is(at.checked_sub(1), b'-'),
        Some(b':') => is(Some(at + 1), b':') || is(at.checked_sub(1), b':'),
        Some(byte) => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'),
        None => false,
    }
}

/// The bracket that opens what is closed at `close`.
fn opening(bytes: &[u8], close: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for at in (0..=close).rev() {
        match bytes.get(at)? {
            b']' | b')' => depth += 1,
            b'[' | b'(' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The bracket that closes what is opened at `open`.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for at in open..bytes.len() {
        match bytes.get(at)? {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// `queue.head` of `queue.head.load`; none if there is one name only.
fn without_last_member(path: &str) -> Option<&str> {
    let last = path.rfind("->").into_iter().chain(path.rfind('.')).max()?;
    path.get(..last)
}

#[cfg(test)]
mod tests {
    use super::expression_at;

    /// The name at the place that is marked with `^`.
    fn named(marked: &str) -> Option<String> {
        let column = marked.find('^').unwrap() + 1;
        expression_at(&marked.replace('^', ""), column as u32)
    }

    #[test]
    fn a_location_is_what_a_method_is_called_on() {
        for marked in [
            "while (^queue.head.load() != tail) {}",
            "while (queue.head.^load() != tail) {}",
            "while (queue.head.load^() != tail) {}",
            "while (queue.head^.load() != tail) {}",
        ] {
            assert_eq!(named(marked).as_deref(), Some("queue.head"), "{marked}");
        }
        let of = |marked: &str| named(marked);
        assert_eq!(
            of("self.wants[1 - me].^store(true, Release);").as_deref(),
            Some("self.wants[1 - me]")
        );
        assert_eq!(
            of("^self.wants[1 - me].store(true, Release);").as_deref(),
            Some("self.wants[1 - me]")
        );
        assert_eq!(of("before->next.^store(mine)").as_deref(), Some("before->next"));
        assert_eq!(of("^*self.0.get() += more;").as_deref(), Some("self.0"));
        assert_eq!(
            of("items[t % 1] ^= v; tail = 1;").as_deref(),
            Some("items[t % 1]")
        );
        assert_eq!(of("items^[t % 1] = v;").as_deref(), Some("items[t % 1]"));
        assert_eq!(of("int v = ^n->v;").as_deref(), Some("n->v"));
        assert_eq!(of("flag^++;").as_deref(), Some("flag"));
    }

    #[test]
    fn what_is_no_path_has_no_name() {
        for marked in ["^exchange(1);", "^", "  ^  }", "^12 + x", "(((^", "^if (x) y();"] {
            assert_eq!(named(marked), None, "{marked}");
        }
        assert_eq!(expression_at("x = 1;", 0), None);
        assert_eq!(expression_at("x = 1;", 999), None);
        assert_eq!(expression_at("größe.load()", 4), None);
    }
}
