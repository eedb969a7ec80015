//! All reads of a history that cannot be explained: see [`ReadAnomaly`].

use rustc_hash::FxHashMap;

use crate::read_anomaly::{ReadAnomaly, ReadAnomalyKind};
use crate::transaction::{Fate, Id, NIL, Transactions};

/// All such reads of committed transactions, those that lists show first; at most a few of each kind.
pub(crate) fn all(transactions: &Transactions) -> Vec<ReadAnomaly> {
    const EACH_MAX: usize = 8;
    let mut found = transactions.read_anomalies.clone();
    let writers = ValueWriters::new(transactions);
    for (one, transaction) in transactions.all.iter().enumerate() {
        if transaction.fate != Fate::Committed {
            continue;
        }
        if transaction.broken.is_some() {
            let text = transactions.broken_read(one).to_string();
            found.push(ReadAnomaly::new(ReadAnomalyKind::Internal, vec![one], text));
        }
        let mut first: FxHashMap<Id, Id> = FxHashMap::default();
        for (key, value) in &transaction.reads {
            found.extend(writers.anomaly(transactions, one, (*key, *value)));
            let earlier = *first.entry(*key).or_insert(*value);
            if earlier != *value {
                let text = format!(
                    "{} read {} and {} from {}",
                    transaction.label,
                    transactions.value(*key, earlier),
                    transactions.value(*key, *value),
                    transactions.key(*key)
                );
                found.push(ReadAnomaly::new(ReadAnomalyKind::Internal, vec![one], text));
            }
        }
    }
    let mut count: FxHashMap<&'static str, usize> = FxHashMap::default();
    found.retain(|anomaly| {
        let count = count.entry(anomaly.kind.name()).or_default();
        *count += 1;
        *count <= EACH_MAX
    });
    found
}

/// Who wrote each value, and how it ended.
struct ValueWriters {
    /// Values that are there after a commit: a writer, and whether there are others.
    last: FxHashMap<(Id, Id), (usize, bool)>,
    overwritten: FxHashMap<(Id, Id), usize>,
    aborted: FxHashMap<(Id, Id), usize>,
}

impl ValueWriters {
    fn new(transactions: &Transactions) -> Self {
        let mut found = Self {
            last: FxHashMap::default(),
            overwritten: FxHashMap::default(),
            aborted: FxHashMap::default(),
        };
        for (one, transaction) in transactions.all.iter().enumerate() {
            let overwritten = transaction.overwritten.iter();
            if transaction.fate == Fate::Aborted {
                let all = transaction.writes.iter().chain(overwritten);
                found.aborted.extend(all.map(|write| (*write, one)));
            } else {
                for write in &transaction.writes {
                    found
                        .last
                        .entry(*write)
                        .and_modify(|(_, has_others)| *has_others = true)
                        .or_insert((one, false));
                }
                found.overwritten.extend(overwritten.map(|write| (*write, one)));
            }
        }
        found
    }

    fn anomaly(&self, transactions: &Transactions, reader: usize, read: (Id, Id)) -> Option<ReadAnomaly> {
        let (key, value) = read;
        let own = &transactions.all[reader];
        let is_own = own.written(key) == Some(value) || own.overwritten.contains(&read);
        let is_written = self
            .last
            .get(&read)
            .is_some_and(|(writer, has_others)| *writer != reader || *has_others);
        if value == NIL || is_written {
            return None;
        }
        let said = format!(
            "{} read {} from {}",
            own.label,
            transactions.value(key, value),
            transactions.key(key)
        );
        let label = |one: usize| transactions.all[one].label.as_str();
        let (kind, other, text) = match (self.overwritten.get(&read), self.aborted.get(&read)) {
            _ if is_own => (
                ReadAnomalyKind::Future,
                None,
                format!("{said} before it wrote that itself"),
            ),
            (Some(writer), _) => {
                let text = format!("{said}, which {} wrote and then wrote over", label(*writer));
                (ReadAnomalyKind::Intermediate, Some(*writer), text)
            }
            (None, Some(writer)) => {
                // Lists show it by themselves.
                let is_shown = transactions.read_anomalies.iter().any(|known| {
                    known.kind == ReadAnomalyKind::Aborted
                        && known.named.contains(&reader)
                        && known.named.contains(writer)
                });
                if is_shown {
                    return None;
                }
                let text = format!("{said}, which {} wrote and then aborted", label(*writer));
                (ReadAnomalyKind::Aborted, Some(*writer), text)
            }
            (None, None) => {
                let is_shown = transactions
                    .read_anomalies
                    .iter()
                    .any(|known| known.named.contains(&reader));
                if is_shown {
                    return None;
                }
                (
                    ReadAnomalyKind::Garbage,
                    None,
                    format!("{said}, which no transaction wrote"),
                )
            }
        };
        let named = std::iter::once(reader).chain(other).collect();
        Some(ReadAnomaly::new(kind, named, text))
    }
}
