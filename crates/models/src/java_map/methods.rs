//! The methods of a JavaMap, with their results.

use crate::entry::{ModelEntry, operations};

/// The model's entry.
pub(super) const METHODS: &ModelEntry = &ModelEntry {
    name: "java-map",
    summary: "A sorted map of the Java library, such as ConcurrentSkipListMap; results as Java prints them.",
    ops: operations! {
        "put": ("key, value") -> "the previous value or null", "key is now mapped to value";
        "get": ("key") -> "the value or null", "what key is mapped to";
        "remove": ("key; or key, value") -> "the previous value or null; true or false",
            "key is no longer mapped";
        "containsKey": ("key") -> "true or false", "whether key is mapped";
        "containsValue" | "contains": ("value") -> "true or false", "whether some key is mapped to value";
        "size" | "mappingCount": () -> "a number", "how many keys are mapped";
        "isEmpty": () -> "true or false", "whether no key is mapped";
        "putAll": ("map") -> "void", "all keys of map are now mapped as there";
        "clear": () -> "void", "no key is mapped any more";
        "pollFirstEntry": () -> "key=value or null", "takes out the entry with the least key";
        "pollLastEntry": () -> "key=value or null", "takes out the entry with the greatest key";
        "keySet" | "keys": () -> "[key, …]", "all keys";
        "navigableKeySet": () -> "[key, …]", "all keys";
        "descendingKeySet": () -> "[key, …]", "all keys, the greatest first";
        "values" | "elements": () -> "[value, …]", "all values, by key";
        "entrySet": () -> "[key=value, …]", "all entries";
        "headMap": ("to; or to, inclusive") -> "{key=value, …}", "the entries below to";
        "tailMap": ("from; or from, inclusive") -> "{key=value, …}", "the entries from from on";
        "subMap": ("from, to; or from, inclusive, to, inclusive") -> "{key=value, …}", "the entries between";
        "toString": () -> "{key=value, …}", "all entries";
        "descendingMap": () -> "{key=value, …}", "all entries, the greatest key first";
        "firstKey": () -> "a key, or NoSuchElementException", "the least key";
        "lastKey": () -> "a key, or NoSuchElementException", "the greatest key";
        "firstEntry": () -> "key=value or null", "the entry with the least key";
        "lastEntry": () -> "key=value or null", "the entry with the greatest key";
        "lowerKey": ("key") -> "a key or null", "the greatest key below";
        "floorKey": ("key") -> "a key or null", "the greatest key not above";
        "ceilingKey": ("key") -> "a key or null", "the least key not below";
        "higherKey": ("key") -> "a key or null", "the least key above";
        "lowerEntry": ("key") -> "key=value or null", "the entry of the greatest key below";
        "floorEntry": ("key") -> "key=value or null", "the entry of the greatest key not above";
        "ceilingEntry": ("key") -> "key=value or null", "the entry of the least key not below";
        "higherEntry": ("key") -> "key=value or null", "the entry of the least key above";
        "putIfAbsent": ("key, value") -> "the previous value or null", "maps key unless it is mapped";
        "replace": ("key, value; or key, from, to") -> "the previous value or null; true or false",
            "maps key only if it is mapped";
        "computeIfAbsent": ("key, value") -> "the value that is mapped now", "maps key to value unless it is mapped";
        "getOrDefault": ("key, value") -> "the value", "what key is mapped to, or else value";
    },
    options: &[],
    example: r#"{"thread":0,"op":"put","args":[1,1],"ret":"null","start":0,"end":4}
{"thread":1,"op":"putAll","args":[{"0":2}],"ret":"void","start":2,"end":9}
{"thread":0,"op":"toString","args":[],"ret":"{0=2, 1=1}","start":6,"end":12}"#,
};
