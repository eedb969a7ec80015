//! Whether it can be noticed that something was evaluated twice.

use crate::{Kind, Node, Program};

/// Operators that act in the eyes of whoever remembers answers, but leave nothing behind and decide the same each time.
const REPEATABLE: [&str; 2] = ["Assert", "AssertError"];

impl Program {
    /// Whether some operator prints, writes, runs commands, or throws dice.
    pub fn has_side_effects(&self) -> bool {
        self.operators.iter().any(|operator| acts(&operator.body))
    }
}

fn acts(node: &Node) -> bool {
    if let Kind::Native(native, _) = &node.kind {
        let signature = native.signature();
        if signature.is_impure && !REPEATABLE.contains(&signature.name) {
            return true;
        }
    }
    let mut does = false;
    node.kind.for_each_child(|child| does = does || acts(child));
    does
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use omnilink_tla_semantics::load_text;

    use crate::lower::{Lowering, Mode, Replacements};

    /// Whether a spec acts whose next-state relation has this conjunct.
    fn acts(conjunct: &str) -> bool {
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
    fn printing_setting_and_throwing_dice_are_noticed_and_nothing_else_is() {
        for acting in [
            "PrintT(x)",
            "Say(x)",
            "Apply(Say, x)",
            "Apply(PrintT, x)",
            "\\A y \\in {1} : TLCSet(1, y)",
            "RandomElement({1, 2}) > 0",
            "LET r == RandomElement({1}) IN r > 0",
            "Apply(LAMBDA y : PrintT(y), x)",
        ] {
            assert!(acts(acting), "{acting}");
        }
        for still in [
            "TRUE",
            "Assert(x < 9, \"no\")",
            "TLCGet(\"level\") < 9",
            "Cardinality({x}) = 1",
            "ToString(x) # \"\"",
        ] {
            assert!(!acts(still), "{still}");
        }
    }
}
