//! Other values in the place of a recorded one: of the same kind, so that an action can still be evaluated.

use omnilink_value::Value;

/// The depth to which nested records are taken apart.
const DEPTH_MAX: usize = 3;
/// The number of elements of a sequence that are changed one by one.
const ELEMENTS_MAX: usize = 3;
/// How far another number is: beyond most others, but not so far that an action that counts up to it never ends.
const FAR: i64 = 1_009;

/// The parts of a value that can be wrong by themselves: each field of a record, or else the value as a whole (the empty
/// path).
pub(crate) fn parts(value: &Value) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    collect(value, &mut Vec::new(), &mut found);
    found
}

fn collect(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let record = value.as_record().filter(|record| record.iter().len() > 0);
    match record.filter(|_| path.len() < DEPTH_MAX) {
        Some(record) => {
            for (name, part) in record.iter() {
                path.push(name.to_owned());
                collect(part, path, found);
                path.pop();
            }
        }
        None => found.push(path.clone()),
    }
}

/// A part of a value.
pub(crate) fn part<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.field(name))
}

/// A value with another one in the place of a part.
pub(crate) fn with_part(value: &Value, path: &[String], part: Value) -> Option<Value> {
    let Some((first, rest)) = path.split_first() else {
        return Some(part);
    };
    let inner = with_part(value.field(first)?, rest, part)?;
    value.with_entry(value.index_of(&Value::str(first))?, inner)
}

/// Other values, near and far; `recorded` are values that occurred in the same place, `around` values that occurred
/// elsewhere, of which those of the same kind are tried.
pub(crate) fn others(value: &Value, recorded: &[Value], around: &[Value]) -> Vec<Value> {
    let mut others: Vec<Value> = recorded.to_vec();
    others.extend(synthetic(value, ELEMENTS_MAX));
    others.extend(
        around
            .iter()
            .filter(|other| other.kind() == value.kind())
            .cloned(),
    );
    let mut distinct: Vec<Value> = Vec::new();
    for other in others {
        if other != *value && !distinct.contains(&other) {
            distinct.push(other);
        }
    }
    distinct
}

/// Adds the numbers, texts and other simple values in a value, up to a limit.
pub(crate) fn simple_values(value: &Value, limit: usize, found: &mut Vec<Value>) {
    if found.len() >= limit {
        return;
    }
    let is_simple = value.as_set().is_none() && value.as_entries().is_none() && value.as_tuple().is_none();
    if is_simple {
        if !found.contains(value) {
            found.push(value.clone());
        }
        return;
    }
    let elements = value.as_set().or_else(|| value.as_tuple()).unwrap_or_default();
    let entries = value
        .as_entries()
        .unwrap_or_default()
        .iter()
        .map(|(_, held)| held);
    for inner in elements.iter().chain(entries).take(limit) {
        simple_values(inner, limit, found);
    }
}

fn synthetic(value: &Value, elements: usize) -> Vec<Value> {
    if let Some(int) = value.as_int() {
        return vec![
            Value::int(int.wrapping_add(1)),
            Value::int(int.wrapping_sub(1)),
            Value::int(int.wrapping_add(FAR)),
        ];
    }
    if let Some(truth) = value.as_bool() {
        return vec![Value::bool(!truth)];
    }
    if let Some(text) = value.as_str() {
        return vec![Value::str(&format!("not {text}"))];
    }
    if value.as_model().is_some() {
        return vec![Value::int(1)];
    }
    if let Some(set) = value.as_set() {
        let like = set
            .first()
            .and_then(|first| synthetic(first, 0).into_iter().next());
        let more = like.unwrap_or_else(|| Value::int(1));
        let mut sets = vec![Value::set(set.iter().cloned().chain([more]))];
        if let Some((_, rest)) = set.split_first() {
            sets.push(Value::set(rest.iter().cloned()));
        }
        return sets;
    }
    if let Some(tuple) = value.as_tuple() {
        let last = tuple.last().cloned().unwrap_or_else(|| Value::int(1));
        let mut tuples = vec![Value::tuple(tuple.iter().cloned().chain([last]))];
        if let Some((_, rest)) = tuple.split_first() {
            tuples.push(Value::tuple(rest.iter().cloned()));
        }
        for (at, element) in tuple.iter().enumerate().take(elements) {
            let other = synthetic(element, 0).into_iter().next();
            tuples.extend(other.and_then(|other| value.with_entry(at, other)));
        }
        return tuples;
    }
    let entries = value.as_entries().unwrap_or_default();
    let changed = entries.iter().enumerate().take(elements);
    changed
        .filter_map(|(at, (_, held))| value.with_entry(at, synthetic(held, 0).into_iter().next()?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_record_can_be_another_one() {
        let inner = Value::record([("b", Value::int(2))]);
        let record = Value::record([("a", Value::bool(true)), ("in", inner)]);
        let paths = parts(&record);
        assert_eq!(
            paths,
            [vec!["a".to_owned()], vec!["in".to_owned(), "b".to_owned()]]
        );
        let other = with_part(&record, &paths[1], Value::int(7)).unwrap();
        assert_eq!(part(&other, &paths[1]), Some(&Value::int(7)));
        assert_eq!(part(&other, &paths[0]), Some(&Value::bool(true)));
    }

    #[test]
    fn there_is_another_value_for_every_kind_of_value() {
        let values = [
            Value::int(i64::MAX),
            Value::bool(false),
            Value::str("a"),
            Value::null(),
            Value::set([]),
            Value::set([Value::int(1)]),
            Value::tuple([]),
            Value::tuple([Value::str("a"), Value::str("b")]),
            Value::function([(Value::int(5), Value::int(6))]).unwrap(),
        ];
        for value in values {
            let others = others(&value, &[], &[]);
            assert!(
                !others.is_empty() && !others.contains(&value),
                "{value}: {others:?}"
            );
        }
    }
}
