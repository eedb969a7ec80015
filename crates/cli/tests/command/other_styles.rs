//! Specs in styles that nothing was made for: all of `validate` on each of them.

use crate::ran::{folder, omnilink_in};

/// As PlusCal translates: `pc`, and `self` for the process.
const BAKERY: &str = r#"---- MODULE Bakery ----
EXTENDS Integers
VARIABLES lock, pc, counter
vars == << lock, pc, counter >>
ProcSet == 1..3
Init == /\ lock = 0
        /\ pc = [self \in ProcSet |-> "idle"]
        /\ counter = 0
Enter(self) == /\ pc[self] = "idle"
               /\ lock = 0
               /\ lock' = self
               /\ pc' = [pc EXCEPT ![self] = "cs"]
               /\ UNCHANGED counter
Bump(self, seen) == /\ pc[self] = "cs"
                    /\ seen = counter
                    /\ counter' = counter + 1
                    /\ UNCHANGED << lock, pc >>
Exit(self) == /\ pc[self] = "cs"
              /\ lock' = 0
              /\ pc' = [pc EXCEPT ![self] = "idle"]
              /\ UNCHANGED counter
====
"#;

/// One record as the state, and records as results.
const ACCOUNT: &str = r#"---- MODULE Account ----
EXTENDS Integers, Sequences
VARIABLE s
Init == s = [items |-> <<>>, total |-> 0]
Add(n, result) == /\ s' = [s EXCEPT !.items = Append(@, n), !.total = @ + n]
                  /\ result.total = s'.total
                  /\ result.size = Len(s'.items)
Undo(result) == /\ s.items # <<>>
                /\ LET l == s.items[Len(s.items)] IN
                     /\ s' = [s EXCEPT !.items = SubSeq(@, 1, Len(@) - 1), !.total = @ - l]
                     /\ result = [ok |-> TRUE, undone |-> l]
====
"#;

/// A module used twice.
const CELL: &str = "---- MODULE Cell ----\nVARIABLE v\nCInit == v = 0\nStore(new, prev) == prev = v /\\ v' = new\n\
    Load(what) == what = v /\\ UNCHANGED v\n====\n";
const PAIR: &str = "---- MODULE Pair ----\nVARIABLES left, right\nL == INSTANCE Cell WITH v <- left\n\
    R == INSTANCE Cell WITH v <- right\nInit == L!CInit /\\ R!CInit\n\
    PutLeft(new, prev) == L!Store(new, prev) /\\ UNCHANGED right\n\
    PutRight(new, prev) == R!Store(new, prev) /\\ UNCHANGED left\nGetBoth(l, r) == L!Load(l) /\\ R!Load(r)\n====\n";

/// Parameters with names that no trace has.
const ODD: &str = "---- MODULE Odd ----\nEXTENDS Integers, FiniteSets\nVARIABLE S\nInit == S = {}\n\
    insert_element(X, wasNew) == wasNew = (X \\notin S) /\\ S' = S \\cup {X}\n\
    remove_element(X, wasThere) == wasThere = (X \\in S) /\\ S' = S \\ {X}\n\
    HowMany(n) == n = Cardinality(S) /\\ UNCHANGED S\n====\n";
const ODD_LINK: &str = "[ops.insert_element]\nfields = { X = 'elem', wasNew = 'ret' }\n\
    [ops.remove_element]\nfields = { X = 'elem', wasThere = 'ret' }\n[ops.size]\naction = 'HowMany(ret)'\n";

/// Messages that are sent in parts.
const POST: &str = r"---- MODULE Post ----
EXTENDS Integers, Sequences
VARIABLES box, sending
Init == box = <<>> /\ sending = [t \in 0..3 |-> <<>>]
Send_Step(self, parts) == /\ Len(sending[self]) < Len(parts)
                          /\ sending' = [sending EXCEPT ![self] = Append(@, parts[Len(@) + 1])]
                          /\ box' = Append(box, parts[Len(sending[self]) + 1])
Send_Done(self, parts) == sending[self] = parts /\ sending' = [sending EXCEPT ![self] = <<>>] /\ UNCHANGED box
Recv(result) == box # <<>> /\ result = Head(box) /\ box' = Tail(box) /\ UNCHANGED sending
====
";

/// `thread op rest` a line, each after the other; `rest` goes into the record as it is.
fn trace(lines: &[(u32, &str, &str)]) -> String {
    let line = |(number, (thread, op, rest)): (usize, &(u32, &str, &str))| {
        let (start, end) = (number * 2, number * 2 + 1);
        format!("{{\"thread\":{thread},\"op\":\"{op}\",{rest}\"start\":{start},\"end\":{end}}}\n")
    };
    lines.iter().enumerate().map(line).collect()
}

/// A trace that is valid, and what makes it wrong: a text in it, and another one.
struct Case {
    files: &'static [(&'static str, &'static str)],
    trace: String,
    wrong: (&'static str, &'static str),
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            files: &[("Bakery.tla", BAKERY)],
            trace: trace(&[
                (1, "Enter", ""),
                (1, "Bump", r#""args":{"seen":0},"#),
                (1, "Exit", ""),
                (2, "Enter", ""),
                (2, "Bump", r#""args":{"seen":1},"#),
                (2, "Exit", ""),
            ]),
            wrong: (r#""thread":2,"op":"Bump""#, r#""thread":3,"op":"Bump""#),
        },
        Case {
            files: &[("Account.tla", ACCOUNT)],
            trace: trace(&[
                (0, "Add", r#""args":{"n":4},"ret":{"total":4,"size":1},"#),
                (0, "Add", r#""args":{"n":5},"ret":{"total":9,"size":2},"#),
                (0, "Undo", r#""ret":{"ok":true,"undone":5},"#),
            ]),
            wrong: (r#""undone":5"#, r#""undone":4"#),
        },
        Case {
            files: &[("Pair.tla", PAIR), ("Cell.tla", CELL)],
            trace: trace(&[
                (1, "PutLeft", r#""args":[5,0],"#),
                (1, "PutRight", r#""args":[6,0],"#),
                (2, "GetBoth", r#""args":[5,6],"#),
            ]),
            wrong: ("[5,6]", "[6,5]"),
        },
        Case {
            files: &[("Odd.tla", ODD), ("Odd.toml", ODD_LINK)],
            trace: trace(&[
                (1, "insert_element", r#""args":{"elem":1},"ret":true,"#),
                (2, "insert_element", r#""args":{"elem":1},"ret":false,"#),
                (1, "size", r#""ret":1,"#),
                (2, "remove_element", r#""args":{"elem":1},"ret":true,"#),
                (1, "size", r#""args":[],"ret":0,"#),
            ]),
            wrong: (r#""ret":false"#, r#""ret":true"#),
        },
        Case {
            files: &[("Post.tla", POST)],
            trace: trace(&[
                (0, "Send", r#""args":{"parts":[1,2]},"#),
                (1, "Recv", r#""ret":1,"#),
                (1, "Recv", r#""ret":2,"#),
            ]),
            wrong: (r#""ret":2"#, r#""ret":1"#),
        },
    ]
}

#[test]
fn what_is_right_is_valid_and_means_something_and_what_is_wrong_is_found() {
    for case in cases() {
        let spec = case.files[0].0;
        let folder = folder(&[case.files, &[("run.ndjson", case.trace.as_str())]].concat());
        let validate =
            |more: &[&str]| omnilink_in(folder.path(), &[&["validate", spec, "run.ndjson"], more].concat());
        let ran = validate(&["--strict"]);
        assert_eq!(ran.code, 0, "{spec}: {ran:?}");
        let mutated = validate(&["--mutate", "12", "--json"]).json()[0]["mutation"].clone();
        let sum = |field: &str| -> u64 {
            let actions = mutated["actions"].as_array().unwrap().iter();
            actions.map(|action| action[field].as_u64().unwrap()).sum()
        };
        assert_eq!(
            (sum("changed"), sum("changed_noticed")),
            (12, 12),
            "{spec}: {mutated}"
        );
        let score = omnilink_in(folder.path(), &["link", "check", spec, "run.ndjson"]);
        assert!(
            score.code == 0 && score.stdout.contains("Score: "),
            "{spec}: {score:?}"
        );

        let wrong = case.trace.replacen(case.wrong.0, case.wrong.1, 1);
        assert_ne!(wrong, case.trace);
        std::fs::write(folder.path().join("run.ndjson"), wrong).unwrap();
        let ran = validate(&[]);
        assert_eq!(ran.code, 1, "{spec}: {ran:?}");
        assert!(
            ran.stdout.contains("was left by") || ran.stdout.contains("at the beginning"),
            "{spec}: {}",
            ran.stdout
        );
        assert_eq!(validate(&["--minimize"]).code, 1, "{spec}");
    }
}
