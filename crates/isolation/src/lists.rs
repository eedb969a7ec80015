//! Keys that hold lists, to which transactions append.
//!
//! An element is appended once, so a list is identified by its last element: an append is a write of that version,
//! and a read of a list is a read of the version that its last element identifies. A read of a list also shows the
//! version order up to its own version. The longest list that a committed transaction read of a key is the version
//! order; every other list must be a prefix of it. Elements that are not in it come later.
//!
//! A read that follows appends of its own transaction must end with them. The elements before them are a read of
//! other transactions' versions.

use omnilink_sorting::sort_by_key;
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::access::{Access, Accesses};
use crate::grouping::{Grouping, version};
use crate::read_anomaly::{ReadAnomaly, ReadAnomalyKind};
use crate::transaction::{Extent, Fate, Id, NIL, Succession};
use crate::transaction_error::TransactionError;

/// The version order that lists show.
#[derive(Debug, Default)]
pub(crate) struct ListOrder {
    pub(crate) successions: Vec<Succession>,
    /// Elements of transactions that aborted, and the version that follows each.
    pub(crate) overtaken: Vec<Succession>,
    /// What lists show that cannot be.
    pub(crate) anomalies: Vec<ReadAnomaly>,
    /// The keys that hold lists.
    pub(crate) list_keys: Vec<Id>,
    /// Reads through cursors; `None` if there are none.
    pub(crate) cursors: Option<FxHashSet<(usize, Id)>>,
}

/// A list that a committed transaction read.
struct ListRead {
    reader: usize,
    elements: Vec<Value>,
}

/// A list as text.
fn shown(elements: &[Value]) -> String {
    const SHOWN_MAX: usize = 12;
    let skipped = elements.len().saturating_sub(SHOWN_MAX);
    let texts = elements[skipped..].iter().map(Value::to_string);
    let dots = (skipped > 0).then(|| "…".to_owned());
    format!(
        "[{}]",
        dots.into_iter().chain(texts).collect::<Vec<_>>().join(" ")
    )
}

impl Accesses {
    /// Assigns all accesses to their transactions.
    ///
    /// # Errors
    /// When a key is written and appended to, or an element is appended twice: then a list does not determine its
    /// writers.
    pub(crate) fn settle(
        mut self,
        grouping: &mut Grouping,
        extent: Extent,
    ) -> Result<ListOrder, TransactionError> {
        let marked = self.by_item(grouping);
        let has_cursors = !marked.cursors.is_empty();
        let mut order = ListOrder {
            cursors: has_cursors.then(|| grouping.numbered(&marked.cursors)),
            anomalies: marked.anomalies,
            ..ListOrder::default()
        };
        grouping.start_empty(&marked.unknown_elements);
        let lists = self.list_keys();
        order.list_keys = lists.iter().map(|key| grouping.keys.id(key)).collect();
        let mut appends = Appends::default();
        for (index, accesses) in &self.0 {
            for access in accesses {
                match access {
                    Access::Append(key, element) => appends.add(grouping, *index, key, element)?,
                    Access::Write(key, _) if lists.contains(key) => {
                        return Err(grouping.mixed(*index, key, "written as well as appended to"));
                    }
                    _ => {}
                }
                let is_no_list = |(key, value): &(&Value, &Value)| {
                    !value.is_null() && value.as_tuple().is_none() && lists.contains(*key)
                };
                if let Some((key, _)) = access.shown().find(is_no_list) {
                    let problem = "appended to, but what was read of it is no list";
                    return Err(grouping.mixed(*index, key, problem));
                }
            }
        }
        if extent != Extent::Whole {
            self.drop_foreign_elements(&lists, &appends);
        }
        let mut seen: FxHashMap<Value, Vec<ListRead>> = FxHashMap::default();
        // Each is dropped when it is done: there may be millions.
        for (index, accesses) in self.0 {
            let mut own: FxHashMap<&Value, Vec<&Value>> = FxHashMap::default();
            for access in &accesses {
                match access {
                    Access::Append(key, element) => {
                        own.entry(key).or_default().push(element);
                        grouping.write(index, key, &version(element));
                    }
                    Access::Write(key, value) => grouping.write(index, key, value),
                    // These are single keys by now.
                    Access::CursorRead(..)
                    | Access::Add(..)
                    | Access::Range(..)
                    | Access::Increment(..)
                    | Access::Whole(_)
                    | Access::Transfer(_) => {}
                    Access::Read(..) | Access::Together(_) => {
                        let before = grouping.read_count(index);
                        for (key, value, is_absent) in access.items() {
                            let position = grouping.read_count(index);
                            if lists.contains(key) {
                                let elements = value.as_tuple().unwrap_or_default();
                                let appended = own.get(key).map_or(&[][..], Vec::as_slice);
                                grouping.read_list(index, key, elements, appended);
                                seen.entry(key.clone()).or_default().push(ListRead {
                                    reader: index,
                                    elements: elements.to_vec(),
                                });
                            } else {
                                grouping.read(index, key, value);
                            }
                            if is_absent && grouping.read_count(index) > position {
                                grouping.positions(index).absent.push(position);
                            }
                        }
                        if grouping.read_count(index) > before + 1 {
                            let together = before..grouping.read_count(index);
                            grouping.positions(index).together.push(together);
                        }
                    }
                }
            }
        }
        // In the order of the history, so that the same anomaly is reported every time.
        let mut keys: Vec<(Value, Vec<ListRead>)> = seen.into_iter().collect();
        sort_by_key(&mut keys, |(_, seen)| seen.first().map_or(0, |seen| seen.reader));
        for (key, seen) in keys {
            appends.order(grouping, &key, &seen, &mut order);
        }
        Ok(order)
    }
}

