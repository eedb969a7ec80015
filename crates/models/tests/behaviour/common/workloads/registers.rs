//! Workloads of registers and stores.

use omnilink_models::{
    CasRegister, CasRegisterOp, Kv, KvAction, KvOp, MultiRegister, MultiRegisterOp, Register, RegisterAccess,
    RegisterOp,
};
use omnilink_value::Value;
use smallvec::smallvec;

use super::super::Workload;
use super::{BOTH, int, text};

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
        let read = |key| RegisterAccess::Read(int(key), None);
        let write = |key, value| RegisterAccess::Write(int(key), int(value));
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
            let variants: Vec<RegisterAccess> = match access {
                RegisterAccess::Read(key, _) => (0..3)
                    .map(|value| RegisterAccess::Read(key.clone(), Some(int(value))))
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
