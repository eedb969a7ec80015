//! A random expression for each kind of node of the intermediate representation.

use omnilink_tla::ir::Kind;

use super::writer::Sort::{self, Bool, Function, Int, Set};
use super::writer::{Place, Writer};

/// Writes an expression, and says of which type it is.
type Write = fn(&mut Writer, &Place) -> (String, Sort);

pub(super) const CONSTRUCTS: [(&str, Write); 62] = [
    ("Const", |w, _| (w.pick(&["0", "1", "2"]).into(), Int)),
    ("Infinite", |w, p| {
        (
            format!("({} \\in {})", w.int(p), w.pick(&["Nat", "Int", "(Nat \\ {1})"])),
            Bool,
        )
    }),
    ("Var", |w, _| (w.pick(&["x", "y"]).into(), Int)),
    ("Next", |w, p| {
        (
            w.about_step(p, |w, p| format!("({} >= {})", w.pick(&["x'", "y'"]), w.int(p))),
            Bool,
        )
    }),
    ("Local", |w, p| {
        let name = w.fresh("l");
        let body = w.bool(&p.with_name(&name));
        (
            format!(
                "(\\E {name} \\in s \\cup {{0}} : {name} <= {} /\\ {body})",
                w.int(p)
            ),
            Bool,
        )
    }),
    ("Prime", |w, p| {
        let body = w.about_step(&p.in_definition().with_alias("v"), |w, p| {
            format!("(v' = {})", w.int(p))
        });
        let name = w.define("(v)", &body);
        (
            format!(
                "{name}({})",
                w.pick(&["x", "f[1]", "x + y", "(IF y = 0 THEN x ELSE f[2])"])
            ),
            Bool,
        )
    }),
    ("Once", |w, _| {
        (
            w.define("", "Cardinality({c \\in SUBSET (0..2) : Cardinality(c) > 1}) % 3"),
            Int,
        )
    }),
    ("PerState", |w, p| {
        let heavy = w.define(
            "",
            "Cardinality({c \\in SUBSET (0..2) : x \\in c /\\ f[1] \\notin c}) % 3",
        );
        (
            format!("(\\E p \\in 0..2 : p = {heavy} /\\ p >= {})", w.int(p)),
            Bool,
        )
    }),
    ("Memo", |w, p| {
        let heavy = w.define(
            "(k)",
            "Cardinality({c \\in SUBSET (0..2) : k \\in c /\\ f[2] \\notin c /\\ y # k})",
        );
        (format!("{heavy}({})", w.int(p)), Int)
    }),
    ("And", |w, p| (format!("({} /\\ {})", w.bool(p), w.bool(p)), Bool)),
    ("Or", |w, p| (format!("({} \\/ {})", w.bool(p), w.bool(p)), Bool)),
    ("Not", |w, p| (format!("~{}", w.bool(p)), Bool)),
    ("Implies", |w, p| {
        (format!("({} => {})", w.bool(p), w.bool(p)), Bool)
    }),
    ("Equiv", |w, p| {
        (format!("({} <=> {})", w.bool(p), w.bool(p)), Bool)
    }),
    ("Equal", |w, p| match w.random.u8(..3) {
        0 => (format!("({} = {})", w.set(p), w.set(p)), Bool),
        1 => (format!("({} = {})", w.bool(p), w.bool(p)), Bool),
        _ => (format!("({} = {})", w.int(p), w.int(p)), Bool),
    }),
    ("NotEqual", |w, p| {
        (format!("({} # {})", w.int(p), w.int(p)), Bool)
    }),
    ("In", |w, p| match w.random.u8(..2) {
        0 => (
            format!("({} \\in {{{}}})", w.bool(p), w.pick(&["TRUE", "FALSE"])),
            Bool,
        ),
        _ => (format!("({} \\in {})", w.int(p), w.set(p)), Bool),
    }),
    ("NotIn", |w, p| {
        (format!("({} \\notin {})", w.int(p), w.set(p)), Bool)
    }),
    ("SubsetEq", |w, p| {
        (format!("({} \\subseteq {})", w.set(p), w.set(p)), Bool)
    }),
    ("Arithmetic", |w, p| {
        (
            format!("(({} {} {}) % 3)", w.int(p), w.pick(&["+", "-", "*"]), w.int(p)),
            Int,
        )
    }),
    ("Comparison", |w, p| {
        (
            format!("({} {} {})", w.int(p), w.pick(&["<", "<=", ">"]), w.int(p)),
            Bool,
        )
    }),
    ("Negative", |w, p| (format!("((-({})) % 3)", w.int(p)), Int)),
    ("Interval", |w, p| (format!("({}..{})", w.int(p), w.int(p)), Set)),
    ("If", |w, p| {
        (
            format!("(IF {} THEN {} ELSE {})", w.bool(p), w.int(p), w.int(p)),
            Int,
        )
    }),
    ("If of formulas", |w, p| {
        (
            format!("(IF {} THEN {} ELSE {})", w.bool(p), w.bool(p), w.bool(p)),
            Bool,
        )
    }),
    ("Case", |w, p| {
        (
            format!(
                "(CASE {} -> {} [] {} -> {} [] OTHER -> {})",
                w.bool(p),
                w.int(p),
                w.bool(p),
                w.int(p),
                w.int(p)
            ),
            Int,
        )
    }),
    ("Tuple", |w, p| {
        (
            format!(
                "(<<{}, {}>> = <<{}, {}>>)",
                w.int(p),
                w.int(p),
                w.int(p),
                w.int(p)
            ),
            Bool,
        )
    }),
    ("SetEnum", |w, p| (format!("{{{}, {}}}", w.int(p), w.int(p)), Set)),
    ("Record", |w, p| {
        (
            format!("[a |-> {}, b |-> {}].{}", w.int(p), w.int(p), w.pick(&["a", "b"])),
            Int,
        )
    }),
    ("RecordSet", |w, p| match w.random.bool() {
        true => (format!("([a |-> {}] \\in [a : {}])", w.int(p), w.set(p)), Bool),
        false => (
            format!("{{r.a : r \\in [a : {}, b : {{{}}}]}}", w.set(p), w.int(p)),
            Set,
        ),
    }),
    ("Filter", |w, p| {
        let name = w.fresh("c");
        (
            format!("{{{name} \\in {} : {}}}", w.set(p), w.bool(&p.with_name(&name))),
            Set,
        )
    }),
    ("Map", |w, p| {
        let name = w.fresh("c");
        (
            format!("{{{} : {name} \\in {}}}", w.int(&p.with_name(&name)), w.set(p)),
            Set,
        )
    }),
    ("Function", |w, p| {
        let name = w.fresh("c");
        (
            format!("[{name} \\in 1..2 |-> {}]", w.int(&p.with_name(&name))),
            Function,
        )
    }),
    ("Recursive", |w, p| {
        let (base, name) = (w.int(p), w.fresh("c"));
        let step = w.int(&p.with_name(&name));
        (
            format!(
                "(LET h[{name} \\in 0..3] == IF {name} = 0 THEN {base} ELSE (h[{name} - 1] + {step}) % 3 IN h[{}])",
                w.pick(&["2", "3"])
            ),
            Int,
        )
    }),
    ("FunctionSet", |w, p| match w.random.bool() {
        true => (format!("({} \\in [1..2 -> {}])", w.function(p), w.set(p)), Bool),
        false => (format!("{{h[1] + h[2] : h \\in [1..2 -> {}]}}", w.set(p)), Set),
    }),
    ("Product", |w, p| {
        (
            format!(
                "(<<{}, {}>> \\in {} \\X {})",
                w.int(p),
                w.int(p),
                w.set(p),
                w.set(p)
            ),
            Bool,
        )
    }),
    ("Powerset", |w, p| match w.random.bool() {
        true => (format!("({} \\in SUBSET {})", w.set(p), w.set(p)), Bool),
        false => (format!("{{Cardinality(c) : c \\in SUBSET {}}}", w.set(p)), Set),
    }),
    ("BigUnion", |w, p| {
        (format!("UNION {{{}, {}}}", w.set(p), w.set(p)), Set)
    }),
    ("Domain", |w, p| (format!("DOMAIN {}", w.function(p)), Set)),
    ("Union", |w, p| {
        (format!("({} \\cup {})", w.set(p), w.set(p)), Set)
    }),
    ("Intersection", |w, p| {
        (format!("({} \\cap {})", w.set(p), w.set(p)), Set)
    }),
    ("Difference", |w, p| {
        (format!("({} \\ {})", w.set(p), w.set(p)), Set)
    }),
    ("Path", |w, p| {
        (format!("({})[({} % 2) + 1]", w.function(p), w.int(p)), Int)
    }),
    ("Except", |w, p| match w.random.u8(..3) {
        0 => (
            format!(
                "[{} EXCEPT ![1] = {}, ![2] = (@ + {}) % 3]",
                w.function(p),
                w.int(p),
                w.int(p)
            ),
            Function,
        ),
        1 => (
            format!(
                "[[a |-> f, b |-> x] EXCEPT !.a[{}] = @ + {}].a",
                w.pick(&["1", "2"]),
                w.int(p)
            ),
            Function,
        ),
        _ => (
            format!(
                "[{} EXCEPT ![({} % 2) + 1] = {}]",
                w.function(p),
                w.int(p),
                w.int(p)
            ),
            Function,
        ),
    }),
    ("Choose", |w, p| {
        let name = w.fresh("c");
        (
            format!(
                "(CHOOSE {name} \\in {} \\cup {{2}} : {name} = 2 \\/ {})",
                w.set(p),
                w.bool(&p.with_name(&name))
            ),
            Int,
        )
    }),
    ("ForAll", |w, p| {
        let name = w.fresh("c");
        (
            format!("(\\A {name} \\in {} : {})", w.set(p), w.bool(&p.with_name(&name))),
            Bool,
        )
    }),
    ("Exists", |w, p| {
        let (one, two) = (w.fresh("c"), w.fresh("c"));
        let set = w.set(p);
        let front = w.bool(p);
        let body = w.bool(&p.with_name(&one).with_name(&two));
        (
            format!("(\\E {one}, {two} \\in {set} : {front} /\\ {body})"),
            Bool,
        )
    }),
    ("Let", |w, p| {
        let name = w.fresh("d");
        let value = w.int(&p.in_step(false));
        (
            format!("(LET {name} == {value} IN {})", w.bool(&p.with_alias(&name))),
            Bool,
        )
    }),
    ("Let about the step", |w, p| {
        let name = w.fresh("d");
        let value = w.int(p);
        (
            format!("(LET {name} == {value} IN {})", w.bool(&p.with_name(&name))),
            Bool,
        )
    }),
    ("Call", |w, p| {
        let body = w.int(&p.in_definition().with_name("v").with_name("k"));
        let name = w.define("(v, k)", &body);
        (format!("{name}({}, {})", w.int(p), w.int(p)), Int)
    }),
    ("CallSlot", |w, p| {
        let body = format!("{} /\\ O(v)", w.bool(&p.in_definition().with_name("v")));
        let name = w.define("(O(_), v)", &body);
        let operand = w.fresh("a");
        let lambda = w.bool(&p.with_name(&operand));
        (format!("{name}(LAMBDA {operand} : {lambda}, {})", w.int(p)), Bool)
    }),
    ("Native", |w, p| match w.random.u8(..6) {
        0 => (format!("Cardinality({})", w.set(p)), Int),
        1 => (
            format!("Head(Append(<<{}>>, {}) \\o <<1>>)", w.int(p), w.int(p)),
            Int,
        ),
        2 => (
            format!(
                "Len(SelectSeq(<<x, y, {}>>, LAMBDA e : e >= {}))",
                w.int(p),
                w.int(p)
            ),
            Int,
        ),
        3 => (
            format!(
                "FoldSet(LAMBDA e, t : (e + 2 * t) % 3, {}, {})",
                w.int(p),
                w.set(p)
            ),
            Int,
        ),
        4 => (format!("(TLCGet(\"level\") > {})", w.int(p)), Bool),
        _ => (format!("(ToString({}) = \"1\")", w.int(p)), Bool),
    }),
    ("Unchanged", |w, p| {
        (
            w.about_step(p, |w, p| {
                format!(
                    "({} \\/ {})",
                    w.pick(&["UNCHANGED x", "UNCHANGED <<x, y>>"]),
                    w.bool(p)
                )
            }),
            Bool,
        )
    }),
    ("UnchangedExpr", |w, p| {
        (
            w.about_step(p, |w, p| {
                format!(
                    "(UNCHANGED {} \\/ {})",
                    w.pick(&["f[1]", "(x + y)", "<<f[2], x>>"]),
                    w.bool(p)
                )
            }),
            Bool,
        )
    }),
    ("Unchanged alias", |w, p| {
        let body = w.about_step(&p.in_definition().with_alias("v"), |w, p| {
            format!("({} \\/ UNCHANGED v)", w.bool(p))
        });
        let name = w.define("(v)", &body);
        (format!("{name}({})", w.pick(&["x", "f[1]", "<<x, y>>[1]"])), Bool)
    }),
    ("Stuttering", |w, p| {
        (
            w.about_step(p, |w, p| {
                format!("([{}]_{})", w.bool(p), w.pick(&["x", "<<x, y>>"]))
            }),
            Bool,
        )
    }),
    ("Changing", |w, p| {
        (
            w.about_step(p, |w, p| {
                format!("(<<{}>>_{})", w.bool(p), w.pick(&["x", "<<x, y>>"]))
            }),
            Bool,
        )
    }),
    ("Enabled", |w, p| (w.enabled(p, |w, p| w.bool(p)), Bool)),
    ("Enabled of an operator", |w, p| {
        let inner = p.in_definition().in_step(true).with_alias("v").with_name("k");
        let body = format!(
            "v < 2 /\\ v' = {} /\\ {}",
            w.leaf(&inner.in_step(false), Int),
            w.bool(&inner.in_step(false))
        );
        let name = w.define("(v, k)", &body);
        let (variable, number) = (w.pick(&["x", "y"]), w.leaf(&p.in_step(false), Int));
        (
            format!("{}(ENABLED {name}({variable}, {number}))", w.pick(&["", "~"])),
            Bool,
        )
    }),
    ("Compose", |w, p| {
        let inner = p.in_step(false);
        (
            format!(
                "(ENABLED ((x' = {} /\\ UNCHANGED <<y, s, f>>) \\cdot (x < 2 /\\ x' = x + 1 /\\ UNCHANGED <<y, s, f>>)))",
                w.int(&inner)
            ),
            Bool,
        )
    }),
    ("Action", |w, p| {
        (
            format!("({} \\/ {})", w.define("", "x + y > f[1]"), w.bool(p)),
            Bool,
        )
    }),
    ("Fail", |w, p| {
        (
            format!(
                "(IF x = y \\/ {} THEN {} ELSE CHOOSE c : c > 1)",
                w.bool(p),
                w.int(p)
            ),
            Int,
        )
    }),
];

