//! The change of a value in TLA+: only the parts that differ.
//!
//! A function or record of which few entries changed is shown by those entries (`pc[p1] = "cs"`), a set by what came and
//! went (`msgs = @ \cup {m}`), a sequence by what was put at its end or taken from its front; anything else by its new
//! value. `@` stands for the old value, as in EXCEPT.

use omnilink_value::{Value, ValueKind};

/// The changes of a variable, one line each.
pub(crate) fn changes(name: &str, old: &Value, new: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    describe(name, old, new, &mut lines);
    lines
}

fn describe(path: &str, old: &Value, new: &Value, lines: &mut Vec<String>) {
    if old == new {
        return;
    }
    let short = match (old.kind(), new.kind()) {
        (ValueKind::Set, ValueKind::Set) => set_change(old, new),
        (ValueKind::Tuple, ValueKind::Tuple) if old.len() != new.len() => sequence_change(old, new),
        (ValueKind::Tuple | ValueKind::Record | ValueKind::Function, _) if old.kind() == new.kind() => {
            let changed = changed_entries(old, new);
            if !changed.is_empty() && changed.len() * 2 <= new.len().unwrap_or(0) {
                for (key, old, new) in changed {
                    describe(&entry_path(path, &key), &old, &new, lines);
                }
                return;
            }
            None
        }
        _ => None,
    };
    lines.push(match short {
        Some(short) => format!("{path} = {short}"),
        None => format!("{path} = {new}"),
    });
}

/// The entries that differ; empty if the domains do.
fn changed_entries(old: &Value, new: &Value) -> Vec<(Value, Value, Value)> {
    let is_same_domain = old.len() == new.len()
        && match (old.as_entries(), new.as_entries()) {
            (Some(old), Some(new)) => old.iter().zip(new).all(|(old, new)| old.0 == new.0),
            _ => true,
        };
    if !is_same_domain {
        return Vec::new();
    }
    if let (Some(old), Some(new)) = (old.as_tuple(), new.as_tuple()) {
        let pairs = (1..).zip(old.iter().zip(new));
        return pairs
            .filter(|(_, (old, new))| old != new)
            .map(|(index, (old, new))| (Value::int(index), old.clone(), new.clone()))
            .collect();
    }
    let (old, new) = (
        old.as_entries().unwrap_or_default(),
        new.as_entries().unwrap_or_default(),
    );
    old.iter()
        .zip(new)
        .filter(|(old, new)| old.1 != new.1)
        .map(|(old, new)| (new.0.clone(), old.1.clone(), new.1.clone()))
        .collect()
}

fn entry_path(path: &str, key: &Value) -> String {
    match key.as_str() {
        Some(name) if is_identifier(name) => format!("{path}.{name}"),
        _ => format!("{path}[{key}]"),
    }
}

fn is_identifier(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_word) && name.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn set_change(old: &Value, new: &Value) -> Option<String> {
    let (before, after) = (old.as_set()?, new.as_set()?);
    let without = |from: &[Value], other: &[Value]| -> Vec<Value> {
        let is_gone = |element: &&Value| other.binary_search(element).is_err();
        from.iter().filter(is_gone).cloned().collect()
    };
    let (gone, come) = (without(before, after), without(after, before));
    if before.is_empty() || gone.len() + come.len() >= after.len().max(1) {
        return None;
    }
    let (gone_text, come_text) = (Value::set(gone.iter().cloned()), Value::set(come.iter().cloned()));
    Some(match (gone.is_empty(), come.is_empty()) {
        (true, _) => format!("@ \\cup {come_text}"),
        (false, true) => format!("@ \\ {gone_text}"),
        (false, false) => format!("(@ \\ {gone_text}) \\cup {come_text}"),
    })
}

fn sequence_change(old: &Value, new: &Value) -> Option<String> {
    let (before, after) = (old.as_tuple()?, new.as_tuple()?);
    if before.is_empty() || after.is_empty() {
        return None;
    }
    if let Some(added) = after.strip_prefix(before) {
        return Some(match added {
            [one] => format!("Append(@, {one})"),
            many => format!("@ \\o {}", Value::tuple(many.iter().cloned())),
        });
    }
    (before.get(1..) == Some(after)).then(|| "Tail(@)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuple(elements: &[i64]) -> Value {
        Value::tuple(elements.iter().copied().map(Value::int))
    }

    fn set(elements: &[i64]) -> Value {
        Value::set(elements.iter().copied().map(Value::int))
    }

    #[test]
    fn few_changed_entries_are_shown_by_themselves_and_many_as_a_whole() {
        assert_eq!(changes("f", &tuple(&[1, 2, 3]), &tuple(&[1, 5, 3])), ["f[2] = 5"]);
        assert_eq!(
            changes("f", &tuple(&[1, 2, 3]), &tuple(&[4, 5, 3])),
            ["f = <<4, 5, 3>>"]
        );
        let record = |x: i64| {
            Value::record([
                ("a", tuple(&[1, x])),
                ("b", Value::int(0)),
                ("odd name", Value::int(x)),
                ("d", Value::int(0)),
            ])
        };
        assert_eq!(
            changes("r", &record(2), &record(3)),
            ["r.a[2] = 3", "r[\"odd name\"] = 3"]
        );
    }

    #[test]
    fn sets_show_what_came_and_went() {
        assert_eq!(changes("s", &set(&[1, 2]), &set(&[1, 2, 3])), ["s = @ \\cup {3}"]);
        assert_eq!(changes("s", &set(&[1, 2, 3]), &set(&[1, 3])), ["s = @ \\ {2}"]);
        assert_eq!(
            changes("s", &set(&[1, 2, 3]), &set(&[1, 3, 4])),
            ["s = (@ \\ {2}) \\cup {4}"]
        );
        assert_eq!(changes("s", &set(&[1, 2]), &set(&[3])), ["s = {3}"]);
        assert_eq!(changes("s", &set(&[]), &set(&[3])), ["s = {3}"]);
    }

    #[test]
    fn sequences_show_what_was_appended_or_taken() {
        assert_eq!(changes("q", &tuple(&[1]), &tuple(&[1, 2])), ["q = Append(@, 2)"]);
        assert_eq!(
            changes("q", &tuple(&[1]), &tuple(&[1, 2, 3])),
            ["q = @ \\o <<2, 3>>"]
        );
        assert_eq!(changes("q", &tuple(&[1, 2]), &tuple(&[2])), ["q = Tail(@)"]);
        assert_eq!(changes("q", &tuple(&[1, 2]), &tuple(&[])), ["q = <<>>"]);
        assert_eq!(changes("q", &1.into(), &2.into()), ["q = 2"]);
        assert!(changes("q", &1.into(), &1.into()).is_empty());
    }
}
