//! What became of each object of a history that has many.

use serde::Serialize;

use crate::figures::count;
use crate::look::Look;
use crate::paragraph::push_wrapped;
use crate::report::{Judgement, Report};

/// What became of the object of one key.
#[derive(Clone, Debug, Serialize)]
pub struct KeyReport {
    /// The key.
    pub key: String,
    /// The answer in a word.
    #[serde(rename = "verdict", serialize_with = "word")]
    pub judgement: Judgement,
    /// How many operations there are on it.
    pub ops: u64,
}

fn word<S: serde::Serializer>(judgement: &Judgement, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(judgement.word())
}

/// More keys than this of one verdict are counted, not listed.
const LISTED_MAX: usize = 20;

impl Report {
    /// Appends the verdict of each key.
    pub(crate) fn push_keys(&self, page: &mut String, look: &Look) {
        if self.keys.is_empty() {
            return;
        }
        page.push_str("\nby key:\n");
        for judgement in [
            Judgement::Error,
            Judgement::Violation,
            Judgement::Unknown,
            Judgement::Valid,
        ] {
            let keys: Vec<&KeyReport> = self
                .keys
                .iter()
                .filter(|key| key.judgement == judgement)
                .collect();
            if keys.is_empty() {
                continue;
            }
            let listed: Vec<&str> = keys.iter().take(LISTED_MAX).map(|key| key.key.as_str()).collect();
            let more = match keys.len().saturating_sub(LISTED_MAX) {
                0 => String::new(),
                more => format!(", and {} more", count(more as u64)),
            };
            let first = format!("  {:<10} ", judgement.word());
            push_wrapped(
                page,
                &first,
                &" ".repeat(first.len()),
                &(listed.join(", ") + &more),
                look,
            );
        }
    }
}
