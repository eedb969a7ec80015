//! Effects that are filled in for a family of arguments, against effects that are found by walking the action.
//!
//! Who asks for the first time gets what a walk says, so a new set of families each time is the other side.

use omnilink_tla::config::Config;
use omnilink_tla::deep_stack;
use omnilink_tla::eval::{EffectTemplates, Effects, Evaluator, Layout, SilentSession};
use omnilink_tla::ir::OperatorId;
use omnilink_tla::model::{BuildOptions, CompiledSpec, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_value::Value;

/// Actions that have a family, and many that come close to it. Arguments meet constants that are compared (0), written (5),
/// places (1, "a", the field "b") and numbers that are made of other arguments.
const SPEC: &str = r#"---- MODULE Cells ----
EXTENDS Integers
CONSTANT Nothing
VARIABLES f, g
Is(k, r) == f[k] = r
Get(k, v, r) == f[k] = r /\ UNCHANGED <<f, g>>
Put(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED g
Set(k, v, r) == f' = [f EXCEPT ![k] = v] /\ g' = g
Five(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = 5] /\ g' = [g EXCEPT ![v] = 5]
Both(k, v, r) == f[k] = r /\ f[v] = r /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED g
Swap(k, v, r) == f[k] = v /\ f[v] = k /\ f' = [f EXCEPT ![k] = k, ![v] = r] /\ UNCHANGED g
First(k, v, r) == f[1] = v /\ f[k] = r /\ (IF f[1] = r THEN g' = [g EXCEPT ![k] = 0] ELSE UNCHANGED g) /\ UNCHANGED f
Field(k, v, r) == f.b = v /\ f[k] = r /\ (IF f.b = 0 THEN g' = [g EXCEPT ![k] = v] ELSE UNCHANGED g) /\ UNCHANGED f
Called(k, v, r) == Is(k, r) /\ Is(v, 0) /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED g
Named(k, v, r) == LET w == v o == 0 IN f[k] = r /\ (IF w = o THEN f' = [f EXCEPT ![k] = w] ELSE UNCHANGED f) /\ UNCHANGED g
IfAbsent(k, v, r) == f[k] = r /\ (IF f[k] = 0 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f) /\ UNCHANGED g
IfModel(k, v, r) == f[k] = r /\ (IF f[k] = Nothing THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f) /\ UNCHANGED g
IfSame(k, v, r) == (IF v = r THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f) /\ UNCHANGED g
IfNot(k, v, r) == (IF ~(k # r) \/ v = 1 THEN f' = [f EXCEPT ![k] = v] ELSE UNCHANGED f) /\ UNCHANGED g
Assigned(k, v, r) == f' = (IF f[k] = r THEN [f EXCEPT ![k] = v] ELSE f) /\ UNCHANGED g
Told(k, v, r) == r = (f[k] # 0) /\ UNCHANGED <<f, g>>
Nested(k, v, r) == (v = r) = (k = v) /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED g
Deep(k, v, r) == f[k][v] = r /\ f' = [f EXCEPT ![k][v] = 0] /\ UNCHANGED g
Whole(k, v, r) == g = r /\ f[k] = v /\ g' = k /\ UNCHANGED f
Either(k, v, r) == (f[k] = r \/ f[k] = v) /\ UNCHANGED <<f, g>>
Set5(k, v, r) == f[k] = {5} /\ f[k] = r /\ UNCHANGED <<f, g>>
Plain(k, v, r) == r /\ f[k] = v /\ UNCHANGED <<f, g>>
Old(k, v, r) == f[k] = r /\ f' = [f EXCEPT ![k] = @] /\ UNCHANGED g
Plus(k, v, r) == f[k + 1] = r /\ f[v] = r /\ (IF f[2] = 0 THEN g' = [g EXCEPT ![k] = v] ELSE UNCHANGED g) /\ UNCHANGED f
Range(k, v, r) == (\A i \in 0..k : f[i] = 0) /\ f[v] = r /\ UNCHANGED <<f, g>>
Some(k, v, r) == f[k] = r /\ (\E w \in {1, v} : f' = [f EXCEPT ![k] = w]) /\ UNCHANGED g
Member(k, v, r) == f[k] = r /\ v \in {0, 1} /\ UNCHANGED <<f, g>>
Inside(k, v, r) == f[k] = [a |-> 0, c |-> 5] /\ r = f[k].a /\ UNCHANGED <<f, g>>
InsideTuple(k, v, r) == f[k] = <<7, 8>> /\ f[k][v] = r /\ UNCHANGED <<f, g>>
InsideFunction(k, v, r) == f[k] = [i \in {1, 2} |-> 7] /\ f[k][1] = r /\ UNCHANGED <<f, g>>
InsideLet(k, v, r) == LET new == [a |-> 5] IN f[k] = new /\ (IF f[k].a = v THEN UNCHANGED <<f, g>> ELSE FALSE)
InsideBoth(k, v, r) == g = <<<<2>>, [b |-> 1]>> /\ r = g[1][1] /\ v = g[2].b /\ f' = [f EXCEPT ![k] = v] /\ UNCHANGED g
Cases(k, v, r) == f[k] = r /\ (CASE f[k] = 0 -> f' = [f EXCEPT ![k] = v] [] OTHER -> UNCHANGED f) /\ UNCHANGED g
====
"#;

const OPS: [&str; 33] = [
    "Get",
    "Put",
    "Set",
    "Five",
    "Both",
    "Swap",
    "First",
    "Field",
    "Called",
    "Named",
    "IfAbsent",
    "IfModel",
    "IfSame",
    "IfNot",
    "Assigned",
    "Told",
    "Nested",
    "Deep",
    "Whole",
    "Either",
    "Set5",
    "Plain",
    "Old",
    "Plus",
    "Range",
    "Some",
    "Member",
    "Inside",
    "InsideTuple",
    "InsideFunction",
    "InsideLet",
    "InsideBoth",
    "Cases",
];

fn model() -> CompiledSpec {
    let loaded = load_text("Cells.tla".as_ref(), SPEC.to_owned(), &SearchPath::default());
    let options = BuildOptions {
        constants: vec![("Nothing".to_owned(), "Nothing".to_owned())],
        operations: OPS.iter().map(|op| (*op).to_owned()).collect(),
        ..BuildOptions::default()
    };
    build(loaded.spec, &Config::default(), &options)
        .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
}

fn values() -> Vec<Value> {
    let numbers = [0, 1, 2, 5, 7, 8].map(Value::int);
    let others = [
        Value::str("a"),
        Value::str("b"),
        Value::bool(true),
        Value::tuple([]),
    ];
    numbers.into_iter().chain(others).collect()
}

/// All arguments, in an order in which a family meets many patterns before it meets one again.
fn all_arguments() -> Vec<[Option<Value>; 3]> {
    let values = values();
    let mut all = Vec::new();
    for k in &values {
        for v in &values {
            for r in &values {
                all.push([k, v, r].map(|value| Some(value.clone())));
            }
        }
    }
    all
}

#[test]
fn filling_in_says_what_walking_says() {
    deep_stack::run(|| {
        let model = model();
        let session = SilentSession::default();
        let mut evaluator = Evaluator::new(&model.program, &session);
        let mut families = EffectTemplates::default();
        for (name, operation) in OPS.iter().zip(&model.operations) {
            let operation: OperatorId = operation.unwrap_or_else(|| panic!("{name} is an operator"));
            for arguments in all_arguments() {
                let walked: Effects = evaluator.effects(operation, &arguments, &Layout::default());
                // The first may be walked, the second finds out about the family, and the third is filled in.
                for _ in 0..3 {
                    let filled = families.effects(&mut evaluator, operation, &arguments, &Layout::default());
                    assert_eq!(filled, walked, "{name} {arguments:?}");
                }
            }
        }
    });
}
