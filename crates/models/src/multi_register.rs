//! Many registers with atomic transactions that read and write several of them.

use omnilink_engine::{CollectionKind, Footprint, Keys, Model, Observation, Outcomes};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::{DecodeError, THE_RESULT};
use crate::display::{Known, list};
use crate::entry::{ModelEntry, operations};
use crate::keys::keys;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::persistent_map::PersistentMap;
use crate::register::INITIAL;

/// Registers by key. A transaction reads and writes any number of them at one instant; a single read or write is a
/// transaction of one.
#[derive(Clone, Debug)]
pub struct MultiRegister {
    /// The initial value of every register.
    pub initial: Value,
}

/// A transaction: a sequence of accesses that happens atomically.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MultiRegisterOp(pub SmallVec<[RegisterAccess; 1]>);

/// An access of a transaction to one register.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RegisterAccess {
    /// The register of this key now holds this.
    Write(Value, Value),
    /// The register of this key held this; `None` if the result is unknown.
    Read(Value, Option<Value>),
}

impl MultiRegisterOp {
    fn writes(&self) -> impl DoubleEndedIterator<Item = (&Value, &Value)> {
        self.0.iter().filter_map(|access| match access {
            RegisterAccess::Write(key, value) => Some((key, value)),
            RegisterAccess::Read(..) => None,
        })
    }

    /// The value that the transaction leaves in the register of `key`, if it writes it.
    fn leaves(&self, key: &Value) -> Option<&Value> {
        self.writes()
            .rev()
            .find(|(written, _)| *written == key)
            .map(|(_, value)| value)
    }

    /// The reads with a known result, each with the value that the transaction itself wrote to the register before.
    fn known_reads(&self) -> impl Iterator<Item = (&Value, &Value, Option<&Value>)> {
        self.0.iter().enumerate().filter_map(|(at, access)| match access {
            RegisterAccess::Read(key, Some(value)) => {
                let own = self.0.iter().take(at).rev().find_map(|earlier| match earlier {
                    RegisterAccess::Write(written, value) if written == key => Some(value),
                    _ => None,
                });
                Some((key, value, own))
            }
            _ => None,
        })
    }
}

impl MultiRegister {
    fn value<'a>(&'a self, state: &'a PersistentMap<Value>, key: &Value) -> &'a Value {
        state.get(key).unwrap_or(&self.initial)
    }

    /// The first read whose result differs from the register, with the value of the register.
    fn first_wrong_read<'a>(
        &'a self,
        state: &'a PersistentMap<Value>,
        op: &'a MultiRegisterOp,
    ) -> Option<WrongRead<'a>> {
        op.known_reads().find_map(|(key, read, own)| {
            let held = own.unwrap_or_else(|| self.value(state, key));
            (read != held).then_some(WrongRead {
                key,
                read,
                held,
                own: own.is_some(),
            })
        })
    }
}

struct WrongRead<'a> {
    key: &'a Value,
    read: &'a Value,
    held: &'a Value,
    own: bool,
}

impl Model for MultiRegister {
    /// The registers whose value differs from the initial one.
    type State = PersistentMap<Value>;
    type Op = MultiRegisterOp;

    fn initial(&self) -> Vec<PersistentMap<Value>> {
        vec![PersistentMap::new()]
    }

    fn step(
        &self,
        state: &PersistentMap<Value>,
        op: &MultiRegisterOp,
        outcomes: &mut Outcomes<PersistentMap<Value>>,
    ) {
        if let Some(WrongRead { key, read, held, own }) = self.first_wrong_read(state, op) {
            return outcomes.refuse(|| {
                let whose = if own {
                    "the transaction itself has just written"
                } else {
                    "it holds"
                };
                format!("read {read} from register {key}, but {whose} {held}")
            });
        }
        let mut next = state.clone();
        for (key, value) in op.writes() {
            // A register with the initial value has no entry, so that equal states are equal.
            next = if *value == self.initial {
                next.without(key)
            } else {
                next.with(key, value.clone())
            };
        }
        outcomes.accept(next);
    }

    fn is_pure(&self, op: &MultiRegisterOp) -> bool {
        op.writes().next().is_none()
    }

    fn footprint(&self, op: &MultiRegisterOp) -> Footprint {
        let reads = op
            .known_reads()
            .filter(|(_, _, own)| own.is_none())
            .map(|(key, _, _)| key);
        Footprint::new(keys(reads), &Keys::none(), keys(op.writes().map(|(key, _)| key)))
    }

