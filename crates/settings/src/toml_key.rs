//! Names as keys of TOML, so that a suggested table can be copied into a link file.

use std::borrow::Cow;

/// The key as TOML reads it back: bare where that is allowed, otherwise quoted.
pub fn toml_key(name: &str) -> Cow<'_, str> {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        return Cow::Borrowed(name);
    }
    let mut quoted = String::from("\"");
    for letter in name.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(letter))),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

#[cfg(test)]
mod tests {
    use super::toml_key;

    #[test]
    fn every_name_is_read_back_as_a_key() {
        for name in [
            "Put",
            "put-all",
            "0",
            "",
            "a b",
            "M!Act",
            "a.b",
            "say \"x\"",
            "back\\slash",
            "tab\t",
            "größe",
        ] {
            let text = format!("[ops.{}]\nignore = true\n", toml_key(name));
            let mut table = crate::Table::parse(&text).unwrap();
            assert_eq!(
                table.table("ops").unwrap().iter().next().map(|(own, _)| own),
                Some(name),
                "{text}"
            );
        }
        assert_eq!(toml_key("Put"), "Put");
    }
}
