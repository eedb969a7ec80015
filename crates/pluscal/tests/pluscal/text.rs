//! The text of translations, character by character.

use omnilink_pluscal::{TranslationOptions, translate};

use crate::{module, told, translated};

#[test]
fn one_sequence_of_statements() {
    let text = module(
        "--algorithm gcd {
  variables u = 24; v \\in 1 .. 3;
  { while (u # 0) {
      if (u < v) { u := v || v := u };
      u := u - v
    };
    assert v > 0;
  } }",
    );
    assert_eq!(
        translated(&text).text,
        r#"VARIABLES pc, u, v

vars == << pc, u, v >>

Init == (* Global variables *)
        /\ u = 24
        /\ v \in 1 .. 3
        /\ pc = "Lbl_1"

Lbl_1 == /\ pc = "Lbl_1"
         /\ IF u # 0
               THEN /\ IF u < v
                          THEN /\ /\ u' = v
                                  /\ v' = u
                          ELSE /\ TRUE
                               /\ UNCHANGED << u, v >>
                    /\ pc' = "Lbl_2"
               ELSE /\ Assert(v > 0, "Failure of assertion at line 9, column 5.")
                    /\ pc' = "Done"
                    /\ UNCHANGED << u, v >>

Lbl_2 == /\ pc = "Lbl_2"
         /\ u' = u - v
         /\ pc' = "Lbl_1"
         /\ v' = v

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == Lbl_1 \/ Lbl_2
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

"#
    );
}

#[test]
fn processes_and_a_procedure() {
    let text = module(
        "--algorithm shop
variables stock = 2;
define Low == stock < 1 end define;
procedure Buy(k = 1)
variables seen = k;
begin
  B1: seen := stock - seen;
  B2: stock := seen; return;
end procedure;
fair process Customer \\in {\"ann\", \"bob\"}
variables bag = {};
begin
  C: bag := bag \\cup {self};
     call Buy(Cardinality(bag));
end process;
process Owner = 0
begin
  O: either await Low; stock := 2;
     or goto Done;
     end either;
end process;
end algorithm",
    );
    assert_eq!(
        translated(&text).text,
        r#"VARIABLES pc, stock, stack

(* define statement *)
Low == stock < 1

VARIABLES k, seen, bag

vars == << pc, stock, stack, k, seen, bag >>

ProcSet == ({"ann", "bob"}) \cup {0}

Init == (* Global variables *)
        /\ stock = 2
        (* Procedure Buy *)
        /\ k = [ self \in ProcSet |-> 1]
        /\ seen = [ self \in ProcSet |-> k[self]]
        (* Process Customer *)
        /\ bag = [self \in {"ann", "bob"} |-> {}]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> CASE self \in {"ann", "bob"} -> "C"
                                        [] self = 0 -> "O"]

B1(self) == /\ pc[self] = "B1"
            /\ seen' = [seen EXCEPT ![self] = stock - seen[self]]
            /\ pc' = [pc EXCEPT ![self] = "B2"]
            /\ UNCHANGED << stock, stack, k, bag >>

B2(self) == /\ pc[self] = "B2"
            /\ stock' = seen[self]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
            /\ k' = [k EXCEPT ![self] = Head(stack[self]).k]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ bag' = bag

Buy(self) == B1(self) \/ B2(self)

C(self) == /\ pc[self] = "C"
           /\ bag' = [bag EXCEPT ![self] = bag[self] \cup {self}]
           /\ /\ k' = [k EXCEPT ![self] = Cardinality(bag'[self])]
              /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "Buy", pc |->  "Done", seen |->  seen[self], k |->  k[self] ] >> \o stack[self]]
           /\ seen' = [seen EXCEPT ![self] = k'[self]]
           /\ pc' = [pc EXCEPT ![self] = "B1"]
           /\ stock' = stock

Customer(self) == C(self)

O == /\ pc[0] = "O"
     /\ \/ /\ Low
           /\ stock' = 2
           /\ pc' = [pc EXCEPT ![0] = "Done"]
        \/ /\ pc' = [pc EXCEPT ![0] = "Done"]
           /\ stock' = stock
     /\ UNCHANGED << stack, k, seen, bag >>

