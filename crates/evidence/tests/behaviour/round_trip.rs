//! What is written as JSON is read back as an equal value.

use omnilink_evidence::{
    ActionTaken, AgreedPrefix, AgreedStep, Alternative, Anomaly, Behaviour, Bindings, BrokenRule, Candidate,
    Command, Confirmation, Continuation, Counterexample, Evidence, EvidenceError, ExplainedOrder,
    Exploration, FalsePart, LastWriter, Limit, MinimalHistory, PlacedOperation, PropertyKind,
    ReportedOperation, Step, Subject, ThreadName, ThreadNames, Unknown, Verdict, Violation,
    VisibilityRefutation, VisibleSet, Witness,
};
use omnilink_value::Value;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn thread() -> impl Strategy<Value = ThreadName> {
    prop_oneof![
        any::<u32>().prop_map(ThreadName::Number),
        any::<String>().prop_map(ThreadName::Name)
    ]
}

fn operation() -> impl Strategy<Value = ReportedOperation> {
    let times = (any::<Option<i64>>(), any::<Option<i64>>(), any::<bool>());
    let texts = (any::<String>(), any::<Option<String>>(), any::<Option<String>>());
    (any::<u64>(), thread(), texts, times).prop_map(
        |(id, thread, (text, label, place), (start, end, pending))| ReportedOperation {
            id,
            label,
            thread,
            text,
            start,
            end,
            pending,
            place,
        },
    )
}

fn operations() -> impl Strategy<Value = Vec<ReportedOperation>> {
    vec(operation(), 0..3)
}

fn alternative() -> impl Strategy<Value = Alternative> {
    let continuation = prop_oneof![
        (any::<Option<String>>(), any::<Vec<String>>())
            .prop_map(|(reason, places)| Continuation::Refused { reason, places }),
        any::<Vec<String>>().prop_map(|states| Continuation::LeadsTo { states }),
    ];
    let candidate = (operation(), continuation).prop_map(|(op, continuation)| Candidate { op, continuation });
    let step = (any::<u64>(), any::<Option<String>>()).prop_map(|(op, state)| Step { op, state });
    (
        any::<String>(),
        operations(),
        vec(step, 0..3),
        operations(),
        vec(candidate, 0..3),
    )
        .prop_map(|(state, recent, steps, placed, candidates)| Alternative {
            state,
            recent,
            steps,
            placed,
            candidates,
        })
}

fn counterexample() -> impl Strategy<Value = Counterexample> {
    let agreed = (
        any::<Vec<String>>(),
        any::<u64>(),
        option::of(operation()),
        operations(),
        vec(
            (operation(), any::<Option<String>>()).prop_map(|(op, state)| AgreedStep { op, state }),
            0..3,
        ),
    );
    let agreed = agreed.prop_map(|(states, placed, last, since, recent)| AgreedPrefix {
        states,
        placed,
        last,
        since,
        recent,
    });
    let broken =
        (any::<String>(), operations()).prop_map(|(rule, operations)| BrokenRule { rule, operations });
    (
        operation(),
        any::<u64>(),
        vec(alternative(), 0..3),
        option::of(agreed),
        option::of(broken),
    )
        .prop_map(
            |(op, alternatives_total, alternatives, agreed, broken)| Counterexample {
                op,
                alternatives_total,
                alternatives,
                agreed,
                broken,
            },
        )
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::int),
        any::<bool>().prop_map(Value::from),
        any::<String>().prop_map(|text| Value::str(&text)),
        Just(Value::null()),
        "[a-z]{1,3}".prop_map(|name| Value::model(&name)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let entries = vec((inner.clone(), inner.clone()), 0..4);
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::tuple),
            vec(inner.clone(), 0..4).prop_map(Value::set),
            vec(("[a-z$]{1,4}", inner), 0..4).prop_map(Value::record),
            entries.prop_map(|entries| Value::function(entries).unwrap_or_else(|_| Value::null())),
        ]
    })
}

fn behaviour() -> impl Strategy<Value = Behaviour> {
    let bindings = || vec(("[a-z]{1,3}", value()), 0..3).prop_map(Bindings);
    let action = (any::<String>(), bindings(), any::<String>());
    let action = action.prop_map(|(name, bindings, place)| ActionTaken {
        name,
        bindings,
        place,
    });
    let state = (option::of(action), bindings());
    let texts = vec(("[a-z]{1,3}", any::<String>()), 0..3).prop_map(Bindings);
    let part = (any::<String>(), any::<String>(), texts);
    let part = part.prop_map(|(text, place, bindings)| FalsePart {
        text,
        place,
        bindings,
    });
    (vec(state, 0..4), option::of(part), any::<Option<usize>>()).prop_map(|(states, false_part, lasso)| {
        let mut behaviour = Behaviour::new(PropertyKind::Incomplete, Some("Inv".to_owned()), states);
        behaviour.false_part = false_part;
        behaviour.lasso = lasso;
        behaviour
    })
}

fn placed() -> impl Strategy<Value = PlacedOperation> {
    (operation(), any::<Option<Vec<u64>>>(), any::<bool>()).prop_map(|(op, sees, writes)| PlacedOperation {
        op,
        sees,
        writes,
    })
}

