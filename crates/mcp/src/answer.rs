//! The answer of a call: what the process printed, as a verdict, a report, and evidence of a size that an agent can use.

use omnilink_evidence::{Evidence, Verdict};
use omnilink_report::{Look, TextOptions, shell_word, text};
use serde::Serialize;
use serde_json::{Value, json};

use crate::call::{Call, Prints, SCRATCH};
use crate::process::Ended;

/// The most characters of all reports of an answer.
const REPORTS_MAX: usize = 24_000;
/// The most characters of a message.
const MESSAGE_MAX: usize = 4_000;

/// The answer of a call.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    /// The worst of all results: valid, unknown, violation or error
    pub(crate) verdict: String,
    /// One for each input, in their order
    pub(crate) results: Vec<InputResult>,
    /// Why there is no result, or not for all inputs
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// The command that gives the same answer in a shell
    pub(crate) command: String,
}

/// The result for one input.
#[derive(Debug, Serialize)]
pub(crate) struct InputResult {
    pub(crate) input: String,
    /// valid, unknown, violation or error
    pub(crate) verdict: String,
    /// What was found, as text
    pub(crate) report: String,
    /// The same as data: see the resource omnilink://docs/evidence
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Value>,
    /// Parts of the evidence that are left out, because they are large
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

/// What an answer looks like.
pub(crate) fn schema() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let verdict = |description: &str| json!({ "enum": ["valid", "unknown", "violation", "error"], "description": description });
    json!({
        "type": "object",
        "required": ["verdict", "results", "command"],
        "properties": {
            "verdict": verdict("The worst of all results"),
            "results": {
                "type": "array",
                "description": "One for each input, in their order",
                "items": {
                    "type": "object",
                    "required": ["input", "verdict", "report"],
                    "properties": {
                        "input": text("What was checked"),
                        "verdict": verdict("unknown: a limit was reached"),
                        "report": text("What was found, as text"),
                        "evidence": {
                            "type": "object",
                            "description": "What was found, as data: see the resource omnilink://docs/evidence",
                        },
                        "left_out": {
                            "type": "array",
                            "items": { "type": "string" },
                            "description": "Parts of the evidence that are left out, because they are large",
                        },
                    },
                },
            },
            "message": text("Why there is no result, or what else there is to say"),
            "command": text("The command that gives the same answer in a shell"),
        },
    })
}

impl Answer {
    /// The answer of a call that ended.
    pub(crate) fn of(call: &Call, ended: Ended) -> Self {
        let mut answer = match ended {
            Ended::Finished {
                code,
                output,
                messages,
            } => Self::of_output(call, code, &output, &messages),
            Ended::Cancelled => Self::without_result(Verdict::Unknown, "the call was cancelled".to_owned()),
            Ended::OutOfTime => Self::without_result(
                Verdict::Unknown,
                format!(
                    "the time limit of {} s was reached, and the process was ended; give a larger limits.seconds, or a smaller question",
                    call.limits.time.as_secs_f64()
                ),
            ),
            Ended::OutOfMemory => Self::without_result(
                Verdict::Unknown,
                format!(
                    "the memory limit of {} MB was reached, and the process was ended; give a larger limits.megabytes, or a smaller \
                     question",
                    call.limits.memory / 1_000_000
                ),
            ),
            Ended::TooLong => Self::without_result(
                Verdict::Error,
                "the answer is too long; ask for less, such as one input at a time".to_owned(),
            ),
        };
        answer.command = command_line(call);
        answer.shorten_reports();
        answer
    }

    /// An answer that says only why there is none.
    pub(crate) fn without_result(verdict: Verdict, message: String) -> Self {
        Self {
            verdict: verdict.word().to_owned(),
            results: Vec::new(),
            message: Some(message),
            command: String::new(),
        }
    }

    fn of_output(call: &Call, code: Option<i32>, output: &str, messages: &str) -> Self {
        let Some(by_code) = verdict_of(code) else {
            return Self::without_result(Verdict::Error, crashed(code, messages));
        };
        let share = call.evidence_max / output.lines().count().max(1);
        let results: Result<Vec<InputResult>, String> = match call.prints {
            Prints::Text => Ok(vec![InputResult {
                input: String::new(),
                verdict: by_code.word().to_owned(),
                report: output.to_owned(),
                evidence: None,
                left_out: Vec::new(),
            }]),
            Prints::Evidence => output.lines().map(|line| of_evidence(line, share)).collect(),
            Prints::Diagnostics => output
                .lines()
                .map(|line| of_json(line, share, diagnostics))
                .collect(),
            Prints::Value => output.lines().map(|line| of_json(line, share, value)).collect(),
        };
        let results = match results {
            Ok(results) => results,
            Err(problem) => {
                let message =
                    format!("internal error, please report it: the answer cannot be read: {problem}");
                return Self::without_result(Verdict::Error, message);
            }
        };
        let told = tail(messages.trim(), MESSAGE_MAX);
        Self {
            verdict: by_code.word().to_owned(),
            message: (!told.is_empty()).then(|| told.to_owned()),
            results,
            command: String::new(),
        }
    }

