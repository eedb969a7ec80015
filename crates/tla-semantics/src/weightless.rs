//! Operands that say nothing about the level of an application.
//!
//! In the modules that come with SANY some operators have placeholder definitions that leave operands out, so that
//! `x * y` and `PrintT(x)` are of constant level whatever is put in. Specs are checked as SANY checks them, hence this
//! table; our own bodies mention every operand, because evaluation must know what it depends on.

use omnilink_tla_syntax::names::Name;

use super::analyzer::Analyzer;
use super::entity::EntityId;

/// Module, operator, and the operands (from 0) that do not count.
const WEIGHTLESS: &[(&str, &str, &[usize])] = &[
    ("CSV", "CSVRead", &[0, 1, 2]),
    ("CSV", "CSVRecords", &[0]),
    ("CSV", "CSVWrite", &[0, 1, 2]),
    ("CSV", "CSVWriteRecord", &[0, 1, 2, 3]),
    ("Combinatorics", "choose", &[1]),
    ("GraphViz", "DotDiGraph", &[0, 1, 2]),
    ("IOUtils", "Deserialize", &[0, 1]),
    ("IOUtils", "IODeserialize", &[0, 1]),
    ("IOUtils", "IOEnvExec", &[0, 1]),
    ("IOUtils", "IOEnvExecTemplate", &[0, 1, 2]),
    ("IOUtils", "IOExec", &[0]),
    ("IOUtils", "IOExecTemplate", &[0, 1]),
    ("IOUtils", "IOSerialize", &[0, 1, 2]),
    ("IOUtils", "Serialize", &[0, 1, 2]),
    ("Json", "JsonDeserialize", &[0]),
    ("Json", "JsonSerialize", &[0, 1]),
    ("Json", "ndJsonDeserialize", &[0]),
    ("Json", "ndJsonSerialize", &[0, 1]),
    ("Naturals", "*", &[0, 1]),
    ("Randomization", "RandomSetOfSubsets", &[1]),
    ("Randomization", "TestRandomSetOfSubsets", &[1]),
    ("Reals", "/", &[1]),
    ("SVG", "NodeOfRingNetwork", &[0, 1, 2, 3, 4]),
    ("SVG", "NodesOfDirectedMultiGraph", &[1, 2]),
    ("SVG", "SVGElemToString", &[0]),
    ("SVG", "SVGSerialize", &[0, 1, 2]),
    ("Statistics", "ChiSquare", &[0, 1, 2]),
    ("TLC", "Assert", &[1]),
    ("TLC", "Print", &[0]),
    ("TLC", "PrintT", &[0]),
    ("TLC", "TLCGet", &[0]),
    ("TLC", "TLCSet", &[0, 1]),
    ("TLCExt", "AssertError", &[1]),
    ("TLCExt", "TLCDefer", &[0]),
    ("TLCExt", "TLCEvalDefinition", &[0]),
    ("TLCExt", "TLCFP", &[0]),
    ("TLCExt", "TLCGetAndSet", &[0, 1, 2, 3]),
    ("TLCExt", "TLCGetOrDefault", &[0, 1]),
    ("TLCExt", "ToTrace", &[0]),
    ("VectorClocks", "CausalOrder", &[2, 3]),
];

impl Analyzer<'_> {
    /// Notes which parameters of a definition of a built-in module do not count.
    pub(super) fn note_weightless(&mut self, name: Name, params: &[EntityId]) {
        let module = self.spec.names.text(self.spec.module(self.module).name);
        let operator = self.spec.names.text(name);
        let found = WEIGHTLESS
            .iter()
            .find(|(m, op, _)| *m == module && *op == operator);
        if let Some((.., operands)) = found {
            let operands = operands.iter().filter_map(|operand| params.get(*operand));
            self.weightless.extend(operands.copied());
        }
    }

    /// Whether a parameter does not count where the current text applies its operator. Built-in modules themselves are
    /// judged by what their bodies say.
    pub(super) fn is_weightless(&self, param: EntityId) -> bool {
        self.weightless.contains(&param) && !self.is_built_in()
    }
}
