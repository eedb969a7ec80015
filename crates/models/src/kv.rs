//! A key-value store of texts: get, put, append, delete.

use omnilink_engine::{CollectionKind, Footprint, Keys, Model, Observation, Outcomes};
use omnilink_value::Value;

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::DecodeError;
use crate::display::{Known, Or, list};
use crate::entry::{ModelEntry, operations};
use crate::keys::key as key_of;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};
use crate::persistent_map::PersistentMap;

/// A key-value store. Keys are independent, so a history splits into one part per key.
///
/// A get of a missing key returns nil or the empty text: systems differ here, and the difference has nothing to do with
/// concurrency.
#[derive(Clone, Debug, Default)]
pub struct Kv;

/// An operation on one key of a [`Kv`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KvOp {
    /// The key.
    pub key: Value,
    /// The action on it.
    pub action: KvAction,
}

/// An action on one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KvAction {
    /// It held this, or nothing (nil); `None` if the result is unknown.
    Get(Option<Value>),
    /// It now holds this.
    Put(Value),
    /// This text was appended to the text that it held. A missing key holds the empty text.
    Append(Value),
    /// It now holds nothing; whether it held a value before, `None` if that is unknown.
    Delete(Option<bool>),
}

/// Whether a get that returned `result` may have found `held`.
fn reads_as(held: Option<&Value>, result: &Value) -> bool {
    match held {
        Some(value) => value == result,
        None => result.is_null() || result.as_str() == Some(""),
    }
}

/// The text of a key. A missing key holds the empty text.
fn text_of(held: Option<&Value>) -> Option<&str> {
    held.map_or(Some(""), Value::as_str)
}

/// Whether appending can turn `from` into `to`.
fn may_grow(from: Option<&Value>, to: &Value) -> bool {
    match (text_of(from), to.as_str()) {
        (Some(from), Some(to)) => to.starts_with(from),
        _ => false,
    }
}

impl Model for Kv {
    type State = PersistentMap<Value>;
    type Op = KvOp;

    fn initial(&self) -> Vec<PersistentMap<Value>> {
        vec![PersistentMap::new()]
    }

    fn step(
        &self,
        state: &PersistentMap<Value>,
        KvOp { key, action }: &KvOp,
        outcomes: &mut Outcomes<PersistentMap<Value>>,
    ) {
        let held = state.get(key);
        match action {
            KvAction::Get(Some(result)) if !reads_as(held, result) => {
                outcomes.refuse(|| format!("got {result} for {key}, which holds {}", Or(held, "nothing")));
            }
            KvAction::Get(_) => outcomes.accept(state.clone()),
            KvAction::Put(value) => outcomes.accept(state.with(key, value.clone())),
            KvAction::Append(more) => match (text_of(held), more.as_str()) {
                (Some(text), Some(more)) => {
                    outcomes.accept(state.with(key, Value::str(&[text, more].concat())))
                }
                _ => outcomes.refuse(|| {
                    format!(
                        "cannot append {more} to {key}, which holds {}",
                        Or(held, "nothing")
                    )
                }),
            },
            KvAction::Delete(Some(existed)) if *existed != held.is_some() => outcomes.refuse(|| {
                let found = if *existed { "something" } else { "nothing" };
                format!(
                    "delete found {found} at {key}, which holds {}",
                    Or(held, "nothing")
                )
            }),
            KvAction::Delete(_) => outcomes.accept(state.without(key)),
        }
    }

    fn is_pure(&self, op: &KvOp) -> bool {
        matches!(op.action, KvAction::Get(_) | KvAction::Delete(Some(false)))
    }

    fn footprint(&self, op: &KvOp) -> Footprint {
        match op.action {
            KvAction::Get(None) => Footprint::reads(Keys::none()),
            KvAction::Get(Some(_)) | KvAction::Delete(Some(false)) => Footprint::reads(key_of(&op.key)),
            KvAction::Put(_) | KvAction::Delete(None) => Footprint::overwrites(key_of(&op.key)),
            KvAction::Append(_) | KvAction::Delete(Some(true)) => Footprint::updates(key_of(&op.key)),
        }
    }

