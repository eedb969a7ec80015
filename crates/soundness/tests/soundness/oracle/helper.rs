//! Operators that specifications use by name. The product reads their definitions; the interpreter knows what they mean.

/// An operator with a definition in TLA+, or of a standard module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Helper {
    Cardinality,
    Len,
    Head,
    Tail,
    Append,
    SubSeq,
    SelectSeq,
    Domain,
    /// The remainder by 3.
    Mod,
    First,
    Rest,
    Last,
    Front,
    Mirrored,
    Range,
    /// The value of a key in a set of pairs.
    Value,
    /// The value of a key in a set of records.
    RecValue,
    /// The positions of a key in a sequence of pairs.
    Positions,
    /// The value of a key in a sequence of pairs.
    Found,
    /// The value of a function at a key, or 0.
    Get,
    /// The number of elements that satisfy an operator.
    Count,
    /// The sum of an operator over a set, by recursion.
    Sum,
    /// The sum of the elements of a sequence, by recursion.
    Total,
    /// The sum of an operator over a set, as a fold of the community modules.
    Fold,
    /// An operator applied to an argument.
    Applied,
    /// The least element, or 0.
    Least,
    /// `{x \in S : P(x)}`
    Where,
    /// `\A x \in S : P(x)`
    Every,
    /// `\E x \in S : P(x)`
    Some,
}

impl Helper {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cardinality => "Cardinality",
            Self::Len => "Len",
            Self::Head => "Head",
            Self::Tail => "Tail",
            Self::Append => "Append",
            Self::SubSeq => "SubSeq",
            Self::SelectSeq => "SelectSeq",
            Self::Domain => "DOMAIN",
            Self::Mod => "Mod",
            Self::First => "First",
            Self::Rest => "Rest",
            Self::Last => "Last",
            Self::Front => "Front",
            Self::Mirrored => "Mirrored",
            Self::Range => "RangeOf",
            Self::Value => "Value",
            Self::RecValue => "RecValue",
            Self::Positions => "Positions",
            Self::Found => "Found",
            Self::Get => "Get",
            Self::Count => "Count",
            Self::Sum => "SumOver",
            Self::Total => "Total",
            Self::Fold => "MapThenSumSet",
            Self::Applied => "Applied",
            Self::Least => "Least",
            Self::Where => "Where",
            Self::Every => "Every",
            Self::Some => "Some",
        }
    }
}

/// The definitions that every specification begins with.
pub const PRELUDE: &str = r"Mod(n) == n % 3
First(s) == IF s = <<>> THEN 0 ELSE Head(s)
Rest(s) == IF s = <<>> THEN s ELSE Tail(s)
Last(s) == IF Len(s) = 0 THEN 0 ELSE s[Len(s)]
Front(s) == SubSeq(s, 1, Len(s) - 1)
Mirrored(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]
RangeOf(s) == {s[i] : i \in DOMAIN s}
Value(m, k) == IF \E p \in m : p[1] = k THEN (CHOOSE p \in m : p[1] = k)[2] ELSE 0
RecValue(m, k) == IF \E p \in m : p.key = k THEN (CHOOSE p \in m : p.key = k).val ELSE 0
Positions(m, k) == {i \in 1..Len(m) : m[i][1] = k}
Found(m, k) == IF Positions(m, k) = {} THEN 0 ELSE m[CHOOSE i \in Positions(m, k) : \A j \in Positions(m, k) : i <= j][2]
Get(p, k) == IF k \in DOMAIN p THEN p[k] ELSE 0
Where(S, P(_)) == {x \in S : P(x)}
Every(S, P(_)) == \A x \in S : P(x)
Some(S, P(_)) == \E x \in S : P(x)
Count(S, P(_)) == Cardinality({x \in S : P(x)})
RECURSIVE SumOver(_, _)
SumOver(F(_), S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN F(x) + SumOver(F, S \ {x})
RECURSIVE Total(_)
Total(s) == IF s = <<>> THEN 0 ELSE Head(s) + Total(Tail(s))
Applied(Op(_), a) == Op(a)
Least(S) == IF S = {} THEN 0 ELSE CHOOSE x \in S : \A y \in S : x <= y";
