//! Pages and JSON of histories that are checked for less than linearizability.

use omnilink_consistency::{
    Guarantee, MethodLevels, WeakChecker, WeakOptions, check_recorded, infer_recorded, read_histories,
};
use omnilink_engine::Limits;
use omnilink_evidence::Evidence;
use omnilink_isolation::check_recorded_transactions;
use omnilink_models::{Decode, DecodeError, Decoded, JavaMap, JavaMapOp};
use omnilink_report::{Look, TextOptions, text};
use omnilink_trace::Operation;

fn decode(operation: &Operation) -> Result<Option<JavaMapOp>, DecodeError> {
    JavaMap.decode(operation).map(Decoded::into_last)
}

fn report(mut evidence: Evidence) -> Evidence {
    evidence.input = "h.jsonl".to_owned();
    evidence.model = Some("java-map".to_owned());
    evidence.figures.seconds = 0.0002;
    evidence
}

fn page(evidence: &Evidence) -> String {
    let page = text(evidence, &TextOptions::from(Look::plain()));
    let read_back = Evidence::from_json(&evidence.to_json()).unwrap();
    assert_eq!(&read_back, evidence);
    assert_eq!(text(&read_back, &TextOptions::from(Look::plain())), page);
    page
}

fn recorded(json: &str) -> omnilink_consistency::RecordedHistory {
    let line = json.replace('\n', " ");
    read_histories("h.jsonl", line.as_bytes())
        .next()
        .unwrap()
        .unwrap()
}

fn asked(json: &str, level: &str, limits: Limits) -> Evidence {
    let options = WeakOptions {
        limits,
        ..WeakOptions::default()
    };
    let mut checker = WeakChecker::new(&JavaMap);
    let question = Guarantee::from_name(level).unwrap();
    report(check_recorded(&mut checker, &recorded(json), &decode, &[], &question, &options).unwrap())
}

/// An iterator that meets an entry which was gone before it started from where it stands.
const SLOW_ITERATOR: &str = r#"{"id":216,"ops":[
    {"id":0,"thread":"main","method":"put","args":[1,1],"ret":"null"},
    {"id":1,"thread":"main","method":"values","args":[],"ret":"[1, 1, 0]"},
    {"id":2,"thread":"b","method":"put","args":[0,1],"ret":"null"},
    {"id":3,"thread":"b","method":"remove","args":[1],"ret":"1"},
    {"id":4,"thread":"c","method":"remove","args":[0],"ret":"1"},
    {"id":5,"thread":"c","method":"put","args":[2,0],"ret":"null"}],
    "hb":[[0,3],[2,4]]}"#;

const LOST_PUT: &str = r#"{"id":"h","ops":[
    {"thread":0,"method":"put","args":[1,1],"ret":"null"},
    {"thread":0,"method":"get","args":[1],"ret":"null"},
    {"thread":1,"method":"size","args":[],"ret":"0"}]}"#;

