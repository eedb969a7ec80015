//! Expressions, and how they are written in TLA+.

use super::helper::Helper;

#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Int(i64),
    Bool(bool),
    Text(&'static str),
    /// A parameter, a bound name, or the name of a LET.
    Name(String),
    /// A variable, by its number.
    Var(usize),
    /// A variable in the next state.
    Next(usize),
    /// `@`
    Held,
    Infix(Infix, Box<[Term; 2]>),
    Not(Box<Term>),
    Set(Vec<Term>),
    Tuple(Vec<Term>),
    Record(Vec<(&'static str, Term)>),
    Field(Box<Term>, &'static str),
    At(Box<[Term; 2]>),
    /// A construct that binds a name to the elements of a set: the set and the body.
    Bind(Binder, String, Box<[Term; 2]>),
    Except(Box<Term>, Vec<(Vec<Step>, Term)>),
    If(Box<[Term; 3]>),
    /// The last one is OTHER.
    Case(Vec<(Term, Term)>, Box<Term>),
    Let(String, Box<[Term; 2]>),
    Call(Helper, Vec<Argument>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Plain(Term),
    Lambda(String, Term),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Key(Term),
    Field(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infix {
    Plus,
    Minus,
    Mod,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    And,
    Or,
    Implies,
    Iff,
    In,
    NotIn,
    SubsetEq,
    Union,
    Intersect,
    Without,
    UpTo,
    /// `:>`
    Maps,
    /// `@@`
    Merge,
    Concat,
}

impl Infix {
    fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Mod => "%",
            Self::Equal => "=",
            Self::Unequal => "#",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::And => "/\\",
            Self::Or => "\\/",
            Self::Implies => "=>",
            Self::Iff => "<=>",
            Self::In => "\\in",
            Self::NotIn => "\\notin",
            Self::SubsetEq => "\\subseteq",
            Self::Union => "\\cup",
            Self::Intersect => "\\cap",
            Self::Without => "\\",
            Self::UpTo => "..",
            Self::Maps => ":>",
            Self::Merge => "@@",
            Self::Concat => "\\o",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binder {
    /// `{x \in S : P}`
    Filter,
    /// `{e : x \in S}`
    Image,
    /// `[x \in S |-> e]`
    Function,
    ForAll,
    Exists,
    Choose,
}

pub fn int(int: i64) -> Term {
    Term::Int(int)
}

pub fn name(name: &str) -> Term {
    Term::Name(name.to_owned())
}

pub fn infix(sign: Infix, left: Term, right: Term) -> Term {
    Term::Infix(sign, Box::new([left, right]))
}

pub fn equal(left: Term, right: Term) -> Term {
    infix(Infix::Equal, left, right)
}

pub fn not(term: Term) -> Term {
    Term::Not(Box::new(term))
}

pub fn at(fun: Term, key: Term) -> Term {
    Term::At(Box::new([fun, key]))
}

pub fn field(record: Term, name: &'static str) -> Term {
    Term::Field(Box::new(record), name)
}

pub fn bind(binder: Binder, name: &str, set: Term, body: Term) -> Term {
    Term::Bind(binder, name.to_owned(), Box::new([set, body]))
}

pub fn either(condition: Term, yes: Term, no: Term) -> Term {
    Term::If(Box::new([condition, yes, no]))
}

pub fn call(helper: Helper, arguments: impl IntoIterator<Item = Term>) -> Term {
    Term::Call(helper, arguments.into_iter().map(Argument::Plain).collect())
}

/// The name of a variable.
pub fn variable(number: usize) -> String {
    format!("x{number}")
}

impl Term {
    /// As TLA+, in parentheses where something may follow.
    pub fn text(&self) -> String {
        match self {
            Self::Int(int) if *int < 0 => format!("({int})"),
            Self::Int(int) => int.to_string(),
            Self::Bool(truth) => truth.to_string().to_uppercase(),
            Self::Text(text) => format!("\"{text}\""),
            Self::Name(name) => name.clone(),
            Self::Var(number) => variable(*number),
            Self::Next(number) => format!("{}'", variable(*number)),
            Self::Held => "@".to_owned(),
            Self::Infix(sign, sides) => {
                format!("({} {} {})", sides[0].text(), sign.sign(), sides[1].text())
            }
            Self::Not(term) => format!("~({})", term.text()),
            Self::Set(elements) => format!("{{{}}}", texts(elements)),
            Self::Tuple(elements) => format!("<<{}>>", texts(elements)),
            Self::Record(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, term)| format!("{name} |-> {}", term.text()));
                format!("[{}]", fields.collect::<Vec<_>>().join(", "))
            }
            Self::Field(record, name) => format!("{}.{name}", record.text()),
            Self::At(parts) => format!("{}[{}]", parts[0].text(), parts[1].text()),
            Self::Bind(binder, name, parts) => {
                let [set, body] = parts.each_ref().map(Self::text);
                match binder {
                    Binder::Filter => format!("{{{name} \\in {set} : {body}}}"),
                    Binder::Image => format!("{{{body} : {name} \\in {set}}}"),
                    Binder::Function => format!("[{name} \\in {set} |-> {body}]"),
                    Binder::ForAll => format!("(\\A {name} \\in {set} : {body})"),
                    Binder::Exists => format!("(\\E {name} \\in {set} : {body})"),
                    Binder::Choose => format!("(CHOOSE {name} \\in {set} : {body})"),
                }
            }
            Self::Except(fun, changes) => {
                let changes = changes.iter().map(|(path, value)| {
                    let path: String = path.iter().map(Step::text).collect();
                    format!("!{path} = {}", value.text())
                });
                format!(
                    "[{} EXCEPT {}]",
                    fun.text(),
                    changes.collect::<Vec<_>>().join(", ")
                )
            }
            Self::If(parts) => {
                let [condition, yes, no] = parts.each_ref().map(Self::text);
                format!("(IF {condition} THEN {yes} ELSE {no})")
            }
            Self::Case(arms, other) => {
                let arms = arms
                    .iter()
                    .map(|(when, then)| format!("{} -> {}", when.text(), then.text()));
                format!(
                    "(CASE {} [] OTHER -> {})",
                    arms.collect::<Vec<_>>().join(" [] "),
                    other.text()
                )
            }
            Self::Let(name, parts) => format!("(LET {name} == {} IN {})", parts[0].text(), parts[1].text()),
            Self::Call(helper, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Argument::text).collect();
                let arguments = arguments.join(", ");
                match helper {
                    Helper::Domain => format!("(DOMAIN {arguments})"),
                    _ => format!("{}({arguments})", helper.name()),
                }
            }
        }
    }
}

fn texts(terms: &[Term]) -> String {
    terms.iter().map(Term::text).collect::<Vec<_>>().join(", ")
}

impl Argument {
    fn text(&self) -> String {
        match self {
            Self::Plain(term) => term.text(),
            Self::Lambda(name, body) => format!("LAMBDA {name} : {}", body.text()),
        }
    }
}

impl Step {
    fn text(&self) -> String {
        match self {
            Self::Key(key) => format!("[{}]", key.text()),
            Self::Field(name) => format!(".{name}"),
        }
    }
}
