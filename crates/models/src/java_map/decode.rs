//! Calls on a Java map as traces write them.

use omnilink_trace::Args;
use omnilink_value::Value;

use super::JavaMap;
use super::call::{JavaMapError, JavaMapOp};
use crate::call::{Call, THE_RESULT};
use crate::catalogue::{Entry, OpEntry, Shipped};
use crate::decode::{Decode, DecodeError};
use crate::options::{ModelOptions, ModelSpecError};

const fn op(
    name: &'static str,
    arguments: &'static str,
    result: &'static str,
    meaning: &'static str,
) -> OpEntry {
    OpEntry {
        name,
        aliases: &[],
        arguments,
        result,
        meaning,
    }
}

/// Where arguments have names, these, in this order.
const NAMES: [&str; 7] = ["key", "from", "value", "to", "inclusive", "map", "entries"];

impl Decode for JavaMap {
    const ENTRY: &'static Entry = &Entry {
        name: "java-map",
        summary: "A sorted map of the Java library, such as ConcurrentSkipListMap; results as Java prints them.",
        ops: &[
            op(
                "put",
                "key, value",
                "the previous value or null",
                "key is now mapped to value",
            ),
            op("get", "key", "the value or null", "what key is mapped to"),
            op(
                "remove",
                "key; or key, value",
                "the previous value or null; true or false",
                "key is no longer mapped",
            ),
            op("containsKey", "key", "true or false", "whether key is mapped"),
            op(
                "containsValue",
                "value",
                "true or false",
                "whether some key is mapped to value",
            ),
            op("size", "", "a number", "how many keys are mapped"),
            op("isEmpty", "", "true or false", "whether no key is mapped"),
            op("putAll", "map", "void", "all keys of map are now mapped as there"),
            op("clear", "", "void", "no key is mapped any more"),
            op(
                "pollFirstEntry",
                "",
                "key=value or null",
                "takes out the entry with the least key",
            ),
            op(
                "pollLastEntry",
                "",
                "key=value or null",
                "takes out the entry with the greatest key",
            ),
            op("keySet", "", "[key, …]", "all keys"),
            op("navigableKeySet", "", "[key, …]", "all keys"),
            op("descendingKeySet", "", "[key, …]", "all keys, the greatest first"),
            op("values", "", "[value, …]", "all values, by key"),
            op("entrySet", "", "[key=value, …]", "all entries"),
            op(
                "headMap",
                "to; or to, inclusive",
                "{key=value, …}",
                "the entries below to",
            ),
            op(
                "tailMap",
                "from; or from, inclusive",
                "{key=value, …}",
                "the entries from from on",
            ),
            op(
                "subMap",
                "from, to; or from, inclusive, to, inclusive",
                "{key=value, …}",
                "the entries between",
            ),
            op("toString", "", "{key=value, …}", "all entries"),
            op(
                "descendingMap",
                "",
                "{key=value, …}",
                "all entries, the greatest key first",
            ),
            op(
                "firstKey",
                "",
                "a key, or NoSuchElementException",
                "the least key",
            ),
            op(
                "lastKey",
                "",
                "a key, or NoSuchElementException",
                "the greatest key",
            ),
            op(
                "firstEntry",
                "",
                "key=value or null",
                "the entry with the least key",
            ),
            op(
                "lastEntry",
                "",
                "key=value or null",
                "the entry with the greatest key",
            ),
            op("lowerKey", "key", "a key or null", "the greatest key below"),
            op("floorKey", "key", "a key or null", "the greatest key not above"),
            op("ceilingKey", "key", "a key or null", "the least key not below"),
            op("higherKey", "key", "a key or null", "the least key above"),
            op(
                "lowerEntry",
                "key",
                "key=value or null",
                "the entry of the greatest key below",
            ),
            op(
                "floorEntry",
                "key",
                "key=value or null",
                "the entry of the greatest key not above",
            ),
            op(
                "ceilingEntry",
                "key",
                "key=value or null",
                "the entry of the least key not below",
            ),
            op(
                "higherEntry",
                "key",
                "key=value or null",
                "the entry of the least key above",
            ),
            op(
                "putIfAbsent",
                "key, value",
                "the previous value or null",
                "maps key unless it is mapped",
            ),
            op(
                "replace",
                "key, value; or key, from, to",
                "the previous value or null; true or false",
                "maps key only if it is mapped",
            ),
            op(
                "getOrDefault",
                "key, value",
                "the value",
                "what key is mapped to, or else value",
            ),
        ],
        options: &[],
        example: r#"{"thread":0,"op":"put","args":[1,1],"ret":"null","start":0,"end":4}
{"thread":1,"op":"putAll","args":[{"0":2}],"ret":"void","start":2,"end":9}
{"thread":0,"op":"toString","args":[],"ret":"{0=2, 1=1}","start":6,"end":12}"#,
    };

    fn decode_call(&self, call: &Call<'_>) -> Result<JavaMapOp, DecodeError> {
        let arguments: Vec<Value> = match &call.operation().args {
            Args::Positional(tuple) => tuple.as_tuple().unwrap_or_default().to_vec(),
            Args::Named(record) => NAMES
                .iter()
                .filter_map(|name| record.field(name))
                .cloned()
                .collect(),
        };
        let result = call.result(&[], arguments.len());
        JavaMapOp::new(call.op(), &arguments, result).map_err(|error| match error {
            JavaMapError::Arguments { expected, found, .. } => call.wrong("its arguments", &found, expected),
            JavaMapError::Result { expected, found, .. } => call.wrong(THE_RESULT, &found, expected),
            JavaMapError::UnknownMethod { .. } => {
                call.wrong("the method", &Value::str(call.op()), "one of the list")
            }
        })
    }
}

impl Shipped for JavaMap {
    fn from_options(_: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self)
    }
}
