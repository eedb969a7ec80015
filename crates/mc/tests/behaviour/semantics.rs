//! Finer points of the semantics: each case is a small spec, a configuration and TLC's result.

use crate::common::check;
use omnilink_mc::report::{Answer, Report};
use omnilink_mc::{CheckOptions, SearchLimits, SearchMode, SearchProgress, SimulationOptions};
use omnilink_tla::model::{BuildOptions, absent_behaviour, build};
use omnilink_tla::{SpecOptions, check as read};

/// Checks the first of some modules. Returns the report and a short form of its answer with the number of distinct states.
fn explored(files: &[(&str, &str)], options: &CheckOptions) -> Result<(Report, String), String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let (first, _) = files.first().expect("a module");
    let config = folder.path().join(first).with_extension("cfg");
    let reading = SpecOptions {
        config: config.exists().then_some(config),
        ..SpecOptions::default()
    };
    let checked = read(&folder.path().join(first), &reading);
    let first_error = |diagnostics: &[omnilink_tla::diagnostic::Diagnostic]| {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        errors
            .map(|error| error.message.clone())
            .next()
            .unwrap_or_default()
    };
    if !checked.is_ok() {
        return Err(first_error(&checked.diagnostics));
    }
    let config = checked.config.unwrap_or_default();
    if let Some(absent) = absent_behaviour(&checked.spec, &config) {
        return Err(absent.message);
    }
    let model = build(checked.spec, &config, &BuildOptions::default())
        .map_err(|rejected| first_error(&rejected.diagnostics))?;
    let report = check(&model, "spec", options, &SearchProgress::default(), &|_| {}, None)
        .map_err(|error| error.to_string())?;
    let answer = match &report.answer {
        Answer::Wrong(violation) => format!(
            "{} {}",
            violation.kind.word(),
            violation.violated.as_deref().unwrap_or("-")
        ),
        Answer::Limit(limit) => limit.word().to_owned(),
        Answer::Valid | Answer::Stopped => format!("valid {}", report.figures.distinct),
    };
    Ok((report, answer))
}

/// The short answer for a module with this body and configuration.
fn answer(body: &str, config: &str) -> String {
    let text = format!(
        "---- MODULE Spec ----\nEXTENDS Integers, Sequences, FiniteSets, TLC, TLCExt, Randomization\n{body}\n====\n"
    );
    match explored(
        &[("Spec.tla", &text), ("Spec.cfg", config)],
        &CheckOptions::default(),
    ) {
        Ok((_, answer)) => answer,
        Err(refusal) => format!("refused: {refusal}"),
    }
}

const SHELF: &str = "---- MODULE Shelf ----\nCONSTANT size\ndirect == size\ntwice == direct\n====\n";

#[test]
fn a_substitution_of_an_instance_overrides_the_configuration() {
    let root = "---- MODULE Root ----\nEXTENDS Shelf\nVARIABLE x\nBig == INSTANCE Shelf WITH size <- 30\n\
        Init == x = 0\nNext == UNCHANGED x\nOwn == twice = 1\nOther == Big!twice = 30 /\\ Big!direct = 30\n====\n";
    let config = "INIT Init\nNEXT Next\nCONSTANT size = 1\nINVARIANT Own Other\n";
    let files = [("Root.tla", root), ("Root.cfg", config), ("Shelf.tla", SHELF)];
    let (_, answer) = explored(&files, &CheckOptions::default()).expect("a spec");
    assert_eq!(answer, "valid 1");
}

#[test]
fn a_parametrised_instance_accepts_a_variable_for_a_constant() {
    let root = "---- MODULE Root ----\nEXTENDS Naturals\nVARIABLE x\nOf(n) == INSTANCE Shelf WITH size <- n\n\
        Init == x = 0\nNext == x' = (x + 1) % 3\nSame == Of(x)!twice = x /\\ Of(7)!direct = 7\n====\n";
    let files = [
        ("Root.tla", root),
        ("Root.cfg", "INIT Init\nNEXT Next\nINVARIANT Same\n"),
        ("Shelf.tla", SHELF),
    ];
    let (_, answer) = explored(&files, &CheckOptions::default()).expect("a spec");
    assert_eq!(answer, "valid 3");
}

