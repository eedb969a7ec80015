//! The small worlds, one for each shipped model (some in two variants).

use omnilink_models::{
    Access, Assoc, Bank, BankOp, CasRegister, CasRegisterOp, Counter, CounterOp, FailedCas, First, JavaMap,
    JavaMapOp, Kv, KvAction, KvOp, Log, LogOp, Map, MapAction, MapOp, MultiRegister, MultiRegisterOp, Mutex,
    MutexOp, PriorityQueue, PriorityQueueOp, Queue, QueueOp, Register, RegisterOp, Semaphore, SemaphoreOp,
    Set, SetOp, Stack, StackOp,
};
use omnilink_value::Value;
use smallvec::smallvec;

use super::{Visitor, Workload};

/// Runs `visitor` for every world.
pub fn each_workload(visitor: &mut impl Visitor) {
    visitor.visit("register", &Register { initial: int(0) });
    visitor.visit(
        "cas-register",
        &CasRegister {
            initial: Value::null(),
            failed_cas: FailedCas::DidNotHappen,
        },
    );
    visitor.visit("multi-register", &MultiRegister { initial: int(0) });
    visitor.visit("kv", &Kv);
    visitor.visit("set", &Set);
    visitor.visit("map", &Map { none: int(0) });
    visitor.visit(
        "queue",
        &Queue {
            capacity: None,
            empty: Value::null(),
        },
    );
    visitor.visit(
        "queue of 2",
        &Queue {
            capacity: Some(2),
            empty: Value::null(),
        },
    );
    visitor.visit("stack", &Stack { empty: Value::null() });
    visitor.visit(
        "priority-queue",
        &PriorityQueue {
            first: First::Greatest,
            empty: Value::null(),
        },
    );
    visitor.visit(
        "priority-queue, least first",
        &PriorityQueue {
            first: First::Least,
            empty: Value::null(),
        },
    );
    visitor.visit("mutex", &Mutex { owned: false });
    visitor.visit("mutex with owners", &Mutex { owned: true });
    visitor.visit(
        "semaphore",
        &Semaphore {
            permits: 1,
            capacity: None,
        },
    );
    visitor.visit(
        "semaphore of 2",
        &Semaphore {
            permits: 2,
            capacity: Some(2),
        },
    );
    visitor.visit("counter", &Counter { initial: 0 });
    visitor.visit(
        "bank",
        &Bank {
            accounts: Assoc::new().with(&int(0), 2),
            balance: 0,
            overdraft: false,
        },
    );
    visitor.visit(
        "bank with overdraft",
        &Bank {
            accounts: Assoc::new(),
            balance: 1,
            overdraft: true,
        },
    );
    visitor.visit("log", &Log { first: 1 });
    visitor.visit("java-map", &JavaMap);
}

fn int(value: i64) -> Value {
    Value::int(value)
}

fn text(value: &str) -> Value {
    Value::str(value)
}

const BOTH: [bool; 2] = [false, true];

/// Nothing, or one of `values`.
fn maybe(values: impl IntoIterator<Item = i64>) -> Vec<Option<Value>> {
    [None]
        .into_iter()
        .chain(values.into_iter().map(|value| Some(int(value))))
        .collect()
}

impl Workload for Register {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<RegisterOp> {
        let writes = (0..3).map(|value| RegisterOp::Write(int(value)));
        writes
            .chain([RegisterOp::Read(None), RegisterOp::Read(None)])
            .collect()
    }

    fn results(&self, call: &RegisterOp) -> Vec<RegisterOp> {
        match call {
            RegisterOp::Read(_) => (0..3).map(|value| RegisterOp::Read(Some(int(value)))).collect(),
            write => vec![write.clone()],
        }
    }
}

impl Workload for CasRegister {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<CasRegisterOp> {
        let cas = |from, to| CasRegisterOp::Cas {
            from: int(from),
            to: int(to),
            equal: None,
        };
        let writes = (0..2).map(|value| CasRegisterOp::Write(int(value)));
        let changes = [cas(0, 1), cas(1, 0), cas(1, 2), cas(2, 2)];
        writes
            .chain(changes)
            .chain([CasRegisterOp::Read(None), CasRegisterOp::Read(None)])
            .collect()
    }

    fn results(&self, call: &CasRegisterOp) -> Vec<CasRegisterOp> {
        match call {
            CasRegisterOp::Read(_) => {
                let values = (0..3).map(int).chain([Value::null()]);
                values.map(|value| CasRegisterOp::Read(Some(value))).collect()
            }
            CasRegisterOp::Cas { from, to, .. } => BOTH
                .map(|equal| CasRegisterOp::Cas {
                    from: from.clone(),
                    to: to.clone(),
                    equal: Some(equal),
                })
                .to_vec(),
            write => vec![write.clone()],
        }
    }
}