fn refutation() -> impl Strategy<Value = VisibilityRefutation> {
    let set = (any::<Vec<u64>>(), any::<String>(), any::<Option<String>>());
    let set = set.prop_map(|(sees, state, reason)| VisibleSet {
        sees,
        state,
        reason,
        places: vec!["Spec.tla:3:4-3:9".to_owned()],
    });
    (
        operation(),
        vec(placed(), 0..3),
        vec(set, 0..3),
        option::of(operations()),
    )
        .prop_map(|(op, order, candidates, core)| VisibilityRefutation {
            op,
            explained: ExplainedOrder { order },
            candidates,
            core,
        })
}

fn violation() -> impl Strategy<Value = Violation> {
    prop_oneof![
        counterexample().prop_map(|counterexample| Violation::Operation(Box::new(counterexample))),
        refutation().prop_map(|refutation| Violation::Visibility(Box::new(refutation))),
        behaviour().prop_map(|behaviour| Violation::Behaviour(Box::new(behaviour))),
        any::<Vec<String>>().prop_map(|cycle| Violation::Transactions(Anomaly::Cycle(cycle))),
        any::<String>().prop_map(|read| Violation::Transactions(Anomaly::Read(read))),
        any::<Vec<String>>().prop_map(|keys| Violation::Transactions(Anomaly::NoOrder { keys })),
    ]
}

fn confirmation() -> impl Strategy<Value = Confirmation> {
    prop_oneof![
        (any::<String>(), any::<u64>()).prop_map(|(search, configurations)| Confirmation::Confirmed {
            search,
            configurations,
        }),
        any::<String>().prop_map(|reason| Confirmation::NotConfirmed { reason }),
    ]
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let unknown = (any::<u64>(), option::of(operation()), vec(alternative(), 0..2));
    let unknown = unknown.prop_map(|(explained, at, alternatives)| Unknown {
        explained,
        at,
        alternatives,
        ..Unknown::limited(Limit::Configurations)
    });
    let minimal = (operations(), any::<Option<Vec<String>>>(), counterexample());
    let minimal = minimal.prop_map(|(operations, from, counterexample)| MinimalHistory {
        operations,
        left_out: 3,
        from,
        confirmed: None,
        counterexample,
    });
    let witness = vec(placed(), 0..3).prop_map(|order| Witness::Visibility { order });
    let writer = (any::<String>(), option::of(operation()), any::<bool>());
    let writer = writer.prop_map(|(cell, by, is_certain)| LastWriter {
        cell,
        value: "3".to_owned(),
        by,
        is_certain,
    });
    (
        any::<String>(),
        option::of(violation()),
        option::of(confirmation()),
        option::of(unknown),
        option::of(minimal),
        option::of(witness),
        vec(writer, 0..2),
        any::<bool>(),
        0..1_000_000_u32,
    )
        .prop_map(
            |(
                input,
                violation,
                confirmation,
                unknown,
                minimal,
                witness,
                last_writers,
                is_explored,
                eighths,
            )| {
                let mut evidence = Evidence::new(Command::Validate, Subject::Operations, input);
                evidence.violation = violation;
                evidence.confirmation = confirmation;
                evidence.unknown = unknown.map(Box::new);
                evidence.minimal = minimal.map(Box::new);
                evidence.witness = witness;
                evidence.last_writers = last_writers;
                evidence.exploration = is_explored.then(Exploration::default);
                // Eighths have an exact decimal form.
                evidence.figures.seconds = f64::from(eighths) / 8.0;
                evidence
            },
        )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(evidence in evidence()) {
        let json = evidence.to_json();
        prop_assert!(!json.contains('\n'));
        prop_assert_eq!(Evidence::from_json(&json).unwrap(), evidence);
    }
}

#[test]
fn a_later_version_is_refused_and_so_is_what_is_no_evidence() {
    let json = Evidence::new(Command::Check, Subject::Operations, "trace").to_json();
    let later = json.replace("\"evidence\":1", "\"evidence\":2");
    assert!(matches!(
        Evidence::from_json(&later),
        Err(EvidenceError::Version(2))
    ));
    assert!(matches!(
        Evidence::from_json("{}"),
        Err(EvidenceError::Malformed { .. })
    ));
}

#[test]
fn of_several_verdicts_the_worst_is_the_greatest() {
    let worst = [Verdict::Violation, Verdict::Unknown, Verdict::Valid]
        .into_iter()
        .max();
    assert_eq!(worst, Some(Verdict::Violation));
    assert!(Verdict::Error > Verdict::Violation);
}

#[test]
fn threads_are_named_once_and_sorted_as_people_look_for_them() {
    let mut evidence = Evidence::new(Command::Check, Subject::Operations, "trace");
    let at = ReportedOperation::timed(0, 1, "read()".to_owned(), 3, None);
    evidence.give_up(Unknown {
        at: Some(at),
        ..Unknown::limited(Limit::Time)
    });
    let names = ThreadNames::from(["1", "0"]);
    names.apply_to(&mut evidence);
    names.apply_to(&mut evidence);
    let named = evidence.unknown.unwrap().at.unwrap().thread;
    assert_eq!(named, ThreadName::Name("0".to_owned()));
    let mut threads = ["b", "10", "9", "a"].map(ThreadName::from);
    threads.sort();
    assert_eq!(threads.map(|thread| thread.to_string()), ["9", "10", "a", "b"]);
}
