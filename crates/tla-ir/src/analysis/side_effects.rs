//! Side effects: whether evaluating an expression twice can be observed.

use crate::{Kind, Node, Program};

/// Operators that are impure for the memo, but have no lasting effect and give the same result each time.
const REPEATABLE: [&str; 2] = ["Assert", "AssertError"];

impl Program {
    /// Whether some operator prints, writes, runs commands, or is random.
    pub fn has_side_effects(&self) -> bool {
        self.operators
            .iter()
            .any(|operator| has_side_effects(&operator.body))
    }
}

fn has_side_effects(node: &Node) -> bool {
    if let Kind::Native(native, _) = &node.kind {
        let signature = native.signature();
        if signature.is_impure && !REPEATABLE.contains(&signature.name) {
            return true;
        }
    }
    let mut found = false;
    node.kind
        .for_each_child(|child| found = found || has_side_effects(child));
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use omnilink_tla_semantics::load_text;

    use crate::lower::{Lowering, Mode, Replacements};

    /// Whether a spec whose next-state relation has this conjunct has side effects.
    fn is_impure(conjunct: &str) -> bool {
        let text = format!(
            "---- MODULE M ----\nEXTENDS Naturals, Sequences, TLC, TLCExt, FiniteSets\nVARIABLE x\nInit == x = 0\n\
             Say(y) == Print(y, TRUE)\nApply(Op(_), y) == Op(y)\nNext == x' = 1 - x /\\ {conjunct}\n===="
        );
        let spec = load_text(Path::new("M.tla"), text, &Default::default()).spec;
        let mut lowering = Lowering::new(&spec, Replacements::default());
        lowering.definition(spec.find("Next").expect("a correct spec"), Mode::Next);
        lowering.finish().has_side_effects()
    }

    #[test]
    fn output_registers_and_random_elements_are_side_effects() {
        for impure in [
            "PrintT(x)",
            "Say(x)",
            "Apply(Say, x)",
            "Apply(PrintT, x)",
            "\\A y \\in {1} : TLCSet(1, y)",
            "RandomElement({1, 2}) > 0",
            "LET r == RandomElement({1}) IN r > 0",
            "Apply(LAMBDA y : PrintT(y), x)",
        ] {
            assert!(is_impure(impure), "{impure}");
        }
        for pure in [
            "TRUE",
            "Assert(x < 9, \"no\")",
            "TLCGet(\"level\") < 9",
            "Cardinality({x}) = 1",
            "ToString(x) # \"\"",
        ] {
            assert!(!is_impure(pure), "{pure}");
        }
    }
}
