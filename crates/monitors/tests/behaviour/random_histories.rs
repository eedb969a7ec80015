//! Random histories of several kinds.

use fastrand::Rng;
use omnilink_monitors::{Action, Collection, TimedAction};

/// The number of histories of each kind: `OMNILINK_ROUNDS`, or a default.
pub fn rounds() -> usize {
    let given = std::env::var("OMNILINK_ROUNDS").ok();
    given.and_then(|rounds| rounds.parse().ok()).unwrap_or(6_000)
}

pub const GENERATORS: [fn(Collection, &mut Rng) -> Vec<TimedAction>; 6] = [
    arbitrary,
    run_with_points,
    near_miss,
    long_calls,
    crashes,
    few_values,
];

/// Random actions at random times.
fn arbitrary(collection: Collection, rng: &mut Rng) -> Vec<TimedAction> {
    let size = 2 + rng.usize(..6);
    let mut points: Vec<usize> = (0..size).flat_map(|number| [number, number]).collect();
    rng.shuffle(&mut points);
    let values = 1 + rng.usize(..size);
    let may_repeat = rng.usize(..3) == 0;
    let mut is_added = vec![false; values];
    let actions = (0..size).map(|_| {
        let value = rng.usize(..values);
        match rng.usize(..7) {
            0 if has_misses(collection) => Action::Miss(value as u32),
            0 => Action::FindEmpty,
            1 => Action::Peek(value as u32),
            2..=3 if collection != Collection::Register => Action::Remove(value as u32),
            2 => Action::Peek(value as u32),
            3 if is_added[value] => Action::Peek(value as u32),
            3 => {
                is_added[value] = true;
                let from = Some(rng.u32(..values as u32 + 1)).filter(|from| *from < values as u32);
                Action::Replace {
                    from,
                    to: value as u32,
                }
            }
            _ if is_added[value] && !may_repeat => Action::Peek(value as u32),
            _ => {
                is_added[value] = true;
                Action::Add(value as u32)
            }
        }
    });
    let actions: Vec<Action> = actions.collect();
    with_points(collection, &actions, &points, &[])
}

/// A correct sequential run, with calls and returns around the moments of effect.
fn run_with_points(collection: Collection, rng: &mut Rng) -> Vec<TimedAction> {
    let size = 3 + rng.usize(..7);
    let actions = serial_run(collection, size, rng);
    let spread = 1 + rng.usize(..8);
    spread_out(collection, &actions, spread, rng)
}

/// The same with two actions swapped.
fn near_miss(collection: Collection, rng: &mut Rng) -> Vec<TimedAction> {
    let size = 3 + rng.usize(..6);
    let mut actions = serial_run(collection, size, rng);
    let (one, other) = (rng.usize(..actions.len()), rng.usize(..actions.len()));
    actions.swap(one, other);
    let spread = 1 + rng.usize(..5);
    spread_out(collection, &actions, spread, rng)
}

/// Short calls one after the other, except for two or three long ones.
fn long_calls(collection: Collection, rng: &mut Rng) -> Vec<TimedAction> {
    let size = 4 + rng.usize(..6);
    let mut actions = serial_run(collection, size, rng);
    if rng.bool() {
        let at = rng.usize(..actions.len() - 1);
        actions.swap(at, at + 1);
    }
    let mut boxes: Vec<(usize, usize)> = (0..actions.len()).map(|at| (100 * at, 100 * at + 50)).collect();
    for _ in 0..2 + rng.usize(..2) {
        let at = rng.usize(..boxes.len());
        boxes[at].0 = boxes[at].0.saturating_sub(100 * rng.usize(..5) + 1);
        boxes[at].1 += 100 * rng.usize(..5) + 1;
    }
    let pending = some_pending(&actions, rng);
    from_boxes(collection, &actions, &boxes, &pending, rng)
}

/// A correct run of which many operations never return, with at most one pair of results swapped.
fn crashes(collection: Collection, rng: &mut Rng) -> Vec<TimedAction> {
    let size = 5 + rng.usize(..5);
    let mut actions = serial_run(collection, size, rng);
    if rng.bool() {
        let (one, other) = (rng.usize(..actions.len()), rng.usize(..actions.len()));
        actions.swap(one, other);
    }
    let mut boxes: Vec<(usize, usize)> = Vec::new();
    for at in 0..actions.len() {
        let width = 1 + rng.usize(..25);
        boxes.push((
            (10 * at).saturating_sub(rng.usize(..width)),
            10 * at + rng.usize(..width),
        ));
    }
    let pending: Vec<usize> = (0..actions.len()).filter(|_| rng.usize(..3) == 0).collect();
    from_boxes(collection, &actions, &boxes, &pending, rng)
}

/// One of the others, with two or three values.
fn few_values(collection: Collection, rng: &mut Rng) -> Vec<TimedAction> {
    let generators = [run_with_points, near_miss, long_calls, crashes];
    let mut operations = generators[rng.usize(..generators.len())](collection, rng);
    let count = 2 + rng.u32(..2);
    for op in &mut operations {
        if let Some(value) = op.action.value() {
            op.action = op.action.on(value % count);
        }
    }
    operations
}

