//! Guarantees by name, by axioms and by method: verdicts and messages.

use omnilink_consistency::{
    Guarantee, History, MethodLevels, RecordedCheckError, RecordedHistory, Ret, WeakChecker, WeakOptions,
    check_recorded, infer_recorded, parse_axioms, read_histories,
};
use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, InferredLevels};
use omnilink_models::{Decode, DecodeError, Decoded, JavaMap, JavaMapOp};
use omnilink_trace::{OpenOptions, Operation, Trace};

/// `put(1,1); values()=[1,1,0] || put(0,1); remove(1) || remove(0)=1; put(2,0)`: the iterator meets an entry that was gone
/// before it started from where it stands.
const SLOW_ITERATOR: &str = r#"{"id":216,"ops":[
    {"id":0,"thread":0,"method":"put","args":[1,1],"ret":"null"},
    {"id":1,"thread":0,"method":"values","args":[],"ret":"[1, 1, 0]"},
    {"id":2,"thread":1,"method":"put","args":[0,1],"ret":"null"},
    {"id":3,"thread":1,"method":"remove","args":[1],"ret":"1"},
    {"id":4,"thread":2,"method":"remove","args":[0],"ret":"1"},
    {"id":5,"thread":2,"method":"put","args":[2,0],"ret":"null"}],
    "hb":[[0,3],[2,4]]}"#;

fn recorded(json: &str) -> RecordedHistory {
    let line = json.replace('\n', " ");
    read_histories("histories.jsonl", line.as_bytes())
        .next()
        .unwrap()
        .unwrap()
}

fn decode(operation: &Operation) -> Result<Option<JavaMapOp>, DecodeError> {
    JavaMap.decode(operation).map(Decoded::into_last)
}

fn known() -> Vec<&'static str> {
    JavaMap::ENTRY.ops.iter().map(|op| op.name).collect()
}

fn check(json: &str, guarantee: &Guarantee) -> Result<Evidence, RecordedCheckError> {
    let mut checker = WeakChecker::new(&JavaMap);
    check_recorded(
        &mut checker,
        &recorded(json),
        &decode,
        &known(),
        guarantee,
        &WeakOptions::default(),
    )
}

fn inferred(histories: &[RecordedHistory]) -> InferredLevels {
    inferred_with(histories, "").unwrap()
}

/// The same where some methods have levels.
fn inferred_with(histories: &[RecordedHistory], given: &str) -> Result<InferredLevels, RecordedCheckError> {
    let given = MethodLevels::parse("levels", given).unwrap();
    let options = WeakOptions::default();
    let evidence = infer_recorded(&JavaMap, histories, &decode, &known(), &given, &options)?;
    Ok(evidence.inferred.unwrap())
}

fn level(name: &str) -> Guarantee {
    Guarantee::from_name(name).unwrap()
}

/// The slow iterator violates what is strict and satisfies what is lenient.
fn distinguish(strict: &Guarantee, lenient: &Guarantee) {
    assert_eq!(check(SLOW_ITERATOR, strict).unwrap().verdict.word(), "violation");
    assert_eq!(check(SLOW_ITERATOR, lenient).unwrap().verdict.word(), "valid");
}

#[test]
fn an_iterator_that_is_slow_is_weak_but_not_linearizable() {
    distinguish(&level("linearizable"), &level("weak"));
}

#[test]
fn methods_may_have_levels_of_their_own() {
    let strict = MethodLevels::parse("levels", "*: complete").unwrap();
    let lenient = MethodLevels::parse("levels", "values: weak, *: complete").unwrap();
    distinguish(&Guarantee::Levels(strict), &Guarantee::Levels(lenient));
}

#[test]
fn axioms_from_a_file_are_checked() {
    let lenient = parse_axioms("axioms", "vis >= hb\n!values: vis = lin").unwrap();
    let strict = parse_axioms("axioms", "vis = lin").unwrap();
    distinguish(&Guarantee::Axioms(strict), &Guarantee::Axioms(lenient));
}

#[test]
fn levels_are_inferred_per_method() {
    let inferred = inferred(&[recorded(SLOW_ITERATOR)]);
    assert_eq!(inferred.levels["put"], "linearizable");
    assert_eq!(inferred.levels["remove"], "linearizable");
    assert_ne!(inferred.levels["values"], "linearizable");
    assert!(inferred.unexplained.is_empty() && inferred.undecided.is_empty());
}

