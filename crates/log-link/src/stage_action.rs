//! An action that a line is, that is part of a line, or that happens without one.

use omnilink_link::Changes;
use omnilink_tla::ir::OperatorId;

use crate::event_action::EventAction;
use crate::formula::{FormulaText, LineFormula};

/// An action of a step.
#[derive(Clone, Debug)]
pub(crate) enum StageAction {
    /// Any step of the next-state relation.
    Any,
    /// An action of the next-state relation, by its number.
    Event(usize),
    /// The same with arguments that formulas of the link file compute.
    Applied(usize, Vec<LineFormula>),
    /// A formula of the link file. Its steps must be steps of the next-state relation.
    Formula(LineFormula),
}

impl StageAction {
    /// The formulas in it.
    pub fn formulas(&self) -> &[LineFormula] {
        match self {
            Self::Any | Self::Event(_) => &[],
            Self::Applied(_, arguments) => arguments,
            Self::Formula(formula) => std::slice::from_ref(formula),
        }
    }
}

/// An action before the spec is compiled.
#[derive(Debug)]
pub(crate) struct ActionText {
    text: String,
    /// None if it is a name.
    formula: Option<FormulaText>,
    /// If it is a name with arguments: these.
    applied: Option<(String, Vec<FormulaText>)>,
}

impl ActionText {
    /// Adds the formulas of an action to what is compiled.
    pub fn define(entry: &str, text: &str, changes: &mut Changes) -> Self {
        let text = text.trim();
        let formula = (!is_name(text)).then(|| FormulaText::define(entry, text, changes));
        let applied = application(text).map(|(name, arguments)| {
            let arguments = arguments
                .into_iter()
                .map(|argument| FormulaText::define(entry, argument, changes));
            (name.to_owned(), arguments.collect())
        });
        Self {
            text: text.to_owned(),
            formula,
            applied,
        }
    }

    /// The action, once the spec is compiled.
    ///
    /// # Errors
    /// If there is no such action.
    pub fn compiled(
        self,
        operations: &[Option<OperatorId>],
        actions: &[EventAction],
    ) -> Result<StageAction, String> {
        let Some(formula) = self.formula else {
            let number = find_action(actions, &self.text);
            return number.map(StageAction::Event).ok_or_else(|| {
                format!(
                    "the next-state relation has no action `{}`; it has {}",
                    self.text,
                    known_actions(actions)
                )
            });
        };
        if let Some((name, arguments)) = self.applied
            && let Some(number) = find_action(actions, &name)
            && actions[number].params.len() == arguments.len()
        {
            let arguments: Option<Vec<LineFormula>> = arguments
                .into_iter()
                .map(|argument| argument.compiled(operations))
                .collect();
            if let Some(arguments) = arguments {
                return Ok(StageAction::Applied(number, arguments));
            }
        }
        let formula = formula.compiled(operations);
        formula
            .map(StageAction::Formula)
            .ok_or_else(|| format!("`{}` is no formula", self.text))
    }
}

/// The action that an event names: by its whole name, or without the instance before it.
pub(crate) fn find_action(actions: &[EventAction], name: &str) -> Option<usize> {
    let whole = actions.iter().position(|action| action.name == name);
    whole.or_else(|| {
        actions
            .iter()
            .position(|action| action.name.rsplit('!').next() == Some(name))
    })
}

/// The actions, for messages.
pub(crate) fn known_actions(actions: &[EventAction]) -> String {
    let names: Vec<&str> = actions.iter().map(|action| action.name.as_str()).collect();
    if names.is_empty() {
        "none that has a name".to_owned()
    } else {
        names.join(", ")
    }
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '!')
}

/// A text of the form `Name(argument, …)`, taken apart.
fn application(text: &str) -> Option<(&str, Vec<&str>)> {
    let (name, rest) = text.split_once('(')?;
    let name = name.trim_end();
    // What reads the next state is no argument that can be computed before the step.
    if name.is_empty() || !is_name(name) || rest.contains('\'') {
        return None;
    }
    let mut arguments = Vec::new();
    let (mut depth, mut from, mut is_string) = (0u32, 0, false);
    for (at, c) in rest.char_indices() {
        match c {
            '"' => is_string = !is_string,
            _ if is_string => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' if depth == 0 => {
                arguments.push(rest[from..at].trim());
                let is_whole = rest[at + 1..].trim().is_empty();
                return (is_whole && arguments.iter().all(|argument| !argument.is_empty()))
                    .then_some((name, arguments));
            }
            ')' | ']' | '}' | '>' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                arguments.push(rest[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::application;

    #[test]
    fn applications_are_taken_apart() {
        let whole = [
            ("A(x)", Some(("A", vec!["x"]))),
            (
                "M!A (line.a[1], <<1, 2>>)",
                Some(("M!A", vec!["line.a[1]", "<<1, 2>>"])),
            ),
            ("A(B(1, 2), \",)\")", Some(("A", vec!["B(1, 2)", "\",)\""]))),
            ("A(x) /\\ B(y)", None),
            ("A", None),
            ("A()", None),
            ("(A)", None),
            ("~A(x)", None),
            ("A(x < 1, 2)", None),
            ("A(x')", None),
        ];
        for (text, expected) in whole {
            assert_eq!(application(text), expected, "{text}");
        }
    }
}
