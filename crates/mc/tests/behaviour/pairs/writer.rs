//! Writes random expressions about four variables: `x` and `y` in 0..2, a set `s` and a function `f` of such numbers.

use fastrand::Rng;

use super::constructs::CONSTRUCTS;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Bool,
    /// An integer; a variable takes it modulo 3.
    Int,
    /// A set of integers.
    Set,
    /// A function from 1..2 to integers.
    Function,
}

/// What an expression may mention at its place.
#[derive(Clone, Default)]
pub(super) struct Place {
    /// Names with integers as values.
    pub(super) names: Vec<String>,
    /// Names that stand for expressions about the state: a prime may apply to them.
    pub(super) aliases: Vec<String>,
    /// Whether the next values of the variables are known, and no prime is around.
    pub(super) has_next: bool,
}

impl Place {
    pub(super) fn with_name(&self, name: &str) -> Self {
        let mut place = self.clone();
        place.names.push(name.to_owned());
        place
    }

    pub(super) fn with_alias(&self, name: &str) -> Self {
        let mut place = self.clone();
        place.aliases.push(name.to_owned());
        place
    }

    /// The same place in an action behind the next values, or in front of them.
    pub(super) fn in_step(&self, has_next: bool) -> Self {
        Self {
            has_next,
            ..self.clone()
        }
    }

    /// The body of a definition of the module, which has no names but its own.
    pub(super) fn in_definition(&self) -> Self {
        Self {
            has_next: self.has_next,
            ..Self::default()
        }
    }
}

/// Writes one spec.
pub(super) struct Writer {
    pub(super) random: Rng,
    pub(super) fresh: usize,
    /// How deep constructs are nested in each other.
    pub(super) depth: usize,
    /// The definitions of the module, in order.
    pub(super) definitions: Vec<String>,
}

