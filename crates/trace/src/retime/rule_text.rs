//! Rules as text.

use std::str::FromStr;

use omnilink_value::Value;
use thiserror::Error;

use super::{Rule, Who};

/// Text that is no rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "\"{0}\" is no retiming rule; the rules are clip=FIELD, shift=THREAD:OFFSET, shift=FIELD=VALUE:OFFSET and \
     tighten=SENT,RECEIVED"
)]
pub struct RuleError(pub String);

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        parse(text).ok_or_else(|| RuleError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Rule> {
    let (rule, what) = text.split_once('=')?;
    match rule {
        "clip" if !what.is_empty() => Some(Rule::Clip {
            field: what.to_owned(),
        }),
        "shift" => {
            let (who, offset) = what.rsplit_once(':')?;
            let who = match who.split_once('=') {
                Some((field, value)) => Who::Meta {
                    field: field.to_owned(),
                    value: scalar(value),
                },
                None => Who::Thread(scalar(who)),
            };
            Some(Rule::Shift {
                who,
                offset: offset.parse().ok()?,
            })
        }
        "tighten" => {
            let (sent, received) = what
                .split_once(',')
                .filter(|(sent, received)| !sent.is_empty() && !received.is_empty())?;
            Some(Rule::Tighten {
                sent: sent.to_owned(),
                received: received.to_owned(),
            })
        }
        _ => None,
    }
}

/// What looks like a number is one.
fn scalar(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::str(text), Value::int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_documented() {
        for (text, rule) in [
            (
                "clip=lin",
                Rule::Clip {
                    field: "lin".to_owned(),
                },
            ),
            (
                "shift=3:-100",
                Rule::Shift {
                    who: Who::Thread(Value::int(3)),
                    offset: -100,
                },
            ),
            (
                "shift=a:b:7",
                Rule::Shift {
                    who: Who::Thread(Value::str("a:b")),
                    offset: 7,
                },
            ),
            (
                "shift=node=n1:5",
                Rule::Shift {
                    who: Who::Meta {
                        field: "node".to_owned(),
                        value: Value::str("n1"),
                    },
                    offset: 5,
                },
            ),
            (
                "tighten=tx,rx",
                Rule::Tighten {
                    sent: "tx".to_owned(),
                    received: "rx".to_owned(),
                },
            ),
        ] {
            assert_eq!(text.parse(), Ok(rule), "{text}");
        }
        for text in [
            "",
            "clip",
            "clip=",
            "shift=3",
            "shift=3:x",
            "tighten=a",
            "stretch=3",
        ] {
            assert!(text.parse::<Rule>().is_err(), "{text}");
        }
    }
}
