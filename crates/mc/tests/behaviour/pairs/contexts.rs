//! The contexts in which an expression may stand: within other expressions, and as parts of a spec.

use super::writer::Sort::{self, Bool, Int};
use super::writer::{Place, Writer};

/// Writes an expression of a type at a place.
pub(super) type Inner<'a> = &'a mut dyn FnMut(&mut Writer, &Place, Sort) -> String;

/// Writes an expression with another one in it, and says of which type it is.
type Wrap = fn(&mut Writer, &Place, Inner<'_>) -> (String, Sort);

pub(super) const WRAPPERS: [(&str, Wrap); 24] = [
    ("under a prime", |w, p, e| {
        let text = w.about_step(p, |w, p| format!("({})'", e(w, &p.in_step(false), Bool)));
        (text, Bool)
    }),
    ("in ENABLED", |w, p, e| (w.enabled(p, |w, p| e(w, p, Bool)), Bool)),
    ("in ENABLED of an action with a parameter", |w, p, e| {
        let body = e(w, &p.in_definition().in_step(false).with_alias("v"), Bool);
        let name = w.define("(v)", &format!("{body} /\\ v' = 1"));
        (
            format!("{}ENABLED {name}({})", w.pick(&["~", ""]), w.pick(&["x", "y"])),
            Bool,
        )
    }),
    ("at the front of a loop", |w, p, e| {
        let (name, other, set) = (w.fresh("i"), w.fresh("j"), w.set(p));
        let front = e(w, p, Bool);
        let body = w.bool(&p.with_name(&name).with_name(&other));
        match w.random.bool() {
            true => (
                format!("(\\E {name}, {other} \\in {set} : {front} /\\ {body})"),
                Bool,
            ),
            false => (
                format!("(\\A {name}, {other} \\in {set} : {front} => {body})"),
                Bool,
            ),
        }
    }),
    ("in a loop over a constant set", |w, p, e| looped(w, p, e, "0..2")),
    ("in a loop over a set of the state", |w, p, e| {
        looped(w, p, e, "s \\cup {y}")
    }),
    ("in a comprehension", |w, p, e| {
        let name = w.fresh("i");
        let inner = p.with_name(&name);
        match w.random.u8(..4) {
            0 => (
                format!("{{{name} \\in 0..y : {}}}", e(w, &inner, Bool)),
                Sort::Set,
            ),
            1 => (format!("{{{} : {name} \\in s}}", e(w, &inner, Int)), Sort::Set),
            2 => (
                format!("[{name} \\in 1..2 |-> {}]", e(w, &inner, Int)),
                Sort::Function,
            ),
            _ => (
                format!(
                    "(CHOOSE {name} \\in 0..2 : {name} = 2 \\/ {})",
                    e(w, &inner, Bool)
                ),
                Int,
            ),
        }
    }),
    ("as the set of a loop", |w, p, e| {
        let name = w.fresh("i");
        let set = e(w, p, Sort::Set);
        (
            format!("(\\E {name} \\in {set} : {})", w.bool(&p.with_name(&name))),
            Bool,
        )
    }),
    ("in the value of LET", |w, p, e| {
        let name = w.fresh("d");
        let value = e(w, p, Int);
        (
            format!(
                "(LET {name} == {value} IN {} \\/ {name} = 1)",
                w.bool(&p.with_name(&name))
            ),
            Bool,
        )
    }),
    ("in the value of LET that is primed", |w, p, e| {
        let name = w.fresh("d");
        let value = e(w, &p.in_step(false), Int);
        let body = w.about_step(&p.with_alias(&name), |w, p| {
            format!("({name}' # {} \\/ {})", w.int(p), w.bool(p))
        });
        (format!("(LET {name} == {value} IN {body})"), Bool)
    }),
    ("in the body of LET", |w, p, e| {
        let name = w.fresh("d");
        let value = w.pick(&["x", "f[1]", "x + y", "s"]).to_owned();
        let inner = if value == "s" {
            p.clone()
        } else {
            p.with_alias(&name)
        };
        (format!("(LET {name} == {value} IN {})", e(w, &inner, Bool)), Bool)
    }),
    ("in LET with parameters", |w, p, e| {
        let (name, parameter) = (w.fresh("D"), w.fresh("v"));
        let body = e(w, &p.with_name(&parameter), Bool);
        (
            format!(
                "(LET {name}({parameter}) == {body} IN {name}({}) /\\ {name}({}))",
                w.int(p),
                w.int(p)
            ),
            Bool,
        )
    }),
    ("as an argument by value", |w, p, e| {
        // A constant or a variable is passed by value; the expression is about the parameter.
        let body = e(w, &p.in_definition().with_name("v").with_name("k"), Bool);
        let name = w.define("(v, k)", &body);
        (
            format!(
                "{name}({}, {})",
                w.pick(&["x", "y", "f[1]"]),
                w.pick(&["0", "1", "x"])
            ),
            Bool,
        )
    }),
    ("as an argument", |w, p, e| {
        let body = w.int(&p.in_definition().with_name("v").with_name("k"));
        let name = w.define("(v, k)", &body);
        let argument = e(w, p, Int);
        (format!("{name}({argument}, {})", w.int(p)), Int)
    }),
    ("as an argument that is primed", |w, p, e| {
        let body = w.about_step(&p.in_definition().with_alias("v"), |w, p| {
            format!("(v' >= {})", w.int(p))
        });
        let name = w.define("(v)", &body);
        (format!("{name}({})", e(w, &p.in_step(false), Int)), Bool)
    }),
    ("with a parameter that is primed", |w, p, e| {
        let body = e(w, &p.in_definition().with_alias("v"), Bool);
        let body = w.about_step(&p.in_definition().with_alias("v"), |_, _| {
            format!("(v' = 1 \\/ {body})")
        });
        let name = w.define("(v)", &body);
        (format!("{name}({})", w.pick(&["x", "f[2]", "x + y"])), Bool)
    }),
    ("as an operator that is an argument", |w, p, e| {
        let body = e(w, &p.in_definition().with_name("k"), Bool);
        let operand = w.define("(k)", &body);
        let used = w.bool(&p.in_definition().with_name("v"));
        let name = w.define(
            "(O(_), v)",
            &format!("(\\E j \\in 0..1 : O(j) /\\ {used}) \\/ O(v)"),
        );
        (format!("{name}({operand}, {})", w.int(p)), Bool)
    }),
    ("in LAMBDA", |w, p, e| {
        let used = w.pick(&["O(v) \\/ O(1)", "\\A j \\in s : O(j)"]);
        let name = w.define("(O(_), v)", used);
        let operand = w.fresh("k");
        let body = e(w, &p.with_name(&operand), Bool);
        (format!("{name}(LAMBDA {operand} : {body}, {})", w.int(p)), Bool)
    }),
    ("in a recursive operator", |w, p, e| {
        let body = e(w, &p.in_definition().with_name("k").with_name("v"), Int);
        let name = w.fresh("Rec");
        w.definitions.push(format!(
            "RECURSIVE {name}(_, _)\n{name}(k, v) == IF k <= 0 THEN v ELSE ({body} + {name}(k - 1, v)) % 3"
        ));
        (format!("{name}({}, {})", w.pick(&["2", "y"]), w.int(p)), Int)
    }),
    ("in a recursive formula", |w, p, e| {
        let body = e(w, &p.in_definition().with_name("k"), Bool);
        let name = w.fresh("Rec");
        w.definitions.push(format!(
            "RECURSIVE {name}(_)\n{name}(k) == k <= 2 /\\ ({body} \\/ {name}(k + 1))"
        ));
        (format!("{name}({})", w.pick(&["0", "y"])), Bool)
    }),
    ("in a module with a variable of its own", |w, p, e| {
        let body = e(w, &p.in_definition().with_alias("v"), Bool);
        let (module, instance) = (w.fresh("Sub"), w.fresh("I"));
        let by = w
            .pick(&["x", "y", "x + y", "f[1]", "IF x = y THEN 0 ELSE x"])
            .to_owned();
        w.definitions.push(format!(
            "---- MODULE {module} ----\nVARIABLE v\nHolds{module} == {body}\n====\n{instance} == INSTANCE {module} WITH v <- {by}"
        ));
        (format!("{instance}!Holds{module}"), Bool)
    }),
    ("in a module with a parameter", |w, p, e| {
        let body = e(w, &p.in_definition().with_name("c"), Bool);
        let (module, instance) = (w.fresh("Sub"), w.fresh("I"));
        w.definitions.push(format!(
            "---- MODULE {module} ----\nCONSTANT c\nHolds{module} == {body}\n====\n{instance}(q) == INSTANCE {module} WITH c <- q"
        ));
        (
            format!("{instance}({})!Holds{module}", w.pick(&["0", "1", "2"])),
            Bool,
        )
    }),
    ("in EXCEPT with @", |w, p, e| {
        let (one, two) = (e(w, &p.with_name("@"), Int), w.int(p));
        match w.random.u8(..3) {
            0 => (format!("[f EXCEPT ![1] = {one}, ![2] = {two}]"), Sort::Function),
            1 => (
                format!("[f EXCEPT ![({two} % 2) + 1] = (@ + {one}) % 3]"),
                Sort::Function,
            ),
            _ => (
                format!("[[a |-> f, b |-> {two}] EXCEPT !.a[2] = {one}].a"),
                Sort::Function,
            ),
        }
    }),
    ("in a fold", |w, p, e| {
        let (one, two) = (w.fresh("e"), w.fresh("t"));
        let body = e(w, &p.with_name(&one).with_name(&two), Int);
        (
            format!(
                "(FoldSet(LAMBDA {one}, {two} : {body}, {}, {}) % 3)",
                w.int(p),
                w.set(p)
            ),
            Int,
        )
    }),
];

fn looped(w: &mut Writer, p: &Place, e: Inner<'_>, set: &str) -> (String, Sort) {
    let name = w.fresh("i");
    let body = e(w, &p.with_name(&name), Bool);
    let other = w.bool(&p.with_name(&name));
    match w.random.u8(..3) {
        0 => (format!("(\\A {name} \\in {set} : {body} \\/ {other})"), Bool),
        1 => (format!("(\\E {name} \\in {set} : {other} /\\ {body})"), Bool),
        _ => (format!("(\\E {name} \\in {set} : {body})"), Bool),
    }
}

/// A spec, but for its definitions.
#[derive(Default)]
pub(super) struct Spec {
    /// Conjuncts of the initial condition.
    pub(super) init: String,
    /// The next-state relation.
    pub(super) next: String,
    /// Fairness.
    pub(super) fairness: String,
    /// Further definitions, and lines of the configuration.
    pub(super) definitions: String,
    pub(super) config: String,
}

const INIT: &str = "x = 0 /\\ y \\in 0..1 /\\ s = {1} /\\ f = [i \\in 1..2 |-> i]";

/// Writes a spec with an expression in it.
type Top = fn(&mut Writer, Inner<'_>) -> Spec;

pub(super) const TOPS: [(&str, Top); 19] = [
    ("guard", |w, e| {
        acting(format!("{} /\\ Step", e(w, &state(), Bool)))
    }),
    ("guard of a branch", |w, e| {
        acting(format!(
            "(({} /\\ x' = 1) \\/ x' = (x + y) % 3) /\\ Others",
            e(w, &state(), Bool)
        ))
    }),
    ("guard behind the next values", |w, e| {
        acting(format!("Step /\\ {}", e(w, &step(), Bool)))
    }),
    ("guard at the front of a loop", |w, e| {
        let front = e(w, &state(), Bool);
        let more = w.bool(&state().with_name("i"));
        acting(format!(
            "\\E i \\in s : \\E j \\in 0..i : {front} /\\ {more} /\\ x' = (i + j) % 3 /\\ Others"
        ))
    }),
    ("guard in a loop over a constant set", |w, e| {
        acting(format!(
            "\\E i \\in 0..2 : {} /\\ x' = i /\\ Others",
            e(w, &state().with_name("i"), Bool)
        ))
    }),
    ("guard in a loop over a set of the state", |w, e| {
        acting(format!(
            "\\E i \\in s \\cup {{y}} : {} /\\ x' = i /\\ Others",
            e(w, &state().with_name("i"), Bool)
        ))
    }),
    ("guard in an action with parameters", |w, e| {
        let body = e(w, &step().with_alias("v").with_name("k"), Bool);
        let name = w.define("(v, k)", &format!("v' \\in {{k, 1}} /\\ Others /\\ {body}"));
        acting(format!("\\E i \\in s \\cup {{2}} : {name}(x, i)"))
    }),
    ("assignment", |w, e| {
        acting(format!("Others /\\ x' = ({}) % 3", e(w, &state(), Int)))
    }),
    ("assignment in a loop", |w, e| {
        acting(format!(
            "\\E i \\in s : x' = ({}) % 3 /\\ Others",
            e(w, &state().with_name("i"), Int)
        ))
    }),
    ("assignment of one of a set", |w, e| {
        acting(format!(
            "Others /\\ x' \\in {{k % 3 : k \\in {}}}",
            e(w, &state(), Sort::Set)
        ))
    }),
    ("assignment of a part with @", |w, e| {
        let value = e(w, &state().with_name("@"), Int);
        let set = w.pick(&["s' = s", "s' = {x}"]);
        acting(format!(
            "x' = (x + 1) % 3 /\\ y' \\in 0..1 /\\ {set} /\\ f' = [f EXCEPT ![(x % 2) + 1] = ({value}) % 3]"
        ))
    }),
    ("initial condition", |w, e| Spec {
        init: format!(
            "x \\in 0..2 /\\ y \\in 0..2 /\\ s \\in SUBSET {{1, 2}} /\\ f = [i \\in 1..2 |-> i] /\\ {}",
            e(w, &state(), Bool)
        ),
        ..acting("Step".into())
    }),
    ("invariant", |w, e| {
        holds(format!("Inv == {}\n", e(w, &state(), Bool)), "INVARIANT Inv\n")
    }),
    ("property of steps", |w, e| {
        holds(
            format!("Inv == [][{}]_{}\n", e(w, &step(), Bool), w.pick(&["vars", "x"])),
            "PROPERTY Inv\n",
        )
    }),
    ("constraint", |w, e| match w.random.bool() {
        true => holds(format!("Con == {}\n", e(w, &state(), Bool)), "CONSTRAINT Con\n"),
        false => holds(
            format!("Con == {}\n", e(w, &step(), Bool)),
            "ACTION_CONSTRAINT Con\n",
        ),
    }),
    ("fairness condition", |w, e| {
        let condition = e(w, &state(), Bool);
        let behind = w.bool(&step());
        let fair = w.pick(&["WF", "SF"]);
        Spec {
            fairness: format!("/\\ {fair}_vars({condition} /\\ Step /\\ {behind})"),
            ..holds("Live == []<>(x # 1) /\\ <>(y = 1)\n".into(), "PROPERTY Live\n")
        }
    }),
    ("temporal property", |w, e| {
        let live = match w.random.u8(..4) {
            0 => format!("[]<>({})", e(w, &state(), Bool)),
            1 => format!("(x = 0) ~> ({})", e(w, &state(), Bool)),
            2 => format!("[]<><<{}>>_vars", e(w, &step(), Bool)),
            _ => format!("<>[][{}]_vars", e(w, &step(), Bool)),
        };
        Spec {
            fairness: "/\\ WF_vars(Step)".into(),
            ..holds(format!("Live == {live}\n"), "PROPERTY Live\n")
        }
    }),
    ("VIEW", |w, e| {
        holds(
            format!("Seen == <<{}, x, y>>\n", e(w, &state(), Int)),
            "VIEW Seen\n",
        )
    }),
    ("SYMMETRY", |w, e| {
        let guard = e(w, &state(), Bool);
        let mut spec = acting(format!("\\E p \\in P : (p = o \\/ {guard}) /\\ o' = p /\\ Step"));
        spec.init = format!("{INIT} /\\ o \\in P");
        spec.definitions = "Sym == Permutations(P)\n".into();
        spec.config = "CONSTANT P = {p1, p2}\nSYMMETRY Sym\n".into();
        spec
    }),
];

fn state() -> Place {
    Place::default()
}

fn step() -> Place {
    Place::default().in_step(true)
}

fn acting(next: String) -> Spec {
    Spec {
        init: INIT.into(),
        next,
        ..Spec::default()
    }
}

fn holds(definitions: String, config: &str) -> Spec {
    Spec {
        definitions,
        config: config.into(),
        ..acting("Step".into())
    }
}

impl Spec {
    /// The module and its configuration.
    pub(super) fn texts(self, definitions: &[String]) -> (String, String) {
        let has_symmetry = self.config.contains("SYMMETRY");
        let (constant, variable) = if has_symmetry {
            ("CONSTANT P\n", ", o")
        } else {
            ("", "")
        };
        let text = format!(
            "---- MODULE Pairs ----\nEXTENDS Integers, Sequences, FiniteSets, FiniteSetsExt, TLC\n{constant}VARIABLES x, y, s, f{variable}\n\
             vars == <<x, y, s, f{variable}>>\n\
             Others == y' \\in {{y, 1}} /\\ s' = (IF x = y THEN s \\cup {{x}} ELSE s \\ {{y}}) /\\ f' = [f EXCEPT ![1] = x]\n\
             Step == x' \\in {{(x + 1) % 3, y}} /\\ Others\n\
             {}\nInit == {}\nNext == {}\nSpec == Init /\\ [][Next]_vars {}\n{}====\n",
            definitions.join("\n"),
            self.init,
            self.next,
            self.fairness,
            self.definitions
        );
        (text, format!("SPECIFICATION Spec\n{}", self.config))
    }
}