#[test]
fn recursive_operators_can_be_actions_and_initial_conditions() {
    let body = "VARIABLES x, y\nRECURSIVE Down(_), From(_), Ping(_), Pong(_)\n\
        From(n) == IF n = 0 THEN x = 2 /\\ y \\in {0, 1} ELSE From(n - 1)\n\
        Down(n) == IF n = 0 THEN x' = 0 /\\ y' = y ELSE \\/ x' = n /\\ y' = y\n    \\/ Down(n - 1)\n\
        Ping(n) == IF n = 0 THEN x' = x /\\ y' = 1 - y ELSE Pong(n - 1)\nPong(n) == n >= 0 /\\ Ping(n)\n\
        Init == From(3)\nNext == Down(2)\nSwap == Ping(3)\n";
    assert_eq!(answer(body, "INIT Init\nNEXT Next\n"), "valid 6");
    assert_eq!(answer(body, "INIT Init\nNEXT Swap\n"), "valid 2");
}

#[test]
fn a_recursive_definition_without_parameters_is_evaluated_in_every_state() {
    let body = "VARIABLE x\nRECURSIVE Count(_), Start\nCount(n) == IF n = 0 THEN x ELSE IF n = 5 THEN Start ELSE Count(n - 1)\n\
        Start == Count(4)\nInit == x = 0\nNext == x' = (x + 1) % 4\nSame == Count(5) = x\n";
    assert_eq!(answer(body, "INIT Init\nNEXT Next\nINVARIANT Same\n"), "valid 4");
}

#[test]
fn a_parameter_is_assigned_under_quantifiers_and_through_nested_calls() {
    let body = "VARIABLES x, y\nSet(cell) == \\A k \\in {4} : cell = k\n\
        Both(a, b) == /\\ a \\in {1, 2}\n              /\\ \\A k \\in {a} : b = k + 1\n\
        Further(a, b) == LET c == a IN Both(c, b)\n\
        Init == Set(x) /\\ Set(y)\nNext == x \\in Int /\\ Further(x', y')\nFits == x = 4 \\/ y = x + 1\n";
    assert_eq!(answer(body, "INIT Init\nNEXT Next\nINVARIANT Fits\n"), "valid 3");
}

#[test]
fn an_action_may_be_built_from_let_definitions() {
    let body = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\n\
        Step(n) == LET up == x' = x + n\n               stay == UNCHANGED x\n               either == IF x < 2 THEN up ELSE stay\n\
               both == either /\\ y' = x'\n           IN both\nNext == Step(1)\n";
    assert_eq!(answer(body, "INIT Init\nNEXT Next\n"), "valid 3");
}

#[test]
fn membership_in_a_union_tries_enumerated_sets_first() {
    let body = "CONSTANT Nil\nVARIABLE x\nInit == x = Nil\nNext == UNCHANGED x\n\
        Right == x \\in (SUBSET {1}) \\cup {Nil}\nLeft == x \\in {Nil} \\cup Nat\nAlone == x \\in SUBSET {1}\n\
        Both == x \\in (SUBSET {1}) \\cap {Nil}\n";
    let with = |invariant: &str| {
        let config = format!("INIT Init\nNEXT Next\nCONSTANT Nil = Nil\nINVARIANT {invariant}\n");
        answer(body, &config)
    };
    assert_eq!((&*with("Right"), &*with("Left")), ("valid 1", "valid 1"));
    assert_eq!(
        (&*with("Alone"), &*with("Both")),
        ("evaluation -", "evaluation -")
    );
}

#[test]
fn random_subsets_of_large_sets_are_no_larger_than_the_set() {
    let body = "VARIABLE x\nNext == UNCHANGED x\nFunctions == x \\in RandomSubset(9, [1..9 -> 1..9])\n\
        Numbers == x \\in RandomSubset(5, 1..1000000000)\nAll == x \\in RandomSubset(9, {1, 2})\n\
        Negative == x \\in RandomSubset(0 - 1, {1, 2})\n";
    let from = |init: &str| answer(body, &format!("INIT {init}\nNEXT Next\n"));
    assert_eq!(
        (&*from("Functions"), &*from("Numbers"), &*from("All")),
        ("valid 9", "valid 5", "valid 2")
    );
    assert_eq!(from("Negative"), "evaluation -");
}

#[test]
fn a_random_constant_has_one_value_for_all_workers() {
    let body = "---- MODULE Spec ----\nEXTENDS Integers, TLC\nDrawn == RandomElement(1..1000000)\nVARIABLE x\n\
        Init == x = Drawn\nNext == x' \\in {Drawn, Drawn + 1, Drawn + 2}\nNear == x - Drawn \\in 0..2\n====\n";
    let files = [
        ("Spec.tla", body),
        ("Spec.cfg", "INIT Init\nNEXT Next\nINVARIANT Near\n"),
    ];
    for workers in [1, 3] {
        let options = CheckOptions {
            workers,
            ..CheckOptions::default()
        };
        let (_, answer) = explored(&files, &options).expect("a spec");
        assert_eq!(answer, "valid 3");
    }
}

