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
}

/// An operator that depends on nothing but its operands.
const fn pure(name: &'static str) -> Signature {
    Signature {
        name,
        reads_state: false,
        is_impure: false,
        is_lazy: false,
    }
}

/// An operator with side effects, or one that is nondeterministic.
const fn impure(name: &'static str) -> Signature {
    Signature {
        is_impure: true,
        ..pure(name)
    }
}

/// An operator that depends on the current state or the progress of the search.
const fn reading(name: &'static str) -> Signature {
    Signature {
        reads_state: true,
        ..pure(name)
    }
}

impl Signature {
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
            pure("IsABag"),
            pure("SetToBag"),
            pure("CopiesIn"),
            pure("(+)"),
            pure("(-)"),
            pure("\\sqsubseteq"),
            pure("BagUnion"),
            pure("BagOfAll"),
            pure("BagCardinality"),
        ],
    ),
    ("BagsExt", &[pure("FoldBag")]),
    (
        "Bitwise",
        &[pure("&"), pure("|"), pure("^^"), pure("Not"), pure("shiftR")],
    ),
    (
        "CSV",
        &[
            impure("CSVWrite"),
            impure("CSVWriteRecord"),
            pure("CSVRead"),
            impure("CSVRecords"),
        ],
    ),
    ("FiniteSets", &[pure("Cardinality"), pure("IsFiniteSet")]),
    (
        "FiniteSetsExt",
        &[
            pure("FoldSet"),
            pure("Quantify"),
            pure("kSubset"),
            pure("Max"),
            pure("Min"),
        ],
    ),
    (
        "Functions",
        &[
            pure("Range"),
            pure("IsInjective"),
            pure("AntiFunction"),
            pure("FoldFunction"),
            pure("FoldFunctionOnSet"),
        ],
    ),
    (
        "IOUtils",
        &[
            impure("IOSerialize"),
            pure("IODeserialize"),
            impure("Serialize"),
            impure("Deserialize"),
            impure("IOExec"),
            impure("IOEnvExec"),
            impure("IOExecTemplate"),
            impure("IOEnvExecTemplate"),
            pure("IOEnv"),
            pure("atoi"),
        ],
    ),
    (
        "Json",
        &[
            pure("ToJson"),
            pure("ToJsonArray"),
            pure("ToJsonObject"),
            impure("JsonSerialize"),
            pure("JsonDeserialize"),
            impure("ndJsonSerialize"),
            pure("ndJsonDeserialize"),
        ],
    ),
    (
        "Randomization",
        &[impure("RandomSubset"), impure("RandomSetOfSubsets")],
    ),
    (
        "Sequences",
        &[
            pure("Len"),
            pure("Head"),
            pure("Tail"),
            pure("Append"),
            pure("\\o"),
            pure("SubSeq"),
            pure("SelectSeq"),
            pure("Seq"),
        ],
    ),
    (
        "SequencesExt",
        &[
            pure("SetToSeq"),
            pure("SetToSeqs"),
            pure("ToSet"),
            pure("Contains"),
            pure("Last"),
            pure("SelectInSeq"),
            pure("SelectLastInSeq"),
            pure("SelectInSubSeq"),
            pure("SelectLastInSubSeq"),
            pure("RemoveFirst"),
            pure("RemoveFirstMatch"),
            pure("IsPrefix"),
            pure("FoldSeq"),
            pure("FoldLeft"),
            pure("FoldRight"),
            pure("FoldLeftDomain"),
            pure("FoldRightDomain"),
        ],
    ),
    (
        "TLC",
        &[
            impure("Print"),
            impure("PrintT"),
            impure("Assert"),
            impure("JavaTime"),
            reading("TLCGet"),
            impure("TLCSet"),
            pure("ToString"),
            pure(":>"),
            pure("@@"),
            pure("Permutations"),
            pure("SortSeq"),
            impure("RandomElement"),
            pure("TLCEval"),
        ],
    ),
    (
        "TLCExt",
        &[
            impure("AssertError").lazily(),
            reading("TLCGetOrDefault"),
            reading("Trace"),
            reading("CounterExample"),
            pure("ToTrace"),
            pure("TLCModelValue"),
            pure("TLCNoOp"),
            impure("TLCCache").lazily(),
            pure("TLCFP"),
        ],
    ),
    ("TransitiveClosure", &[pure("Warshall")]),
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
