//! Format strings: `%s` is the next parameter, `%2$s` the second, `%%` a percent sign.

use crate::error::{Outcome, domain_error};

/// The formatted text.
pub(super) fn filled(template: &str, parameters: &[String]) -> Outcome<String> {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    let mut next = 0;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let mut place = next;
        if digits > 0 && rest[digits..].starts_with('$') {
            let number: usize = rest[..digits].parse().unwrap_or(0);
            place = number
                .checked_sub(1)
                .ok_or_else(|| bad(template, "there is no place 0"))?;
            rest = &rest[digits + 1..];
        } else if digits > 0 {
            return Err(bad(template, "a width is not understood"));
        } else if rest.starts_with(['s', 'd']) {
            next += 1;
        }
        let mut characters = rest.chars();
        match characters.next() {
            Some('s' | 'd') => match parameters.get(place) {
                Some(parameter) => text.push_str(parameter),
                None => return Err(bad(template, &format!("there is no parameter {}", place + 1))),
            },
            Some('%') => text.push('%'),
            Some('n') => text.push('\n'),
            _ => return Err(bad(template, "only %s, %d, %1$s, %n and %% are understood")),
        }
        rest = characters.as_str();
    }
    text.push_str(rest);
    Ok(text)
}

fn bad(template: &str, why: &str) -> Box<crate::error::Failure> {
    domain_error(format!("the template \"{template}\" cannot be filled in: {why}"))
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn places_are_filled_in_turn_or_by_number() {
        let parameters = ["a".to_owned(), "b".to_owned()];
        assert_eq!(filled("%s-%s", &parameters).unwrap(), "a-b");
        assert_eq!(filled("%2$s-%1$s, 100%%", &parameters).unwrap(), "b-a, 100%");
    }

    #[test]
    fn what_cannot_be_filled_in_is_an_error() {
        for template in ["%s %s %s", "%3$s", "%0$s", "%5s", "%x", "100%"] {
            assert!(
                filled(template, &["a".to_owned(), "b".to_owned()]).is_err(),
                "{template}"
            );
        }
    }
}
