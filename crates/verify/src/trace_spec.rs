//! A counterexample as a specification: a module that extends the one that was checked and has this one behaviour, with a configuration that asks for
//! the same property. It is what TLC's `-generateSpecTE` writes, for TLC and for us: to try other invariants, or another version of the specification,
//! on the one behaviour that matters.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use omnilink_evidence::{Behaviour, PropertyKind};
use omnilink_tla::config::{Assigned, Config, ConfigValue};
use omnilink_value::Value;

/// The texts of the module and of its configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSpec {
    /// The module.
    pub module: String,
    /// The configuration.
    pub config: String,
}

/// What a behaviour is one of.
pub(crate) struct TracedSpec<'a> {
    /// The name of the module that was checked.
    pub(crate) module: &'a str,
    pub(crate) variables: &'a [String],
    pub(crate) config: &'a Config,
    /// Expressions for constants, which count more than those of the configuration.
    pub(crate) constants: &'a [(String, String)],
    /// Whether a name is defined there.
    pub(crate) defines: &'a dyn Fn(&str) -> bool,
}

impl TracedSpec<'_> {
    /// The behaviour as a module of this name; `None` if its states do not have all variables, as behind an ALIAS.
    pub(crate) fn of(&self, name: &str, behaviour: &Behaviour) -> Option<TraceSpec> {
        let complete = behaviour.states.iter().take_while(|state| {
            let mut variables = self.variables.iter();
            variables.all(|variable| state.values.get(variable).is_some())
        });
        let states: Vec<Vec<&Value>> = complete
            .map(|state| {
                self.variables
                    .iter()
                    .filter_map(|variable| state.values.get(variable))
                    .collect()
            })
            .collect();
        if states.is_empty() {
            return None;
        }
        let mut models = BTreeSet::new();
        states
            .iter()
            .flatten()
            .for_each(|value| models_in(value, &mut models));
        let is_known = |name: &str| {
            let mut constants = self.config.constants.iter();
            constants.any(|constant| constant.target.name == name)
                || self.constants.iter().any(|(constant, _)| constant == name)
        };
        models.retain(|model| !is_known(model));
        let property = self.property(behaviour);
        Some(TraceSpec {
            module: self.module_text(name, behaviour, &states, &models, property.as_ref())?,
            config: self.config_text(behaviour, &models, property.as_ref())?,
        })
    }

    /// The property that is asked for: its keyword, and a name or else an expression.
    fn property<'b>(&self, behaviour: &'b Behaviour) -> Option<(&'static str, &'b str)> {
        let keyword = match behaviour.kind {
            PropertyKind::Invariant => "INVARIANT",
            PropertyKind::Property => "PROPERTY",
            _ => return None,
        };
        let violated = behaviour.violated.as_deref()?;
        // A PROPERTY of all states is checked as an invariant.
        let mut properties = self.config.properties.iter();
        let is_property = properties.any(|property| property.name == violated);
        Some((if is_property { "PROPERTY" } else { keyword }, violated))
    }

    fn module_text(
        &self,
        name: &str,
        behaviour: &Behaviour,
        states: &[Vec<&Value>],
        models: &BTreeSet<String>,
        property: Option<&(&str, &str)>,
    ) -> Option<String> {
        let mut text = format!(
            "---- MODULE {name} ----\n\\* A counterexample of {}, written by omnilink mc.\n",
            self.module
        );
        writeln!(text, "EXTENDS Integers, TLC, {}\n", self.module).ok()?;
        if !models.is_empty() {
            let models: Vec<&str> = models.iter().map(String::as_str).collect();
            writeln!(text, "CONSTANTS {}\n", models.join(", ")).ok()?;
        }
        for (constant, value) in self.constants {
            writeln!(text, "OmniConstant{constant} == {value}\n").ok()?;
        }
        text.push_str("\\* The number of the state.\nVARIABLE omniStep\n\nOmniStates == <<\n");
        for (number, state) in (1..).zip(states) {
            let fields = self.variables.iter().zip(state);
            let fields: Vec<String> = fields
                .map(|(name, value)| format!("{name} |-> {value}"))
                .collect();
            let comma = if number == states.len() { "" } else { "," };
            writeln!(text, "  [{}]{comma}", fields.join(",\n   ")).ok()?;
        }
        let each = |line: &dyn Fn(&str) -> String| -> String {
            self.variables
                .iter()
                .map(|variable| format!("  /\\ {}\n", line(variable)))
                .collect()
        };
        let now = each(&|name| format!("{name} = OmniStates[1].{name}"));
        let next = each(&|name| format!("{name}' = OmniStates[omniStep'].{name}"));
        let last = states.len();
        let goes_on = match behaviour.lasso.filter(|back_to| *back_to < last) {
            Some(back_to) => format!("IF omniStep < {last} THEN omniStep + 1 ELSE {back_to}"),
            None => "omniStep + 1".to_owned(),
        };
        let guard = match behaviour.lasso.is_some_and(|back_to| back_to < last) {
            true => String::new(),
            false => format!("  /\\ omniStep < {last}\n"),
        };
        write!(
            text,
            ">>\n\nOmniInit ==\n  /\\ omniStep = 1\n{now}\nOmniStep ==\n{guard}  /\\ omniStep' = {goes_on}\n{next}\n"
        )
        .ok()?;
        // What is wrong with the last state is found out by asking for the next ones.
        let asks_next = matches!(
            behaviour.kind,
            PropertyKind::Deadlock | PropertyKind::Assert | PropertyKind::Evaluation
        );
        let own_next = self.config.next.as_ref().map_or("Next", |next| &*next.name);
        let next = match asks_next && (self.defines)(own_next) {
            true => format!("OmniStep \\/ (omniStep = {last} /\\ {own_next} /\\ UNCHANGED omniStep)"),
            false => "OmniStep".to_owned(),
        };
        let variables = self.variables.join(", ");
        write!(
            text,
            "OmniNext == {next}\n\nOmniSpec == OmniInit /\\ [][OmniNext]_<<omniStep, {variables}>> /\\ WF_<<omniStep, {variables}>>(OmniNext)\n"
        )
        .ok()?;
        if let Some((_, violated)) = property.filter(|(_, violated)| !is_name(violated)) {
            write!(text, "\nOmniProperty == {violated}\n").ok()?;
        }
        text.push_str("====\n");
        Some(text)
    }

    fn config_text(
        &self,
        behaviour: &Behaviour,
        models: &BTreeSet<String>,
        property: Option<&(&str, &str)>,
    ) -> Option<String> {
        let mut text = "SPECIFICATION OmniSpec\n".to_owned();
        for model in models {
            writeln!(text, "CONSTANT {model} = {model}").ok()?;
        }
        let given = |name: &str| self.constants.iter().any(|(constant, _)| constant == name);
        for constant in self
            .config
            .constants
            .iter()
            .filter(|constant| !given(&constant.target.name))
        {
            let target = &constant.target.name;
            let arguments = match &*constant.arguments {
                [] => String::new(),
                arguments => format!(
                    "({})",
                    arguments.iter().map(written).collect::<Vec<_>>().join(", ")
                ),
            };
            let module = constant
                .module
                .as_ref()
                .map_or(String::new(), |module| format!("[{}] ", module.name));
            match &constant.value {
                Assigned::Value { value } => {
                    writeln!(text, "CONSTANT {target}{arguments} = {}", written(value))
                }
                Assigned::Definition { name } => writeln!(text, "CONSTANT {target} <- {module}{}", name.name),
            }
            .ok()?;
        }
        for (constant, _) in self.constants {
            writeln!(text, "CONSTANT {constant} <- OmniConstant{constant}").ok()?;
        }
        if let Some((keyword, violated)) = property {
            let name = if is_name(violated) {
                violated
            } else {
                "OmniProperty"
            };
            writeln!(text, "{keyword} {name}").ok()?;
        }
        let checks_deadlock = behaviour.kind == PropertyKind::Deadlock;
        writeln!(
            text,
            "CHECK_DEADLOCK {}",
            if checks_deadlock { "TRUE" } else { "FALSE" }
        )
        .ok()?;
        Some(text)
    }
}

