//! The tools: their arguments, and the command line that each call becomes.
//!
//! The names and meanings are those of the command's arguments. Paths are looked at here, so that a message says what is wrong with
//! them; options that write files are not offered.

mod check;
mod explain;
mod lineup;
mod mc;
mod specification;
mod tla;
mod validate;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::answer::schema;
use crate::arguments::ArgumentType;
use crate::call::Call;
use crate::folders::Folders;
use crate::limits::{LimitArguments, Limits, Most};

/// The bytes of evidence in an answer that names no most.
const EVIDENCE_USUAL: usize = 24_000;
const EVIDENCE_MOST: usize = 1_000_000;

/// What a call may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<'a> {
    pub(crate) folders: &'a Folders,
    pub(crate) most: Most,
    pub(crate) may_execute: bool,
}

impl Site<'_> {
    fn path(&self, given: &str) -> Result<String, String> {
        let real = self.folders.resolve(given)?;
        let text = real.into_os_string().into_string();
        text.map_err(|path| format!("{}: the path is not UTF-8; rename it", path.display()))
    }

    fn paths(&self, given: &[String]) -> Result<Vec<String>, String> {
        given.iter().map(|path| self.path(path)).collect()
    }

    fn limits(&self, asked: Option<&LimitArguments>) -> Result<Limits, String> {
        Limits::of(asked, self.most)
    }

    /// Whether the call executes commands, if that was asked for and is allowed.
    fn executes(&self, asked: bool) -> Result<bool, String> {
        if asked && !self.may_execute {
            Err(
                "this server runs no commands; whoever starts it can allow it: omnilink mcp --allow-exec"
                    .to_owned(),
            )
        } else {
            Ok(asked)
        }
    }
}

/// The arguments of a tool.
trait Arguments: DeserializeOwned + ArgumentType {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;

    /// The call that they ask for.
    fn call(self, site: &Site<'_>) -> Result<Call, String>;
}

/// A tool, with what makes calls of its arguments.
struct Offer {
    describe: fn() -> Value,
    call: fn(Map<String, Value>, &Site<'_>) -> Result<Call, String>,
    name: &'static str,
}

const fn offer<A: Arguments>() -> Offer {
    Offer {
        describe: describe::<A>,
        call: read::<A>,
        name: A::NAME,
    }
}

const OFFERS: [Offer; 7] = [
    offer::<check::CheckArguments>(),
    offer::<validate::ValidateArguments>(),
    offer::<mc::McArguments>(),
    offer::<tla::TlaCheckArguments>(),
    offer::<tla::TlaEvalArguments>(),
    offer::<lineup::LineupArguments>(),
    offer::<explain::ExplainArguments>(),
];

fn describe<A: Arguments>() -> Value {
    let runs_code = A::NAME == lineup::LineupArguments::NAME;
    json!({
        "name": A::NAME,
        "title": A::TITLE,
        "description": A::DESCRIPTION,
        "inputSchema": A::schema(),
        "outputSchema": schema(),
        "annotations": {
            "readOnlyHint": !runs_code, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
        },
    })
}

fn read<A: Arguments>(given: Map<String, Value>, site: &Site<'_>) -> Result<Call, String> {
    let schema = A::schema();
    let required = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    if let Some(name) = required.into_iter().find(|name| !given.contains_key(*name)) {
        return Err(format!(
            "the arguments of {} cannot be used: missing field `{name}`",
            A::NAME
        ));
    }
    let arguments: A = serde_json::from_value(Value::Object(given))
        .map_err(|error| format!("the arguments of {} cannot be used: {error}", A::NAME))?;
    arguments.call(site)
}

/// All tools.
pub(crate) fn all() -> Vec<Value> {
    OFFERS.iter().map(|offer| (offer.describe)()).collect()
}

/// The call of a tool; none if there is no such tool.
pub(crate) fn call(name: &str, given: Map<String, Value>, site: &Site<'_>) -> Option<Result<Call, String>> {
    let offer = OFFERS.iter().find(|offer| offer.name == name)?;
    Some((offer.call)(given, site))
}

/// The names of all tools.
pub(crate) fn names() -> String {
    OFFERS.map(|offer| offer.name).join(", ")
}

fn evidence_max(asked: Option<usize>) -> usize {
    asked.unwrap_or(EVIDENCE_USUAL).min(EVIDENCE_MOST)
}

/// `--option=value`, if there is a value. A value that begins with a dash is still a value this way.
fn option(words: &mut Vec<String>, name: &str, value: Option<impl std::fmt::Display>) {
    words.extend(value.map(|value| format!("--{name}={value}")));
}

fn flag(words: &mut Vec<String>, name: &str, is_given: bool) {
    words.extend(is_given.then(|| format!("--{name}")));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn call_of(name: &str, given: Value, may_execute: bool) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["S.tla", "t.ndjson", "--evil.ndjson"] {
            std::fs::write(folder.path().join(file), "").expect("a file");
        }
        let folders = Folders::new(&[folder.path().to_owned()]).expect("it is a folder");
        let site = Site {
            folders: &folders,
            most: Most {
                time: Duration::from_secs(600),
                memory: 4_000_000_000,
            },
            may_execute,
        };
        let given = given.as_object().cloned().unwrap_or_default();
        let call = call(name, given, &site).expect("there is such a tool")?;
        let real = folders.all()[0].display().to_string();
        Ok(call.words.iter().map(|word| word.replace(&real, "DIR")).collect())
    }

