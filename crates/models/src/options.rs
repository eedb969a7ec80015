//! Model options: `register:initial=0`, `bank:accounts=a:100/b:50,overdraft=yes`.

use omnilink_value::Value;
use thiserror::Error;

use crate::entry::{ModelEntry, is_similar};
use crate::suggestion::nearest;

/// Why a model specification is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelSpecError {
    /// No model has this name.
    #[error("there is no model \"{name}\"{}; there are {known}", did_you_mean(suggestion))]
    UnknownModel {
        /// The name.
        name: String,
        /// The most similar one.
        suggestion: Option<&'static str>,
        /// All models.
        known: String,
    },
    /// The model has no such option.
    #[error(
        "the model {model} has no option \"{option}\"{}; {known}",
        did_you_mean(suggestion)
    )]
    UnknownOption {
        /// The model.
        model: &'static str,
        /// The option.
        option: String,
        /// The most similar one.
        suggestion: Option<&'static str>,
        /// The options of the model.
        known: String,
    },
    /// An option has no value.
    #[error("the option \"{option}\" of the model {model} has no value: write {option}=VALUE")]
    NoValue {
        /// The model.
        model: &'static str,
        /// The option.
        option: String,
    },
    /// An option is given twice.
    #[error("the option \"{option}\" of the model {model} is given twice")]
    Repeated {
        /// The model.
        model: &'static str,
        /// The option.
        option: String,
    },
    /// An option has an invalid value.
    #[error("the option {option}={value} of the model {model} is not {expected}")]
    BadValue {
        /// The model.
        model: &'static str,
        /// The option.
        option: String,
        /// Its value.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
}

fn did_you_mean(suggestion: &Option<&'static str>) -> String {
    suggestion
        .map(|name| format!(" (did you mean \"{name}\"?)"))
        .unwrap_or_default()
}

/// The options given to a model. Reading an option removes it.
#[derive(Debug)]
pub struct ModelOptions {
    entry: &'static ModelEntry,
    given: Vec<(String, String)>,
}

impl ModelOptions {
    /// The options that are given as `name=value,…`.
    pub(crate) fn parse(entry: &'static ModelEntry, text: &str) -> Result<Self, ModelSpecError> {
        let mut given: Vec<(String, String)> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((option, value)) = part.split_once('=') else {
                return Err(ModelSpecError::NoValue {
                    model: entry.name,
                    option: part.to_owned(),
                });
            };
            let (option, value) = (option.trim().to_owned(), value.trim().to_owned());
            if given.iter().any(|(earlier, _)| is_similar(earlier, &option)) {
                return Err(ModelSpecError::Repeated {
                    model: entry.name,
                    option,
                });
            }
            given.push((option, value));
        }
        Ok(Self { entry, given })
    }

    /// An option as text.
    pub(crate) fn text(&mut self, option: &str) -> Option<String> {
        let at = self
            .given
            .iter()
            .position(|(given, _)| is_similar(given, option))?;
        Some(self.given.swap_remove(at).1)
    }

    /// An option with any value.
    pub(crate) fn value(&mut self, option: &str) -> Option<Value> {
        self.text(option).map(|text| value_of(&text))
    }

    /// An option with an integer of at least `least`.
    pub(crate) fn integer(
        &mut self,
        option: &str,
        least: i64,
        expected: &'static str,
    ) -> Result<Option<i64>, ModelSpecError> {
        self.text(option)
            .map(|text| match text.parse() {
                Ok(number) if number >= least => Ok(number),
                _ => Err(self.bad(option, text, expected)),
            })
            .transpose()
    }

    /// An option with one of several words.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        option: &str,
        choices: &[(&str, T)],
        expected: &'static str,
    ) -> Result<Option<T>, ModelSpecError> {
        self.text(option)
            .map(
                |text| match choices.iter().find(|(word, _)| is_similar(word, &text)) {
                    Some((_, choice)) => Ok(*choice),
                    None => Err(self.bad(option, text, expected)),
                },
            )
            .transpose()
    }

    /// An option with yes or no.
    pub(crate) fn switch(&mut self, option: &str) -> Result<bool, ModelSpecError> {
        let choices = [("yes", true), ("true", true), ("no", false), ("false", false)];
        self.choice(option, &choices, "yes or no")
            .map(Option::unwrap_or_default)
    }

    pub(crate) fn bad(&self, option: &str, value: String, expected: &'static str) -> ModelSpecError {
        ModelSpecError::BadValue {
            model: self.entry.name,
            option: option.to_owned(),
            value,
            expected,
        }
    }

    /// Reports options that the model did not read.
    pub(crate) fn finish(self) -> Result<(), ModelSpecError> {
        let Some((option, _)) = self.given.into_iter().next() else {
            return Ok(());
        };
        let known = || self.entry.options.iter().map(|option| option.name);
        let list = known().collect::<Vec<_>>().join(", ");
        Err(ModelSpecError::UnknownOption {
            model: self.entry.name,
            suggestion: nearest(&option, known()),
            known: if list.is_empty() {
                "it has none".to_owned()
            } else {
                format!("it has {list}")
            },
            option,
        })
    }
}

/// A value as written on the command line: a number, `nil`, `true`, `false`, or a text.
pub(crate) fn value_of(text: &str) -> Value {
    match text {
        "nil" | "null" => Value::null(),
        "true" => Value::bool(true),
        "false" => Value::bool(false),
        _ => Value::number(text).unwrap_or_else(|| Value::str(text.trim_matches('"'))),
    }
}
