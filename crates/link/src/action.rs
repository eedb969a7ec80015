//! Actions: the definitions of a spec that operations of a trace can be.

use omnilink_tla::actions::actions_of;
use omnilink_tla::config::Config;
use omnilink_tla::diagnostic::nearest;
use omnilink_tla::next_relation;
use omnilink_tla::semantics::entity::EntityKind;
use omnilink_tla::semantics::level::Level;
use omnilink_tla::semantics::spec::Spec;

use crate::error::LinkError;
use crate::setup_names::{EVENT, GENERATED};
use omnilink_settings::toml_key;

/// An action of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecAction {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// Where it is defined: file, line and column.
    pub at: String,
    /// For each parameter the set that the next-state relation lets it range over, as TLA+, if it says so.
    pub ranges: Vec<Option<String>>,
    /// Whether the next-state relation names it, and the link file does not say that it happens unseen or as a step of an operation.
    pub in_next: bool,
}

impl SpecAction {
    /// `Insert(key, value)`.
    pub fn signature(&self) -> String {
        // Generated names of a setup are not shown.
        let name = self.name.strip_prefix(GENERATED).unwrap_or(&self.name);
        let params: Vec<&str> = self
            .params
            .iter()
            .map(String::as_str)
            .filter(|param| *param != EVENT)
            .collect();
        match params.as_slice() {
            [] => name.to_owned(),
            params => format!("{name}({})", params.join(", ")),
        }
    }
}

/// All definitions of the spec that say something about the next state and take values only, in the order of the text.
pub(crate) fn actions(spec: &Spec, config: Option<&Config>) -> Vec<SpecAction> {
    let Some(root) = spec.root() else {
        return Vec::new();
    };
    let in_next = next_relation(spec, config).map_or_else(Vec::new, |next| actions_of(spec, next));
    let mut found: Vec<(u32, u32, SpecAction)> = Vec::new();
    for (name, binding) in &root.scope {
        let entity = spec.entity(binding.entity);
        let EntityKind::Operator { params, .. } = &entity.kind else {
            continue;
        };
        if entity.level.level != Level::Action || params.iter().any(|param| spec.entity(*param).arity > 0) {
            continue;
        }
        let name = spec.names.text(*name).to_owned();
        let params: Vec<String> = params
            .iter()
            .map(|param| spec.names.text(spec.entity(*param).name).to_owned())
            .collect();
        let named = in_next.iter().find(|action| action.named && action.name == name);
        let range = |param: &String| {
            let argument = named?
                .arguments
                .iter()
                .find(|argument| argument.parameter == *param)?;
            argument.ranges_over.clone()
        };
        let source = spec.sources.get(entity.source);
        let place = source.line_column(entity.span.start);
        found.push((
            entity.source.0,
            entity.span.start,
            SpecAction {
                ranges: params.iter().map(range).collect(),
                in_next: named.is_some(),
                at: format!("{}:{}:{}", source.path().display(), place.line, place.column),
                name,
                params,
            },
        ));
    }
    found.sort_by_key(|(source, start, _)| (*source, *start));
    found.into_iter().map(|(_, _, action)| action).collect()
}

/// The error of an entry that names an action which the spec does not have.
pub(crate) fn unknown_action(op: &str, wanted: &str, actions: &[SpecAction]) -> LinkError {
    let known = actions.iter().map(|action| action.name.as_str());
    let near = nearest(wanted, known.clone()).map(|near| format!(" (did you mean `{near}`?)"));
    let known: Vec<&str> = known.collect();
    LinkError::Usage(format!(
        "link file, [ops.{}]: the spec has no action `{wanted}`{}; it has {}",
        toml_key(op),
        near.unwrap_or_default(),
        known.join(", ")
    ))
}
