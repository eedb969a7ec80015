//! Workloads of sets, maps, queues and stacks.

use omnilink_models::{
    Bag, BagOp, Batch, Map, MapAction, MapOp, PriorityQueue, PriorityQueueOp, Queue, QueueOp, Set, SetOp,
    Stack, StackOp,
};
use omnilink_value::Value;
use smallvec::smallvec;

use super::super::Workload;
use super::{BOTH, int, maybe};

impl Workload for Set {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<SetOp> {
        let single = (0..3).map(int).flat_map(|element| {
            [
                SetOp::Add(element.clone(), None),
                SetOp::Remove(element.clone(), None),
                SetOp::Contains(element, None),
            ]
        });
        single.chain([SetOp::Read(None), SetOp::Size(None)]).collect()
    }

    fn results(&self, call: &SetOp) -> Vec<SetOp> {
        let with = |variant: fn(Value, Option<bool>) -> SetOp, element: &Value| {
            BOTH.map(|result| variant(element.clone(), Some(result))).to_vec()
        };
        match call {
            SetOp::Add(element, _) => with(SetOp::Add, element),
            SetOp::Remove(element, _) => with(SetOp::Remove, element),
            SetOp::Contains(element, _) => with(SetOp::Contains, element),
            SetOp::Read(_) => (0..8)
                .map(|bits| Value::set((0..3).filter(|element| bits >> element & 1 == 1).map(int)))
                .map(|elements| SetOp::Read(Some(elements)))
                .collect(),
            SetOp::Size(_) => (0..4).map(|size| SetOp::Size(Some(size))).collect(),
        }
    }
}

impl Workload for Bag {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<BagOp> {
        let single = (0..2).map(int).flat_map(|element| {
            [
                BagOp::Add(element.clone()),
                BagOp::Add(element.clone()),
                BagOp::Remove(element.clone(), None),
                BagOp::Contains(element, None),
            ]
        });
        single.chain([BagOp::Take(None), BagOp::Size(None)]).collect()
    }

    fn results(&self, call: &BagOp) -> Vec<BagOp> {
        match call {
            BagOp::Add(_) => vec![call.clone()],
            BagOp::Remove(element, _) => BOTH
                .map(|found| BagOp::Remove(element.clone(), Some(found)))
                .to_vec(),
            BagOp::Contains(element, _) => BOTH
                .map(|found| BagOp::Contains(element.clone(), Some(found)))
                .to_vec(),
            BagOp::Take(_) => maybe(0..2)
                .into_iter()
                .map(|taken| BagOp::Take(Some(taken)))
                .collect(),
            BagOp::Size(_) => (0..4).map(|size| BagOp::Size(Some(size))).collect(),
        }
    }
}

impl Workload for Map {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<MapOp> {
        let single = (1..3).flat_map(|key| {
            [
                MapAction::Contains(None),
                MapAction::Get(None),
                MapAction::Insert(int(key), None),
                MapAction::Insert(int(3), None),
                MapAction::InsertIfAbsent(int(2), None),
                MapAction::Erase(None),
            ]
            .map(|action| MapOp::Key(int(key), action))
        });
        let ranges =
            [(1, 2), (2, 9), (2, 1), (-900, 900)].map(|(low, high)| MapOp::Range(int(low), int(high), None));
        single.chain(ranges).collect()
    }

    fn results(&self, call: &MapOp) -> Vec<MapOp> {
        let previous = || maybe(1..4).into_iter().map(Some);
        let (key, action) = match call {
            MapOp::Range(low, high, _) => {
                return (0..3)
                    .map(|count| MapOp::Range(low.clone(), high.clone(), Some(count)))
                    .collect();
            }
            MapOp::Key(key, action) => (key, action),
        };
        let actions: Vec<MapAction> = match action {
            MapAction::Contains(_) => BOTH.map(|found| MapAction::Contains(Some(found))).to_vec(),
            MapAction::Get(_) => previous().map(MapAction::Get).collect(),
            MapAction::Insert(value, _) => previous()
                .map(|previous| MapAction::Insert(value.clone(), previous))
                .collect(),
            MapAction::InsertIfAbsent(value, _) => previous()
                .map(|previous| MapAction::InsertIfAbsent(value.clone(), previous))
                .collect(),
            MapAction::Erase(_) => previous().map(MapAction::Erase).collect(),
        };
        actions
            .into_iter()
            .map(|action| MapOp::Key(key.clone(), action))
            .collect()
    }
}