#[test]
fn axioms_and_theorems_are_not_evaluated_and_assumptions_are() {
    let body = "VARIABLE x\nAXIOM Never == 1 = 2\nTHEOREM 1 = 3\nInit == x = 0\nNext == UNCHANGED x\n";
    assert_eq!(answer(body, "INIT Init\nNEXT Next\n"), "valid 1");
    let body = body.replace("AXIOM", "ASSUMPTION");
    assert!(answer(&body, "INIT Init\nNEXT Next\n").starts_with("assumption"));
}

#[test]
fn possible_formulas_hold_in_some_state_or_step() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\nTwo == x = 2\nSix == x = 6\nWrap == x' < x\nLeap == x' > x + 1\n\
        Counted == TLCGet(\"all:named\")[\"s:_possible\"][1] = [Two |-> 1, Wrap |-> 1]\n";
    let with = |possible: &str| answer(body, &format!("INIT Init\nNEXT Next\n_POSSIBLE {possible}\n"));
    assert_eq!(with("Two Wrap"), "valid 3");
    assert_eq!(
        (&*with("Two Six"), &*with("Leap")),
        ("postcondition Six", "postcondition Leap")
    );
    assert_eq!(with("Two Wrap\nPOSTCONDITION Counted"), "valid 3");
}

#[test]
fn a_property_that_is_a_bare_action_is_rejected() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nBare == x' # x\nMixed == x = 0 /\\ [Next]_x\nBoxed == [][x' # x]_x\n";
    let with = |property: &str| answer(body, &format!("INIT Init\nNEXT Next\nPROPERTY {property}\n"));
    assert!(with("Bare").starts_with("refused: the property `Bare` has the action"));
    assert!(with("Mixed").starts_with("refused: the property `Mixed` has the action"));
    assert_eq!(with("Boxed"), "valid 2");
}

#[test]
fn a_specification_may_be_written_with_parameters_and_let() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nOf(init, next) == init /\\ [][next]_x\nSame(f) == f\n\
        Given == Of(Init, Next)\nNested == Same(Of(Init, Next))\nLocal == LET g(f) == f IN g(Init /\\ [][Next]_x)\n\
        Steps(a) == [][a]_x\nHolds == Steps(x' # x)\nFails == Same(Steps(x' = x + 1))\n";
    for name in ["Given", "Nested", "Local"] {
        let config = format!("SPECIFICATION {name}\nPROPERTY Holds\n");
        assert_eq!(answer(body, &config), "valid 2", "{name}");
    }
    assert_eq!(
        answer(body, "SPECIFICATION Given\nPROPERTY Fails\n"),
        "property Fails"
    );
}

#[test]
fn a_specification_with_an_unsupported_conjunct_is_rejected() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nBare == Init /\\ Next\nAlways == Init /\\ [][Next]_x /\\ [](x < 2)\n";
    for name in ["Bare", "Always"] {
        let refusal = answer(body, &format!("SPECIFICATION {name}\n"));
        assert!(refusal.contains("neither an initial condition"), "{refusal}");
    }
}

#[test]
fn a_definition_that_replaces_another_can_use_it() {
    let body = "VARIABLE x\nInit == x = 0\nStep(n) == x' = n\nNext == \\E n \\in 0..2 : Step(n)\n\
        MyInit == Init \\/ x = 9\nMyStep(n) == n # 2 /\\ Step(n)\n";
    let config = "INIT Init\nNEXT Next\nCONSTANTS Init <- MyInit\n Step <- MyStep\n";
    assert_eq!(answer(body, config), "valid 3");
}

#[test]
fn registers_have_names_and_can_be_listed() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1\nNote == TLCSet(7, x) /\\ TLCSet(\"s:mine\", x)\n\
        Read == TLCGet(\"s:mine\") = 3 /\\ TLCGet(\"all:named\")[\"s:mine\"] = <<3>> /\\ TLCGet(\"all\")[7] = <<3>>\n\
        Plain == TLCSet(\"mine\", x)\n";
    let end = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n";
    assert_eq!(
        answer(body, &format!("{end}INVARIANT Note\nPOSTCONDITION Read\n")),
        "valid 4"
    );
    assert_eq!(answer(body, &format!("{end}INVARIANT Plain\n")), "evaluation -");
}

