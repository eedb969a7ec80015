//! Random specs with every construct that compiled code knows.

use fastrand::Rng;

use crate::random_calls::DEFINITIONS;
use crate::random_temporal::OPEN_ACTIONS;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Type {
    Bool,
    Int,
    Text,
    /// A set of small integers.
    Ints,
    /// A function over 1..3.
    Function,
    /// `[x |-> integer, y |-> set]`.
    Record,
    /// A function from "a" and "b" to records.
    Records,
    /// A short sequence of integers.
    Sequence,
    /// A set of messages, records with a type and, most of them, a number.
    Messages,
}

const VARIABLES: [(&str, Type, &str); 8] = [
    ("n", Type::Int, "\\in 0..3"),
    ("b", Type::Bool, "\\in BOOLEAN"),
    ("t", Type::Text, "\\in {\"a\", \"b\"}"),
    ("s", Type::Ints, "\\in SUBSET {1, 3}"),
    ("f", Type::Function, "= [i \\in 1..3 |-> i]"),
    (
        "g",
        Type::Records,
        "= [k \\in {\"a\", \"b\"} |-> [x |-> 0, y |-> {}]]",
    ),
    ("q", Type::Sequence, "= <<>>"),
    ("m", Type::Messages, "= {}"),
];

/// Writes random expressions. Names in scope are pairs of a name and its type.
pub(crate) struct Writer {
    pub(crate) random: Rng,
    pub(crate) scope: Vec<(String, Type)>,
    pub(crate) fresh: usize,
    /// Whether some expressions have the wrong type, or have no value.
    pub(crate) has_errors: bool,
}