/// Up to 14 operations on two or three values, of which every third is long. At most two actions are swapped.
pub fn nested_calls(collection: Collection, rng: &mut Rng) -> Vec<TimedAction> {
    let size = 8 + rng.usize(..7);
    let mut actions = serial_run(collection, size, rng);
    let count = 2 + rng.u32(..2);
    for action in &mut actions {
        if let Some(value) = action.value() {
            *action = action.on(value % count);
        }
    }
    if rng.bool() {
        let (one, other) = (rng.usize(..actions.len()), rng.usize(..actions.len()));
        actions.swap(one, other);
    }
    let boxes: Vec<(usize, usize)> = (0..actions.len())
        .map(|at| {
            let width = if rng.usize(..3) == 0 { 1_000 } else { 150 };
            let moment = 1_000 + 100 * at;
            (moment - rng.usize(..width), moment + rng.usize(..width))
        })
        .collect();
    let pending = if rng.usize(..4) == 0 {
        some_pending(&actions, rng)
    } else {
        Vec::new()
    };
    from_boxes(collection, &actions, &boxes, &pending, rng)
}

/// Whether operations of a collection may find their value absent.
fn has_misses(collection: Collection) -> bool {
    matches!(collection, Collection::Set | Collection::Bag)
}

/// A correct sequential run. Values are 0, 1, 2 … in random order, so that greater ones do not always come later.
fn serial_run(collection: Collection, size: usize, rng: &mut Rng) -> Vec<Action> {
    let mut names: Vec<u32> = (0..size as u32).collect();
    if rng.usize(..3) == 0 {
        // Few values, which come back.
        names = (0..size).map(|_| rng.u32(..3)).collect();
    }
    rng.shuffle(&mut names);
    let mut inside: Vec<u32> = Vec::new();
    let mut actions = Vec::new();
    let has_replacements = collection == Collection::Register && rng.bool();
    for _ in 0..size {
        let next = match collection {
            Collection::Queue => inside.first().copied(),
            Collection::PriorityQueue => inside.iter().max().copied(),
            Collection::Stack | Collection::Register => inside.last().copied(),
            Collection::Set | Collection::Bag => rng.choice(&inside).copied(),
        };
        if has_misses(collection) && rng.usize(..6) == 0 {
            let absent = rng.u32(..size as u32);
            if !inside.contains(&absent) {
                actions.push(Action::Miss(absent));
                continue;
            }
        }
        if has_replacements && rng.usize(..2) == 0 {
            let from = inside.last().copied();
            if let Some(to) = names.pop() {
                inside.push(to);
                actions.push(Action::Replace { from, to });
            }
            continue;
        }
        let action = match (rng.usize(..5), next) {
            (0, None) if collection != Collection::Set => Action::FindEmpty,
            (0 | 1, Some(value)) => Action::Peek(value),
            (2 | 3, Some(value)) if collection != Collection::Register => {
                let at = match collection {
                    Collection::Stack => inside.iter().rposition(|other| *other == value),
                    _ => inside.iter().position(|other| *other == value),
                };
                at.map(|at| inside.remove(at));
                Action::Remove(value)
            }
            _ => match names.pop() {
                Some(value) if collection == Collection::Set && inside.contains(&value) => {
                    Action::Peek(value)
                }
                Some(value) => {
                    inside.push(value);
                    Action::Add(value)
                }
                None => continue,
            },
        };
        actions.push(action);
    }
    actions
}

fn spread_out(collection: Collection, actions: &[Action], spread: usize, rng: &mut Rng) -> Vec<TimedAction> {
    let boxes: Vec<(usize, usize)> = (0..actions.len())
        .map(|at| {
            let middle = 10 * at + 100;
            (
                middle - 1 - rng.usize(..10 * spread),
                middle + 1 + rng.usize(..10 * spread),
            )
        })
        .collect();
    let pending = some_pending(actions, rng);
    from_boxes(collection, actions, &boxes, &pending, rng)
}

/// Operations that never return, in one of three histories.
fn some_pending(actions: &[Action], rng: &mut Rng) -> Vec<usize> {
    if rng.usize(..3) != 0 {
        return Vec::new();
    }
    (0..actions.len()).filter(|_| rng.usize(..5) == 0).collect()
}

fn from_boxes(
    collection: Collection,
    actions: &[Action],
    boxes: &[(usize, usize)],
    pending: &[usize],
    rng: &mut Rng,
) -> Vec<TimedAction> {
    let mut points: Vec<(usize, usize, usize)> = Vec::new();
    for (number, (start, end)) in boxes.iter().enumerate() {
        points.push((*start, rng.usize(..1000), number));
        points.push((*end, rng.usize(..1000), number));
    }
    points.sort_unstable();
    let points: Vec<usize> = points.into_iter().map(|(.., number)| number).collect();
    with_points(collection, actions, &points, pending)
}

/// Operations whose calls and returns are the first and second occurrences of their numbers in `points`. Pending ones lose
/// their return and, unless they name their value, their result.
fn with_points(
    collection: Collection,
    actions: &[Action],
    points: &[usize],
    pending: &[usize],
) -> Vec<TimedAction> {
    let mut operations: Vec<Option<TimedAction>> = vec![None; actions.len()];
    let mut rank = 0;
    for number in points {
        let Some(operation) = &mut operations[*number] else {
            rank += 1;
            operations[*number] = Some(TimedAction {
                action: actions[*number],
                call: rank,
                ret: None,
            });
            continue;
        };
        if pending.contains(number) {
            if let Action::Remove(value) = operation.action
                && collection != Collection::Set
                && (collection != Collection::Bag || value.is_multiple_of(2))
            {
                operation.action = Action::RemoveAny;
            }
            continue;
        }
        rank += 1;
        operation.ret = Some(rank);
    }
    operations.into_iter().flatten().collect()
}