/// Whether a property has a name, rather than being an expression that was given by itself.
fn is_name(property: &str) -> bool {
    let mut letters = property.chars();
    letters.all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '!')
}

/// The model values in a value.
fn models_in(value: &Value, found: &mut BTreeSet<String>) {
    if let Some(model) = value.as_model() {
        found.insert(model.to_owned());
    }
    for part in value.as_set().into_iter().chain(value.as_tuple()).flatten() {
        models_in(part, found);
    }
    for (key, part) in value.as_entries().into_iter().flatten() {
        models_in(key, found);
        models_in(part, found);
    }
}

/// A value as a configuration has it.
fn written(value: &ConfigValue) -> String {
    let list = |values: &[ConfigValue]| values.iter().map(written).collect::<Vec<_>>().join(", ");
    match value {
        ConfigValue::Number(text) | ConfigValue::Model(text) => text.clone(),
        ConfigValue::Text(text) => format!("\"{text}\""),
        ConfigValue::Boolean(truth) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
        ConfigValue::Set(elements) => format!("{{{}}}", list(elements)),
        ConfigValue::Tuple(parts) => format!("<<{}>>", list(parts)),
        ConfigValue::Record(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{name} |-> {}", written(value)))
                .collect();
            format!("[{}]", fields.join(", "))
        }
    }
}
