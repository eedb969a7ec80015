//! What has to be known about all spans of an input before the first of them is an operation.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use omnilink_sorting::sort_by_key;

use super::rules::MARK;
use super::span::Span;
use super::span_key::SpanKey;
use super::{SpanOrder, SpanRules, SpanSource};
use crate::input::Next;
use crate::{Location, Problem, TraceError};

/// What the rules leave open, found in the input.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpanSurvey {
    /// Whether only spans that are marked are operations.
    is_marked: bool,
    /// For each span its parent and its links. Kept only if these are the order.
    before: FxHashMap<SpanKey, Vec<SpanKey>>,
    /// The spans that are operations. Kept only if the order is that of parents.
    operations: FxHashSet<SpanKey>,
}

/// How many kinds an error lists.
const KINDS_MAX: usize = 8;

impl SpanSurvey {
    /// Reads all spans, unless the rules leave nothing open.
    pub(crate) fn of(
        source: impl FnOnce() -> Result<Box<dyn SpanSource>, TraceError>,
        rules: &SpanRules,
        file: &str,
    ) -> Result<Self, TraceError> {
        let mut survey = Self::default();
        let orders = rules.order == SpanOrder::Parents;
        if !rules.kinds.is_empty() && !orders {
            return Ok(survey);
        }
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        // Which of the spans that may be operations are marked is known at the end.
        let mut candidates: Vec<(SpanKey, bool, Location)> = Vec::new();
        let mut source = source()?;
        while let Next::One(span) = source.next_span()? {
            let is_candidate = rules.allow(&span);
            if is_candidate {
                survey.is_marked |= rules.kinds.is_empty() && span.attribute(MARK).is_some();
                match kinds.get_mut(&span.kind) {
                    Some(count) => *count += 1,
                    None => _ = kinds.insert(span.kind.clone(), 1),
                }
            }
            if let Some(key) = span.key.filter(|_| orders) {
                let links = span.links.iter().copied();
                let before = span.parent.into_iter().chain(links).filter(|other| *other != key);
                survey.before.entry(key).or_insert_with(|| before.collect());
                if is_candidate {
                    candidates.push((key, span.attribute(MARK).is_some(), span.location));
                }
            }
        }
        if rules.kinds.is_empty() && !survey.is_marked && kinds.len() > 1 {
            return Err(TraceError::new(Location::whole(file), several_kinds(kinds)));
        }
        let mut places: FxHashMap<SpanKey, Location> = FxHashMap::default();
        for (key, is_marked, location) in candidates {
            if survey.is_marked && !is_marked {
                continue;
            }
            survey.operations.insert(key);
            if let Some(earlier) = places.insert(key, location.clone()) {
                let span = key.to_string();
                return Err(TraceError::new(location, Problem::SpanTwice { span, earlier }));
            }
        }
        Ok(survey)
    }

    /// Whether a span is an operation.
    pub(super) fn takes(&self, span: &Span, rules: &SpanRules) -> bool {
        rules.allow(span) && (!self.is_marked || span.attribute(MARK).is_some())
    }

    /// The operations right before a span: its parent and its links, or what comes before those of them that are none. A span that is
    /// not in the input has nothing before it.
    pub(super) fn before(&self, key: SpanKey) -> Vec<SpanKey> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::from_iter([key]);
        let mut open = self.before.get(&key).cloned().unwrap_or_default();
        while let Some(span) = open.pop() {
            if !seen.insert(span) {
                continue;
            }
            if self.operations.contains(&span) {
                found.push(span)
            } else {
                open.extend(self.before.get(&span).into_iter().flatten())
            }
        }
        found.sort_unstable();
        found
    }
}

impl SpanRules {
    /// Whether a span may be an operation by its kind and by its name.
    fn allow(&self, span: &Span) -> bool {
        // Chrome's events may have several categories.
        let is_kind = |kind: &String| kind == "any" || span.kind.split(',').any(|own| own == kind);
        let is_named = self.only.is_empty()
            || self
                .operation_name(span)
                .is_some_and(|name| self.only.iter().any(|only| only == name));
        is_named && (self.kinds.is_empty() || self.kinds.iter().any(is_kind))
    }
}

fn several_kinds(kinds: BTreeMap<String, u64>) -> Problem {
    let mut kinds: Vec<(String, u64)> = kinds.into_iter().collect();
    sort_by_key(&mut kinds, |(_, count)| std::cmp::Reverse(*count));
    let listed = kinds.iter().take(KINDS_MAX);
    let mut list: Vec<String> = listed.map(|(kind, count)| format!("{count} {kind}")).collect();
    if kinds.len() > KINDS_MAX {
        list.push("…".to_owned());
    }
    let is_client = |(kind, _): &&(String, u64)| kind == "client";
    let example = kinds.iter().find(is_client).or_else(|| kinds.first());
    Problem::SeveralSpanKinds {
        kinds: list.join(", "),
        example: example.map(|(kind, _)| kind.clone()).unwrap_or_default(),
    }
}