    /// Let a get of `v` be refused while the key holds `c`. If the sequence puts or deletes, only appends follow its last put
    /// or delete. So that put wrote a prefix of `v` (`v` itself, unless `v` is a text), or it was a delete and `v` is a text
    /// or nil. If the sequence only appends, the first append of a nonempty text turns `c` into a longer prefix of `v`.
    ///
    /// A delete needs the key to appear or to vanish. An append is refused only if the key holds a value that is no text,
    /// and only a put or a delete changes that.
    fn may_enable(&self, state: &PersistentMap<Value>, refused: &KvOp, helper: &KvOp) -> bool {
        if refused.key != helper.key {
            return false;
        }
        match (&refused.action, &helper.action) {
            (KvAction::Get(Some(wanted)), KvAction::Put(written)) => {
                written == wanted || may_grow(Some(written), wanted)
            }
            (KvAction::Get(Some(wanted)), KvAction::Delete(existed)) => {
                *existed != Some(false) && (wanted.is_null() || wanted.as_str().is_some())
            }
            (KvAction::Get(Some(wanted)), KvAction::Append(more)) => {
                match (text_of(state.get(&refused.key)), more.as_str(), wanted.as_str()) {
                    (Some(text), Some(more), Some(wanted)) => wanted
                        .strip_prefix(text)
                        .is_some_and(|missing| missing.starts_with(more)),
                    _ => false,
                }
            }
            (KvAction::Delete(Some(true)), KvAction::Put(_) | KvAction::Append(_)) => true,
            (KvAction::Delete(Some(false)), KvAction::Delete(existed)) => *existed != Some(false),
            (KvAction::Append(_), KvAction::Put(_)) => true,
            (KvAction::Append(_), KvAction::Delete(existed)) => *existed != Some(false),
            _ => false,
        }
    }

    /// Without appends and deletes, each key is a register that is initially empty.
    fn collection_kind(&self) -> Option<CollectionKind> {
        Some(CollectionKind::Register)
    }

    fn observe<'a>(&self, op: &'a KvOp) -> Observation<'a> {
        match &op.action {
            KvAction::Get(Some(value)) if reads_as(None, value) => Observation::FindEmpty,
            KvAction::Get(Some(value)) => Observation::Peek(value),
            KvAction::Get(None) => Observation::Nothing,
            // A get of it may have found a missing key.
            KvAction::Put(value) if reads_as(None, value) => Observation::Other,
            KvAction::Put(value) => Observation::Add(value),
            KvAction::Append(_) | KvAction::Delete(_) => Observation::Other,
        }
    }

    fn describe_state(&self, state: &PersistentMap<Value>) -> String {
        list(
            state.iter().map(|(key, value)| format!("{key}: {value}")),
            ["{", "}"],
        )
    }

    fn describe_op(&self, KvOp { key, action }: &KvOp) -> String {
        match action {
            KvAction::Get(result) => format!("get({key}) = {}", Known(result)),
            KvAction::Put(value) => format!("put({key}, {value})"),
            KvAction::Append(value) => format!("append({key}, {value})"),
            KvAction::Delete(existed) => format!("delete({key}) = {}", Known(existed)),
        }
    }

    fn state_bytes(&self, state: &PersistentMap<Value>) -> usize {
        let texts = state
            .iter()
            .filter_map(|(_, value)| value.as_str())
            .map(str::len)
            .sum::<usize>();
        state.heap_bytes() + texts
    }
}

impl Decode for Kv {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "kv",
        summary: "A key-value store of texts: get, put, append, delete. Keys are checked apart from each other.",
        ops: operations! {
            "get" | "read": ("key") -> "value; nil or \"\" for none", "key held value";
            "put" | "write" | "set": ("key, value"), "key now holds value";
            "append": ("key, value (a text)"),
                "value was added behind the text that key held; a missing key holds the empty text";
            "delete" | "del" | "remove" | "erase": ("key") -> "true or false, if known",
                "key now holds nothing; whether it held something before";
        },
        options: &[],
        example: r#"{"thread":0,"op":"put","args":{"key":"k","value":"a"},"start":0,"end":4}
{"thread":1,"op":"append","args":{"key":"k","value":"b"},"start":2,"end":9}
{"thread":0,"op":"get","args":{"key":"k"},"ret":"ab","start":6,"end":12}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<KvOp, DecodeError> {
        const VALUE: &[&str] = &["value", "v"];
        let key = call.argument(&["key", "k"], 0, "the key")?.clone();
        let action = match call.op() {
            "get" => KvAction::Get(call.value_result(VALUE, 1)?),
            "delete" => KvAction::Delete(call.bool_or_nothing(None, &["existed", "found"], 1)?),
            "put" => {
                call.check_acknowledged(2)?;
                KvAction::Put(call.argument(VALUE, 1, "the value to put")?.clone())
            }
            _ => {
                call.check_acknowledged(2)?;
                let text = call.argument(VALUE, 1, "the text to append")?;
                if text.as_str().is_none() {
                    return Err(call.wrong("value", text, "a text"));
                }
                KvAction::Append(text.clone())
            }
        };
        Ok(KvOp { key, action })
    }
}

impl NativeModel for Kv {
    fn from_options(_: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self)
    }
}
