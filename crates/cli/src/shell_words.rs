//! Arguments that a shell has taken apart before this program saw them.

/// What to write instead, if a shell has expanded the braces of `--const Keys={1,2}` into `--const Keys=1 Keys=2`.
pub(crate) fn split_constant(words: &[String]) -> Option<String> {
    for (at, word) in words.iter().enumerate() {
        let (first, rest, option) = match word.strip_prefix("--const=") {
            Some(first) => (first, &words[at + 1..], "--const="),
            None if word == "--const" => (words.get(at + 1)?.as_str(), &words[at + 2..], ""),
            None => continue,
        };
        let Some((name, value)) = first.split_once('=') else {
            continue;
        };
        let prefix = format!("{option}{name}=");
        let others = rest.iter().map_while(|word| word.strip_prefix(&prefix));
        let values: Vec<&str> = std::iter::once(value).chain(others).collect();
        if values.len() > 1 {
            return Some(format!(
                "--const gives {name} several values; if you wrote {name}={{{0}}}, the shell has taken it apart: put it in quotes, \
                 --const '{name}={{{0}}}'",
                values.join(",")
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::split_constant;

    fn split(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        split_constant(&words)
    }

    #[test]
    fn a_set_without_quotes_is_told_from_other_arguments() {
        for line in [
            "omnilink mc S.tla --const Keys=1 Keys=2",
            "omnilink mc S.tla --const=Keys=1 --const=Keys=2 --json",
        ] {
            let message = split(line).unwrap_or_default();
            assert!(message.ends_with("--const 'Keys={1,2}'"), "{line}: {message}");
        }
        for line in [
            "omnilink mc S.tla --const N=1 --const M=2",
            "omnilink mc S.tla --const N=1",
            "omnilink mc S.tla --const",
            "omnilink validate S.tla --const Keys={1,2} t.ndjson",
            "omnilink mc --const N=1 S.tla",
        ] {
            assert_eq!(split(line), None, "{line}");
        }
    }
}
