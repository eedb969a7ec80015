//! Native operators: those of the built-in modules that the evaluator computes itself, without a TLA+ body.
//!
//! This table lists the native operators and what their applications depend on, which is all that lowering and
//! static analysis need. The implementations are in the evaluator, in a table of the same shape.

use crate::Uses;

/// Names a native operator: an index into [`MODULES`] and an index into that module's operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Native {
    module: u8,
    operator: u8,
}

/// The properties of a native operator that do not depend on its implementation.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The operator's name.
    pub name: &'static str,
    /// Whether the result depends on the current state or the progress of the search.
    pub reads_state: bool,
    /// Whether it has side effects or is nondeterministic. Its results are never shared.
    pub is_impure: bool,
    /// Whether it takes its operands unevaluated.
    pub is_lazy: bool,
    /// Number of operands.
    pub arity: usize,
    /// Whether TLC computes it too, in Java, whatever the module of that name says.
    pub replaces_definitions: bool,
    /// Which values may be exchanged.
    pub equivariance: Equivariance,
}

/// The permutations of values with which an operator commutes: permuting its operands permutes its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equivariance {
    /// None: its result depends on the order or the text of values.
    None,
    /// Those of model values. It also takes strings, and looks into them.
    ModelValues,
    /// Those of strings and model values.
    Identities,
}

/// An operator that depends on nothing but its operands.
const fn pure(name: &'static str, arity: usize) -> Signature {
    Signature {
        name,
        reads_state: false,
        is_impure: false,
        is_lazy: false,
        arity,
        replaces_definitions: true,
        equivariance: Equivariance::None,
    }
}

/// An operator with side effects, or one that is nondeterministic.
const fn impure(name: &'static str, arity: usize) -> Signature {
    Signature {
        is_impure: true,
        ..pure(name, arity)
    }
}

/// An operator that depends on the current state or the progress of the search.
const fn reading(name: &'static str, arity: usize) -> Signature {
    Signature {
        reads_state: true,
        ..pure(name, arity)
    }
}

impl Signature {
    /// The same operator, which TLC evaluates by its definition.
    const fn without_java(self) -> Signature {
        Signature {
            replaces_definitions: false,
            ..self
        }
    }

    /// The same operator, which does not tell strings and model values apart.
    const fn equivariant(self) -> Signature {
        Signature {
            equivariance: Equivariance::Identities,
            ..self
        }
    }

    /// The same operator, which does not tell model values apart, but looks into strings.
    const fn within_text(self) -> Signature {
        Signature {
            equivariance: Equivariance::ModelValues,
            ..self
        }
    }

    /// The same operator, taking its operands unevaluated.
    const fn lazily(self) -> Signature {
        Signature {
            is_lazy: true,
            ..self
        }
    }
}

