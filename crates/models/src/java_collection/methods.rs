//! The methods of a JavaCollection, with their results.

use crate::entry::{ModelEntry, OptionEntry, operations};

/// The model's entry.
pub(super) const METHODS: &ModelEntry = &ModelEntry {
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
        "drainTo": ("nothing; or most") -> "[element, …]", "removes all elements, or at most `most` of them, from the head on";
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