#[test]
fn tlcget_describes_the_spec_and_the_run() {
    let body = "VARIABLE x\nASSUME TLCGet(\"config\").mode = \"bfs\"\nInit == x = 0\nUp == x < 3 /\\ x' = x + 1\nBack == x = 3 /\\ x' = 0\n\
        Next == Up \\/ Back\nNames == {a.name : a \\in TLCGet(\"spec\").actions} = {\"Up\", \"Back\"}\n\
        Fields == DOMAIN TLCGet(\"config\") = {\"mode\", \"deadlock\", \"worker\", \"fingerprint\", \"seed\", \"install\"}\n\
        Unnamed == TLCGet(\"action\").name = \"UnnamedAction\"\n";
    let config = "INIT Init\nNEXT Next\nINVARIANT Names Fields Unnamed\n";
    assert_eq!(answer(body, config), "valid 4");
    // TLC reports `bfs` for a depth-first search too: only its queue differs.
    let text = format!("---- MODULE Spec ----\nEXTENDS Integers, TLC\n{body}\n====\n");
    let files = [("Spec.tla", &*text), ("Spec.cfg", "INIT Init\nNEXT Next\n")];
    let options = CheckOptions {
        mode: SearchMode::DepthFirst,
        ..CheckOptions::default()
    };
    assert_eq!(explored(&files, &options).expect("a spec").1, "valid 4");
    let generated = text.replace("\"bfs\"", "\"generate\"");
    let files = [("Spec.tla", &*generated), ("Spec.cfg", "INIT Init\nNEXT Next\n")];
    let options = CheckOptions {
        mode: SearchMode::Simulate(SimulationOptions {
            behaviours: Some(3),
            depth_max: 5,
            seed: 1,
            is_generated: true,
        }),
        ..CheckOptions::default()
    };
    assert_eq!(explored(&files, &options).expect("a spec").1, "behaviours");
}

#[test]
fn a_cached_expression_is_evaluated_once_for_each_key() {
    let body = "VARIABLE x\nASSUME TLCSet(1, 0)\nCounted(v) == IF TLCSet(1, TLCGet(1) + 1) THEN v ELSE v\n\
        Kept(k) == TLCCache(Counted(k * 10), {k})\nInit == x = 0\nNext == x' = (x + 1) % 4\n\
        Fits == Kept(1) = 10 /\\ Kept(2) = 20\nTwice == TLCGet(1) = 2\n";
    assert_eq!(
        answer(
            body,
            "INIT Init\nNEXT Next\nINVARIANT Fits\nPOSTCONDITION Twice\n"
        ),
        "valid 4"
    );
}

#[test]
fn the_trace_is_unavailable_during_a_search() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nShort == Len(Trace) < 9\n";
    assert_eq!(
        answer(body, "INIT Init\nNEXT Next\nINVARIANT Short\n"),
        "evaluation -"
    );
}

#[test]
fn an_invariant_without_variables_is_decided_before_the_search() {
    let body = "VARIABLE x\nInit == x = 0\nNext == UNCHANGED x\nLarge == Cardinality({1, 2}) = 3\n";
    let text = format!("---- MODULE Spec ----\nEXTENDS Integers, FiniteSets\n{body}\n====\n");
    let files = [
        ("Spec.tla", &*text),
        ("Spec.cfg", "INIT Init\nNEXT Next\nINVARIANT Large\n"),
    ];
    let (report, answer) = explored(&files, &CheckOptions::default()).expect("a spec");
    assert_eq!((&*answer, report.figures.generated), ("invariant Large", 0));
}

#[test]
fn a_time_limit_inside_an_assumption_is_reported() {
    let text = "---- MODULE Spec ----\nEXTENDS Naturals\nASSUME \\A S \\in SUBSET (1..40) : S = S\n====\n";
    let options = CheckOptions {
        limits: SearchLimits {
            time: Some(std::time::Duration::from_millis(20)),
            ..SearchLimits::default()
        },
        ..CheckOptions::default()
    };
    let (_, answer) = explored(&[("Spec.tla", text)], &options).expect("a spec");
    assert_eq!(answer, "time");
}

