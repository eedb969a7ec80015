//! The workload of a sorted map of the Java library.

use omnilink_models::{JavaMap, JavaMapOp, PersistentMap};
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