impl Workload for MultiRegister {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<MultiRegisterOp> {
        let read = |key| Access::Read(int(key), None);
        let write = |key, value| Access::Write(int(key), int(value));
        vec![
            MultiRegisterOp(smallvec![read(0)]),
            MultiRegisterOp(smallvec![read(1)]),
            MultiRegisterOp(smallvec![write(0, 1)]),
            MultiRegisterOp(smallvec![write(1, 0)]),
            MultiRegisterOp(smallvec![read(0), read(1)]),
            MultiRegisterOp(smallvec![read(0), write(1, 1)]),
            MultiRegisterOp(smallvec![write(0, 0), write(1, 2), read(0)]),
            MultiRegisterOp(smallvec![read(2), write(2, 1), write(2, 2)]),
        ]
    }

    fn results(&self, call: &MultiRegisterOp) -> Vec<MultiRegisterOp> {
        let mut results = vec![MultiRegisterOp(smallvec![])];
        for access in &call.0 {
            let variants: Vec<Access> = match access {
                Access::Read(key, _) => (0..3)
                    .map(|value| Access::Read(key.clone(), Some(int(value))))
                    .collect(),
                write => vec![write.clone()],
            };
            results = results
                .iter()
                .flat_map(|begun| {
                    variants.iter().map(|variant| {
                        let mut longer = begun.clone();
                        longer.0.push(variant.clone());
                        longer
                    })
                })
                .collect();
        }
        results
    }
}

