//! The small specifications of `tests/cases`, by compiled code and by the evaluator.

use std::collections::BTreeMap;

use omnilink_mc::report::Answer;
use omnilink_mc::{CheckOptions, Evaluators, Layouts, SearchProgress, check};

use omnilink_tla::model::CompiledSpec;
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;

use crate::compiled::model_of;

const FILES: [&str; 4] = [
    include_str!("../cases/c1.cases"),
    include_str!("../cases/c2.cases"),
    include_str!("../cases/c3.cases"),
    include_str!("../cases/enabled.cases"),
];

/// A block: `=== name options`, then lines `KEY: text`, each with further lines of the same text.
struct Case<'t> {
    name: &'t str,
    is_32_bit: bool,
    parts: BTreeMap<&'t str, Vec<String>>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let mut key = "";
    for line in text.lines() {
        if let Some(header) = line.strip_prefix("=== ") {
            cases.push(Case {
                name: header.split(' ').next().unwrap_or_default(),
                is_32_bit: header.contains("--int32"),
                parts: BTreeMap::new(),
            });
            key = "";
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        let begins = line
            .split_once(':')
            .filter(|(key, _)| !key.is_empty() && key.bytes().all(|letter| letter.is_ascii_uppercase()));
        match begins {
            Some((own, rest)) => {
                key = own;
                let lines = case.parts.entry(key).or_default();
                // Junction lists keep their columns.
                if !rest.is_empty() {
                    lines.push(match key {
                        "INIT" | "NEXT" => format!("{:1$}{rest}", "", key.len() + 1),
                        _ => rest.trim_start().to_owned(),
                    });
                }
            }
            None if !key.is_empty() => case.parts.entry(key).or_default().push(line.to_owned()),
            None => {}
        }
    }
    cases
}

impl Case<'_> {
    fn text(&self, key: &str) -> String {
        self.parts
            .get(key)
            .map(|lines| lines.join("\n"))
            .unwrap_or_default()
    }

    /// The module and its configuration.
    fn spec(&self) -> (String, String) {
        let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
        let constants = self.text("CONSTANTS");
        let mut module = format!(
            "---- MODULE {} ----\nEXTENDS {}\n{}VARIABLES {vars}\nvars == <<{vars}>>\n{}\nInit ==\n{}\nNext ==\n{}\nSpec == Init /\\ [][Next]_vars\n",
            self.name,
            or(self.text("EXTENDS"), "Integers, Sequences, FiniteSets, TLC"),
            if constants.is_empty() {
                String::new()
            } else {
                format!("CONSTANTS {constants}\n")
            },
            self.text("DEFS"),
            self.text("INIT"),
            self.text("NEXT"),
            vars = self.text("VARS"),
        );
        let mut config = "SPECIFICATION Spec\n".to_owned();
        for (key, keyword) in [
            ("INV", "INVARIANT"),
            ("PROP", "PROPERTY"),
            ("CON", "CONSTRAINT"),
            ("ACON", "ACTION_CONSTRAINT"),
        ] {
            for (number, line) in self.parts.get(key).into_iter().flatten().enumerate() {
                module += &format!("{key}x{number} == {line}\n");
                config += &format!("{keyword} {key}x{number}\n");
            }
        }
        module += &format!("====\n{}\n", self.text("FILES"));
        config += &self.text("CFG");
        (module, config)
    }
}

/// The model of a module, if it is one.
fn accepted(name: &str, module: &str, config: &str) -> Option<CompiledSpec> {
    let file = format!("{name}.tla");
    let loaded = load_text(file.as_ref(), module.to_owned(), &SearchPath::default());
    loaded.is_ok().then(|| model_of(module, config))
}

#[test]
fn small_specs_have_one_answer() {
    let (mut count, mut rejected, mut wrong) = (0, 0, Vec::new());
    for case in FILES.iter().flat_map(|text| cases(text)) {
        let (module, config) = case.spec();
        count += 1;
        // Some are no TLA+: a list that is not aligned, a primed prime.
        let Some(model) = accepted(case.name, &module, &config) else {
            rejected += 1;
            continue;
        };
        let told = |evaluators, layouts| {
            let options = CheckOptions {
                evaluators,
                layouts,
                is_32_bit: case.is_32_bit,
                ..CheckOptions::default()
            };
            let report = check(
                &model,
                case.name,
                &options,
                &SearchProgress::default(),
                &|_| {},
                None,
            );
            match report {
                Ok(report) => {
                    if let Some(disagreement) = &report.disagreement {
                        return format!("{disagreement:?}");
                    }
                    let figures = report.figures;
                    // Of two values that cannot be compared, either may be named first.
                    let answer = match &report.answer {
                        Answer::Wrong(wrong) => {
                            format!("{:?} {:?} {:?}", wrong.kind, wrong.violated, wrong.states)
                        }
                        other => format!("{other:?}"),
                    };
                    format!("{answer} {} {}", figures.distinct, figures.generated)
                }
                Err(error) => error.to_string(),
            }
        };
        let expected = told(Evaluators::Interpreter, Layouts::Learned);
        for (evaluators, layouts) in [
            (Evaluators::Compiled, Layouts::Alone),
            (Evaluators::Both, Layouts::First),
            (Evaluators::Both, Layouts::Cells),
            (Evaluators::Both, Layouts::Disturbed),
        ] {
            let found = told(evaluators, layouts);
            if found != expected {
                wrong.push(format!(
                    "{}, {evaluators:?}, {layouts:?}: {found}\n{expected}\n{module}",
                    case.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(count, 159);
    assert!(rejected < 10, "{rejected} cases are rejected");
}
