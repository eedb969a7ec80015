//! A summary of a trace's operations by name: for `omnilink link init` and `omnilink link check`.

use std::collections::{BTreeMap, BTreeSet};

use omnilink_trace::{Args, Operation};

use crate::action::SpecAction;
use crate::param::{Fallback, RESULT, is_thread_name};
use crate::setup_names::BOOKKEEPING;
use omnilink_settings::toml_key;

/// The operations of a trace by name.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    ops: BTreeMap<String, OpSummary>,
}

/// A summary of the operations of one name.
#[derive(Clone, Debug, Default)]
pub struct OpSummary {
    /// How many.
    pub count: u64,
    /// Of these, aborted ones.
    pub aborted: u64,
    /// Of these, pending ones.
    pub pending: u64,
    /// The names of their fields.
    pub fields: BTreeSet<String>,
    /// Whether some have arguments without names.
    pub positional: bool,
    /// Whether some have a result beside the arguments.
    pub has_result: bool,
}

impl OpSummary {
    /// The parameters without a field in the trace.
    fn missing<'a>(&self, action: &'a SpecAction) -> Vec<&'a String> {
        let is_missing = |param: &&String| {
            !self.positional
                && !self.fields.contains(*param)
                && match Fallback::of(param) {
                    Fallback::Missing => true,
                    Fallback::Result => !self.has_result,
                    Fallback::Thread => false,
                }
        };
        action.params.iter().filter(is_missing).collect()
    }

    /// The fields that no parameter takes; `ret` for results that stand apart.
    fn unread(&self, action: &SpecAction) -> Vec<String> {
        let is_unread = |field: &&String| {
            !action.params.contains(field) && !is_thread_name(field) && !BOOKKEEPING.contains(&field.as_str())
        };
        let takes_result = action
            .params
            .iter()
            .any(|param| Fallback::of(param) == Fallback::Result);
        let result = (self.has_result && !takes_result).then(|| RESULT.to_owned());
        self.fields
            .iter()
            .filter(is_unread)
            .cloned()
            .chain(result)
            .collect()
    }
}

impl Survey {
    /// Adds an operation.
    pub fn observe(&mut self, operation: &Operation) {
        if !self.ops.contains_key(operation.name.as_str()) {
            self.ops.insert(operation.name.to_string(), OpSummary::default());
        }
        let Some(seen) = self.ops.get_mut(operation.name.as_str()) else {
            return;
        };
        seen.count += 1;
        seen.aborted += u64::from(operation.aborted);
        seen.pending += u64::from(operation.timebox.is_pending());
        seen.has_result |= operation.ret.as_ref().is_some_and(|ret| !ret.is_null());
        match &operation.args {
            Args::Named(record) => {
                let names = record.as_record().into_iter().flat_map(|record| record.iter());
                for (name, _) in names {
                    if !seen.fields.contains(name) {
                        seen.fields.insert(name.to_owned());
                    }
                }
            }
            Args::Positional(_) => seen.positional = true,
        }
    }

    /// The summaries, by name.
    pub fn ops(&self) -> &BTreeMap<String, OpSummary> {
        &self.ops
    }

    /// A link file to start from: everything that is default stands in comments, what is missing is to be filled in.
    pub fn link_file(&self, spec: &str, actions: &[SpecAction], constants: &[String]) -> String {
        let mut text = format!(
            "# How traces belong to {spec}. Everything is optional: an operation is the action of its name,\n"
        );
        text.push_str("# and its fields are the parameters. See docs/validate.md.\n\n");
        if !constants.is_empty() {
            text.push_str(
                "# Constants as TLA+ expressions; those of a .cfg need not be repeated.\n[constants]\n",
            );
            constants
                .iter()
                .for_each(|name| text.push_str(&format!("# {name} = \"…\"\n")));
            text.push_str("\n# Constants that are all values of these fields of the trace.\n[collect]\n");
            let fields: BTreeSet<&str> = self
                .ops
                .values()
                .flat_map(|seen| &seen.fields)
                .map(String::as_str)
                .collect();
            let fields: Vec<String> = fields.iter().map(|field| format!("{field:?}")).collect();
            constants
                .iter()
                .for_each(|name| text.push_str(&format!("# {name} = [{}]\n", fields.join(", "))));
            text.push('\n');
        }
        for action in actions
            .iter()
            .filter(|action| action.in_next || self.ops.contains_key(&action.name))
        {
            let seen = self.ops.get(&action.name);
            let how_often = match seen {
                Some(seen) => format!("{} in the trace", seen.count),
                None if self.ops.is_empty() => "no trace was given".to_owned(),
                None => "not in the trace".to_owned(),
            };
            text.push_str(&format!(
                "# {} ({}): {how_often}\n",
                action.signature(),
                action.at
            ));
            let missing: Vec<&String> = seen.map_or_else(Vec::new, |seen| seen.missing(action));
            let unread: Vec<String> = seen.map_or_else(Vec::new, |seen| seen.unread(action));
            // A field that nothing reads is an error until the link file ignores it or gives it to a parameter.
            let is_ignored = missing.is_empty() && !unread.is_empty();
            let mark = if is_ignored { "" } else { "# " };
            text.push_str(&format!("{mark}[ops.{}]\n", toml_key(&action.name)));
            for param in missing {
                text.push_str(&format!(
                    "#   MISSING: no field \"{param}\"; fields = {{ {param} = \"…\" }}\n"
                ));
            }
            for field in &unread {
                text.push_str(&format!("#   nothing reads the field \"{field}\"\n"));
            }
            if is_ignored {
                let unread: Vec<String> = unread.iter().map(|field| format!("{field:?}")).collect();
                text.push_str(&format!("ignore_fields = [{}]\n", unread.join(", ")));
            }
            text.push_str("# requires = '''…'''\n# ensures = '''…'''\n\n");
        }
        for (op, seen) in self.without_action(actions) {
            text.push_str(&format!(
                "# MISSING: {op} is in the trace {} times, and is no action\n",
                seen.count
            ));
            text.push_str(&format!(
                "[ops.{}]\n# action = \"…\"\nignore = true\n\n",
                toml_key(op)
            ));
        }
        text
    }

    /// Operations that no action is called like.
    pub fn without_action<'a>(
        &'a self,
        actions: &'a [SpecAction],
    ) -> impl Iterator<Item = (&'a str, &'a OpSummary)> {
        let is_action = move |op: &str| {
            let named = |name: &str| actions.iter().any(|action| action.name == name);
            named(op) || (named(&format!("{op}_Step")) && named(&format!("{op}_Done")))
        };
        self.ops
            .iter()
            .filter(move |(op, _)| !is_action(op))
            .map(|(op, seen)| (op.as_str(), seen))
    }
}
