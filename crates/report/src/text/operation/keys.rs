//! The verdicts of the objects of a history, by key.

use omnilink_evidence::{KeyVerdict, Verdict};

use super::Page;
use crate::figures::count;
use crate::look::Look;
use crate::paragraph::push_wrapped;

/// More keys than this of one verdict are counted, not listed.
const LISTED_MAX: usize = 20;

impl Page<'_> {
    /// Appends the verdict of each key.
    pub(super) fn push_keys(&self, page: &mut String, look: &Look) {
        if self.evidence.keys.is_empty() {
            return;
        }
        page.push_str("\nby key:\n");
        for verdict in [
            Verdict::Error,
            Verdict::Violation,
            Verdict::Unknown,
            Verdict::Valid,
        ] {
            let keys: Vec<&KeyVerdict> = self
                .evidence
                .keys
                .iter()
                .filter(|key| key.verdict == verdict)
                .collect();
            if keys.is_empty() {
                continue;
            }
            let listed: Vec<&str> = keys.iter().take(LISTED_MAX).map(|key| key.key.as_str()).collect();
            let more = match keys.len().saturating_sub(LISTED_MAX) {
                0 => String::new(),
                more => format!(", and {} more", count(more as u64)),
            };
            let first = format!("  {verdict:<10} ");
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