#[test]
fn a_valid_history_is_one_line_and_its_json_tells_who_sees_what() {
    let report = asked(SLOW_ITERATOR, "weak", Limits::default());
    insta::assert_snapshot!(page(&report), @r#"
        h.jsonl: history 216: valid: 6 operations of 3 threads against java-map, weak (0.2 ms)
    "#);
    insta::assert_snapshot!(report.to_json(), @r#"
        {"evidence":1,"command":"check","subject":"visibility","input":"h.jsonl","id":"216","verdict":"valid","model":"java-map","consistency":"weak","ret":"own","ops":6,"pending":0,"aborted":0,"threads":3,"seconds":0.0002,"peak_bytes":null,"configurations":20,"frontier_max":null,"visibilities":8,"model_steps":35,"partitions":null,"decided_by":null,"replayed":null,"witness":{"type":"visibility","order":[{"id":2,"label":"2","thread":"b","text":"put(0, 1) = null","start":null,"end":null,"place":"h.jsonl:1","sees":[],"writes":true},{"id":4,"label":"4","thread":"c","text":"remove(0) = 1","start":null,"end":null,"place":"h.jsonl:1","sees":[2],"writes":true},{"id":0,"label":"0","thread":"main","text":"put(1, 1) = null","start":null,"end":null,"place":"h.jsonl:1","sees":[],"writes":true},{"id":3,"label":"3","thread":"b","text":"remove(1) = 1","start":null,"end":null,"place":"h.jsonl:1","sees":[0,2],"writes":true},{"id":5,"label":"5","thread":"c","text":"put(2, 0) = null","start":null,"end":null,"place":"h.jsonl:1","sees":[2,4],"writes":true},{"id":1,"label":"1","thread":"main","text":"values() = [1, 1, 0]","start":null,"end":null,"place":"h.jsonl:1","sees":[0,2,5],"writes":false}]},"happens_before":[[0,3],[2,4]],"notes":[]}
    "#);
}

#[test]
fn a_history_in_which_everyone_sees_everything_takes_one_line() {
    let json = r#"{"id":1,"ops":[{"thread":0,"method":"size","args":[],"ret":"0"}]}"#;
    let report = asked(json, "causal", Limits::default());
    insta::assert_snapshot!(page(&report), @r#"
        h.jsonl: history 1: valid: 1 operation of 1 thread against java-map, causal, and every operation sees all operations before it (0.2 ms)
    "#);
}

#[test]
fn a_violation_names_the_operation_the_candidates_and_the_returns_that_contradict_each_other() {
    let report = asked(LOST_PUT, "weak", Limits::default());
    insta::assert_snapshot!(page(&report), @r#"
        h.jsonl: history h: violation: 3 operations of 2 threads against java-map, weak (0.2 ms)
          nothing that it could have seen explains #1 thread 0: get(1) = null
          after the longest order that can be explained:
            #2 thread 1: size() = 0
            #0 thread 0: put(1, 1) = null
          seeing #0: returned null, but would return 1 on {1=1}
          returns that cannot be explained together (with any one forgotten, the rest can):
            #1 thread 0: get(1) = null
        confirmed by trying every order of 3 operations, with every visibility (20 configurations)
    "#);
    insta::assert_snapshot!(report.to_json(), @r#"
        {"evidence":1,"command":"check","subject":"visibility","input":"h.jsonl","id":"h","verdict":"violation","model":"java-map","consistency":"weak","ret":"own","ops":3,"pending":0,"aborted":0,"threads":2,"seconds":0.0002,"peak_bytes":null,"configurations":20,"frontier_max":null,"visibilities":4,"model_steps":7,"partitions":null,"decided_by":null,"replayed":null,"violation":{"type":"visibility","op":{"id":1,"label":"1","thread":"0","text":"get(1) = null","start":null,"end":null,"place":"h.jsonl:1"},"explained":{"order":[{"id":2,"label":"2","thread":"1","text":"size() = 0","start":null,"end":null,"place":"h.jsonl:1","sees":[],"writes":false},{"id":0,"label":"0","thread":"0","text":"put(1, 1) = null","start":null,"end":null,"place":"h.jsonl:1","sees":[],"writes":true}]},"candidates":[{"sees":[0],"state":"{1=1}","reason":"returned null, but would return 1 on {1=1}"}],"core":[{"id":1,"label":"1","thread":"0","text":"get(1) = null","start":null,"end":null,"place":"h.jsonl:1"}]},"confirmation":{"outcome":"confirmed","search":"trying every order of 3 operations, with every visibility","configurations":20},"notes":[]}
    "#);
}

#[test]
fn a_limit_is_told_with_how_far_it_got() {
    let limits = Limits {
        configurations: Some(1),
        ..Limits::default()
    };
    let report = asked(SLOW_ITERATOR, "causal", limits);
    insta::assert_snapshot!(page(&report), @r#"
        h.jsonl: history 216: unknown: 6 operations of 3 threads against java-map, causal (0.2 ms)
          the limit on configurations was reached; 0 of 6 operations were explained until then
    "#);
    insta::assert_snapshot!(report.to_json(), @r#"
        {"evidence":1,"command":"check","subject":"visibility","input":"h.jsonl","id":"216","verdict":"unknown","model":"java-map","consistency":"causal","ret":"own","ops":6,"pending":0,"aborted":0,"threads":3,"seconds":0.0002,"peak_bytes":null,"configurations":1,"frontier_max":null,"visibilities":0,"model_steps":1,"partitions":null,"decided_by":null,"replayed":null,"happens_before":[[0,3],[2,4]],"unknown":{"limit":"configurations","explained":0,"at":null,"frontier":0,"alternatives":[]},"notes":[]}
    "#);
}

#[test]
fn transactions_are_valid_in_one_line_or_tell_the_cycle() {
    let lost_update = r#"{"id":"lost","ops":[
        {"txn":1,"thread":0,"op":"read","args":["x"],"ret":null},{"txn":1,"thread":0,"op":"write","args":["x",1]},
        {"txn":2,"thread":1,"op":"read","args":["x"],"ret":null},{"txn":2,"thread":1,"op":"write","args":["x",2]}]}"#;
    let of = |level: &str| {
        let isolation = level.parse().unwrap();
        report(check_recorded_transactions(&recorded(lost_update), isolation, Limits::default()).unwrap())
    };
    insta::assert_snapshot!(page(&of("serializable")), @r#"
        h.jsonl: history lost: violation: 4 operations in transactions, serializable (0.2 ms)
          these cannot be put in an order:
            T1 before T2: T2 overwrote "x" = 1 of T1
            T2 before T1: T2 read "x" = nil, which T1 overwrote
          G-single: read skew: a transaction saw a part of what it depends on
              T1 -ww-> T2: T2 overwrote "x" = 1 of T1
              T2 -rw-> T1: T2 read "x" = nil, which T1 overwrote
          lost-update: T1 and T2 read the same version of "x" and both wrote it: the update of one is lost
          holds, at the most: strong-prefix
          violated, at the least: cursor-stability
        confirmed by 2 transactions, in every order (2 configurations)
    "#);
    insta::assert_snapshot!(of("serializable").to_json(), @r#"
        {"evidence":1,"command":"check","subject":"transactions","input":"h.jsonl","id":"lost","verdict":"violation","model":"java-map","consistency":"serializable","ops":4,"pending":0,"aborted":0,"threads":null,"seconds":0.0002,"peak_bytes":null,"configurations":null,"frontier_max":null,"model_steps":null,"partitions":null,"decided_by":null,"replayed":null,"violation":{"type":"transactions","cycle":["T1 before T2: T2 overwrote \"x\" = 1 of T1","T2 before T1: T2 read \"x\" = nil, which T1 overwrote"]},"confirmation":{"outcome":"confirmed","search":"2 transactions, in every order","configurations":2},"isolation":{"anomalies":[{"name":"G-single","text":"read skew: a transaction saw a part of what it depends on","cycle":[{"from":"T1","to":"T2","kind":"ww","key":"\"x\"","reason":"T2 overwrote \"x\" = 1 of T1"},{"from":"T2","to":"T1","kind":"rw","key":"\"x\"","reason":"T2 read \"x\" = nil, which T1 overwrote"}]},{"name":"lost-update","text":"T1 and T2 read the same version of \"x\" and both wrote it: the update of one is lost"}],"strongest":["strong-prefix"],"weakest_violated":["cursor-stability"],"transactions":[{"name":"T1","ops":[{"id":0,"thread":"0","text":"read(\"x\") = nil","start":null,"end":null,"place":"h.jsonl:1"},{"id":1,"thread":"0","text":"write(\"x\", 1)","start":null,"end":null,"place":"h.jsonl:1"}]},{"name":"T2","ops":[{"id":2,"thread":"1","text":"read(\"x\") = nil","start":null,"end":null,"place":"h.jsonl:1"},{"id":3,"thread":"1","text":"write(\"x\", 2)","start":null,"end":null,"place":"h.jsonl:1"}]}]},"notes":[]}
    "#);
    insta::assert_snapshot!(page(&of("read-atomic")), @r#"
        h.jsonl: history lost: valid: 4 operations in transactions, read-atomic (0.2 ms)
    "#);
    insta::assert_snapshot!(of("read-atomic").to_json(), @r#"
        {"evidence":1,"command":"check","subject":"transactions","input":"h.jsonl","id":"lost","verdict":"valid","model":"java-map","consistency":"read-atomic","ops":4,"pending":0,"aborted":0,"threads":null,"seconds":0.0002,"peak_bytes":null,"configurations":null,"frontier_max":null,"model_steps":null,"partitions":null,"decided_by":null,"replayed":null,"witness":{"type":"commits","order":["T1","T2"]},"notes":[]}
    "#);
}

#[test]
fn inferred_levels_are_listed_by_method() {
    let odd = r#"{"id":"odd","ops":[{"thread":0,"method":"get","args":[1],"ret":"7"}]}"#;
    let histories = [recorded(SLOW_ITERATOR), recorded(odd)];
    let (given, options) = (MethodLevels::default(), WeakOptions::default());
    let inferred = infer_recorded(&JavaMap, &histories, &decode, &[], &given, &options);
    let report = report(inferred.unwrap());
    insta::assert_snapshot!(page(&report), @r#"
        h.jsonl: 2 histories: violation: strongest levels against java-map (0.2 ms)
          get: linearizable
          put: linearizable
          remove: linearizable
          values: monotonic
          all methods together: no level
          left out, as they satisfy no level: odd
    "#);
    insta::assert_snapshot!(report.to_json(), @r#"
        {"evidence":1,"command":"check","subject":"levels","input":"h.jsonl","id":"2 histories","verdict":"violation","model":"java-map","consistency":"inferred","ops":0,"pending":0,"aborted":0,"threads":null,"seconds":0.0002,"peak_bytes":null,"configurations":null,"frontier_max":null,"model_steps":null,"partitions":null,"decided_by":null,"replayed":null,"inferred":{"histories":2,"levels":{"get":"linearizable","put":"linearizable","remove":"linearizable","values":"monotonic"},"together":null,"unexplained":["odd"],"undecided":[]},"notes":[]}
    "#);
}