/// The name of a kind. A new kind does not compile without a name, and the test does not pass without a construct of that name.
pub(super) fn name_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Const(_) => "Const",
        Kind::Infinite(_) => "Infinite",
        Kind::Var(_) => "Var",
        Kind::Next(_) => "Next",
        Kind::Local(_) => "Local",
        Kind::Prime(_) => "Prime",
        Kind::Once(..) => "Once",
        Kind::PerState(..) => "PerState",
        Kind::Memo(..) => "Memo",
        Kind::And(_) => "And",
        Kind::Or(_) => "Or",
        Kind::Not(_) => "Not",
        Kind::Implies(_) => "Implies",
        Kind::Equiv(_) => "Equiv",
        Kind::Equal(_) => "Equal",
        Kind::NotEqual(_) => "NotEqual",
        Kind::In(_) => "In",
        Kind::NotIn(_) => "NotIn",
        Kind::SubsetEq(_) => "SubsetEq",
        Kind::Arithmetic(..) => "Arithmetic",
        Kind::Comparison(..) => "Comparison",
        Kind::Negative(_) => "Negative",
        Kind::Interval(_) => "Interval",
        Kind::If(_) => "If",
        Kind::Case(..) => "Case",
        Kind::Tuple(_) => "Tuple",
        Kind::SetEnum(_) => "SetEnum",
        Kind::Record(..) => "Record",
        Kind::RecordSet(_) => "RecordSet",
        Kind::Filter(_) => "Filter",
        Kind::Map(_) => "Map",
        Kind::Function(_) => "Function",
        Kind::Recursive(_) => "Recursive",
        Kind::FunctionSet(_) => "FunctionSet",
        Kind::Product(_) => "Product",
        Kind::Powerset(_) => "Powerset",
        Kind::BigUnion(_) => "BigUnion",
        Kind::Domain(_) => "Domain",
        Kind::Union(_) => "Union",
        Kind::Intersection(_) => "Intersection",
        Kind::Difference(_) => "Difference",
        Kind::Path(..) => "Path",
        Kind::Except(..) => "Except",
        Kind::Choose(_) => "Choose",
        Kind::ForAll(_) => "ForAll",
        Kind::Exists(_) => "Exists",
        Kind::Let(..) => "Let",
        Kind::Call(_) => "Call",
        Kind::CallSlot(..) => "CallSlot",
        Kind::Native(..) => "Native",
        Kind::Unchanged(_) => "Unchanged",
        Kind::UnchangedExpr(_) => "UnchangedExpr",
        Kind::Stuttering(_) => "Stuttering",
        Kind::Changing(_) => "Changing",
        Kind::Enabled(_) => "Enabled",
        Kind::Compose(_) => "Compose",
        Kind::Action(..) => "Action",
        Kind::Fail(..) => "Fail",
    }
}
