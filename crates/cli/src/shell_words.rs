//! Arguments that a shell has taken apart before this program saw them, and those of other tools.

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

/// TLC's flags, and what to write instead.
const TLC_FLAGS: [(&str, &str); 34] = [
    (
        "-checkpoint",
        "write --checkpoint FOLDER, and --checkpoint-every TIME",
    ),
    ("-cleanup", "leave it out: nothing is left behind"),
    ("-config", "write --config FILE.cfg"),
    ("-continue", "write --continue"),
    ("-coverage", "write --coverage"),
    (
        "-deadlock",
        "write --no-deadlock: TLC's flag switches the check for deadlocks off",
    ),
    ("-debug", "leave it out"),
    ("-depth", "write --depth N"),
    ("-dfid", "write --dfs"),
    (
        "-difftrace",
        "leave it out: only what changed is shown, unless --full is given",
    ),
    ("-dump", "write --dump FILE.dot"),
    ("-dumpTrace", "write --trace-out FILE.json or FILE.itf.json"),
    ("-dumptrace", "write --trace-out FILE.json or FILE.itf.json"),
    ("-fp", "leave it out: there is one fingerprint function"),
    ("-fpbits", "leave it out"),
    ("-fpmem", "write --memory-limit SIZE"),
    ("-gzip", "leave it out"),
    ("-generate", "write --generate N"),
    ("-generateSpecTE", "write --trace-spec FILE.tla"),
    ("-inv", "write --inv NAME"),
    (
        "-lncheck",
        "leave it out: temporal properties are checked when all states are known, and sometimes before",
    ),
    ("-loadTrace", "write --replay FILE"),
    (
        "-maxSetSize",
        "leave it out; --memory-limit and --time-limit end what is too large",
    ),
    ("-metadir", "leave it out; --checkpoint FOLDER keeps the search"),
    (
        "-noGenerateSpecTE",
        "leave it out: a specification of the trace is written only for --trace-spec FILE.tla",
    ),
    (
        "-noTE",
        "leave it out: a specification of the trace is written only for --trace-spec FILE.tla",
    ),
    ("-nowarning", "leave it out"),
    ("-recover", "write --resume FOLDER"),
    ("-seed", "write --seed N"),
    ("-simulate", "write --simulate N, with --depth N"),
    ("-terse", "leave it out"),
    ("-tool", "write --json"),
    ("-view", "write --view NAME"),
    ("-workers", "write --workers N or --workers auto"),
];

/// What to write instead of a flag of TLC's, if one is given to `mc`.
pub(crate) fn tlc_flag(words: &[String]) -> Option<String> {
    let is_mc = words.get(1).is_some_and(|word| word == "mc");
    let given = words.iter().skip(2).filter(|_| is_mc);
    given.take_while(|word| *word != "--").find_map(|word| {
        let (flag, instead) = TLC_FLAGS.iter().find(|(flag, _)| flag == word)?;
        Some(format!(
            "{flag} is a flag of TLC's; here, {instead} (docs/coming-from-tlc.md)"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::{split_constant, tlc_flag};

    #[test]
    fn a_flag_of_tlc_is_told_from_our_own() {
        let hint = |line: &str| tlc_flag(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for line in [
            "omnilink mc S.tla -config S.cfg",
            "omnilink mc -workers 4 S.tla",
            "omnilink mc -deadlock S",
        ] {
            assert!(hint(line).is_some_and(|hint| hint.contains("write --")), "{line}");
        }
        for line in [
            "omnilink mc S.tla --config S.cfg -w 4",
            "omnilink mc S.tla -w4",
            "omnilink check -seed",
        ] {
            assert_eq!(hint(line), None, "{line}");
        }
    }

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