    /// Take the first wrong read. The last transaction that changes its register must leave the value that was read. A read
    /// that contradicts its own transaction is never enabled.
    fn may_enable(
        &self,
        state: &PersistentMap<Value>,
        refused: &MultiRegisterOp,
        helper: &MultiRegisterOp,
    ) -> bool {
        match self.first_wrong_read(state, refused) {
            Some(wrong) => !wrong.own && helper.leaves(wrong.key) == Some(wrong.read),
            None => false,
        }
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        Some(CollectionKind::Register)
    }

    /// Transactions of one access. The monitors know no others.
    fn observe<'a>(&self, MultiRegisterOp(accesses): &'a MultiRegisterOp) -> Observation<'a> {
        match accesses.as_slice() {
            // A read of it may have returned the initial value.
            [RegisterAccess::Write(_, value)] if *value == self.initial => Observation::Other,
            [RegisterAccess::Write(_, value)] => Observation::Add(value),
            [RegisterAccess::Read(_, Some(value))] if *value == self.initial => Observation::FindEmpty,
            [RegisterAccess::Read(_, Some(value))] => Observation::Peek(value),
            [RegisterAccess::Read(_, None)] => Observation::Nothing,
            _ => Observation::Other,
        }
    }

    fn describe_state(&self, state: &PersistentMap<Value>) -> String {
        let changed = list(
            state.iter().map(|(key, value)| format!("{key}: {value}")),
            ["{", "}"],
        );
        if state.is_empty() {
            format!("every register holds {}", self.initial)
        } else {
            changed
        }
    }

    fn describe_op(&self, op: &MultiRegisterOp) -> String {
        let access = |access: &RegisterAccess| match access {
            RegisterAccess::Write(key, value) => format!("write({key}, {value})"),
            RegisterAccess::Read(key, result) => format!("read({key}) = {}", Known(result)),
        };
        match op.0.as_slice() {
            [single] => access(single),
            several => list(several.iter().map(access), ["txn[", "]"]),
        }
    }

    fn state_bytes(&self, state: &PersistentMap<Value>) -> usize {
        state.heap_bytes()
    }
}

impl Decode for MultiRegister {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "multi-register",
        summary: "Many registers, read and written one or several at a time.",
        ops: operations! {
            "read" | "get" | "r": ("key; or value = [key, _]") -> "value, or [key, value]",
                "the register of key held value";
            "write" | "put" | "set" | "w": ("key, value; or value = [key, value]"),
                "the register of key now holds value";
            "txn" | "transaction":
                ("value = [[\"r\", key, _], [\"w\", key, value], ...]") -> "the same list with the values read",
                "all of these at one instant, in this order";
        },
        options: &[INITIAL],
        example: r#"{"thread":0,"op":"write","args":{"key":"x","value":1},"start":0,"end":4}
{"thread":1,"op":"txn","args":{"value":[["r","x",null],["w","y",2]]},"ret":[["r","x",1],["w","y",2]],"start":2,"end":9}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<MultiRegisterOp, DecodeError> {
        let access = match call.op() {
            "txn" => return decode_transaction(call),
            // In Jepsen, a transaction of reads is also called `read`, and one of writes `write`.
            _ if is_list_of_accesses(call) => return decode_transaction(call),
            "read" => {
                let (key, _) = key_and_value(call)?;
                let is_pair = call.find(KEY, 0).is_none_or(|named| *named != key);
                let names: &[&str] = if is_pair { &[] } else { &["value"] };
                let result = call.value_result(names, 1)?;
                // Jepsen's independent keys: the result repeats the key.
                let read = match (&result, result.as_ref().and_then(Value::as_tuple)) {
                    (Some(_), Some([again, value])) if is_pair && *again == key => Some(value.clone()),
                    (Some(pair), Some([_, _])) if is_pair => {
                        return Err(call.wrong(
                            THE_RESULT,
                            pair,
                            "[key, value] with the key that was asked for",
                        ));
                    }
                    _ => result,
                };
                RegisterAccess::Read(key, read)
            }
            _ => {
                call.check_acknowledged(2)?;
                let (key, value) = key_and_value(call)?;
                let value = value.cloned();
                let missing = || call.argument(&["value"], 1, "the value to write").cloned();
                RegisterAccess::Write(key, value.map_or_else(missing, Ok)?)
            }
        };
        Ok(MultiRegisterOp(SmallVec::from_iter([access])))
    }
}

