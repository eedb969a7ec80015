//! Random histories of several unlike kinds.

use omnilink_monitors::{Action, Collection, Operation};

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % limit.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, odds: usize) -> bool {
        self.below(odds) == 0
    }
}

/// How many histories of each kind are tried: `OMNILINK_ROUNDS`, or enough for a quick look.
pub fn rounds() -> usize {
    let given = std::env::var("OMNILINK_ROUNDS").ok();
    given.and_then(|rounds| rounds.parse().ok()).unwrap_or(6_000)
}

pub const GENERATORS: [fn(Collection, &mut Random) -> Vec<Operation>; 4] =
    [arbitrary, run_with_points, near_miss, long_calls];

/// Anything goes.
fn arbitrary(collection: Collection, random: &mut Random) -> Vec<Operation> {
    let size = 2 + random.below(6);
    let mut points: Vec<usize> = (0..size).flat_map(|number| [number, number]).collect();
    for at in (1..points.len()).rev() {
        points.swap(at, random.below(at + 1));
    }
    let values = 1 + random.below(size);
    let mut is_added = vec![false; values];
    let actions = (0..size).map(|_| {
        let value = random.below(values);
        match random.below(7) {
            0 => Action::FindEmpty,
            1 => Action::Peek(value as u32),
            2..=3 if collection != Collection::Register => Action::Remove(value as u32),
            2..=3 => Action::Peek(value as u32),
            _ if is_added[value] => Action::FindEmpty,
            _ => {
                is_added[value] = true;
                Action::Add(value as u32)
            }
        }
    });
    let actions: Vec<Action> = actions.collect();
    with_points(&actions, &points, &[], random)
}

/// What a correct object does, one operation after the other, with calls and returns around the moments of effect.
fn run_with_points(collection: Collection, random: &mut Random) -> Vec<Operation> {
    let size = 3 + random.below(7);
    let actions = serial_run(collection, size, random);
    let spread = 1 + random.below(8);
    spread_out(&actions, spread, random)
}

/// The same with one thing changed.
fn near_miss(collection: Collection, random: &mut Random) -> Vec<Operation> {
    let size = 3 + random.below(6);
    let mut actions = serial_run(collection, size, random);
    let (one, other) = (random.below(actions.len()), random.below(actions.len()));
    actions.swap(one, other);
    let spread = 1 + random.below(5);
    spread_out(&actions, spread, random)
}

/// Short calls one after the other, but for two or three long ones.
fn long_calls(collection: Collection, random: &mut Random) -> Vec<Operation> {
    let size = 4 + random.below(6);
    let mut actions = serial_run(collection, size, random);
    if random.one_in(2) {
        let at = random.below(actions.len() - 1);
        actions.swap(at, at + 1);
    }
    let mut boxes: Vec<(usize, usize)> = (0..actions.len()).map(|at| (100 * at, 100 * at + 50)).collect();
    for _ in 0..2 + random.below(2) {
        let at = random.below(boxes.len());
        boxes[at].0 = boxes[at].0.saturating_sub(100 * random.below(5) + 1);
        boxes[at].1 += 100 * random.below(5) + 1;
    }
    from_boxes(&actions, &boxes, random)
}

/// Values are 0, 1, 2 … in random order, so that greater ones do not always come later.
fn serial_run(collection: Collection, size: usize, random: &mut Random) -> Vec<Action> {
    let mut names: Vec<u32> = (0..size as u32).collect();
    for at in (1..names.len()).rev() {
        names.swap(at, random.below(at + 1));
    }
    let mut inside: Vec<u32> = Vec::new();
    let mut actions = Vec::new();
    for _ in 0..size {
        let next = match collection {
            Collection::Queue => inside.first().copied(),
            Collection::PriorityQueue => inside.iter().max().copied(),
            Collection::Stack | Collection::Register => inside.last().copied(),
        };
        let action = match (random.below(5), next) {
            (0, None) => Action::FindEmpty,
            (0 | 1, Some(value)) => Action::Peek(value),
            (2 | 3, Some(value)) if collection != Collection::Register => {
                inside.retain(|other| *other != value);
                Action::Remove(value)
            }
            _ => match names.pop() {
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

fn spread_out(actions: &[Action], spread: usize, random: &mut Random) -> Vec<Operation> {
    let boxes: Vec<(usize, usize)> = (0..actions.len())
        .map(|at| {
            let middle = 10 * at + 100;
            (
                middle - 1 - random.below(10 * spread),
                middle + 1 + random.below(10 * spread),
            )
        })
        .collect();
    from_boxes(actions, &boxes, random)
}

fn from_boxes(actions: &[Action], boxes: &[(usize, usize)], random: &mut Random) -> Vec<Operation> {
    let mut points: Vec<(usize, usize, usize)> = Vec::new();
    for (number, (start, end)) in boxes.iter().enumerate() {
        points.push((*start, random.below(1000), number));
        points.push((*end, random.below(1000), number));
    }
    points.sort_unstable();
    let points: Vec<usize> = points.into_iter().map(|(.., number)| number).collect();
    let mut pending = Vec::new();
    if random.one_in(3) {
        pending.extend((0..actions.len()).filter(|_| random.one_in(5)));
    }
    with_points(actions, &points, &pending, random)
}

/// Operations whose calls and returns are where their numbers stand. Pending ones lose their return and their result.
fn with_points(actions: &[Action], points: &[usize], pending: &[usize], _: &mut Random) -> Vec<Operation> {
    let mut operations: Vec<Option<Operation>> = vec![None; actions.len()];
    let mut rank = 0;
    for number in points {
        let Some(operation) = &mut operations[*number] else {
            rank += 1;
            operations[*number] = Some(Operation {
                action: actions[*number],
                call: rank,
                ret: None,
            });
            continue;
        };
        if pending.contains(number) {
            if let Action::Remove(_) = operation.action {
                operation.action = Action::RemoveAny;
            }
            continue;
        }
        rank += 1;
        operation.ret = Some(rank);
    }
    operations.into_iter().flatten().collect()
}
