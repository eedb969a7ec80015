//! What expressions and actions mean once lowered: each test is a small spec and its value.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use omnilink_tla::config;
use omnilink_tla::deep_stack;
use omnilink_tla::eval::{Evaluator, Flow, SilentSession, State};
use omnilink_tla::model::{BuildOptions, CompiledSpec, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::source::Source;
use omnilink_tla::{EvaluateOptions, evaluate};

/// An expression's value, or the class of its error.
fn value(expr: &str) -> String {
    value_with("", expr)
}

pub(crate) fn value_with(definitions: &str, expr: &str) -> String {
    let options = EvaluateOptions {
        definitions: definitions.into(),
        ..EvaluateOptions::default()
    };
    match evaluate(expr, &options) {
        Ok(evaluated) => evaluated.text,
        Err(error) => error.class.to_owned(),
    }
}

fn model(body: &str, cfg: &str) -> CompiledSpec {
    let text = format!("---- MODULE M ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n{body}\n====\n");
    let mut loaded = load_text(Path::new("M.tla"), text, &SearchPath::default());
    assert!(loaded.is_ok(), "{:?}", loaded.diagnostics);
    let mut diagnostics = Vec::new();
    let source = loaded.spec.sources.add(Source::new("M.cfg", cfg));
    let config = config::parse(source, cfg, &mut diagnostics);
    match build(loaded.spec, &config, &BuildOptions::default()) {
        Ok(model) => model,
        Err(rejected) => panic!("{:?}", rejected.diagnostics),
    }
}

/// All states that `Init` and `Next` lead to, each as its variables' values; at most a thousand.
pub(crate) fn reached(body: &str) -> Result<Vec<String>, String> {
    let model = model(body, "INIT Init NEXT Next");
    deep_stack::run(|| {
        let session = SilentSession::default();
        let mut evaluator = Evaluator::new(&model.program, &session);
        let mut known = BTreeSet::new();
        let mut queue: VecDeque<State> = VecDeque::new();
        let mut found = Vec::new();
        let outcome = evaluator.initial(model.init.unwrap(), &mut |_, state, _| {
            found.push(state.to_vec());
            Ok(Flow::Go)
        });
        outcome.map_err(|failure| failure.class.word().to_owned())?;
        loop {
            for state in found.drain(..) {
                if known.len() < 1000 && known.insert(state.clone()) {
                    queue.push_back(state.into());
                }
            }
            let Some(state) = queue.pop_front() else { break };
            let outcome = evaluator.successors(model.next.unwrap(), &state, &mut |_, state, _| {
                found.push(state.to_vec());
                Ok(Flow::Go)
            });
            outcome.map_err(|failure| failure.class.word().to_owned())?;
        }
        let shown = |state: &Vec<omnilink_value::Value>| {
            let values: Vec<String> = state.iter().map(ToString::to_string).collect();
            values.join(" ")
        };
        Ok(known.iter().map(shown).collect())
    })
}

pub(crate) fn states(body: &str) -> String {
    match reached(body) {
        Ok(states) => states.join(", "),
        Err(class) => class,
    }
}

#[test]
fn an_instance_with_parameters_means_its_module_with_each_of_them() {
    let definitions = r"
---- MODULE Inner ----
EXTENDS Integers
CONSTANT k
Add(x) == x + k
Twice == Add(Add(0))
====
I(k) == INSTANCE Inner
Fixed == INSTANCE Inner WITH k <- 7
Outer(a) == I(a)!Add(1) + I(a + 1)!Twice";
    assert_eq!(
        value_with(
            definitions,
            "<<I(5)!Add(1), I(2)!Twice, Fixed!Add(0), Outer(10)>>"
        ),
        "<<6, 4, 7, 33>>"
    );
    assert_eq!(value_with(definitions, "{I(k)!Twice : k \\in 1..3}"), "{2, 4, 6}");
}

#[test]
fn a_let_operator_sees_the_names_around_it_as_they_are_when_it_is_used() {
    assert_eq!(
        value("{LET add(y) == x + y IN add(10) : x \\in 1..3}"),
        "{11, 12, 13}"
    );
    assert_eq!(
        value(
            "LET a == 1 IN LET f(x) == x + a IN LET g(x) == f(x) * 10 IN \\A i \\in 1..2 : g(i) = (i + 1) * 10"
        ),
        "TRUE"
    );
    assert_eq!(
        value_with("F(p) == LET q == p + 1 r(z) == q * z IN r(2) + r(3)", "F(1)"),
        "10"
    );
}

#[test]
fn a_recursive_let_operator_sees_the_names_around_it_too() {
    assert_eq!(
        value(
            "[n \\in 1..3 |-> LET RECURSIVE sum(_) sum(i) == IF i = 0 THEN n ELSE i + sum(i - 1) IN sum(4)]"
        ),
        "<<11, 12, 13>>"
    );
    assert_eq!(
        value(
            "LET RECURSIVE even(_), odd(_)
    even(n) == IF n = 0 THEN TRUE ELSE odd(n - 1)
    odd(n) == IF n = 0 THEN FALSE ELSE even(n - 1)
IN <<even(10), odd(7), even(3)>>"
        ),
        "<<TRUE, TRUE, FALSE>>"
    );
}

#[test]
fn a_lambda_takes_the_names_around_it_along() {
    assert_eq!(
        value("{SelectSeq(<<1, 2, 3, 4>>, LAMBDA e : e > x) : x \\in 2..3}"),
        "{<<4>>, <<3, 4>>}"
    );
    let definitions = "Apply(Op(_), v) == Op(v)\nThrough(f, v) == Apply(LAMBDA y : f[y], v)";
    assert_eq!(value_with(definitions, "LET g == <<5, 6>> IN Through(g, 2)"), "6");
    assert_eq!(
        value_with(
            definitions,
            "FoldLeft(LAMBDA a, b : Apply(LAMBDA c : a + c, b), 0, <<1, 2, 3>>)"
        ),
        "6"
    );
}

#[test]
fn recursion_without_end_and_endless_evaluation_are_told_apart_from_values() {
    assert_eq!(
        value_with("RECURSIVE f(_)\nf(n) == f(n + 1) + 1", "f(0)"),
        "recursion"
    );
    assert_eq!(value("CHOOSE x \\in {1, 2} : x > 2"), "choose");
    assert_eq!(value("CHOOSE x : x > 2"), "infinite");
    assert_eq!(value("\\E n \\in Nat : n > 5"), "infinite");
}

#[test]
fn choose_takes_the_least_element() {
    assert_eq!(value("CHOOSE x \\in {3, 1, 2} : x > 1"), "2");
    assert_eq!(
        value("CHOOSE s \\in SUBSET {1, 2, 3} : Cardinality(s) = 2"),
        "{1, 2}"
    );
    assert_eq!(value("CHOOSE f \\in [1..2 -> 5..6] : f[1] # f[2]"), "<<5, 6>>");
    assert_eq!(value("CHOOSE s \\in {\"b\", \"ab\", \"a\"} : TRUE"), "\"a\"");
    assert_eq!(value("CHOOSE x \\in {<<2, 1>>, <<3>>} : TRUE"), "<<3>>");
}

#[test]
fn an_operator_without_meaning_is_unsupported_and_not_a_choice() {
    assert_eq!(value("ChiSquare(<<1>>, <<1>>, \"0.05\")"), "unsupported");
}

#[test]
fn a_prime_reaches_into_what_a_parameter_stands_for() {
    let spec = r"
VARIABLES x, y
Becomes(p, e) == p' = e
Keep(p) == Becomes(p, p)
Init == x = 0 /\ y = 0
Next == x < 2 /\ Becomes(x, x + 1) /\ Keep(y)";
    assert_eq!(states(spec), "0 0, 1 0, 2 0");
    let spec = r"
VARIABLES x, y
Sum(a, b) == a + b
Init == x = 1 /\ y = 0
Next == x < 4 /\ x' = x + 1 /\ y' = Sum(x, 10)' - Sum(x, 0)";
    assert_eq!(states(spec), "1 0, 2 11, 3 11, 4 11");
}

#[test]
fn a_prime_reaches_into_a_function_that_is_not_listed() {
    let spec = r"
VARIABLES x, y
First(f) == (f[1])'
Above(s) == (2 \in s)'
Init == x = 0 /\ y = 0
Next == x < 2 /\ x' = x + 1 /\ LET f == [i \in Nat |-> x + i]
                                   s == {i \in Nat : i > x}
                               IN y' = f[1] + 10 * (f[1])' + 100 * f'[1] + 1000 * First([i \in Nat |-> x + i])
                                     + IF (2 \in s) /= (2 \in s)' /\ Above(s) = (2 \in s') THEN 5 ELSE 0";
    assert_eq!(states(spec), "0 0, 1 2221, 2 3337");
}