#[test]
fn a_history_that_satisfies_nothing_is_named_when_levels_are_inferred() {
    let odd = recorded(r#"{"id":"odd","ops":[{"thread":0,"method":"get","args":[1],"ret":"7"}]}"#);
    let histories = [recorded(SLOW_ITERATOR), odd];
    let inferred = inferred(&histories);
    assert_eq!(inferred.unexplained, ["odd"]);
    assert_eq!(inferred.together, None);
}

#[test]
fn bad_guarantees_and_histories_are_refused_with_messages() {
    let one = |op: &str| format!(r#"{{"ops":[{op}]}}"#);
    let message = |json: &str, guarantee: &Guarantee| check(json, guarantee).unwrap_err().to_string();
    let put = r#"{"thread":0,"method":"put","args":[1,1],"ret":"null"}"#;

    let unknown = Guarantee::from_name("strong").unwrap_err().to_string();
    assert!(
        unknown.contains("causal") && unknown.contains("snapshot-isolation"),
        "{unknown}"
    );

    let no_level = Guarantee::Levels(MethodLevels::parse("levels", "get: weak").unwrap());
    assert!(message(&one(put), &no_level).contains("the method put has no level"));

    let typo = Guarantee::Levels(MethodLevels::parse("levels", "putt: weak, *: weak").unwrap());
    assert!(message(&one(put), &typo).starts_with("there is no method putt; there are put, get"));

    let method = one(r#"{"thread":0,"method":"putt","args":[1,1]}"#);
    let text = message(&method, &level("weak"));
    assert!(
        text.starts_with("histories.jsonl:1: operation 0: ") && text.contains("did you mean"),
        "{text}"
    );

    let result = one(r#"{"thread":0,"method":"size","args":[],"ret":"many"}"#);
    assert!(message(&result, &level("weak")).contains("expected a number"));

    let arguments = one(r#"{"thread":0,"method":"put","args":[1],"ret":"null"}"#);
    assert!(message(&arguments, &level("weak")).contains("expected a key and a value"));

    let cycle = format!(r#"{{"ops":[{put},{put},{put}],"hb":[[2,1]]}}"#);
    assert!(message(&cycle, &level("weak")).contains("happens-before is cyclic: "));
}

#[test]
fn lines_that_are_no_histories_are_refused_with_their_number() {
    let message = |text: &str| {
        let error = read_histories("h.jsonl", text.as_bytes())
            .find_map(Result::err)
            .unwrap();
        error.to_string()
    };
    assert!(message("\n{\"ops\":[}").starts_with("h.jsonl:2: "));
    assert!(message("{\"id\":3}").contains("history 3 has no \"ops\""));
    assert!(message(r#"{"ops":7}"#).contains("expected an array of operations"));
    assert!(message(r#"{"ops":[7]}"#).contains("expected an object"));
    assert!(message(r#"{"ops":[{"method":"get"}]}"#).contains("operation 0 has no \"thread\""));
    assert!(message(r#"{"ops":[{"thread":0}]}"#).contains("operation 0 has no \"method\""));
    assert!(message(r#"{"ops":[{"thread":0,"op":"get"}],"hb":[[0,4]]}"#).contains("operation 4"));
    assert!(
        message(r#"{"ops":[{"thread":0,"op":"get","start":5,"end":2}]}"#).contains("not before \"start\"")
    );
    let twice = r#"{"ops":[{"id":1,"thread":0,"op":"get"},{"id":1,"thread":0,"op":"get"}]}"#;
    assert!(message(twice).contains("two operations have the id 1"));
}

/// ```text
/// t0  |--put 1--|
/// t1              |--get null--|
/// ```
#[test]
fn a_trace_is_a_history_ordered_by_timeboxes_clocks_counters_or_pairs() {
    let verdict = |lines: [&str; 2]| {
        let options = OpenOptions::default();
        let trace = Trace::from_bytes("trace", lines.join("\n").into_bytes(), &options).unwrap();
        let ops: Vec<Operation> = trace.map(Result::unwrap).collect();
        let recorded = RecordedHistory::from_operations("trace", ops).unwrap();
        let mut checker = WeakChecker::new(&JavaMap);
        let options = WeakOptions::default();
        check_recorded(
            &mut checker,
            &recorded,
            &decode,
            &known(),
            &level("weak"),
            &options,
        )
        .unwrap()
        .verdict
        .word()
    };
    let put = r#""op":"put","args":[1,1],"ret":"null","thread":0"#;
    let get = r#""op":"get","args":[1],"ret":"null","thread":1"#;
    let both = |put_more: &str, get_more: &str| {
        let lines = [format!("{{{put},{put_more}}}"), format!("{{{get},{get_more}}}")];
        verdict([&lines[0], &lines[1]])
    };
    assert_eq!(both(r#""start":0,"end":4"#, r#""start":6,"end":8"#), "violation");
    assert_eq!(both(r#""start":0,"end":7"#, r#""start":6,"end":8"#), "valid");
    let overlapping = r#""start":0,"end":9"#;
    let with = |more: &str| format!("{overlapping},{more}");
    assert_eq!(both(overlapping, &with(r#""meta":{"after":[0]}"#)), "violation");
    let counters = |seen: &str| with(&format!(r#""meta":{{"call_pcs":{seen}}}"#));
    assert_eq!(both(&counters("[0,0]"), &counters("[2,0]")), "violation");
    assert_eq!(both(&counters("[0,0]"), &counters("[1,0]")), "valid");
    assert_eq!(
        both(&with(r#""clock":{"a":1}"#), &with(r#""clock":{"a":1,"b":1}"#)),
        "violation"
    );
    assert_eq!(
        both(&with(r#""clock":{"a":1}"#), &with(r#""clock":{"b":1}"#)),
        "valid"
    );
    let begun =
        |clock: &str, begun: &str| with(&format!(r#""clock":{clock},"meta":{{"return_clock":{begun}}}"#));
    let second = begun(r#"{"1":1}"#, r#"{"0":1,"1":1}"#);
    assert_eq!(
        both(&begun(r#"{"0":1}"#, r#"{"0":1,"1":0}"#), &second),
        "violation"
    );
    assert_eq!(both(&begun(r#"{"0":1}"#, r#"{"0":1,"1":1}"#), &second), "valid");
    assert_eq!(both(&begun(r#"{"0":1}"#, r#"{"0":1}"#), &second), "valid");
}

#[test]
fn counters_that_contradict_each_other_are_refused() {
    let op = |thread: &str, more: &str| {
        format!(r#"{{"thread":"{thread}","method":"put","args":[1,1],"ret":"null",{more}}}"#)
    };
    let message = |first: &str, second: &str| {
        let json = format!(r#"{{"ops":[{},{}]}}"#, op("a", first), op("b", second));
        let read = read_histories("h.jsonl", json.as_bytes()).next().unwrap();
        match read {
            Err(error) => error.to_string(),
            Ok(recorded) => History::of_recorded(&recorded, &decode).unwrap_err().to_string(),
        }
    };
    let none_begun = |clock: &str| format!(r#""clock":{clock},"meta":{{"return_clock":{{"a":0,"b":0}}}}"#);
    // Each says that the other had not begun when it was over.
    let both = message(&none_begun(r#"{"a":1}"#), &none_begun(r#"{"b":1}"#));
    assert!(both.contains("h.jsonl:1: happens-before is cyclic: "), "{both}");
    // The second began after the first was over, and was over before the first began.
    let crossed = message(r#""clock":{"a":1}"#, &none_begun(r#"{"a":1,"b":1}"#));
    assert!(crossed.contains("happens-before is cyclic: "), "{crossed}");
    let text = message(
        r#""clock":{"a":1}"#,
        r#""clock":{"b":1},"meta":{"return_clock":7}"#,
    );
    assert!(
        text.contains("\"return_clock\" of operation 1 is 7; expected how many"),
        "{text}"
    );
    let nameless = message(r#""clock":{"x":1}"#, &none_begun(r#"{"b":1}"#));
    assert!(
        nameless.contains("operation 0 has no \"clock\"; expected a vector clock"),
        "{nameless}"
    );
}

#[test]
fn the_two_readings_of_returns_differ_where_the_seen_contradict_each_other() {
    // #1 sees #0, and #2 sees both although #1 returned what only holds without #0.
    let history = r#"{"ops":[
        {"id":0,"thread":0,"method":"put","args":[1,1],"ret":"null"},
        {"id":1,"thread":1,"method":"put","args":[1,2],"ret":"null"},
        {"id":2,"thread":2,"method":"get","args":[1],"ret":"2"}],
        "hb":[[0,2],[1,2]]}"#;
    let with = |ret| {
        let mut checker = WeakChecker::new(&JavaMap);
        let options = WeakOptions {
            ret,
            ..WeakOptions::default()
        };
        check_recorded(
            &mut checker,
            &recorded(history),
            &decode,
            &known(),
            &level("weak"),
            &options,
        )
        .unwrap()
        .verdict
        .word()
    };
    assert_eq!(with(Ret::Own), "valid");
    assert_eq!(with(Ret::All), "violation");
}

#[test]
fn a_limit_gives_unknown_not_an_answer() {
    let mut checker = WeakChecker::new(&JavaMap);
    let limits = Limits {
        configurations: Some(1),
        ..Limits::default()
    };
    let options = WeakOptions {
        limits,
        ..WeakOptions::default()
    };
    let found = check_recorded(
        &mut checker,
        &recorded(SLOW_ITERATOR),
        &decode,
        &known(),
        &level("causal"),
        &options,
    );
    assert_eq!(found.unwrap().verdict.word(), "unknown");
}

/// ```text
/// t1  put(0,1)            #1
/// t2            put(0,0)  #2
/// t0                      put(0,1)  #0
/// t3                                get(0)=1; get(0)=0; put(1,1)
/// ```
/// The first get may have seen #0 or #1; only #1 leaves something to see for the second, and #0 is tried first.
#[test]
fn what_an_operation_sees_leaves_the_next_one_something_to_see() {
    let history = r#"{"ops":[
        {"id":0,"thread":0,"method":"put","args":[0,1],"ret":"0"},
        {"id":1,"thread":1,"method":"put","args":[0,1],"ret":"null"},
        {"id":2,"thread":2,"method":"put","args":[0,0],"ret":"1"},
        {"id":3,"thread":3,"method":"get","args":[0],"ret":"1"},
        {"id":4,"thread":3,"method":"get","args":[0],"ret":"0"},
        {"id":5,"thread":3,"method":"put","args":[1,1],"ret":"null"}],
        "hb":[[1,2],[2,0],[0,3]]}"#;
    assert_eq!(
        check(history, &level("linearizable")).unwrap().verdict.word(),
        "violation"
    );
    assert_eq!(
        check(history, &level("monotonic-reads")).unwrap().verdict.word(),
        "valid"
    );
    assert_eq!(
        check(history, &level("weak")).unwrap().verdict.word(),
        "violation"
    );
}

/// ```text
/// t1  put(0,1)            #1
/// t0            putAll(0:1, 5:5)  #0
/// t2                              get(0)=1; put(7,7)
/// t3                                                 toString()={0=1, 7=7}
/// ```
/// Who sees the last put sees what the get before it saw: #1, not #0, which is tried first.
#[test]
fn what_an_operation_sees_leaves_who_sees_its_successor_something_to_see() {
    let history = r#"{"ops":[
        {"id":0,"thread":0,"method":"putAll","args":[{"0":1,"5":5}],"ret":"void"},
        {"id":1,"thread":1,"method":"put","args":[0,1],"ret":"null"},
        {"id":2,"thread":2,"method":"get","args":[0],"ret":"1"},
        {"id":3,"thread":2,"method":"put","args":[7,7],"ret":"null"},
        {"id":4,"thread":3,"method":"toString","args":[],"ret":"{0=1, 7=7}"}],
        "hb":[[1,0],[0,2],[3,4]]}"#;
    assert_eq!(
        check(history, &level("linearizable")).unwrap().verdict.word(),
        "violation"
    );
    assert_eq!(
        check(history, &level("writes-follow-reads"))
            .unwrap()
            .verdict
            .word(),
        "valid"
    );
    assert_eq!(
        check(history, &level("weak")).unwrap().verdict.word(),
        "violation"
    );
}

#[test]
fn inferred_levels_leave_given_ones_as_they_are() {
    let histories = [recorded(SLOW_ITERATOR)];
    let free = inferred(&histories);
    // At its own level nothing changes; at a stronger one the history has no explanation, whatever the others have.
    let same = inferred_with(&histories, &format!("values: {}", free.levels["values"])).unwrap();
    assert_eq!(
        (&same.levels, &same.unexplained),
        (&free.levels, &free.unexplained)
    );
    let strict = inferred_with(&histories, "values|put|remove: linearizable").unwrap();
    assert_eq!(strict.levels["values"], "linearizable");
    assert_eq!(strict.unexplained.len(), 1);
    let typo = inferred_with(&histories, "valeus: weak").unwrap_err();
    assert!(typo.to_string().contains("there is no method valeus"), "{typo}");
    let order = inferred_with(&histories, "put: sequential").unwrap_err();
    assert!(
        order.to_string().contains("no level for single methods"),
        "{order}"
    );
}