/// The modules with native operators, and the operators of each.
pub const MODULES: &[(&str, &[Signature])] = &[
    (
        "Bags",
        &[
            pure("IsABag", 1).equivariant(),
            pure("SetToBag", 1).equivariant(),
            pure("CopiesIn", 2).equivariant(),
            pure("(+)", 2).equivariant(),
            pure("(-)", 2).equivariant(),
            pure("\\sqsubseteq", 2).equivariant(),
            pure("BagUnion", 1).equivariant(),
            pure("BagOfAll", 2),
            pure("BagCardinality", 1).equivariant(),
        ],
    ),
    ("BagsExt", &[pure("FoldBag", 3)]),
    (
        "Bitwise",
        &[
            pure("&", 2).equivariant(),
            pure("|", 2).equivariant(),
            pure("^^", 2).equivariant(),
            pure("Not", 1).equivariant(),
            pure("shiftR", 2).equivariant(),
        ],
    ),
    (
        "CSV",
        &[
            impure("CSVWrite", 3),
            impure("CSVWriteRecord", 4),
            pure("CSVRead", 3),
            impure("CSVRecords", 1),
        ],
    ),
    (
        "FiniteSets",
        &[
            pure("Cardinality", 1).equivariant(),
            pure("IsFiniteSet", 1).equivariant(),
        ],
    ),
    (
        "FiniteSetsExt",
        &[
            pure("FoldSet", 3),
            pure("Quantify", 2).equivariant(),
            pure("kSubset", 2).equivariant(),
            pure("Max", 1).without_java().equivariant(),
            pure("Min", 1).without_java().equivariant(),
        ],
    ),
    (
        "Functions",
        &[
            pure("Range", 1).without_java().equivariant(),
            pure("IsInjective", 1).equivariant(),
            pure("AntiFunction", 1).equivariant(),
            pure("FoldFunction", 3),
            pure("FoldFunctionOnSet", 4),
        ],
    ),
    (
        "IOUtils",
        &[
            impure("IOSerialize", 3),
            pure("IODeserialize", 2),
            impure("Serialize", 3),
            impure("Deserialize", 2),
            impure("IOExec", 1),
            impure("IOEnvExec", 2),
            impure("IOExecTemplate", 2),
            impure("IOEnvExecTemplate", 3),
            pure("IOEnv", 0),
            pure("atoi", 1),
        ],
    ),
    (
        "Json",
        &[
            pure("ToJson", 1),
            pure("ToJsonArray", 1),
            pure("ToJsonObject", 1),
            impure("JsonSerialize", 2),
            pure("JsonDeserialize", 1),
            impure("ndJsonSerialize", 2),
            pure("ndJsonDeserialize", 1),
        ],
    ),
    (
        "Randomization",
        &[impure("RandomSubset", 2), impure("RandomSetOfSubsets", 3)],
    ),
    ("SVG", &[pure("SVGElemToString", 1), pure("NodeOfRingNetwork", 5)]),
    (
        "Sequences",
        &[
            pure("Len", 1).within_text(),
            pure("Head", 1).equivariant(),
            pure("Tail", 1).within_text(),
            pure("Append", 2).equivariant(),
            pure("\\o", 2).within_text(),
            pure("SubSeq", 3).within_text(),
            pure("SelectSeq", 2).equivariant(),
            pure("Seq", 1).equivariant(),
        ],
    ),
    (
        "SequencesExt",
        &[
            pure("SetToSeq", 1),
            pure("SetToSeqs", 1),
            pure("ToSet", 1).without_java().equivariant(),
            pure("Contains", 2).equivariant(),
            pure("Last", 1).without_java().equivariant(),
            pure("SelectInSeq", 2).equivariant(),
            pure("SelectLastInSeq", 2).equivariant(),
            pure("SelectInSubSeq", 4),
            pure("SelectLastInSubSeq", 4),
            pure("RemoveFirst", 2).equivariant(),
            pure("RemoveFirstMatch", 2),
            pure("IsPrefix", 2).equivariant(),
            pure("FoldSeq", 3),
            pure("FoldLeft", 3),
            pure("FoldRight", 3),
            pure("FoldLeftDomain", 3),
            pure("FoldRightDomain", 3),
        ],
    ),
    (
        "TLC",
        &[
            impure("Print", 2),
            impure("PrintT", 1),
            impure("Assert", 2),
            impure("JavaTime", 0),
            reading("TLCGet", 1),
            impure("TLCSet", 2),
            pure("ToString", 1),
            pure(":>", 2).equivariant(),
            pure("@@", 2).equivariant(),
            pure("Permutations", 1).equivariant(),
            pure("SortSeq", 2),
            impure("RandomElement", 1),
            pure("TLCEval", 1).equivariant(),
        ],
    ),
    (
        "TLCExt",
        &[
            impure("AssertError", 2).lazily(),
            reading("TLCGetOrDefault", 2),
            reading("Trace", 0),
            reading("CounterExample", 0),
            pure("ToTrace", 1),
            pure("TLCModelValue", 1),
            pure("TLCNoOp", 1),
            impure("TLCCache", 2).lazily(),
            pure("TLCFP", 1),
        ],
    ),
    ("TransitiveClosure", &[pure("Warshall", 1)]),
];

/// The native operator of a built-in module.
pub fn lookup(module: &str, name: &str) -> Option<Native> {
    let index = MODULES.iter().position(|(own, _)| *own == module)?;
    let operators = MODULES.get(index)?.1;
    let operator = operators.iter().position(|operator| operator.name == name)?;
    Some(Native {
        module: u8::try_from(index).ok()?,
        operator: u8::try_from(operator).ok()?,
    })
}

impl Native {
    /// The position in [`MODULES`] of the module, and the position of the operator in it. Both exist, because only
    /// [`lookup`] makes a `Native`.
    pub fn position(self) -> (usize, usize) {
        (self.module as usize, self.operator as usize)
    }

    /// Its signature.
    pub fn signature(self) -> &'static Signature {
        &MODULES[self.module as usize].1[self.operator as usize]
    }

    /// Whether it takes its operands unevaluated.
    pub fn is_lazy(self) -> bool {
        self.signature().is_lazy
    }

    /// What applying it depends on besides its operands.
    pub fn uses(self) -> Uses {
        let signature = self.signature();
        Uses {
            state: signature.reads_state,
            // Registers and statistics change while one state is explored.
            impure: signature.is_impure || signature.reads_state,
            heavy: true,
            ..Uses::default()
        }
    }
}