impl Writer {
    pub(super) fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.usize(..choices.len())]
    }

    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    /// The name of a new definition of the module.
    pub(super) fn define(&mut self, parameters: &str, body: &str) -> String {
        let name = self.fresh("Op");
        self.definitions.push(format!("{name}{parameters} == {body}"));
        name
    }

    pub(super) fn int(&mut self, place: &Place) -> String {
        self.expression(place, Sort::Int)
    }

    pub(super) fn bool(&mut self, place: &Place) -> String {
        self.expression(place, Sort::Bool)
    }

    pub(super) fn set(&mut self, place: &Place) -> String {
        self.expression(place, Sort::Set)
    }

    pub(super) fn function(&mut self, place: &Place) -> String {
        self.expression(place, Sort::Function)
    }

    /// Any expression of a type.
    pub(super) fn expression(&mut self, place: &Place, sort: Sort) -> String {
        if self.depth == 0 || self.random.u8(..3) == 0 {
            return self.leaf(place, sort);
        }
        self.depth -= 1;
        let (_, write) = CONSTRUCTS[self.random.usize(..CONSTRUCTS.len())];
        let (written, own) = write(self, place);
        let converted = self.converted(&written, own, sort, place);
        self.depth += 1;
        converted
    }

    pub(super) fn leaf(&mut self, place: &Place, sort: Sort) -> String {
        match sort {
            Sort::Int => {
                let names = [&place.names[..], &place.aliases[..]].concat();
                match self.random.u8(..8) {
                    0..4 if !names.is_empty() => {
                        let at = self.random.usize(..names.len());
                        let is_alias = at >= place.names.len();
                        let prime = is_alias && place.has_next && self.random.u8(..3) > 0;
                        format!("{}{}", names[at], if prime { "'" } else { "" })
                    }
                    0 => self.pick(&["0", "1", "2"]).to_owned(),
                    1..4 if place.has_next => self.pick(&["x'", "y'", "f'[1]"]).to_owned(),
                    _ => self.pick(&["x", "y", "f[1]", "f[2]"]).to_owned(),
                }
            }
            Sort::Bool => {
                let compare = self.pick(&["=", "#", "<", ">="]);
                format!(
                    "({} {compare} {})",
                    self.leaf(place, Sort::Int),
                    self.leaf(place, Sort::Int)
                )
            }
            Sort::Set => match self.random.u8(..4) {
                0 => "0..1".to_owned(),
                1 => format!("{{{}}}", self.leaf(place, Sort::Int)),
                2 if place.has_next => "s'".to_owned(),
                _ => "s".to_owned(),
            },
            Sort::Function if place.has_next && self.random.bool() => "f'".to_owned(),
            Sort::Function => "f".to_owned(),
        }
    }

    /// An expression of one type as one of another.
    pub(super) fn converted(&mut self, text: &str, from: Sort, to: Sort, place: &Place) -> String {
        let other = self.leaf(place, Sort::Int);
        match (from, to) {
            _ if from == to => text.to_owned(),
            (Sort::Bool, Sort::Int) => format!("(IF {text} THEN 1 ELSE {other})"),
            (Sort::Int, Sort::Bool) => format!("({text} {} {other})", self.pick(&["=", "#", "<", ">="])),
            (Sort::Set, Sort::Bool) => match self.random.u8(..3) {
                0 => format!("({other} \\in {text})"),
                1 => format!("(s \\subseteq {text})"),
                _ => format!("({text} # s)"),
            },
            (Sort::Set, Sort::Int) => format!("Cardinality({text})"),
            (Sort::Function, Sort::Bool) => format!("({text} {} f)", self.pick(&["=", "#"])),
            (Sort::Function, Sort::Int) => format!("({text})[{}]", self.pick(&["1", "2"])),
            (Sort::Int, Sort::Set) => format!("{{{text}, {other}}}"),
            (Sort::Bool, Sort::Set) => format!("{{k \\in 0..2 : {text}}}"),
            (Sort::Function, Sort::Set) => format!("{{({text})[1], {other}}}"),
            (Sort::Int, Sort::Function) => format!("[f EXCEPT ![1] = {text}]"),
            (Sort::Bool, Sort::Function) => format!("(IF {text} THEN f ELSE [j \\in 1..2 |-> {other}])"),
            (Sort::Set, Sort::Function) => format!("[j \\in 1..2 |-> IF j \\in {text} THEN {other} ELSE 0]"),
            _ => text.to_owned(),
        }
    }

    /// ENABLED of an action whose last part is written by `part`, behind the next values of the variables or in front of them.
    pub(super) fn enabled(
        &mut self,
        place: &Place,
        part: impl FnOnce(&mut Self, &Place) -> String,
    ) -> String {
        let (before, behind) = (place.in_step(false), place.in_step(true));
        let (one, two) = (self.leaf(&before, Sort::Int), self.leaf(&before, Sort::Int));
        let rest = self.pick(&["UNCHANGED <<y, s, f>>", "y' \\in {0, x} /\\ s' = s /\\ f' = f"]);
        match self.random.u8(..4) {
            0 => format!("(ENABLED ({} /\\ x' = {one}))", part(self, &before)),
            _ => format!(
                "(ENABLED (x' \\in {{{one}, {two}}} /\\ {rest} /\\ {}))",
                part(self, &behind)
            ),
        }
    }

    /// Where next values are known, an expression about them; elsewhere the same in ENABLED.
    pub(super) fn about_step(
        &mut self,
        place: &Place,
        part: impl FnOnce(&mut Self, &Place) -> String,
    ) -> String {
        match place.has_next {
            true => part(self, place),
            false => {
                let behind = place.in_step(true);
                let one = self.leaf(&place.in_step(false), Sort::Int);
                format!(
                    "(ENABLED (x' \\in {{1, {one}}} /\\ UNCHANGED <<y, s, f>> /\\ {}))",
                    part(self, &behind)
                )
            }
        }
    }
}