impl Writer {
    pub(crate) fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.usize(..choices.len())]
    }

    pub(crate) fn name(&mut self) -> String {
        self.fresh += 1;
        format!("x{}", self.fresh)
    }

    /// Writes with a name in scope.
    pub(crate) fn with(&mut self, kind: Type, write: impl FnOnce(&mut Self, &str) -> String) -> String {
        let name = self.name();
        self.scope.push((name.clone(), kind));
        let written = write(self, &name);
        self.scope.pop();
        written
    }

    /// A name of this type.
    fn leaf(&mut self, kind: Type) -> String {
        let names: Vec<String> = self
            .scope
            .iter()
            .filter(|(_, known)| *known == kind)
            .map(|(name, _)| name.clone())
            .collect();
        if !names.is_empty() && self.random.bool() {
            return names[self.random.usize(..names.len())].clone();
        }
        let number = self.random.u8(..4);
        match kind {
            Type::Bool => self.pick(&["TRUE", "FALSE", "b"]).into(),
            Type::Int => match self.random.u8(..3) {
                0 => "n".into(),
                _ => number.to_string(),
            },
            Type::Text => self.pick(&["\"a\"", "\"b\"", "t"]).into(),
            Type::Ints => match self.random.u8(..4) {
                0 => format!("0..{number}"),
                1 => format!("{{{number}, n}}"),
                _ => "s".into(),
            },
            Type::Function => self.pick(&["f", "<<0, 1, 2>>", "[i \\in 1..3 |-> n]"]).into(),
            Type::Record => self.pick(&["g[t]", "g[\"a\"]", "[x |-> n, y |-> s]"]).into(),
            Type::Records => "g".into(),
            Type::Sequence => self.pick(&["q", "<<>>", "<<n>>", "<<1, 2>>"]).into(),
            // A number and a text in one field cannot be compared.
            Type::Messages if self.has_errors && self.random.u8(..6) == 0 => {
                "{[type |-> t, v |-> \"x\"]}".into()
            }
            Type::Messages => self
                .pick(&["m", "{}", "{[type |-> t, v |-> n]}", "{[type |-> \"end\"]}"])
                .into(),
        }
    }

    pub(crate) fn write(&mut self, kind: Type, depth: usize) -> String {
        // Sometimes another type than the expected one.
        let kind = match self.random.u8(..60) {
            0 if self.has_errors => VARIABLES[self.random.usize(..VARIABLES.len())].1,
            _ => kind,
        };
        if depth == 0 || self.random.u8(..5) == 0 {
            return self.leaf(kind);
        }
        let d = depth - 1;
        match self.random.u8(..12) {
            0 => {
                let (condition, yes, no) = (
                    self.write(Type::Bool, d),
                    self.write(kind, d),
                    self.write(kind, d),
                );
                return format!("(IF {condition} THEN {yes} ELSE {no})");
            }
            1 => {
                let inner = [Type::Int, Type::Ints, Type::Record, Type::Function][self.random.usize(..4)];
                let value = self.write(inner, d);
                return self.with(inner, |this, name| {
                    format!("(LET {name} == {value} IN {})", this.write(kind, d))
                });
            }
            2 => {
                let (condition, yes, no) = (
                    self.write(Type::Bool, d),
                    self.write(kind, d),
                    self.write(kind, d),
                );
                return format!("(CASE {condition} -> {yes} [] OTHER -> {no})");
            }
            3 if kind == Type::Int => {
                let (left, right) = (self.write(Type::Int, d), self.write(Type::Ints, d));
                return format!("Twice({left}, {right})");
            }
            _ => {}
        }
        match kind {
            Type::Bool => self.formula(d),
            Type::Int => match self.random.u8(..14) {
                11..14 => self.int_call(d),
                0 => format!(
                    "(({} + {}) % 4)",
                    self.write(Type::Int, d),
                    self.write(Type::Int, d)
                ),
                1 if self.has_errors => format!("f[{}]", self.write(Type::Int, d)),
                2 => format!("f[({} % 3) + 1]", self.write(Type::Int, d)),
                3 => format!("Cardinality({})", self.write(Type::Ints, d)),
                4 => format!("Len({})", self.write(Type::Sequence, d)),
                5 => format!("({}).x", self.write(Type::Record, d)),
                6 => {
                    let set = self.write(Type::Ints, d);
                    self.with(Type::Int, |this, name| {
                        format!(
                            "(CHOOSE {name} \\in {set} \\cup {{0}} : {name} = 0 \\/ {})",
                            this.write(Type::Bool, d)
                        )
                    })
                }
                7 => format!(
                    "Head({} \\o <<{}>>)",
                    self.write(Type::Sequence, d),
                    self.write(Type::Int, d)
                ),
                8 => format!("Cardinality({})", self.write(Type::Messages, d)),
                9 => format!(
                    "SumOver({}, {})",
                    self.write(Type::Function, d),
                    self.pick(&["1..3", "{1}", "{2, 3}"])
                ),
                _ => format!(
                    "(({} - {}) % 4)",
                    self.write(Type::Int, d),
                    self.write(Type::Int, d)
                ),
            },
            Type::Text => self.leaf(Type::Text),
            Type::Ints => match self.random.u8(..8) {
                0 => format!(
                    "({} \\cup {})",
                    self.write(Type::Ints, d),
                    self.write(Type::Ints, d)
                ),
                1 => format!(
                    "({} \\cap {})",
                    self.write(Type::Ints, d),
                    self.write(Type::Ints, d)
                ),
                2 => format!("({} \\ {})", self.write(Type::Ints, d), self.write(Type::Ints, d)),
                3 => {
                    let set = self.write(Type::Ints, d);
                    self.with(Type::Int, |this, name| {
                        format!("{{{name} \\in {set} : {}}}", this.write(Type::Bool, d))
                    })
                }
                4 => {
                    let set = self.write(Type::Ints, d);
                    self.with(Type::Int, |this, name| {
                        format!("{{{} : {name} \\in {set}}}", this.write(Type::Int, d))
                    })
                }
                5 => format!(
                    "({} \\cup {{{}}})",
                    self.write(Type::Ints, d),
                    self.write(Type::Int, d)
                ),
                6 => format!("{{f[i] : i \\in DOMAIN {}}}", self.write(Type::Function, d)),
                _ => format!("({}).y", self.write(Type::Record, d)),
            },
            Type::Function => match self.random.u8(..4) {
                0 => self.with(Type::Int, |this, name| {
                    format!("[{name} \\in 1..3 |-> {}]", this.write(Type::Int, d))
                }),
                1 => {
                    let (function, key, value) = (
                        self.write(Type::Function, d),
                        self.write(Type::Int, d),
                        self.write(Type::Int, d),
                    );
                    format!("[{function} EXCEPT ![({key} % 3) + 1] = {value}]")
                }
                2 => {
                    let function = self.write(Type::Function, d);
                    format!("[{function} EXCEPT ![1] = @ % 3, ![2] = (@ + 1) % 4]")
                }
                _ => self.leaf(Type::Function),
            },
            Type::Record => match self.random.u8(..3) {
                0 => format!(
                    "[x |-> {}, y |-> {}]",
                    self.write(Type::Int, d),
                    self.write(Type::Ints, d)
                ),
                1 => format!(
                    "[{} EXCEPT !.x = {}]",
                    self.write(Type::Record, d),
                    self.write(Type::Int, d)
                ),
                _ => format!("g[{}]", self.write(Type::Text, d)),
            },
            Type::Records => match self.random.u8(..4) {
                0 => format!(
                    "[g EXCEPT ![{}].x = {}]",
                    self.write(Type::Text, d),
                    self.write(Type::Int, d)
                ),
                1 => format!(
                    "[g EXCEPT ![{}] = {}]",
                    self.write(Type::Text, d),
                    self.write(Type::Record, d)
                ),
                2 => format!(
                    "[g EXCEPT ![{}] = [@ EXCEPT !.y = {}]]",
                    self.write(Type::Text, d),
                    self.write(Type::Ints, d)
                ),
                _ => {
                    let name = self.name();
                    format!(
                        "[{name} \\in {{\"a\", \"b\"}} |-> {}]",
                        self.write(Type::Record, d)
                    )
                }
            },
            Type::Sequence => match self.random.u8(..5) {
                3 => "SelectSeq(q, LAMBDA x : x # n)".into(),
                0 => format!("Append(q, {})", self.write(Type::Int, d)),
                1 => "SubSeq(q, 1, 1 % (Len(q) + 1))".into(),
                2 => "(IF q = <<>> THEN q ELSE Tail(q))".into(),
                _ => self.leaf(Type::Sequence),
            },
            Type::Messages => match self.random.u8(..4) {
                0 => format!(
                    "(m \\cup {{[type |-> {}, v |-> {}]}})",
                    self.write(Type::Text, d),
                    self.write(Type::Int, d)
                ),
                1 => {
                    let set = self.write(Type::Messages, d);
                    let test = self.pick(&[
                        "%.type = \"a\"",
                        "%.type # t",
                        "%.type = \"a\" /\\ %.v = n",
                        "%.type # \"end\" /\\ %.v > 1",
                    ]);
                    let name = self.name();
                    let test = test.replace('%', &name);
                    format!("{{{name} \\in {set} : {test}}}")
                }
                2 => "(m \\cup {[type |-> \"end\"]})".into(),
                _ => format!("(m \\ {})", self.write(Type::Messages, d)),
            },
        }
    }

    fn formula(&mut self, d: usize) -> String {
        let symbol = self.pick(&["<", "<=", ">", ">=", "=", "#"]);
        match self.random.u8(..20) {
            16 | 17 => self.formula_call(d),
            18 => self.enabled(d),
            19 => format!(
                "(TLCGet(\"level\") {symbol} {} \\/ n > 1)",
                self.write(Type::Int, d)
            ),
            0 => format!(
                "({} {symbol} {})",
                self.write(Type::Int, d),
                self.write(Type::Int, d)
            ),
            1 => format!(
                "({} /\\ {})",
                self.write(Type::Bool, d),
                self.write(Type::Bool, d)
            ),
            2 => format!(
                "({} \\/ {})",
                self.write(Type::Bool, d),
                self.write(Type::Bool, d)
            ),
            3 => format!("~{}", self.write(Type::Bool, d)),
            4 => format!("({} => {})", self.write(Type::Bool, d), self.write(Type::Bool, d)),
            5 => format!(
                "({} \\in {})",
                self.write(Type::Int, d),
                self.write(Type::Ints, d)
            ),
            6 => {
                let (quantifier, set) = (self.pick(&["\\E", "\\A"]), self.write(Type::Ints, d));
                self.with(Type::Int, |this, name| {
                    format!("({quantifier} {name} \\in {set} : {})", this.write(Type::Bool, d))
                })
            }
            7 => {
                let quantifier = self.pick(&[
                    "\\E % \\in m : %.type = t /\\",
                    "\\A % \\in m : %.type = \"a\" =>",
                    "\\E % \\in m :",
                ]);
                let quantifier = quantifier.replace('%', &self.name());
                format!("({quantifier} {})", self.write(Type::Bool, d))
            }
            8 => {
                let kind = [
                    Type::Ints,
                    Type::Function,
                    Type::Record,
                    Type::Sequence,
                    Type::Text,
                ][self.random.usize(..5)];
                format!(
                    "({} {} {})",
                    self.write(kind, d),
                    self.pick(&["=", "#"]),
                    self.write(kind, d)
                )
            }
            13 => format!(
                "({} <=> {})",
                self.write(Type::Bool, d),
                self.write(Type::Bool, d)
            ),
            14 if self.has_errors => {
                format!("({} <=> {})", self.write(Type::Int, d), self.write(Type::Int, d))
            }
            11 | 12 => format!(
                "([type |-> {}, v |-> {}] \\in {})",
                self.write(Type::Text, d),
                self.write(Type::Int, d),
                self.write(Type::Messages, d)
            ),
            9 => format!(
                "({} \\subseteq {})",
                self.write(Type::Ints, d),
                self.write(Type::Ints, d)
            ),
            10 => {
                let set = self.pick(&[
                    "[1..3 -> 0..3]",
                    "[1..3 -> {0, 1}]",
                    "[1..2 -> Nat]",
                    "[1..2 -> n]",
                    "Seq(Nat)",
                    "(Seq(Nat) \\cup n)",
                    "[a : Nat, b : n]",
                ]);
                format!("({} \\in {set})", self.write(Type::Function, d))
            }
            _ => format!("(s \\in SUBSET {})", self.write(Type::Ints, d)),
        }
    }

    /// A conjunct for each variable, in random order, after a guard; some of it in branches.
    fn action(&mut self) -> String {
        let mut order: Vec<usize> = (0..VARIABLES.len()).collect();
        self.random.shuffle(&mut order);
        let changed = 1 + self.random.usize(..3);
        let mut text = "/\\ TRUE\n".to_owned();
        if self.random.bool() {
            text = format!("/\\ {}\n", self.write(Type::Bool, 2));
        }
        let mut open = 0;
        match self.random.u8(..4) {
            0 => {
                let set = self.write(Type::Ints, 1);
                let name = self.name();
                text += &format!("  /\\ \\E {name} \\in {set} :\n");
                self.scope.push((name, Type::Int));
                open = 1;
            }
            1 => {
                let guard = self.pick(&[
                    "  /\\ \\E % \\in m : %.type = \"a\" /\\ %.v >= n\n",
                    "  /\\ \\E % \\in m : (%.type = \"a\" \\/ %.type # \"b\") /\\ %.type # \"c\"\n",
                    "  /\\ \\E % \\in m : (\\E $ \\in {\"a\", \"b\"} : %.type <= $ \\/ %.type = $)\n",
                    "  /\\ \\E % \\in m : \\E $ \\in {\"a\", \"b\"} : %.type = $\n",
                ]);
                text += &guard.replace('%', &self.name()).replace('$', &self.name());
            }
            _ => {}
        }
        for (at, variable) in order.iter().enumerate() {
            let (name, kind, _) = VARIABLES[*variable];
            if at >= changed {
                text += &format!("    /\\ UNCHANGED {name}\n");
                continue;
            }
            text += &match self.random.u8(..6) {
                0 if kind == Type::Int => format!("    /\\ n' \\in {}\n", self.write(Type::Ints, 2)),
                1 => format!(
                    "    /\\ (({} /\\ {name}' = {}) \\/ {name}' = {})\n",
                    self.write(Type::Bool, 1),
                    self.write(kind, 2),
                    self.write(kind, 1)
                ),
                2 => format!(
                    "    /\\ IF {} THEN {name}' = {} ELSE UNCHANGED {name}\n",
                    self.write(Type::Bool, 2),
                    self.write(kind, 2)
                ),
                3 => format!("    /\\ Becomes({name}, {})\n", self.write(kind, 2)),
                _ => format!("    /\\ {name}' = {}\n", self.write(kind, 3)),
            };
        }
        self.scope.truncate(self.scope.len() - open);
        if self.random.u8(..4) == 0 {
            text += "    /\\ (n' # 2 \\/ n = 2)\n";
        }
        if self.random.u8(..8) == 0 {
            text += "    /\\ (n' = 3 => PrintT(\"three\"))\n";
        }
        text
    }

    pub(crate) fn spec(&mut self) -> String {
        let names: Vec<&str> = VARIABLES.iter().map(|(name, ..)| *name).collect();
        let init: Vec<String> = VARIABLES
            .iter()
            .map(|(name, _, value)| format!("{name} {value}"))
            .collect();
        let mut text = format!(
            "---- MODULE Random ----\nEXTENDS Integers, Sequences, FiniteSets, Functions, SequencesExt, FiniteSetsExt, TLC, Bags, BagsExt\nVARIABLES {}\n\
             Twice(x, set) == IF x \\in set THEN (x + x) % 4 ELSE x\n\
             {DEFINITIONS}{OPEN_ACTIONS}\
             Becomes(x, value) == x' = value\n\
             Init == {}\n",
            names.join(", "),
            init.join(" /\\ ")
        );
        let count = 3 + self.random.usize(..3);
        for action in 0..count {
            text += &format!("A{action} ==\n  {}", self.action());
        }
        let actions: Vec<String> = (0..count).map(|action| format!("A{action}")).collect();
        text += &format!("Next == {}\n", actions.join(" \\/ "));
        text += "Small == Len(q) < 3 /\\ Cardinality(m) < 3\n";
        text += &format!("Formula == {} \\/ TRUE\n", self.write(Type::Bool, 4));
        text += &format!("Allowed == n' # 3 \\/ {}\n", self.write(Type::Bool, 2));
        text += &format!(
            "Moves == [][b' = b \\/ s' # {} \\/ TRUE]_<<n, f>>\n",
            self.write(Type::Ints, 2)
        );
        text += &self.view();
        text += &self.temporal();
        text + "====\n"
    }
}
