//! Decoding of calls on a Java collection.

use omnilink_trace::Args;
use omnilink_value::Value;

use super::call::{JavaCollectionError, JavaCollectionOp};
use super::{ElementOrder, JavaCollection};
use crate::call_reader::{CallReader, THE_RESULT};
use crate::catalogue::{ModelEntry, NativeModel, OptionEntry, operations};
use crate::decode::{Decode, DecodeError};
use crate::options::{ModelOptions, ModelSpecError};

/// The names of arguments, in their order.
const NAMES: [&str; 8] = [
    "index",
    "from",
    "element",
    "value",
    "to",
    "inclusive",
    "elements",
    "most",
];

impl Decode for JavaCollection {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "java-collection",
        summary: "A queue, deque, list, set or priority queue of the Java library; results as Java prints them.",
        ops: operations! {
            "add" | "offer" | "offerLast": ("element") -> "true, false or IllegalStateException",
                "element is now the last, if there is room";
            "addLast": ("element") -> "void or IllegalStateException", "element is now the last, if there is room";
            "put" | "putLast": ("element") -> "void", "waits for room; element is now the last";
            "addFirst" | "push": ("element") -> "void or IllegalStateException", "element is now the first, if there is room";
            "offerFirst": ("element") -> "true or false", "element is now the first, if there is room";
            "putFirst": ("element") -> "void", "waits for room; element is now the first";
            "addIfAbsent": ("element") -> "true or false", "element is now the last, unless it was there";
            "addAll": ("elements") -> "true, false or IllegalStateException", "all of these were added, one after the other";
            "remove": ("nothing; or element") -> "the first element or NoSuchElementException; true or false",
                "takes out the first element; or the first that is element";
            "poll" | "pollFirst" | "removeFirst" | "pop": () -> "an element, null or NoSuchElementException",
                "takes out the first element";
            "pollLast" | "removeLast": () -> "an element, null or NoSuchElementException", "takes out the last element";
            "take" | "takeFirst": () -> "an element", "waits for an element; takes out the first";
            "takeLast": () -> "an element", "waits for an element; takes out the last";
            "drainTo": ("nothing; or most") -> "[element, …]", "takes out all, or so many, from the first on";
            "removeFirstOccurrence": ("element") -> "true or false", "takes out the first that is element";
            "removeLastOccurrence": ("element") -> "true or false", "takes out the last that is element";
            "removeAll": ("elements") -> "true or false", "takes out all that are among elements";
            "retainAll": ("elements") -> "true or false", "takes out all that are not among elements";
            "clear": () -> "void", "takes out all";
            "peek" | "peekFirst" | "element" | "getFirst" | "first": () -> "an element, null or NoSuchElementException",
                "the first element";
            "peekLast" | "getLast" | "last": () -> "an element, null or NoSuchElementException", "the last element";
            "contains": ("element") -> "true or false", "whether element is there";
            "containsAll": ("elements") -> "true or false", "whether all of these are there";
            "size": () -> "a number", "how many elements there are";
            "isEmpty": () -> "true or false", "whether there is none";
            "remainingCapacity": () -> "a number", "how many more there is room for; 2147483647 without a capacity";
            "toArray" | "toString" | "iterator": () -> "[element, …]", "all elements, from the first on";
            "descendingIterator" | "descendingSet": () -> "[element, …]", "all elements, from the last on";
            "get": ("index") -> "an element or IndexOutOfBoundsException", "the element at index";
            "set": ("index, element") -> "the previous element or IndexOutOfBoundsException", "element is now at index";
            "indexOf": ("element") -> "an index or -1", "where the first that is element is";
            "lastIndexOf": ("element") -> "an index or -1", "where the last that is element is";
            "headSet": ("to; or to, inclusive") -> "[element, …]", "the elements below to";
            "tailSet": ("from; or from, inclusive") -> "[element, …]", "the elements from from on";
            "subSet": ("from, to; or from, inclusive, to, inclusive") -> "[element, …]", "the elements between";
            "lower": ("element") -> "an element or null", "the greatest element below";
            "floor": ("element") -> "an element or null", "the greatest element not above";
            "ceiling": ("element") -> "an element or null", "the least element not below";
            "higher": ("element") -> "an element or null", "the least element above";
        },
        options: &[
            OptionEntry {
                name: "order",
                values: "insertion or sorted",
                default: "insertion",
                meaning: "where an element goes: to the end that the method says (queues, deques, lists), or before all that are greater \
                          (sorted sets, priority queues)",
            },
            OptionEntry {
                name: "duplicates",
                values: "yes or no",
                default: "yes",
                meaning: "whether an element may be there twice; no for sets",
            },
            OptionEntry {
                name: "capacity",
                values: "a number of at least 1",
                default: "none",
                meaning: "how many elements there is room for",
            },
        ],
        example: r#"{"thread":0,"op":"offer","args":[1],"ret":"true","start":0,"end":4}
{"thread":1,"op":"addAll","args":[[2,3]],"ret":"true","start":2,"end":9}
{"thread":0,"op":"poll","args":[],"ret":"2","start":6,"end":12}
{"thread":1,"op":"toArray","args":[],"ret":"[3, 1]","start":13,"end":14}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<JavaCollectionOp, DecodeError> {
        let arguments: Vec<Value> = match &call.operation().args {
            Args::Positional(tuple) => tuple.as_tuple().unwrap_or_default().to_vec(),
            Args::Named(record) => NAMES
                .iter()
                .filter_map(|name| record.field(name))
                .cloned()
                .collect(),
        };
        let void = Value::str("void");
        // A method that returns nothing and has returned did what it says, or it would have thrown.
        let is_void = matches!(call.op(), "addFirst" | "addLast");
        let result = match call.result(&[], arguments.len()) {
            None if is_void && !call.operation().timebox.is_pending() => Some(&void),
            result => result,
        };
        JavaCollectionOp::new(call.op(), &arguments, result).map_err(|error| match error {
            JavaCollectionError::Arguments { expected, found, .. } => {
                call.wrong("its arguments", &found, expected)
            }
            JavaCollectionError::Result { expected, found, .. } => call.wrong(THE_RESULT, &found, expected),
            JavaCollectionError::UnknownMethod { .. } => {
                call.wrong("the method", &Value::str(call.op()), "one of the list")
            }
        })
    }
}

impl NativeModel for JavaCollection {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        let orders = [
            ("insertion", ElementOrder::Insertion),
            ("sorted", ElementOrder::Sorted),
        ];
        let switches = [("yes", true), ("true", true), ("no", false), ("false", false)];
        let order = options.choice("order", &orders, "insertion or sorted")?;
        let has_duplicates = options.choice("duplicates", &switches, "yes or no")?;
        let capacity = options.integer("capacity", 1, "a number of at least 1")?;
        Ok(Self {
            order: order.unwrap_or(ElementOrder::Insertion),
            has_duplicates: has_duplicates.unwrap_or(true),
            capacity: capacity.map(|capacity| usize::try_from(capacity).unwrap_or(usize::MAX)),
        })
    }
}
