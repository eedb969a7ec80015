//! Retiming rules as text.

use std::str::FromStr;

use omnilink_value::Value;
use thiserror::Error;

use super::{RetimeRule, RetimeScope};

/// Text that is not a retiming rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "\"{0}\" is no retiming rule; the rules are clip=FIELD, shift=THREAD:OFFSET, shift=FIELD=VALUE:OFFSET and \
     tighten=SENT,RECEIVED"
)]
pub struct RetimeRuleError(pub String);

impl FromStr for RetimeRule {
    type Err = RetimeRuleError;

    fn from_str(text: &str) -> Result<Self, RetimeRuleError> {
        parse(text).ok_or_else(|| RetimeRuleError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<RetimeRule> {
    let (rule, parameters) = text.split_once('=')?;
    match rule {
        "clip" if !parameters.is_empty() => Some(RetimeRule::Clip {
            field: parameters.to_owned(),
        }),
        "shift" => {
            let (scope, offset) = parameters.rsplit_once(':')?;
            let scope = match scope.split_once('=') {
                Some((field, value)) => RetimeScope::Meta {
                    field: field.to_owned(),
                    value: scalar(value),
                },
                None => RetimeScope::Thread(scalar(scope)),
            };
            Some(RetimeRule::Shift {
                scope,
                offset: offset.parse().ok()?,
            })
        }
        "tighten" => {
            let (sent, received) = parameters
                .split_once(',')
                .filter(|(sent, received)| !sent.is_empty() && !received.is_empty())?;
            Some(RetimeRule::Tighten {
                sent: sent.to_owned(),
                received: received.to_owned(),
            })
        }
        _ => None,
    }
}

/// A number if the text is one, otherwise a string.
fn scalar(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::str(text), Value::int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_parse_as_documented() {
        for (text, rule) in [
            (
                "clip=lin",
                RetimeRule::Clip {
                    field: "lin".to_owned(),
                },
            ),
            (
                "shift=3:-100",
                RetimeRule::Shift {
                    scope: RetimeScope::Thread(Value::int(3)),
                    offset: -100,
                },
            ),
            (
                "shift=a:b:7",
                RetimeRule::Shift {
                    scope: RetimeScope::Thread(Value::str("a:b")),
                    offset: 7,
                },
            ),
            (
                "shift=node=n1:5",
                RetimeRule::Shift {
                    scope: RetimeScope::Meta {
                        field: "node".to_owned(),
                        value: Value::str("n1"),
                    },
                    offset: 5,
                },
            ),
            (
                "tighten=tx,rx",
                RetimeRule::Tighten {
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
            assert!(text.parse::<RetimeRule>().is_err(), "{text}");
        }
    }
}