    /// Whether the call did not do what it was asked to do. That something is wrong with a specification is an answer.
    pub(crate) fn is_error(&self) -> bool {
        self.verdict == Verdict::Error.word()
    }

    /// The answer as text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for result in &self.results {
            if !result.report.trim().is_empty() {
                text.push_str(result.report.trim_end());
                text.push('\n');
            }
            if !result.left_out.is_empty() {
                text.push_str(&format!(
                    "(left out of the evidence, because it is large: {}; evidence_max asks for more)\n",
                    result.left_out.join(", ")
                ));
            }
        }
        if let Some(message) = &self.message {
            text.push_str(message);
            text.push('\n');
        }
        if text.trim().is_empty() {
            format!("{}\n", self.verdict)
        } else {
            text
        }
    }

    fn shorten_reports(&mut self) {
        let share = REPORTS_MAX / self.results.len().max(1);
        for result in &mut self.results {
            let characters = result.report.chars().count();
            if characters > share {
                let kept: String = result.report.chars().take(share).collect();
                result.report = format!(
                    "{kept}\n… {} more characters; the command shows all\n",
                    characters - share
                );
            }
        }
    }
}

/// The verdict that an exit code stands for; none if the process did not end by itself.
fn verdict_of(code: Option<i32>) -> Option<Verdict> {
    match code? {
        0 => Some(Verdict::Valid),
        1 => Some(Verdict::Violation),
        2 => Some(Verdict::Error),
        3 => Some(Verdict::Unknown),
        _ => None,
    }
}

/// What to say of a process that did not end as commands do.
fn crashed(code: Option<i32>, messages: &str) -> String {
    let how = match code {
        Some(code) => format!("the check ended with exit code {code}"),
        None => "the check was ended by a signal".to_owned(),
    };
    let told = tail(messages.trim(), MESSAGE_MAX);
    format!("internal error, please report it: {how}; the server goes on\n{told}")
}

fn of_evidence(line: &str, evidence_max: usize) -> Result<InputResult, String> {
    let evidence = Evidence::from_json(line).map_err(|error| error.to_string())?;
    let report = match &evidence.error {
        Some(error) if evidence.verdict == Verdict::Error => format!("{}: {error}\n", evidence.input),
        _ => text(&evidence, &TextOptions::from(Look::plain())),
    };
    let value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let (kept, left_out) = reduced(value, evidence_max);
    Ok(InputResult {
        input: evidence.input,
        verdict: evidence.verdict.word().to_owned(),
        report,
        evidence: kept,
        left_out,
    })
}

fn of_json(line: &str, evidence_max: usize, report: fn(&Value) -> String) -> Result<InputResult, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let field = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| value[*name].as_str());
        found.unwrap_or_default().to_owned()
    };
    let (input, verdict, report) = (
        field(["input", "file"]),
        field(["verdict", "verdict"]),
        report(&value),
    );
    let (evidence, left_out) = reduced(value, evidence_max);
    Ok(InputResult {
        input,
        verdict,
        report,
        evidence,
        left_out,
    })
}

/// What is wrong with a specification: each problem with its place, what belongs to it, and what to do.
fn diagnostics(value: &Value) -> String {
    let text = |field: &Value| field.as_str().unwrap_or_default().to_owned();
    let place = |of: &Value| {
        format!(
            "{}:{}:{}",
            text(&of["file"]),
            of["span"]["line"],
            of["span"]["column"]
        )
    };
    let mut report = String::new();
    for problem in value["diagnostics"].as_array().into_iter().flatten() {
        let (severity, class) = (text(&problem["severity"]), text(&problem["class"]));
        report.push_str(&format!(
            "{severity}[{class}]: {}\n --> {}\n",
            text(&problem["message"]),
            place(problem)
        ));
        for label in problem["labels"].as_array().into_iter().flatten() {
            report.push_str(&format!("  = {}: {}\n", place(label), text(&label["message"])));
        }
        if let Some(help) = problem["help"].as_str() {
            report.push_str(&format!("  = help: {help}\n"));
        }
    }
    let verdict = if value["verdict"] == "valid" {
        "ok"
    } else {
        "wrong"
    };
    report.push_str(&format!("{}: {verdict}\n", text(&value["input"])));
    report
}