#[test]
fn a_model_without_behaviours_is_rejected() {
    let refused = |files: &[(&str, &str)]| match explored(files, &CheckOptions::default()) {
        Err(refusal) => refusal,
        Ok((_, answer)) => answer,
    };
    let ring = "---- MODULE Ring ----\nVARIABLE at\nWhole == at = 0 /\\ [][at' = 1]_at\n====\n";
    assert!(refused(&[("Ring.tla", ring)]).contains("does not define Init and Next"));
    let config = ("Ring.cfg", "CHECK_DEADLOCK FALSE\n");
    assert!(refused(&[("Ring.tla", ring), config]).contains("neither SPECIFICATION nor INIT and NEXT"));
    let algorithm = "---- MODULE Alg ----\n(* --algorithm Alg\nvariable x = 0;\nbegin\n A: x := 1;\nend algorithm *)\n====\n";
    assert_eq!(
        refused(&[("Alg.tla", algorithm)]),
        "valid 2",
        "it is translated in memory"
    );
    let mistaken = algorithm.replace("x := 1", "y := 1");
    assert!(refused(&[("Alg.tla", &mistaken)]).contains("is not a variable"));
    assert!(refused(&[("Empty.tla", "---- MODULE Empty ----\n====\n")]).contains("nothing to check"));
    let assumed = "---- MODULE Assumed ----\nASSUME TRUE\n====\n";
    assert_eq!(refused(&[("Assumed.tla", assumed)]), "valid 0");
    let boxed = "---- MODULE Boxed ----\nASSUME TRUE\nSpec == [][TRUE]_<<>>\n====\n";
    assert_eq!(
        refused(&[("Boxed.tla", boxed), ("Boxed.cfg", "SPECIFICATION Spec\n")]),
        "valid 0"
    );
}

#[test]
fn a_configuration_inside_the_file_of_the_spec_is_read() {
    let text = "---- MODULE Clock ----\nEXTENDS Naturals\nVARIABLE x\nStart == x = 0\nTick == x' = (x + 1) % 5\nLow == x < 4\n====\n\
        ---- CONFIG Clock ----\nINIT Start\nNEXT Tick\nINVARIANT Low\n====\n";
    let (_, answer) = explored(&[("Clock.tla", text)], &CheckOptions::default()).expect("a spec");
    assert_eq!(answer, "invariant Low");
}

#[test]
fn notes_say_what_was_not_checked() {
    let notes = |config: &str| {
        let text =
            "---- MODULE Spec ----\nVARIABLE x\nInit == x = 0\nNone == x \\in {}\nNext == x' = x\n====\n";
        let files = [("Spec.tla", text), ("Spec.cfg", config)];
        let (report, _) = explored(&files, &CheckOptions::default()).expect("a spec");
        report.notes.join("\n")
    };
    assert!(
        notes("INIT Init\nNEXT Next\n").contains("no invariant was checked, only that there is no deadlock")
    );
    assert!(notes("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n").contains("the states were only explored"));
    assert!(notes("INIT None\nNEXT Next\n").contains("no state satisfies the initial condition"));
}

/// How public trace specifications say that a trace was matched, and end the search when it was.
#[test]
fn temporal_properties_of_a_search_that_the_spec_ends_count_the_states_left_in_the_queue() {
    let body = "VARIABLE l\nInit == l = 1\nNext == l' = l + 1\nSpec == Init /\\ [][Next]_l\n\
        Ends == l > 5 => TLCSet(\"exit\", TRUE)\n\
        Matched == [](l <= 5 => [](TLCGet(\"queue\") \\in Nat \\ {0} \\/ l > 5))\n\
        Low == [](l <= 3 => [](l < 4))\n";
    let config = "SPECIFICATION Spec\nCONSTRAINT Ends\nPROPERTY ";
    assert_eq!(answer(body, &format!("{config}Matched\n")), "valid 6");
    assert_eq!(answer(body, &format!("{config}Low\n")), "property Low");
    // The trace ends before it is matched.
    let stuck = body.replace("Next == l'", "Next == l < 4 /\\ l'");
    let config = "SPECIFICATION Spec\nCONSTRAINT Ends\nCHECK_DEADLOCK FALSE\nPROPERTY Matched\n";
    assert_eq!(answer(&stuck, config), "property Matched");
}

