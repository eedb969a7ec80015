//! PlusCal algorithms: operations are labels, processes, or runs of a process through labels.

use crate::world::{bound, is_valid, linked, ndjson, trace, try_linked};

/// Adding is two steps, so that a sum can get lost.
const COUNTER: &str = r"---- MODULE Counter ----
EXTENDS Naturals
(* --algorithm Counter {
  variables n = 0;
  process (client \in 1..2)
    variables seen = 0, by = 0;
  {
    idle: while (TRUE) {
      either {
        with (d \in 1..2) by := d;
        read: seen := n;
        write: n := seen + by;
      } or {
        look: skip;
      }
    }
  }
} *)
====";

const RUNS: &str = r#"
[ops.add]
run = ["idle", "read", "write"]
until = "idle"
begins = "by'[self] = amount"
[ops.get]
run = ["idle", "look"]
until = "idle"
ensures = "n = ret"
"#;

#[test]
fn steps_of_other_processes_lie_between_those_of_a_run() {
    let linked = linked(COUNTER, RUNS);
    for (sum, is_possible) in [(0, false), (1, true), (2, true), (3, true), (4, false)] {
        let lines = format!(
            r#"
            1 add {{"amount":1}} 0 9
            2 add {{"amount":2}} 1 8
            1 get {{"ret":{sum}}} 10 11"#
        );
        assert_eq!(is_valid(&linked, &lines), is_possible, "{sum}");
    }
    assert!(!is_valid(
        &linked,
        r#"
        1 add {"amount":1} 0 1
        2 add {"amount":2} 2 3
        1 get {"ret":2} 4 5"#
    ));
}

#[test]
fn a_run_that_did_not_return_may_stop_anywhere() {
    let linked = linked(COUNTER, RUNS);
    for (first, second, is_possible) in [(0, 0, true), (0, 2, true), (2, 2, true), (2, 0, false)] {
        let lines = format!(
            r#"
            1 add {{"amount":2}} 0 -
            2 get {{"ret":{first}}} 2 3
            2 get {{"ret":{second}}} 4 5"#
        );
        assert_eq!(is_valid(&linked, &lines), is_possible, "{first} {second}");
    }
}

