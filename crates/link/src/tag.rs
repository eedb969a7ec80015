//! Tags: names for kinds of violations.

use omnilink_tla::ir::OperatorId;
use omnilink_tla::semantics::spec::Spec;

use crate::module::identifiers;
use crate::setup_names::TAG;

/// A named kind of violation.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) predicate: OperatorId,
    /// What it is applied to.
    pub(crate) takes: Vec<TagField>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagField {
    Thread,
    Op,
    Args,
    Meta,
    /// All of it, in one record.
    Event,
}

impl TagField {
    pub(crate) const ALL: [(Self, &'static str); 4] = [
        (Self::Thread, "thread"),
        (Self::Op, "op"),
        (Self::Args, "args"),
        (Self::Meta, "meta"),
    ];
}

/// The tags of a setup made for OmniLink: definitions `__TAG_X(pid, op)`.
pub(crate) fn setup_tags(spec: &Spec) -> Vec<String> {
    let scope = spec.root().into_iter().flat_map(|root| &root.scope);
    let tags = scope.filter(|(_, binding)| spec.entity(binding.entity).arity == 2);
    let tags = tags
        .map(|(name, _)| spec.names.text(*name))
        .filter(|name| name.starts_with(TAG));
    let mut tags: Vec<String> = tags.map(str::to_owned).collect();
    tags.sort_unstable();
    tags
}

/// The predicates of a tag are applied to what they mention.
pub(crate) fn tag_fields(predicate: &str) -> impl Iterator<Item = (TagField, &'static str)> {
    let mentioned = identifiers(predicate);
    let all = TagField::ALL.into_iter();
    let found: Vec<_> = all.filter(|(_, name)| mentioned.contains(name)).collect();
    found.into_iter()
}