impl Accesses {
    /// Leaves out the elements of lists that none of these transactions appended. A list that ends with one is a read of another's version.
    fn drop_foreign_elements(&mut self, lists: &FxHashSet<Value>, appends: &Appends) {
        for access in self.0.iter_mut().flat_map(|(_, accesses)| accesses) {
            match access {
                Access::Read(key, read) => drop_foreign_from(key, read, lists, appends),
                Access::Together(items) => {
                    for item in items {
                        drop_foreign_from(&item.key, &mut item.value, lists, appends);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Leaves out such elements of what was read of one key.
fn drop_foreign_from(key: &Value, read: &mut Option<Value>, lists: &FxHashSet<Value>, appends: &Appends) {
    let Some(elements) = read.as_ref().and_then(Value::as_tuple) else {
        return;
    };
    let is_known = |element: &Value| appends.writer.contains_key(&(key.clone(), element.clone()));
    if !lists.contains(key) || elements.iter().all(is_known) {
        return;
    }
    *read = if elements.last().is_some_and(is_known) {
        Some(Value::tuple(elements.iter().filter(|one| is_known(one)).cloned()))
    } else {
        None
    };
}

/// The transaction that appended each element.
#[derive(Default)]
struct Appends {
    writer: FxHashMap<(Value, Value), usize>,
    /// What each transaction appended to each key, in order.
    of: FxHashMap<(usize, Value), Vec<Value>>,
}

impl Appends {
    fn add(
        &mut self,
        grouping: &Grouping,
        index: usize,
        key: &Value,
        element: &Value,
    ) -> Result<(), TransactionError> {
        self.of
            .entry((index, key.clone()))
            .or_default()
            .push(element.clone());
        match self.writer.insert((key.clone(), element.clone()), index) {
            None => Ok(()),
            Some(first) => Err(TransactionError::AppendedTwice {
                place: grouping.place(index),
                earlier: grouping.place(first),
                first: grouping.label(first).to_owned(),
                second: grouping.label(index).to_owned(),
                key: key.clone(),
                element: element.clone(),
            }),
        }
    }

    /// Takes the version order of a key from the longest list that was read of it.
    fn order(&self, grouping: &mut Grouping, key: &Value, seen: &[ListRead], found: &mut ListOrder) {
        let Some(longest) = seen.iter().max_by_key(|seen| seen.elements.len()) else {
            return;
        };
        let before = found.anomalies.len();
        for list in seen {
            self.check_elements(grouping, key, list, &mut found.anomalies);
        }
        if let Some(other) = seen
            .iter()
            .find(|list| !longest.elements.starts_with(&list.elements))
        {
            let text = format!(
                "{} read {} from {key}, and {} read {}: neither is a prefix of the other",
                grouping.label(other.reader),
                shown(&other.elements),
                grouping.label(longest.reader),
                shown(&longest.elements),
            );
            let readers = vec![other.reader, longest.reader];
            found.anomalies.push(ReadAnomaly::new(
                ReadAnomalyKind::IncompatibleOrder,
                readers,
                text,
            ));
        }
        let is_ordered = |anomaly: &ReadAnomaly| {
            anomaly.kind == ReadAnomalyKind::Aborted || anomaly.kind == ReadAnomalyKind::DirtyUpdate
        };
        if found.anomalies[before..].iter().all(is_ordered) {
            self.chain(grouping, key, longest, found);
        }
    }

    /// The adjacent versions in a list, without those of transactions that aborted.
    fn chain(&self, grouping: &mut Grouping, key: &Value, longest: &ListRead, found: &mut ListOrder) {
        let key_id = grouping.keys.id(key);
        let writer_of = |element: &Value| self.writer.get(&(key.clone(), element.clone())).copied();
        let is_kept = |element: &&Value| {
            writer_of(element).is_some_and(|writer| grouping.fate(writer) != Fate::Aborted)
        };
        let kept: Vec<Value> = longest.elements.iter().filter(is_kept).cloned().collect();
        let mut rest = kept.as_slice();
        let mut previous: Id = NIL;
        while let Some(first) = rest.first() {
            let Some(writer) = writer_of(first) else {
                break;
            };
            let own = self.of.get(&(writer, key.clone())).map_or(&[][..], Vec::as_slice);
            // The elements that one transaction appends are adjacent; the last of them may not have been appended
            // yet.
            let is_together = rest.starts_with(own) || own.starts_with(rest);
            if !is_together {
                let text = format!(
                    "{} read {} from {key}, where what {} appended ({}) does not stand together",
                    grouping.label(longest.reader),
                    shown(&longest.elements),
                    grouping.label(writer),
                    shown(own),
                );
                let torn = ReadAnomaly::new(ReadAnomalyKind::TornAppend, vec![longest.reader, writer], text);
                found.anomalies.push(torn);
                return;
            }
            // A transaction whose element was read has committed, even if it never returned.
            grouping.mark_observed(writer);
            let last = own.last().map_or(NIL, |last| grouping.values.id(&version(last)));
            found.successions.push(Succession {
                key: key_id,
                previous,
                value: last,
            });
            previous = last;
            rest = rest.get(own.len()..).unwrap_or_default();
        }
        self.overtaken(grouping, key, longest, found);
    }

    /// The elements of transactions that aborted, with the versions that follow them in a list.
    fn overtaken(&self, grouping: &mut Grouping, key: &Value, longest: &ListRead, found: &mut ListOrder) {
        let key_id = grouping.keys.id(key);
        let mut following: Option<Id> = None;
        for element in longest.elements.iter().rev() {
            let Some(writer) = self.writer.get(&(key.clone(), element.clone())) else {
                return;
            };
            if grouping.fate(*writer) != Fate::Aborted {
                let own = self.of.get(&(*writer, key.clone()));
                let last = own.and_then(|own| own.last());
                following = last.map(|last| grouping.values.id(&version(last)));
            } else if let Some(value) = following {
                found.overtaken.push(Succession {
                    key: key_id,
                    previous: grouping.values.id(&version(element)),
                    value,
                });
            }
        }
    }

    fn check_elements(
        &self,
        grouping: &Grouping,
        key: &Value,
        list: &ListRead,
        found: &mut Vec<ReadAnomaly>,
    ) {
        let read = || {
            format!(
                "{} read {} from {key}",
                grouping.label(list.reader),
                shown(&list.elements)
            )
        };
        let mut report = |kind, writer: Option<usize>, text| {
            let named = std::iter::once(list.reader).chain(writer).collect();
            found.push(ReadAnomaly::new(kind, named, text));
        };
        let mut met: FxHashSet<&Value> = FxHashSet::default();
        let mut aborted: Option<(usize, &Value)> = None;
        for element in &list.elements {
            if !met.insert(element) {
                let text = format!("{}, where {element} stands twice", read());
                return report(ReadAnomalyKind::DuplicateElements, None, text);
            }
            match self.writer.get(&(key.clone(), element.clone())) {
                None => {
                    let text = format!("{}, and no transaction appended {element}", read());
                    return report(ReadAnomalyKind::Garbage, None, text);
                }
                Some(writer) if grouping.fate(*writer) == Fate::Aborted => {
                    if aborted.is_none() {
                        let by = grouping.label(*writer);
                        let text = format!("{}, but {by}, which appended {element}, aborted", read());
                        report(ReadAnomalyKind::Aborted, Some(*writer), text);
                    }
                    aborted = Some((*writer, element));
                }
                Some(writer) => {
                    if let Some((aborted, before)) = aborted.take() {
                        let text = format!(
                            "{}, where {element} of {} follows {before} of {}, which aborted",
                            read(),
                            grouping.label(*writer),
                            grouping.label(aborted)
                        );
                        report(ReadAnomalyKind::DirtyUpdate, Some(aborted), text);
                    }
                }
            }
        }
    }
}