/// All sequences of up to `length_max` of the values 1 and 2.
fn batches(length_max: usize) -> Vec<Batch> {
    let mut all = vec![smallvec![]];
    let mut at = 0;
    while let Some(batch) = all.get(at).cloned() {
        at += 1;
        if batch.len() < length_max {
            for value in 1..3 {
                let mut longer: Batch = batch.clone();
                longer.push(int(value));
                all.push(longer);
            }
        }
    }
    all
}

impl Workload for Queue {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<QueueOp> {
        let enqueue = |values: &[i64]| QueueOp::Enqueue {
            values: values.iter().map(|v| int(*v)).collect(),
            fitted: None,
        };
        let dequeue = |most| QueueOp::Dequeue { most, values: None };
        vec![
            enqueue(&[1]),
            enqueue(&[2]),
            enqueue(&[2]),
            enqueue(&[1, 2]),
            enqueue(&[]),
            dequeue(Some(1)),
            dequeue(Some(1)),
            dequeue(Some(2)),
            dequeue(Some(0)),
            dequeue(None),
            QueueOp::Peek(None),
            QueueOp::Size(None),
        ]
    }

    fn results(&self, call: &QueueOp) -> Vec<QueueOp> {
        match call {
            QueueOp::Enqueue { values, .. } => BOTH
                .map(|fitted| QueueOp::Enqueue {
                    values: values.clone(),
                    fitted: Some(fitted),
                })
                .to_vec(),
            QueueOp::Dequeue { most, .. } => {
                let longest = most.map_or(2, |most| most.max(1));
                batches(longest)
                    .into_iter()
                    .map(|values| QueueOp::Dequeue {
                        most: *most,
                        values: Some(values),
                    })
                    .collect()
            }
            QueueOp::Peek(_) => maybe(1..3)
                .into_iter()
                .map(|front| QueueOp::Peek(Some(front)))
                .collect(),
            QueueOp::Size(_) => (0..4).map(|size| QueueOp::Size(Some(size))).collect(),
        }
    }
}

impl Workload for Stack {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<StackOp> {
        let pushes = (1..4).map(|value| StackOp::Push(int(value)));
        pushes
            .chain([
                StackOp::Pop(None),
                StackOp::Pop(None),
                StackOp::Peek(None),
                StackOp::Size(None),
            ])
            .collect()
    }

    fn results(&self, call: &StackOp) -> Vec<StackOp> {
        match call {
            StackOp::Pop(_) => maybe(1..4)
                .into_iter()
                .map(|top| StackOp::Pop(Some(top)))
                .collect(),
            StackOp::Peek(_) => maybe(1..4)
                .into_iter()
                .map(|top| StackOp::Peek(Some(top)))
                .collect(),
            StackOp::Size(_) => (0..4).map(|size| StackOp::Size(Some(size))).collect(),
            push => vec![push.clone()],
        }
    }
}

impl Workload for PriorityQueue {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<PriorityQueueOp> {
        let inserts = (1..4).map(|value| PriorityQueueOp::Insert(int(value)));
        let rest = [
            PriorityQueueOp::Poll(None),
            PriorityQueueOp::Poll(None),
            PriorityQueueOp::Peek(None),
            PriorityQueueOp::Size(None),
        ];
        inserts.chain(rest).collect()
    }

    fn results(&self, call: &PriorityQueueOp) -> Vec<PriorityQueueOp> {
        match call {
            PriorityQueueOp::Poll(_) => maybe(1..4)
                .into_iter()
                .map(|first| PriorityQueueOp::Poll(Some(first)))
                .collect(),
            PriorityQueueOp::Peek(_) => maybe(1..4)
                .into_iter()
                .map(|first| PriorityQueueOp::Peek(Some(first)))
                .collect(),
            PriorityQueueOp::Size(_) => (0..4).map(|size| PriorityQueueOp::Size(Some(size))).collect(),
            insert => vec![insert.clone()],
        }
    }
}
