//! Setups made for OmniLink on TLC, as the command takes them.

use crate::ran::{Ran, folder, omnilink_in};

const DESK: &str = "---- MODULE Desk ----\nEXTENDS TLC\nCONSTANTS People\nVARIABLE taken\nInit == taken = <<>>\n\
    Take(person, seat) == seat \\notin DOMAIN taken /\\ taken' = taken @@ (seat :> person)\n\
    Leave(person, seat) == seat \\in DOMAIN taken /\\ taken[seat] = person\n\
    \x20   /\\ taken' = [s \\in DOMAIN taken \\ {seat} |-> taken[s]]\n\
    Next == \\E person \\in People : Take(person, 1) \\/ Leave(person, 1)\n====\n";
const MC: &str = "---- MODULE MCDeskValidate ----\nEXTENDS DeskValidate, TLC, TLCExt\nPeopleImpl == {}\n\
    DebugAlias == __TraceOps!DebugAlias @@ [People |-> People]\nPostCondition == __TraceOps!PostCondition\n\
    Traces == __TraceOps!traces\n\
    EmptyAtEnd == __TraceOps!AtEndOfTrace => taken = <<>>\n====\n";
const CFG: &str = "INIT Init\nNEXT Next\nCONSTANTS People <- PeopleImpl\nALIAS DebugAlias\nPOSTCONDITION PostCondition\n\
    CHECK_DEADLOCK FALSE\nINVARIANT EmptyAtEnd\n";

fn validate(trace: &str) -> Ran {
    let folder = folder(&[
        ("Desk.tla", DESK),
        ("MCDeskValidate.tla", MC),
        ("MCDeskValidate.cfg", CFG),
        ("run.ndjson", trace),
    ]);
    omnilink_in(folder.path(), &["validate", "MCDeskValidate.tla", "run.ndjson"])
}

fn line(op: &str, args: &str, start: u32) -> String {
    format!(
        "{{\"thread\":0,\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{}}}\n",
        start + 1
    )
}

#[test]
fn what_must_hold_at_the_end_of_the_trace_is_asked_there_and_only_there() {
    let take = line("Take", r#""person":"ann","seat":3"#, 0);
    let leave = line("Leave", r#""person":"ann","seat":3"#, 2);
    let ran = validate(&(take.clone() + &leave));
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = validate(&take);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("end of trace"), "{}", ran.stdout);
    assert!(ran.stdout.contains("taken = <<>>"), "{}", ran.stdout);
}

#[test]
fn messages_speak_of_the_spec_and_not_of_what_was_generated() {
    let ran = validate(&line("Take", r#""person":"ann""#, 0));
    ran.refused(&[
        "Take has no field \"seat\"",
        "the action Take(person, seat) (",
        "Desk.tla:6:1",
    ]);
    let wrong = validate(&line("Leave", r#""person":"ann","seat":3"#, 0));
    assert_eq!(wrong.code, 1, "{wrong:?}");
    for told in [ran.stderr, wrong.stdout, wrong.stderr] {
        for internal in ["__Op_", "__event", "__pc", "omnilink_", "Omnilink"] {
            assert!(!told.contains(internal), "{internal}: {told}");
        }
    }
}
