//! The specification as a partner in a conversation: `omnilink step --stdio`.
//!
//! One JSON object per line asks, one answers. A question that makes no sense is answered by an error, and nothing changes. `docs/step.md`
//! describes the questions.

use omnilink_mc::{Explorer, ExplorerError, RecordedValue, State, plain_json};
use omnilink_memory::guard;
use omnilink_tla::ir::Formula;
use serde_json::{Map, Value as Json, json};

use crate::follower::{FollowError, Follower, KnownAction, SeenValues};

/// Evaluates an expression in a state: the value, or what is wrong.
pub type EvaluateIn<'a> = dyn Fn(&str, &State) -> Result<omnilink_value::Value, String> + Send + Sync + 'a;

/// A conversation about one specification.
pub struct Stepper<'a> {
    follower: Follower,
    variables: Vec<String>,
    evaluate: &'a EvaluateIn<'a>,
}

impl std::fmt::Debug for Stepper<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stepper")
            .field("follower", &self.follower)
            .finish_non_exhaustive()
    }
}

/// What a question is answered with, if it has no other answer.
struct Refusal {
    kind: &'static str,
    message: String,
}

impl From<FollowError> for Refusal {
    fn from(error: FollowError) -> Self {
        let kind = match &error {
            FollowError::Request(_) => "request",
            FollowError::Explorer(ExplorerError::Evaluation(_)) => "evaluation",
            FollowError::Explorer(ExplorerError::Limit(_)) | FollowError::TooMany(_) => "limit",
        };
        Self {
            kind,
            message: error.to_string(),
        }
    }
}

fn request(message: impl Into<String>) -> Refusal {
    Refusal {
        kind: "request",
        message: message.into(),
    }
}

/// At most this many states or steps are listed.
const LISTED_MAX: usize = 1_000;
/// An observation may be explained by at most this many steps.
const WITHIN_MAX: u64 = 100;

impl<'a> Stepper<'a> {
    /// A conversation that begins in the initial states. `observables` are expressions that observations may name.
    ///
    /// # Errors
    /// When the specification has no initial state.
    pub fn new(
        explorer: &mut Explorer<'_>,
        observables: Vec<(String, Formula)>,
        states_max: usize,
        evaluate: &'a EvaluateIn<'a>,
    ) -> Result<Self, FollowError> {
        let mut follower = Follower::new(observables, states_max);
        if follower.start(explorer, &Vec::new())? {
            Ok(Self {
                follower,
                variables: explorer
                    .model()
                    .program
                    .variables
                    .iter()
                    .map(|name| name.to_string())
                    .collect(),
                evaluate,
            })
        } else {
            Err(FollowError::Request(
                "no state satisfies the initial condition".to_owned(),
            ))
        }
    }

    /// The answer to a line; `None` if it says goodbye.
    pub fn answer(&mut self, explorer: &mut Explorer<'_>, line: &str) -> Option<String> {
        let asked: Result<Json, _> = serde_json::from_str(line);
        let (id, answer) = match &asked {
            Ok(Json::Object(asked)) => {
                let op = asked.get("op").and_then(Json::as_str);
                if op == Some("bye") {
                    return None;
                }
                (asked.get("id").cloned(), self.answered(explorer, op, asked))
            }
            Ok(_) => (
                None,
                Err(request(
                    "give one JSON object per line, such as {\"op\": \"state\"}",
                )),
            ),
            Err(error) => (None, Err(request(format!("this line is no JSON: {error}")))),
        };
        let mut answer = match answer {
            Ok(answer) => answer,
            Err(refusal) => {
                let error = json!({"kind": refusal.kind, "message": refusal.message});
                Map::from_iter([("error".to_owned(), error)])
            }
        };
        if let Some(id) = id {
            answer.insert("id".to_owned(), id);
        }
        Some(Json::Object(answer).to_string())
    }

    fn answered(
        &mut self,
        explorer: &mut Explorer<'_>,
        op: Option<&str>,
        asked: &Map<String, Json>,
    ) -> Result<Map<String, Json>, Refusal> {
        let allowed: &[&str] = match op {
            Some("state" | "undo") => &[],
            Some("reset") => &["state"],
            Some("enabled") => &["action", "parameters"],
            Some("take") => &["action", "parameters", "state"],
            Some("observe") => &["state", "within"],
            Some("eval") => &["expr"],
            Some(other) => {
                return Err(request(format!(
                    "there is no op {other}; there are state, enabled, take, observe, undo, reset, eval and bye"
                )));
            }
            None => return Err(request("\"op\" is missing: write {\"op\": \"state\"}")),
        };
        let known = |name: &str| name == "op" || name == "id" || allowed.contains(&name);
        if let Some(name) = asked.keys().find(|name| !known(name)) {
            return Err(request(format!("{} has no field {name}", op.unwrap_or_default())));
        }
        let seen = observation(asked, "state")?;
        let is_followed = match op {
            Some("state") => true,
            Some("undo") => {
                if self.follower.undo() {
                    true
                } else {
                    return Err(request("there is no step to undo"));
                }
            }
            Some("reset") => self.follower.start(explorer, &seen)?,
            Some("enabled") => return self.enabled(explorer, &known_action(asked)?),
            Some("take") => {
                let action = known_action(asked)?;
                if action.name.is_none() {
                    return Err(request(
                        "take needs \"action\"; any step is {\"op\": \"observe\"}",
                    ));
                }
                self.follower.take(explorer, &action, &seen)?
            }
            Some("observe") => self.observe(explorer, asked, &seen)?,
            _ => return self.eval(asked),
        };
        let mut answer = self.now();
        answer.insert("followed".to_owned(), is_followed.into());
        Ok(answer)
    }