    fn refusal(name: &str, given: Value) -> String {
        call_of(name, given, false).expect_err("it is refused")
    }

    #[test]
    fn every_tool_describes_itself_and_its_arguments() {
        for tool in all() {
            let (name, schema) = (&tool["name"], &tool["inputSchema"]);
            assert_eq!(schema["type"], "object", "{name}");
            assert_eq!(schema["additionalProperties"], false, "{name}");
            assert!(
                tool["description"].as_str().is_some_and(|text| text.len() > 80),
                "{name}"
            );
            assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
            for (argument, of) in schema["properties"].as_object().into_iter().flatten() {
                assert!(of["description"].is_string(), "{name}: {argument}: {of}");
            }
        }
    }

    #[test]
    fn arguments_become_a_command_line() {
        let words = call_of(
            "check",
            json!({ "traces": ["t.ndjson"], "model": "queue", "minimize": true }),
            false,
        );
        let expected = "check --json --time-limit=60000ms --memory-limit=4000000000B --model=queue --minimize -- DIR/t.ndjson";
        assert_eq!(words.map(|words| words.join(" ")), Ok(expected.to_owned()));
        let given =
            json!({ "spec": "S.tla", "constants": { "N": "3" }, "workers": 2, "limits": { "seconds": 1 } });
        let words = call_of("mc", given, false).expect("it makes sense");
        assert!(
            words.contains(&"--const=N=3".to_owned()) && words.contains(&"--time-limit=1000ms".to_owned()),
            "{words:?}"
        );
    }

    #[test]
    fn no_value_becomes_an_option() {
        let words = call_of(
            "check",
            json!({ "traces": ["--evil.ndjson"], "model": "--evidence=/tmp/x" }),
            false,
        );
        let words = words.expect("it makes sense to this point");
        assert!(
            words.contains(&"--model=--evidence=/tmp/x".to_owned()),
            "{words:?}"
        );
        assert_eq!(
            words[words.len() - 2..],
            ["--".to_owned(), "DIR/--evil.ndjson".to_owned()]
        );
        let words = call_of("tla_eval", json!({ "expression": "--allow-exec" }), false)
            .expect("it makes sense to this point");
        assert_eq!(
            words[words.len() - 2..],
            ["--", "--allow-exec"].map(str::to_owned)
        );
        let refused = refusal("mc", json!({ "spec": "S.tla", "constants": { "N=1 --x": "2" } }));
        assert!(refused.contains("is no name of a constant"), "{refused}");
    }

    #[test]
    fn unknown_arguments_and_wrong_types_are_refused() {
        for (name, given, expected) in [
            (
                "check",
                json!({ "traces": ["t.ndjson"], "modell": "queue" }),
                "unknown field `modell`",
            ),
            (
                "check",
                json!({ "traces": "t.ndjson", "model": "queue" }),
                "invalid type",
            ),
            ("check", json!({ "model": "queue" }), "give traces"),
            ("check", json!({ "traces": [], "model": "queue" }), "give traces"),
            (
                "check",
                json!({ "traces": ["-"], "model": "queue" }),
                "-: No such file",
            ),
            (
                "check",
                json!({ "traces": ["t.ndjson"], "evidence": "/tmp/x" }),
                "unknown field `evidence`",
            ),
            (
                "validate",
                json!({ "spec": "S.tla", "traces": ["../t.ndjson"] }),
                "is not in the folders",
            ),
            (
                "validate",
                json!({ "spec": "/etc/passwd", "traces": ["t.ndjson"] }),
                "is not in the folders",
            ),
            (
                "mc",
                json!({ "spec": "S.tla", "library": ["/"] }),
                "is not in the folders",
            ),
            (
                "mc",
                json!({ "spec": "S.tla", "dump": "x" }),
                "unknown field `dump`",
            ),
            ("tla_check", json!({ "files": [] }), "give files"),
            ("tla_eval", json!({}), "missing field `expression`"),
            ("explain", json!({}), "give file"),
            (
                "explain",
                json!({ "file": "t.ndjson", "evidence": {} }),
                "not both",
            ),
        ] {
            let refused = refusal(name, given.clone());
            assert!(refused.contains(expected), "{name} {given}: {refused}");
        }
    }

    #[test]
    fn commands_are_only_run_if_that_is_allowed() {
        for (name, given) in [
            ("lineup", json!({ "folder": "." })),
            ("mc", json!({ "spec": "S.tla", "allow_exec": true })),
            ("tla_eval", json!({ "expression": "1", "allow_exec": true })),
        ] {
            let refused = refusal(name, given.clone());
            assert!(refused.contains("--allow-exec"), "{name}: {refused}");
            assert!(call_of(name, given, true).is_ok(), "{name}");
        }
        let words = call_of("mc", json!({ "spec": "S.tla" }), true).expect("it makes sense");
        assert!(!words.contains(&"--allow-exec".to_owned()), "{words:?}");
    }
}
