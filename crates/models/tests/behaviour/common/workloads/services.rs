//! Workloads of locks, counters, banks and logs.

use omnilink_models::{Bank, BankOp, Counter, CounterOp, Log, LogOp, Mutex, MutexOp, Semaphore, SemaphoreOp};
use omnilink_value::Value;
use smallvec::smallvec;

use super::super::Workload;
use super::{BOTH, int, maybe};

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