#[test]
fn a_let_of_an_action_may_look_at_both_states() {
    let spec = r"
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == /\ x' \in {x + 1}
        /\ LET grown == x' - x
               step(n) == n * x'
           IN y' = grown + step(10)
        /\ x < 2";
    assert_eq!(states(spec), "0 0, 1 11, 2 21");
}

#[test]
fn enabled_asks_whether_there_is_a_step_without_taking_it() {
    let spec = r"
VARIABLE x
Init == x = 0
Up == x < 2 /\ x' = x + 1
Next == \/ Up
        \/ ~ ENABLED Up /\ x' = 10 /\ x # 10
        \/ ENABLED (x' = 5 /\ x = 1) /\ x' = 20";
    assert_eq!(states(spec), "0, 1, 2, 10, 20");
}

#[test]
fn a_variable_without_a_next_value_is_an_error() {
    assert_eq!(
        states("VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == x' = 1"),
        "unassigned"
    );
    assert_eq!(
        states("VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == y' = x' /\\ x' = 1"),
        "unassigned"
    );
}

#[test]
fn what_a_definition_says_about_one_state_is_not_kept_for_another() {
    let spec = r"
VARIABLE x
Square == x * x
Small == \A i \in 1..3 : Square + i < 20
Init == x = 0
Next == x' = x + 1 /\ Small /\ Square' = Square + 2 * x + 1";
    assert_eq!(states(spec), "0, 1, 2, 3, 4, 5");
}

#[test]
fn instances_over_other_variables_are_evaluated_in_the_same_step() {
    let spec = r"
---- MODULE Counter ----
EXTENDS Integers
VARIABLE c
CONSTANT limit
Start == c = 0
Inc == c < limit /\ c' = c + 1
====
VARIABLES x, y
X == INSTANCE Counter WITH c <- x, limit <- 1
Y(limit) == INSTANCE Counter WITH c <- y
Init == X!Start /\ Y(0)!Start
Next == (X!Inc /\ UNCHANGED y) \/ (Y(2)!Inc /\ x' = x)";
    assert_eq!(states(spec), "0 0, 0 1, 0 2, 1 0, 1 1, 1 2");
}

#[test]
fn registers_are_read_anew_after_they_are_set() {
    assert_eq!(
        value("TLCSet(1, 5) /\\ TLCGet(1) = 5 /\\ TLCSet(1, 6) /\\ TLCGet(1) = 6"),
        "TRUE"
    );
    assert_eq!(
        value("<<TLCGetAndSet(3, +, 1, 10), TLCGetAndSet(3, +, 1, 0), TLCGet(3)>>"),
        "<<10, 11, 12>>"
    );
}

#[test]
fn pictures_are_text() {
    let picture = "SVGElemToString(SVGElem(\"g\", [fill |-> \"a\", stroke_width |-> \"2\"], \
                   <<SVGElem(\"text\", <<>>, <<>>, \"<<1>>\"), SVGElem(\"line\", [x |-> \"3\"], <<>>, \"\")>>, \"\"))";
    assert_eq!(
        value(picture),
        "\"<g fill='a' stroke-width='2'><text>&lt;&lt;1&gt;&gt;</text><line x='3'></line></g>\""
    );
    assert_eq!(
        value("NodeOfRingNetwork(10, 20, 30, 1, 3)"),
        "[x |-> -4, y |-> 45]"
    );
    assert_eq!(value("NodeOfRingNetwork(10, 20, 30, 1, 0)"), "domain");
    assert_eq!(value("SVGElemToString([name |-> \"g\"])"), "type");
}

#[test]
fn equal_parts_of_sequences_are_those_that_are_built() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut answers = std::collections::BTreeMap::new();
    for _ in 0..400 {
        let mut sequence = || {
            let elements =
                (0..random.usize(..5)).map(|_| ["1", "2", "<<1>>", "{1}", "\"a\""][random.usize(..5)]);
            format!("<<{}>>", elements.collect::<Vec<_>>().join(", "))
        };
        let (one, other) = (sequence(), sequence());
        let other = if random.u8(..3) == 0 { one.clone() } else { other };
        let bounds = |random: &mut fastrand::Rng| (random.i8(0..4), random.i8(0..5));
        let (from, to) = bounds(&mut random);
        let second = match random.u8(..3) {
            0 => bounds(&mut random),
            _ => (from, to),
        };
        // The second comparison uses what the first one found.
        let parts = format!("SubSeq(s, {from}, {to}) = SubSeq(t, {}, {})", second.0, second.1);
        let built = parts.replace("SubSeq(s", "Part(s").replace("SubSeq(t", "Part(t");
        let definitions = "Part(q, m, n) == SubSeq(q, m, n)\n";
        let both = |compared: &str| {
            value_with(
                definitions,
                &format!(
                    "LET C(s, t) == {compared} IN <<C({one}, {other}), C({one}, {other}), C({other}, {one})>>"
                ),
            )
        };
        let answer = both(&parts);
        assert_eq!(answer, both(&built), "{parts} for {one} and {other}");
        *answers.entry(answer).or_insert(0) += 1;
    }
    for answer in [
        "<<TRUE, TRUE, TRUE>>",
        "<<FALSE, FALSE, FALSE>>",
        "domain",
        "type",
    ] {
        assert!(
            answers.get(answer).is_some_and(|count| *count > 10),
            "{answers:?}"
        );
    }
}

#[test]
fn a_step_is_shown_with_the_names_that_are_bound_when_it_is_taken() {
    let body = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\n\
        C(r) ==\n\\/ \\E e \\in {1, 2} : x' = e /\\ y' = 1\n\
        \\/ \\E f \\in {j \\in 1..9 : j = 5} : (\\E g \\in {0} : g = y) /\\ x' = f /\\ y' = 2\n\
        \\/ (\\A h \\in {0, 1} : h >= x) /\\ x' = 3 /\\ y' = 3\n\
        \\/ LET v == x + 4 IN IF v = 4 THEN \\E s \\in {v} : x' = s /\\ y' = 4 ELSE UNCHANGED <<x, y>>\n\
        Next ==\n\\/ (\\E k \\in {7} : k = x) /\\ x' = 9 /\\ y' = 9\n\\/ \\E u \\in {6} : C(u)";
    let model = model(body, "INIT Init NEXT Next");
    let shown = deep_stack::run(|| {
        let session = SilentSession::default();
        let mut evaluator = Evaluator::new(&model.program, &session);
        let from: State = [0.into(), 0.into()].into();
        let mut shown = Vec::new();
        let found = evaluator.successors(model.next.unwrap(), &from, &mut |evaluator, state, taken| {
            let bindings = taken.map_or_else(Vec::new, |taken| evaluator.bindings(taken));
            let names = bindings.iter().map(|(name, value)| format!("{name}={value}"));
            shown.push(format!("{}: {}", state[0], names.collect::<Vec<_>>().join(" ")));
            Ok(Flow::Go)
        });
        assert!(found.is_ok());
        shown
    });
    assert_eq!(
        shown,
        [
            "1: r=6 e=1",
            "2: r=6 e=2",
            "5: r=6 f=5",
            "3: r=6",
            "4: r=6 v=4 s=4"
        ]
    );
}

#[test]
fn the_common_prefix_of_two_sequences_is_not_that_of_others() {
    let sequences =
        "LET s == <<1, 2, 3>> t == <<1, 2, 3>> u == <<1, 9, 3>> P(a, b) == SubSeq(a, 1, 2) = SubSeq(b, 1, 2)";
    let compared = format!("{sequences} IN <<P(s, t), P(u, t), P(s, t), P(s, u)>>");
    assert_eq!(value_with("", &compared), "<<TRUE, FALSE, TRUE, FALSE>>");
}