#[test]
fn formulas_with_effects_are_evaluated_for_every_step() {
    // Two of the three steps lead to the same state, which is known.
    let body = "VARIABLE x\nASSUME TLCSet(1, 0) /\\ TLCSet(2, 0)\nInit == x = 0\n\
        Next == x' = 0 \\/ x' = (x + 0) \\/ x' = 1 - x\n\
        Counted == TLCSet(1, TLCGet(1) + 1)\n\
        Step == TLCSet(2, TLCGet(2) + 1)\nEach == [][Step]_x\n";
    let counts =
        |first: u32, second: u32| format!("{body}Post == TLCGet(1) = {first} /\\ TLCGet(2) = {second}");
    let config = "INIT Init\nNEXT Next\nPOSTCONDITION Post\nCONSTRAINT Counted\n";
    assert_eq!(answer(&counts(7, 0), config), "valid 2");
    let config = "INIT Init\nNEXT Next\nPOSTCONDITION Post\nPROPERTY Each\n";
    assert_eq!(answer(&counts(0, 6), config), "valid 2");
}

#[test]
fn a_state_that_looks_like_the_view_of_another_is_explored() {
    let body = "VARIABLE x\nInit == x = <<0, 0>>\n\
        Turn(i) == x' = [x EXCEPT ![i] = (@ + 1) % 3]\nNext == \\E i \\in 1..2 : Turn(i)\nSwapped == <<x[2], x[1]>>\n";
    assert_eq!(answer(body, "INIT Init\nNEXT Next\nVIEW Swapped\n"), "valid 9");
}

#[test]
fn a_step_outside_an_action_constraint_is_no_step_to_a_known_state() {
    let body = "VARIABLES turn, m\nInit == turn = 0 /\\ m = 0\n\
        Step == turn' = (turn + 1) % 3 /\\ UNCHANGED m\nOther == m' = (m + 1) % 3 /\\ UNCHANGED turn\nNext == Step \\/ Other\n\
        Spec == Init /\\ [][Next]_<<turn, m>>\nOnwards == ~(turn = 2 /\\ turn' = 0)\nP == [](turn = 1 => [](turn # 0))\n";
    let config = "SPECIFICATION Spec\nPROPERTY P\nACTION_CONSTRAINT Onwards\n";
    assert_eq!(answer(body, config), "valid 9");
}

#[test]
fn a_composition_in_a_property_or_a_constraint_is_about_both_states() {
    let body = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == x' = (x + 2) % 6 /\\ y' \\in 0..1\n\
        Once == x' = (x + 1) % 6 /\\ UNCHANGED y\nAgain == x' = (x + 1) % 6\nTwice == Once \\cdot Again\n\
        Back == Once \\cdot (x' = (x + 3) % 6)\nSteps == [][Twice]_<<x, y>>\nBacks == [][Back]_<<x, y>>\n";
    assert_eq!(answer(body, "INIT Init\nNEXT Next\nPROPERTY Steps\n"), "valid 6");
    assert_eq!(
        answer(body, "INIT Init\nNEXT Next\nACTION_CONSTRAINT Twice\n"),
        "valid 6"
    );
    assert!(answer(body, "INIT Init\nNEXT Next\nPROPERTY Backs\n").starts_with("property"));
    assert_eq!(
        answer(body, "INIT Init\nNEXT Next\nACTION_CONSTRAINT Back\n"),
        "valid 1"
    );
}

#[test]
fn a_primed_level_is_that_of_the_next_state() {
    let body = "VARIABLE x\nInit == x = 1 /\\ TLCGet(\"level\") < 2\nLevel == TLCGet(\"level\")\n\
        Next == x < 5 /\\ x' = x + 1 /\\ Level = x /\\ Level' = x' /\\ TLCGet(\"level\")' = x + 1\n\
        Inv == TLCGet(\"level\") = x\nGrows == TLCGet(\"level\")' = TLCGet(\"level\") + 1\nSteps == [][Level' = x']_x\n";
    let config = "INIT Init\nNEXT Next\nINVARIANT Inv\nACTION_CONSTRAINT Grows\nPROPERTY Steps\nCHECK_DEADLOCK FALSE\n";
    assert_eq!(answer(body, config), "valid 5");
}

#[test]
fn the_operands_of_compared_parts_are_evaluated_once_if_they_have_effects() {
    let body = "VARIABLE x\nASSUME TLCSet(1, 0)\nInit == x = <<1, 2>>\nNext == UNCHANGED x\n\
        Inv == ~(SubSeq(x, 1, IF TLCSet(1, TLCGet(1) + 1) THEN 1 ELSE 2) = SubSeq(<<3, 4>>, 1, 1))\nPost == TLCGet(1) = 1\n";
    let config = "INIT Init\nNEXT Next\nINVARIANT Inv\nPOSTCONDITION Post\n";
    assert_eq!(answer(body, config), "valid 1");
}
