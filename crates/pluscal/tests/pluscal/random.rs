//! Inputs that make no sense: an answer or mistakes, and never a panic.

use std::path::Path;

use fastrand::Rng;
use omnilink_pluscal::{TranslationOptions, translate};

fn files() -> Vec<String> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let folders = std::fs::read_dir(golden).expect("the corpus is in the repository");
    let mut texts = Vec::new();
    for folder in folders.flatten().filter(|entry| entry.path().is_dir()) {
        let entries = std::fs::read_dir(folder.path()).expect("a folder of the corpus");
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "tla"));
        texts.extend(paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()));
    }
    texts.sort();
    texts
}

fn options(rng: &mut Rng) -> TranslationOptions {
    TranslationOptions {
        adds_labels: rng.bool(),
        ..TranslationOptions::default()
    }
}

#[test]
fn algorithms_with_words_missing_doubled_or_exchanged_do_not_panic() {
    let mut rng = Rng::with_seed(7);
    let files = files();
    assert!(files.len() > 150);
    for text in &files {
        for _ in 0..12 {
            let mut words: Vec<&str> = text
                .split_inclusive([' ', '\n', ';', '(', ')', '{', '}', '['])
                .collect();
            for _ in 0..rng.usize(1..4) {
                let (at, other) = (rng.usize(..words.len()), rng.usize(..words.len()));
                match rng.u32(..3) {
                    0 => drop(words.remove(at)),
                    1 => words.insert(at, words[other]),
                    _ => words.swap(at, other),
                }
                if words.is_empty() {
                    break;
                }
            }
            let _ = translate(&words.concat(), &options(&mut rng));
        }
    }
}

#[test]
fn words_in_any_order_do_not_panic() {
    const WORDS: [&str; 58] = [
        "variables",
        "variable",
        "define",
        "end",
        "macro",
        "procedure",
        "process",
        "fair",
        "+",
        "begin",
        "if",
        "then",
        "else",
        "elsif",
        "while",
        "do",
        "either",
        "or",
        "with",
        "await",
        "assert",
        "print",
        "skip",
        "goto",
        "call",
        "return",
        "algorithm",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<<",
        ">>",
        ";",
        ",",
        ":",
        ":=",
        "||",
        "=",
        "\\in",
        "x",
        "y",
        "A:",
        "B:-",
        "P",
        "M(",
        "self",
        "1",
        "\"s\"",
        "/\\",
        "\\/",
        "\n",
        "\\A",
        "∈",
        ".",
        "!",
    ];
    let mut rng = Rng::with_seed(11);
    for _ in 0..4_000 {
        let count = rng.usize(..40);
        let words: Vec<&str> = (0..count).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
        let braces = if rng.bool() {
            "{ variables x = 0; { A: "
        } else {
            "variables x = 0; begin A: "
        };
        let text = format!(
            "---- MODULE M ----\n(* --algorithm M {braces}{} *)\n====",
            words.join(" ")
        );
        let _ = translate(&text, &options(&mut rng));
    }
}

#[test]
fn files_that_are_cut_off_do_not_panic() {
    for text in files().iter().step_by(5) {
        for end in (0..text.len())
            .step_by(7)
            .filter(|end| text.is_char_boundary(*end))
        {
            let _ = translate(&text[..end], &TranslationOptions::default());
            let _ = translate(
                &format!("{} *)\n====", &text[..end]),
                &TranslationOptions::default(),
            );
        }
    }
}
