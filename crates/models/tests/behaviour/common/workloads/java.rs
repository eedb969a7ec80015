//! The workloads of a sorted map and of a collection of the Java library.

use std::slice::from_ref;

use omnilink_models::{JavaCollection, JavaCollectionOp, JavaMap, JavaMapOp, PersistentMap};
use omnilink_value::Value;

use super::super::Workload;
use super::{int, text};

impl Workload for JavaMap {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<JavaMapOp> {
        let entries = Value::record([("0", int(1)), ("1", int(0))]);
        let calls: [(&str, &[Value]); 20] = [
            ("put", &[int(0), int(0)]),
            ("put", &[int(0), int(1)]),
            ("putIfAbsent", &[int(1), int(1)]),
            ("computeIfAbsent", &[int(0), int(1)]),
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
            let mut map = PersistentMap::new();
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

impl Workload for JavaCollection {
    type Model = Self;

    fn model(&self) -> Self {
        self.clone()
    }

    fn calls(&self) -> Vec<JavaCollectionOp> {
        let both = Value::tuple([int(0), int(1)]);
        let calls: [(&str, &[Value]); 22] = [
            ("add", &[int(0)]),
            ("add", &[int(1)]),
            ("addFirst", &[int(1)]),
            ("put", &[int(0)]),
            ("addIfAbsent", &[int(1)]),
            ("addAll", from_ref(&both)),
            ("poll", &[]),
            ("pollLast", &[]),
            ("take", &[]),
            ("remove", &[int(0)]),
            ("removeLastOccurrence", &[int(1)]),
            ("removeAll", from_ref(&both)),
            ("retainAll", &[Value::tuple([int(0)])]),
            ("drainTo", &[int(1)]),
            ("clear", &[]),
            ("set", &[int(0), int(1)]),
            ("peek", &[]),
            ("contains", &[int(1)]),
            ("containsAll", from_ref(&both)),
            ("size", &[]),
            ("toArray", &[]),
            ("headSet", &[int(1)]),
        ];
        let op =
            |(method, arguments): (&str, &[Value])| JavaCollectionOp::new(method, arguments, None).unwrap();
        calls.into_iter().map(op).collect()
    }

    fn results(&self, call: &JavaCollectionOp) -> Vec<JavaCollectionOp> {
        let states: [&[i64]; 7] = [&[], &[0], &[1], &[0, 1], &[1, 0], &[0, 0], &[1, 1]];
        let mut results = Vec::new();
        for state in states {
            let elements: Vec<Value> = state.iter().copied().map(int).collect();
            let Some(returned) = self.result_of(&elements, &call.call) else {
                continue;
            };
            let op = JavaCollectionOp {
                call: call.call.clone(),
                result: Some(text(&returned)),
            };
            if !results.contains(&op) {
                results.push(op);
            }
        }
        results
    }
}
