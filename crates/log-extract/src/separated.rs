//! Lines of values with a separator between them: CSV.

/// The values of a line. A value in quotation marks may have the separator in it, and two quotation marks for one. `None` if a quotation mark is not closed.
pub(crate) fn values(line: &str, separator: char) -> Option<Vec<String>> {
    let mut values = Vec::new();
    let mut letters = line.chars().peekable();
    loop {
        let mut value = String::new();
        if letters.next_if_eq(&'"').is_some() {
            loop {
                match letters.next()? {
                    '"' if letters.next_if_eq(&'"').is_some() => value.push('"'),
                    '"' => break,
                    letter => value.push(letter),
                }
            }
        }
        while let Some(letter) = letters.next_if(|letter| *letter != separator) {
            value.push(letter);
        }
        values.push(value);
        if letters.next().is_none() {
            return Some(values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_values_may_have_separators() {
        let read = |line| values(line, ',').map(|values| values.join("|"));
        assert_eq!(read("a,b,c").as_deref(), Some("a|b|c"));
        assert_eq!(
            read(r#""a,b","say ""no""",c"#).as_deref(),
            Some(r#"a,b|say "no"|c"#)
        );
        assert_eq!(read("a,,").as_deref(), Some("a||"));
        assert_eq!(read("").as_deref(), Some(""));
        assert_eq!(read(r#"a,"b"#), None);
    }
}