    /// What is known of the present state.
    fn now(&self) -> Map<String, Json> {
        let possible = self.follower.possible();
        let states = possible
            .iter()
            .take(LISTED_MAX)
            .map(|one| self.state_json(&one.state));
        let mut answer = Map::new();
        answer.insert("steps".to_owned(), self.follower.steps().into());
        answer.insert("possible".to_owned(), possible.len().into());
        answer.insert("states".to_owned(), states.collect());
        answer
    }

    fn state_json(&self, state: &State) -> Json {
        let named = self.variables.iter().zip(state.iter());
        let named = named.map(|(name, value)| (name.clone(), plain_json(value)));
        Json::Object(named.collect())
    }

    /// The steps that are possible, each once, with the variables that it changes.
    fn enabled(
        &self,
        explorer: &mut Explorer<'_>,
        action: &KnownAction,
    ) -> Result<Map<String, Json>, Refusal> {
        let mut listed: Vec<Json> = Vec::new();
        let steps = self.follower.enabled(explorer, action)?;
        for (before, step) in &steps {
            let from = self
                .follower
                .possible()
                .get(*before)
                .map(|possible| &possible.state);
            let named = self.variables.iter().zip(step.to.iter()).enumerate();
            let changes = named.filter(|(at, (_, value))| from.is_none_or(|from| from[*at] != **value));
            let changes = changes.map(|(_, (name, value))| (name.clone(), plain_json(value)));
            let parameters = step.taken.bindings.iter();
            let parameters = parameters.map(|(name, value)| (name.clone(), plain_json(value)));
            let one = json!({
                "action": step.taken.name,
                "parameters": parameters.collect::<Map<_, _>>(),
                "changes": changes.collect::<Map<_, _>>(),
            });
            if listed.len() < LISTED_MAX && !listed.contains(&one) {
                listed.push(one);
            }
        }
        let mut answer = Map::new();
        answer.insert("enabled".to_owned(), listed.into());
        Ok(answer)
    }

    /// Follows an observation by at most `within` steps of any action, and by as few as possible.
    fn observe(
        &mut self,
        explorer: &mut Explorer<'_>,
        asked: &Map<String, Json>,
        seen: &SeenValues,
    ) -> Result<bool, Refusal> {
        let within = match asked.get("within") {
            None => 1,
            Some(within) => within
                .as_u64()
                .filter(|within| *within <= WITHIN_MAX)
                .ok_or_else(|| {
                    request(format!(
                        "\"within\" is a number from 0 to {WITHIN_MAX}, not {within}"
                    ))
                })?,
        };
        if self.follower.restrict(explorer, seen)? {
            return Ok(true);
        }
        let before = self.follower.steps();
        let followed = self.follow_unseen(explorer, seen, within);
        if !matches!(followed, Ok(true)) {
            while self.follower.steps() > before && self.follower.undo() {}
        }
        Ok(followed?)
    }

    /// Takes steps until one leads to what was seen.
    fn follow_unseen(
        &mut self,
        explorer: &mut Explorer<'_>,
        seen: &SeenValues,
        within: u64,
    ) -> Result<bool, FollowError> {
        let any = KnownAction::default();
        for left in (0..within).rev() {
            if self.follower.take(explorer, &any, seen)? {
                return Ok(true);
            }
            if left == 0 || !self.follower.take(explorer, &any, &Vec::new())? {
                break;
            }
        }
        Ok(false)
    }

    /// The value of an expression in each possible state, without duplicates.
    fn eval(&self, asked: &Map<String, Json>) -> Result<Map<String, Json>, Refusal> {
        let expression = asked.get("expr").and_then(Json::as_str);
        let expression = expression.ok_or_else(|| request("eval needs \"expr\", a text"))?;
        let mut values: Vec<omnilink_value::Value> = Vec::new();
        for possible in self.follower.possible().iter().take(LISTED_MAX) {
            let value = (self.evaluate)(expression, &possible.state);
            let value = value.map_err(|message| match guard::over() {
                Some(over) => FollowError::Explorer(ExplorerError::Limit(over.into())).into(),
                None => Refusal {
                    kind: "evaluation",
                    message,
                },
            })?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let mut answer = Map::new();
        let texts = values.iter().map(|value| value.to_string());
        answer.insert("text".to_owned(), texts.collect());
        answer.insert("values".to_owned(), values.iter().map(plain_json).collect());
        Ok(answer)
    }
}

/// The values of an object of a question; none if it is absent.
fn observation(asked: &Map<String, Json>, field: &str) -> Result<SeenValues, Refusal> {
    match asked.get(field) {
        None => Ok(Vec::new()),
        Some(Json::Object(values)) => {
            let values = values.iter();
            Ok(values
                .map(|(name, value)| (name.clone(), RecordedValue::Json(value.clone())))
                .collect())
        }
        Some(other) => Err(request(format!(
            "\"{field}\" is an object of names and values, not {other}"
        ))),
    }
}

fn known_action(asked: &Map<String, Json>) -> Result<KnownAction, Refusal> {
    let name = match asked.get("action") {
        None => None,
        Some(Json::String(name)) => Some(name.clone()),
        Some(other) => {
            return Err(request(format!(
                "\"action\" is the name of an action, not {other}"
            )));
        }
    };
    Ok(KnownAction {
        name,
        parameters: observation(asked, "parameters")?,
    })
}