Owner == O

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == Owner \/ (\E self \in ProcSet: Buy(self))
           \/ (\E self \in {"ann", "bob"}: Customer(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in {"ann", "bob"} : WF_vars(Customer(self)) /\ WF_vars(Buy(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

"#
    );
}

#[test]
fn a_loop_without_an_end_needs_no_pc() {
    let text = module(
        "--algorithm clock { variable h = 0; process (T \\in 1..2) { L: while (TRUE) { h := (h + self) % 12 } } }",
    );
    let translation = translated(&text).text;
    assert!(
        translation.contains("T(self) == h' = (h + self) % 12\n"),
        "{translation}"
    );
    assert!(
        !translation.contains("pc") && !translation.contains("Termination"),
        "{translation}"
    );
}

#[test]
fn the_author_says_whose_pc_is_read() {
    let text = module(
        "--algorithm w { variable x = 0; process (A = 1) { S: x := 1 } process (B \\in 2..3) { T: await pc[1] = \"Done\"; x := 2 } }",
    );
    let translation = translated(&text).text;
    assert!(translation.contains("/\\ pc[1] = \"Done\"\n"), "{translation}");
}

#[test]
fn a_set_of_initial_values_that_depends_on_another_variable_is_that_of_any_process() {
    let text = module(
        "--algorithm wires
variables money = [p \\in {1, 2} |-> 5];
process wire \\in 1 .. 2
variables from = 1, amount \\in 1 .. money[from];
begin
  pay: money[from] := money[from] - amount;
end process;
end algorithm",
    );
    let written = translated(&text).text;
    assert!(
        written.contains(r"/\ amount \in [1 .. 2 -> 1 .. money[from[CHOOSE self \in 1 .. 2 : TRUE]]]"),
        "{written}"
    );
}

#[test]
fn steps_inside_of_a_branch_of_an_either_come_before_its_own_and_those_of_an_if_after() {
    let order = |algorithm: &str| {
        let written = translated(&module(algorithm)).text;
        let next = written.lines().find(|line| line.starts_with("Next == "));
        next.unwrap_or_default().trim_start_matches("Next == ").to_owned()
    };
    let either = "--algorithm A { variables x = 0; {
      a: either { if (x = 0) { b: x := 1; }; c: x := 2; } or { d: x := 3; };
      e: skip; } }";
    assert_eq!(order(either), r"a \/ b \/ c \/ d \/ e");
    let choice = "--algorithm A { variables x = 0; {
      a: if (x = 1) { if (x = 0) { b: x := 1; }; c: x := 2; } else { d: x := 3; };
      e: skip; } }";
    assert_eq!(order(choice), r"a \/ c \/ d \/ b \/ e");
}

#[test]
fn words_of_pluscal_are_fields_after_a_dot_and_labels_may_stand_in_quotes() {
    let text = module(
        "--algorithm fields
variables r = [then |-> 1, end |-> [do |-> 2]];
begin
  a: r.then := r.end.do + 1;
     if r.then = 3 then goto \"Done\"; end if;
  b: r.end.do := r.then;
     goto \"a\";
end algorithm",
    );
    let written = translated(&text).text;
    for part in [
        "r' = [r EXCEPT !.then = r.end.do + 1]",
        "IF r'.then = 3\n           THEN /\\ pc' = \"Done\"",
        "/\\ r' = [r EXCEPT !.end.do = r.then]\n     /\\ pc' = \"a\"",
    ] {
        assert!(written.contains(part), "{part}\n{written}");
    }
}

#[test]
fn an_algorithm_before_its_module_needs_no_comment_if_markers_say_where_its_translation_goes() {
    let text = "--algorithm before
variables x = 0;
begin
  a: x := 1;
end algorithm
---- MODULE before ----
EXTENDS Naturals
\\* BEGIN TRANSLATION
\\* END TRANSLATION
(* a comment *)
====
";
    assert!(translated(text).text.contains("/\\ x' = 1"));
    let without = text.replace("\\* BEGIN TRANSLATION\n\\* END TRANSLATION\n", "");
    let faults = translate(&without, &TranslationOptions::default()).unwrap_err();
    assert!(
        faults[0].message.contains("never closed"),
        "{}",
        told(&without, &faults)
    );
}

#[test]
fn procedures_that_do_not_fit_into_a_line_are_a_list() {
    let next = |names: &[&str]| {
        let procedures: String = names
            .iter()
            .map(|name| format!("procedure {name}() {{ l_{name}: return }}\n"))
            .collect();
        let text = module(&format!(
            "--algorithm A {{\n{procedures}process (p \\in 1 .. 2) {{ a: call {}() }} }}",
            names[0]
        ));
        let written = translated(&text).text;
        written[written.find("Next ==").unwrap()..]
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        next(&["one", "two"]),
        r"Next == (\E self \in ProcSet: one(self) \/ two(self))"
    );
    let long = next(&["pushRight", "popRight", "pushLeft", "popLeft"]);
    assert!(
        long.starts_with(r"Next == (\E self \in ProcSet:  \/ pushRight(self) \/ popRight(self)"),
        "{long}"
    );
}

#[test]
fn an_algorithm_may_be_called_like_a_word_of_pluscal_and_have_no_variables() {
    let named = translated(&module(
        "--algorithm\nbegin\nvariables x = 4;\nbegin a: x := 3;\nend algorithm",
    ));
    assert!(named.text.contains("/\\ x' = 3"), "{}", named.text);
    let empty = translated(&module(
        "--algorithm A\nvariables\n\\* x = 0;\nbegin\n a: skip;\nend algorithm",
    ));
    assert!(empty.text.starts_with("VARIABLE pc"), "{}", empty.text);
    let nameless = module("--algorithm variables x = 4; begin a: x := 3; end algorithm");
    let faults = translate(&nameless, &TranslationOptions::default()).unwrap_err();
    assert!(told(&nameless, &faults).contains("the name of the algorithm"));
}

#[test]
fn a_condition_that_is_true_in_parentheses_is_none() {
    let text = module(
        "--algorithm A\nvariables x = 0;\nbegin\n a: while (TRUE) do x := 1; b: x := 2; end while;\nend algorithm",
    );
    let written = translated(&text).text;
    // The reference translator takes it for a loop that may end, and yet writes no condition.
    assert!(
        !written.contains("IF") && written.contains("Terminating"),
        "{written}"
    );
}