const KEY: &[&str] = &["key", "k", "register"];

/// The key, and the value if there is one: by name, by position, or as a pair of Jepsen's independent keys.
fn key_and_value<'a>(call: &CallReader<'a>) -> Result<(Value, Option<&'a Value>), DecodeError> {
    let pair = call.operation().args.field("value").and_then(Value::as_tuple);
    match (call.find(KEY, 0), pair) {
        (None, Some([key, value])) => Ok((key.clone(), Some(value))),
        (Some(key), _) => Ok((key.clone(), call.find(&["value", "v"], 1))),
        (None, _) => call
            .argument(KEY, 0, "the register's key, or value = [key, value]")
            .map(|key| (key.clone(), None)),
    }
}

fn is_list_of_accesses(call: &CallReader<'_>) -> bool {
    let is_access = |access: &Value| {
        let name = access
            .as_tuple()
            .and_then(<[Value]>::first)
            .and_then(Value::as_str);
        name.is_some_and(|name| ["r", "w", "read", "write"].contains(&name))
    };
    let value = call.operation().args.field("value").and_then(Value::as_tuple);
    value.is_some_and(|accesses| !accesses.is_empty() && accesses.iter().all(is_access))
}

enum AccessKind {
    Read,
    Write,
}

/// `["r", key]`, `["r", key, value]` or `["w", key, value]`, taken apart.
fn parts_of(access: &Value) -> Option<(AccessKind, &Value, Option<&Value>)> {
    let (name, key, value) = match access.as_tuple()? {
        [name, key] => (name, key, None),
        [name, key, value] => (name, key, Some(value)),
        _ => return None,
    };
    let kind = match name.as_str()? {
        "r" | "read" => AccessKind::Read,
        "w" | "write" => AccessKind::Write,
        _ => return None,
    };
    Some((kind, key, value))
}

fn decode_transaction(call: &CallReader<'_>) -> Result<MultiRegisterOp, DecodeError> {
    const EXPECTED: &str = "a list of [\"r\", key, value] and [\"w\", key, value]";
    const OPS: &str = "value";
    let asked = call.argument(&[OPS, "ops", "txn"], 0, EXPECTED)?;
    let result = call.result(&[], 1);
    let returned = result.map(|result| {
        result
            .as_tuple()
            .ok_or_else(|| call.wrong(THE_RESULT, result, EXPECTED))
    });
    let returned = returned.transpose()?;
    let asked = asked.as_tuple().ok_or_else(|| call.wrong(OPS, asked, EXPECTED))?;
    if let (Some(returned), Some(result)) = (returned, result)
        && returned.len() != asked.len()
    {
        return Err(call.wrong(THE_RESULT, result, "as many accesses as were asked for"));
    }
    let accesses = asked.iter().enumerate().map(|(at, access)| {
        let seen = returned.and_then(|returned| returned.get(at));
        let again = |is_same: &dyn Fn(&Value) -> Option<Value>| match seen {
            None => Ok(None),
            Some(seen) => is_same(seen)
                .map(Some)
                .ok_or_else(|| call.wrong(THE_RESULT, seen, "the access that was asked for")),
        };
        let has_returned = !call.operation().timebox.is_pending();
        match parts_of(access) {
            // A write returns itself, and a read of another register is no acknowledgement of it.
            Some((AccessKind::Write, key, Some(value))) => {
                again(&|seen| (seen == access).then(|| value.clone()))?;
                Ok(RegisterAccess::Write(key.clone(), value.clone()))
            }
            // The value of a read may also stand among the arguments; null is the place where it is to be filled in.
            Some((AccessKind::Read, key, given)) => {
                let given = given.filter(|given| has_returned && !given.is_null());
                let read = again(&|seen| match parts_of(seen) {
                    Some((AccessKind::Read, own, Some(value)))
                        if own == key && given.is_none_or(|given| given == value) =>
                    {
                        Some(value.clone())
                    }
                    _ => None,
                })?;
                Ok(RegisterAccess::Read(key.clone(), read.or_else(|| given.cloned())))
            }
            _ => Err(call.wrong(OPS, access, EXPECTED)),
        }
    });
    Ok(MultiRegisterOp(accesses.collect::<Result<_, _>>()?))
}

impl NativeModel for MultiRegister {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self {
            initial: options.value("initial").unwrap_or_else(Value::null),
        })
    }
}