impl Workload for Kv {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<KvOp> {
        let actions = [
            KvAction::Get(None),
            KvAction::Put(text("a")),
            KvAction::Put(text("")),
            KvAction::Put(int(7)),
            KvAction::Append(text("a")),
            KvAction::Append(text("b")),
            KvAction::Append(text("")),
            KvAction::Delete(None),
        ];
        let of_key = |key: &'static str| {
            actions.clone().map(|action| KvOp {
                key: text(key),
                action,
            })
        };
        let other_key =
            [KvAction::Get(None), KvAction::Put(text("a"))].map(|action| KvOp { key: int(1), action });
        of_key("k").into_iter().chain(other_key).collect()
    }

    fn results(&self, call: &KvOp) -> Vec<KvOp> {
        let actions: Vec<KvAction> = match &call.action {
            KvAction::Get(_) => {
                let texts = ["", "a", "b", "aa", "ab", "ba", "bb", "aab", "aba"].map(text);
                texts
                    .into_iter()
                    .chain([Value::null(), int(7)])
                    .map(|value| KvAction::Get(Some(value)))
                    .collect()
            }
            KvAction::Delete(_) => BOTH.map(|existed| KvAction::Delete(Some(existed))).to_vec(),
            update => vec![update.clone()],
        };
        actions
            .into_iter()
            .map(|action| KvOp {
                key: call.key.clone(),
                action,
            })
            .collect()
    }
}

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
fn batches(length_max: usize) -> Vec<omnilink_models::Batch> {
    let mut all = vec![smallvec![]];
    let mut at = 0;
    while let Some(batch) = all.get(at).cloned() {
        at += 1;
        if batch.len() < length_max {
            for value in 1..3 {
                let mut longer: omnilink_models::Batch = batch.clone();
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

impl Workload for Mutex {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<MutexOp> {
        let owners = if self.owned {
            vec![int(1), int(2)]
        } else {
            vec![Value::null()]
        };
        let of_owner = |owner: &Value| {
            [
                MutexOp::Acquire {
                    owner: owner.clone(),
                    acquired: None,
                },
                MutexOp::Acquire {
                    owner: owner.clone(),
                    acquired: Some(true),
                },
                MutexOp::Release { owner: owner.clone() },
            ]
        };
        owners
            .iter()
            .flat_map(of_owner)
            .chain([MutexOp::IsHeld(None)])
            .collect()
    }

    fn results(&self, call: &MutexOp) -> Vec<MutexOp> {
        match call {
            MutexOp::Acquire {
                owner,
                acquired: None,
            } => BOTH
                .map(|acquired| MutexOp::Acquire {
                    owner: owner.clone(),
                    acquired: Some(acquired),
                })
                .to_vec(),
            MutexOp::IsHeld(_) => BOTH.map(|held| MutexOp::IsHeld(Some(held))).to_vec(),
            certain => vec![certain.clone()],
        }
    }
}

impl Workload for Semaphore {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<SemaphoreOp> {
        let acquires = (0..3).map(|permits| SemaphoreOp::Acquire(permits, None));
        let releases = (0..3).map(SemaphoreOp::Release);
        acquires
            .chain([SemaphoreOp::Acquire(1, Some(true))])
            .chain(releases)
            .chain([SemaphoreOp::Available(None)])
            .collect()
    }

    fn results(&self, call: &SemaphoreOp) -> Vec<SemaphoreOp> {
        match call {
            SemaphoreOp::Acquire(permits, None) => BOTH
                .map(|acquired| SemaphoreOp::Acquire(*permits, Some(acquired)))
                .to_vec(),
            SemaphoreOp::Available(_) => (0..4).map(|seen| SemaphoreOp::Available(Some(seen))).collect(),
            certain => vec![certain.clone()],
        }
    }
}

impl Workload for Counter {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<CounterOp> {
        let adds = [-1, 0, 1, 2].map(|amount| CounterOp::Add { amount, before: None });
        adds.into_iter()
            .chain([CounterOp::Read(None), CounterOp::Read(None)])
            .collect()
    }

    fn results(&self, call: &CounterOp) -> Vec<CounterOp> {
        match call {
            CounterOp::Read(_) => (-2..5).map(|count| CounterOp::Read(Some(count))).collect(),
            CounterOp::Add { amount, .. } => {
                let befores = [None].into_iter().chain((-1..3).map(Some));
                befores
                    .map(|before| CounterOp::Add {
                        amount: *amount,
                        before,
                    })
                    .collect()
            }
        }
    }
}

impl Workload for Bank {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<BankOp> {
        let transfer = |from, to, amount| BankOp::Transfer {
            from: int(from),
            to: int(to),
            amount,
            paid: None,
        };
        vec![
            transfer(0, 1, 1),
            transfer(1, 0, 2),
            transfer(0, 0, 1),
            transfer(1, 2, 0),
            BankOp::Deposit(int(1), 1),
            BankOp::Withdraw(int(1), 1, None),
            BankOp::Balance(int(0), None),
            BankOp::Balance(int(1), None),
            BankOp::Read(None),
        ]
    }

    fn results(&self, call: &BankOp) -> Vec<BankOp> {
        match call {
            BankOp::Transfer { from, to, amount, .. } => BOTH
                .map(|paid| BankOp::Transfer {
                    from: from.clone(),
                    to: to.clone(),
                    amount: *amount,
                    paid: Some(paid),
                })
                .to_vec(),
            BankOp::Withdraw(account, amount, _) => BOTH
                .map(|paid| BankOp::Withdraw(account.clone(), *amount, Some(paid)))
                .to_vec(),
            BankOp::Balance(account, _) => (-1..4)
                .map(|balance| BankOp::Balance(account.clone(), Some(balance)))
                .collect(),
            BankOp::Read(_) => (-1..4)
                .flat_map(|first| (-1..4).map(move |second| smallvec![(int(0), first), (int(1), second)]))
                .map(|balances| BankOp::Read(Some(balances)))
                .collect(),
            deposit => vec![deposit.clone()],
        }
    }
}

impl Workload for Log {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<LogOp> {
        let appends = (1..3).map(|value| LogOp::Append {
            value: int(value),
            index: None,
        });
        let reads = (0..4).map(|index| LogOp::Read(index, None));
        appends.chain(reads).chain([LogOp::Length(None)]).collect()
    }

    fn results(&self, call: &LogOp) -> Vec<LogOp> {
        match call {
            LogOp::Append { value, .. } => (0..6)
                .map(|index| LogOp::Append {
                    value: value.clone(),
                    index: Some(index),
                })
                .collect(),
            LogOp::Read(index, _) => maybe(1..3)
                .into_iter()
                .map(|seen| LogOp::Read(*index, Some(seen)))
                .collect(),
            LogOp::Length(_) => (0..6).map(|length| LogOp::Length(Some(length))).collect(),
        }
    }
}

impl Workload for JavaMap {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<JavaMapOp> {
        let entries = Value::record([("0", int(1)), ("1", int(0))]);
        let calls: [(&str, &[Value]); 19] = [
            ("put", &[int(0), int(0)]),
            ("put", &[int(0), int(1)]),
            ("putIfAbsent", &[int(1), int(1)]),
            ("replace", &[int(0), int(1)]),
            ("replace", &[int(0), int(0), int(1)]),
            ("remove", &[int(0)]),
            ("remove", &[int(1), int(1)]),
            ("putAll", &[entries]),
            ("clear", &[]),
            ("pollFirstEntry", &[]),
            ("pollLastEntry", &[]),
            ("get", &[int(0)]),
            ("containsKey", &[int(1)]),
            ("containsValue", &[int(1)]),
            ("size", &[]),
            ("toString", &[]),
            ("headMap", &[int(1)]),
            ("floorKey", &[int(0)]),
            ("firstKey", &[]),
        ];
        let op = |(method, arguments): (&str, &[Value])| JavaMapOp::new(method, arguments, None).unwrap();
        calls.into_iter().map(op).collect()
    }

    fn results(&self, call: &JavaMapOp) -> Vec<JavaMapOp> {
        let held = [None, Some(int(0)), Some(int(1))];
        let mut results = Vec::new();
        for (first, second) in held
            .iter()
            .flat_map(|first| held.iter().map(move |second| (first, second)))
        {
            let mut map = Assoc::new();
            for (key, value) in [(0, first), (1, second)] {
                if let Some(value) = value {
                    map = map.with(&int(key), value.clone());
                }
            }
            let result = Some(text(&self.result_of(&map, &call.call)));
            let op = JavaMapOp {
                call: call.call.clone(),
                result,
            };
            if !results.contains(&op) {
                results.push(op);
            }
        }
        results
    }
}
