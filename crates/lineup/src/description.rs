//! The description that a harness gives of its component: its name, its calls, and how to test them.
//!
//! It consists of lines of words separated by tabs, so that a harness in any language can write it without a library.

use thiserror::Error;

use crate::alphabet::{Alphabet, AlphabetError};
use crate::options::Blocking;
use crate::played_roles::role_of_thread;

/// A component as its harness describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The name of the component.
    pub name: String,
    /// The calls, numbered as in the harness.
    pub alphabet: Alphabet,
    /// Matrices that failed once.
    pub regressions: Vec<String>,
    /// Which calls may block.
    pub blocking: Blocking,
}

/// Why a description cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DescriptionError {
    /// The calls are not valid.
    #[error("component \"{name}\": {error}")]
    Calls {
        /// The component.
        name: String,
        /// What is wrong.
        error: AlphabetError,
    },
    /// A line is not known.
    #[error(
        "component \"{name}\": its harness says \"{line}\", which this version does not know; use the same version of the \
         harness (omnilink-harness or lineup.hpp) and of the omnilink command"
    )]
    Unknown {
        /// The component.
        name: String,
        /// The line.
        line: String,
    },
}

impl Description {
    /// Parses the text of a harness.
    ///
    /// # Errors
    /// When names of calls are missing or duplicate, or a sequence names an unknown call.
    pub fn parse(text: &str) -> Result<Self, DescriptionError> {
        let mut description = Self {
            name: "component".to_owned(),
            ..Self::default()
        };
        let lines = || text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        // A line may use a call before the line that declares it: declarations first.
        for words in lines() {
            let added = match words.as_slice() {
                ["component", name] => {
                    (*name).clone_into(&mut description.name);
                    Ok(())
                }
                ["call", name] => description.alphabet.add_call(*name).map(drop),
                ["part", name] => description.alphabet.add_part(*name).map(drop),
                _ => Ok(()),
            };
            added.map_err(|error| description.error(error))?;
        }
        for words in lines() {
            let alphabet = &mut description.alphabet;
            let parsed = match words.as_slice() {
                ["component" | "call" | "part", _] => Ok(()),
                ["sequence", names @ ..] => alphabet.add_sequence(names),
                ["initial", names @ ..] => alphabet.set_initial(names),
                ["final", names @ ..] => alphabet.set_final(names),
                ["role", name, names @ ..] => alphabet.add_role(name, names, false),
                ["shared-role", name, names @ ..] => alphabet.add_role(name, names, true),
                ["may-fail", names @ ..] => alphabet.add_may_fail(names),
                ["regression", matrix] => {
                    description.regressions.push((*matrix).to_owned());
                    Ok(())
                }
                ["never-blocks"] => {
                    description.blocking = Blocking::Never;
                    Ok(())
                }
                _ => {
                    return Err(DescriptionError::Unknown {
                        name: description.name,
                        line: words.join(" "),
                    });
                }
            };
            parsed.map_err(|error| description.error(error))?;
        }
        // A sequence that mixes roles could not be made by any thread.
        for entry in description.alphabet.entries() {
            role_of_thread(&description.alphabet, entry).map_err(|error| description.error(error.into()))?;
        }
        if description.alphabet.entries().is_empty() {
            Err(description.error(AlphabetError::Empty))
        } else {
            Ok(description)
        }
    }

    fn error(&self, error: AlphabetError) -> DescriptionError {
        DescriptionError::Calls {
            name: self.name.clone(),
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read_whatever_the_order_of_its_lines() {
        let text = "component\tqueue\nsequence\tlock()\tpush(1)\ncall\tpush(1)\npart\tlock()\ninitial\tpush(1)\n\
                    never-blocks\nregression\tpush(1) | push(1)";
        let description = Description::parse(text).unwrap();
        assert_eq!(description.name, "queue");
        assert_eq!(description.alphabet.calls(), ["push(1)", "lock()"]);
        assert_eq!(description.alphabet.entries().len(), 2);
        assert_eq!(description.alphabet.initial().len(), 1);
        assert_eq!(description.blocking, Blocking::Never);
        assert_eq!(description.regressions, ["push(1) | push(1)"]);
    }

    #[test]
    fn a_mistake_names_the_component_and_what_is_there() {
        let message = |text: &str| Description::parse(text).unwrap_err().to_string();
        assert!(
            message("component\tq\ncall\tpop()\ncall\tpop()")
                .contains("\"q\": the call \"pop()\" is listed twice")
        );
        assert!(message("component\tq\ncall\tpop()\nsequence\tpush()").contains("there are pop()"));
        assert!(message("component\tq").contains("nothing to call"));
        let roles = "component\tq\ncall\tpop()\ncall\tpush()\nrole\tconsumer\tpop()\nrole\tproducer\t";
        assert!(message(&format!("{roles}pop()")).contains("has the role \"consumer\""));
        assert!(
            message(&format!("{roles}push()\nsequence\tpop()\tpush()"))
                .contains("\"consumer\" and \"producer\"")
        );
        assert!(message("component\tq\ncall\tpop()\nteleport\tx").contains("does not know"));
    }
}