#[test]
fn a_run_has_no_more_steps_than_the_link_file_says() {
    let linked = linked(COUNTER, &RUNS.replace("begins = ", "steps = 1\nbegins = "));
    assert!(!is_valid(&linked, r#"1 add {"amount":1} 0 9"#));
}

#[test]
fn the_name_of_a_process_stands_for_all_of_its_labels() {
    let text = r"---- MODULE Once ----
EXTENDS Naturals
(* --algorithm Once
variables n = 0;
process adder \in 1..2
variables seen = 0;
begin
  read: seen := n;
  write: n := seen + 1;
end process;
end algorithm *)
====";
    let linked = linked(
        text,
        "[ops.add]\nrun = \"adder\"\nensures = \"n' = sum\"\n[ops.step]\naction = \"adder\"\n",
    );
    assert!(is_valid(
        &linked,
        r#"
        1 add {"sum":1} 0 1
        2 add {"sum":2} 2 3"#
    ));
    // A process that is done takes no more steps.
    assert!(!is_valid(
        &linked,
        r#"
        1 add {"sum":1} 0 1
        1 add {"sum":2} 2 3"#
    ));
    // One step of a process, whichever it is.
    assert!(is_valid(&linked, "1 step {} 0 1\n1 step {} 2 3"));
    assert!(!is_valid(&linked, "1 step {} 0 1\n1 step {} 2 3\n1 step {} 4 5"));
}

#[test]
fn a_run_goes_through_a_procedure() {
    let text = r"---- MODULE Called ----
EXTENDS Naturals, Sequences
(* --algorithm Called {
  variables n = 0;
  procedure add(by = 0)
    variables seen = 0;
  {
    read: seen := n;
    write: n := seen + by;
    back: return;
  }
  process (client \in 1..2) {
    idle: while (TRUE) { with (d \in 1..2) call add(d) }
  }
} *)
====";
    let linked = linked(
        text,
        "[ops.add]\nrun = [\"idle\", \"add\"]\nuntil = \"idle\"\nbegins = \"by'[self] = amount\"\nensures = \"n' = sum\"\n",
    );
    assert!(is_valid(
        &linked,
        r#"
        1 add {"amount":2,"sum":2} 0 1
        2 add {"amount":1,"sum":3} 2 3"#
    ));
    assert!(!is_valid(&linked, r#"1 add {"amount":2,"sum":1} 0 1"#));
}

#[test]
fn single_processes_and_algorithms_without_processes_have_runs() {
    let single = r#"---- MODULE Single ----
EXTENDS Naturals
(* --algorithm Single
variables n = 0;
process counter = "c"
begin
  up: n := n + 1;
  twice: n := n * 2;
  again: goto up;
end process;
end algorithm *)
===="#;
    let run =
        "[ops.next]\nrun = [\"up\", \"twice\"]\nensures = \"n' = sum\"\n[[hidden]]\nlabel = \"again\"\n";
    let lines = r#"
        1 next {"sum":2} 0 1
        2 next {"sum":6} 2 3"#;
    assert!(is_valid(&linked(single, run), lines));
    assert!(!is_valid(&linked(single, run), r#"1 next {"sum":3} 0 1"#));
    let plain = single
        .replace("process counter = \"c\"\n", "")
        .replace("end process;\n", "");
    assert!(is_valid(&linked(&plain, run), lines));
}

const LOCK: &str = r"---- MODULE Lock ----
EXTENDS Naturals
(* --algorithm Lock {
  variables owner = 0;
  process (client \in 1..2) {
    idle: while (TRUE) {
      acquire: await owner = 0; owner := self;
      release: owner := 0;
    }
  }
} *)
====";

#[test]
fn the_process_of_a_label_is_the_thread_or_an_argument() {
    let hidden = "[[hidden]]\nlabel = \"idle\"\n";
    let by_thread = linked(LOCK, hidden);
    assert!(is_valid(&by_thread, "1 acquire {} 0 1\n1 release {} 2 3"));
    assert!(!is_valid(&by_thread, "1 acquire {} 0 1\n2 release {} 2 3"));
    let by_argument = linked(
        LOCK,
        &format!(
            "[ops.acquire]\nfields = {{ self = \"who\" }}\n[ops.release]\nfields = {{ self = \"who\" }}\n{hidden}"
        ),
    );
    assert!(is_valid(
        &by_argument,
        "7 acquire {\"who\":1} 0 1\n8 release {\"who\":1} 2 3"
    ));
}

fn refusal(lines: &str, toml: &str) -> String {
    linked(LOCK, toml)
        .run(|model| bound(model, trace(ndjson(lines))).unwrap_err().to_string())
        .unwrap()
}

#[test]
fn what_is_no_process_is_refused_with_those_that_there_are() {
    let told = refusal("7 acquire {} 0 1", "");
    for part in [
        "acquire is of 7, and that is no process",
        "of a process in 1..2, which is {1, 2}",
        "codes.self = { '7' = \"…\" }",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let coded = "[ops.acquire]\ncodes.self = { '7' = \"1\" }\n[[hidden]]\nlabel = \"idle\"\n";
    assert!(is_valid(&linked(LOCK, coded), "7 acquire {} 0 1"));
}

#[test]
fn what_a_link_file_says_wrongly_about_an_algorithm_is_told() {
    for (toml, parts) in [
        (
            "[ops.a]\nrun = [\"aquire\"]\n",
            &[
                "[ops.a]",
                "no label, process or procedure `aquire` (did you mean `acquire`?)",
                "idle, acquire, release",
            ][..],
        ),
        (
            "[ops.a]\nrun = [\"acquire\"]\nuntil = \"idel\"\n",
            &["`idel` (did you mean `idle`?)"],
        ),
        ("[ops.a]\nrun = []\n", &["`run` names no label"]),
        ("[ops.a]\nuntil = \"idle\"\n", &["name its labels"]),
        (
            "[ops.a]\naction = \"acquire\"\nrun = \"acquire\"\n",
            &["not both"],
        ),
        ("[ops.a]\naction = \"aquire\"\n", &["did you mean `acquire`?"]),
        ("[ops.a]\naction = \"aquire(1)\"\n", &["did you mean `acquire`?"]),
        (
            "[[hidden]]\nlabel = \"idel\"\n",
            &["[[hidden]]", "did you mean `idle`?"],
        ),
        ("[[hidden]]\nbound = 2\n", &["either `action`", "or `label`"]),
    ] {
        let told = try_linked(LOCK, toml).unwrap_err().to_string();
        for part in parts {
            assert!(told.contains(part), "{toml}: {told}");
        }
    }
    let other = "---- MODULE Plain ----\nVARIABLE x\nInit == x = 0\nUp == x' = x\n====";
    let told = try_linked(other, "[ops.a]\nrun = \"up\"\n")
        .unwrap_err()
        .to_string();
    assert!(told.contains("the spec has no PlusCal algorithm"), "{told}");
}

#[test]
fn a_run_is_one_of_one_process_that_has_labels() {
    let two = LOCK.replace(
        "} *)",
        "  process (other = 9) { here: while (TRUE) { there: owner := 0; } }\n} *)",
    );
    let told = try_linked(&two, "[ops.a]\nrun = [\"acquire\", \"there\"]\n")
        .unwrap_err()
        .to_string();
    assert!(
        told.contains("label acquire belongs to process client, and label there to process other"),
        "{told}"
    );
    let one_step = r"---- MODULE OneStep ----
EXTENDS Naturals
(* --algorithm OneStep {
  variables n = 0;
  process (client \in 1..2) { up: while (TRUE) { n := n + 1 } }
} *)
====";
    let told = try_linked(one_step, "[ops.a]\nrun = \"up\"\n")
        .unwrap_err()
        .to_string();
    assert!(told.contains("no action for label up"), "{told}");
}