/// What an expression printed, and its value.
fn value(value: &Value) -> String {
    let printed = value["printed"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let result = ["value", "text", "reason"]
        .iter()
        .find_map(|name| value[*name].as_str());
    let lines: Vec<&str> = printed.chain(result).collect();
    lines.join("\n")
}

/// Evidence without its largest parts, so that it has at most so many bytes, and the names of these parts.
fn reduced(mut evidence: Value, most: usize) -> (Option<Value>, Vec<String>) {
    let mut left_out = Vec::new();
    if most == 0 {
        return (None, left_out);
    }
    while evidence.to_string().len() > most {
        let parts = evidence.as_object_mut().filter(|parts| !parts.is_empty());
        let Some(parts) = parts else {
            return (None, vec!["evidence".to_owned()]);
        };
        let largest = parts.iter().max_by_key(|(_, part)| part.to_string().len());
        let Some(name) = largest.map(|(name, _)| name.clone()) else {
            break;
        };
        parts.remove(&name);
        left_out.push(name);
    }
    (Some(evidence), left_out)
}

/// The last characters of a text.
fn tail(text: &str, most: usize) -> &str {
    let from = text.char_indices().rev().nth(most.saturating_sub(1));
    from.map_or(text, |(at, _)| &text[at..])
}

/// The same as a line for a shell.
fn command_line(call: &Call) -> String {
    let words = call.words.iter().filter(|word| *word != "--json");
    let words: Vec<String> = words
        .map(|word| shell_word(&word.replace(SCRATCH, ".")).into_owned())
        .collect();
    format!("omnilink {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::limits::Limits;

    fn call(prints: Prints) -> Call {
        Call {
            words: vec![
                "tla".to_owned(),
                "eval".to_owned(),
                "--json".to_owned(),
                "{1, 2}".to_owned(),
            ],
            prints,
            executes: false,
            limits: Limits {
                time: Duration::from_secs(10),
                memory: 1_000_000_000,
            },
            file: None,
            evidence_max: 1_000,
        }
    }

    fn finished(code: Option<i32>, output: &str, messages: &str) -> Ended {
        Ended::Finished {
            code,
            output: output.to_owned(),
            messages: messages.to_owned(),
        }
    }

    #[test]
    fn a_panic_is_an_error() {
        let ended = finished(
            Some(101),
            "",
            "thread 'main' panicked at src/x.rs:1:\nindex out of bounds",
        );
        let answer = Answer::of(&call(Prints::Evidence), ended);
        assert!(answer.is_error());
        let text = answer.text();
        assert!(
            text.contains("please report it") && text.contains("index out of bounds"),
            "{text}"
        );
        let killed = Answer::of(
            &call(Prints::Evidence),
            finished(None, "", "has overflowed its stack"),
        );
        assert!(killed.text().contains("ended by a signal"), "{}", killed.text());
    }

    #[test]
    fn output_that_is_no_evidence_is_an_error() {
        let answer = Answer::of(&call(Prints::Evidence), finished(Some(0), "hello\n", ""));
        assert!(
            answer.is_error() && answer.text().contains("cannot be read"),
            "{answer:?}"
        );
    }

    #[test]
    fn a_limit_is_no_error() {
        for ended in [Ended::OutOfTime, Ended::OutOfMemory, Ended::Cancelled] {
            let answer = Answer::of(&call(Prints::Evidence), ended);
            assert_eq!((answer.verdict.as_str(), answer.is_error()), ("unknown", false));
        }
    }

    #[test]
    fn large_evidence_loses_its_largest_parts_first() {
        let evidence =
            json!({ "verdict": "valid", "witness": vec![1; 600], "notes": vec!["x"; 50], "ops": 7 });
        let (kept, left_out) = reduced(evidence.clone(), 400);
        assert_eq!(left_out, ["witness"]);
        assert_eq!(kept.map(|kept| kept["ops"].clone()), Some(json!(7)));
        assert_eq!(
            reduced(evidence.clone(), 100_000),
            (Some(evidence.clone()), Vec::new())
        );
        assert_eq!(reduced(evidence, 0).0, None);
        assert_eq!(
            reduced(json!("x".repeat(500)), 100),
            (None, vec!["evidence".to_owned()])
        );
    }

    #[test]
    fn reports_and_messages_are_cut() {
        let long = "é".repeat(100_000);
        let answer = Answer::of(&call(Prints::Text), finished(Some(0), &long, &long));
        assert!(answer.results[0].report.chars().count() < REPORTS_MAX + 100);
        assert!(
            answer
                .message
                .is_some_and(|message| message.chars().count() <= MESSAGE_MAX)
        );
    }

    #[test]
    fn the_command_can_be_repeated() {
        let answer = Answer::of(&call(Prints::Value), finished(Some(0), "", ""));
        assert_eq!(answer.command, "omnilink tla eval '{1, 2}'");
    }
}
