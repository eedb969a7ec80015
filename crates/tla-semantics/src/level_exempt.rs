//! Level-exempt operands: operands that do not count towards the level of an application.
//!
//! In the modules that come with SANY, the placeholder definitions of some operators leave operands out, so that `x * y` and
//! `PrintT(x)` have constant level whatever the operands are. Specs are checked as SANY checks them, hence this table. Our own
//! bodies mention every operand, because evaluation must know what it depends on.

use omnilink_tla_syntax::names::Name;

use super::analyzer::Analyzer;
use super::entity::EntityId;

/// Module, operator, and its level-exempt operands, counted from 0.
const LEVEL_EXEMPT: &[(&str, &str, &[usize])] = &[
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
    /// Records the level-exempt parameters of a definition of a built-in module.
    pub(super) fn note_level_exempt(&mut self, name: Name, params: &[EntityId]) {
        let module = self.spec.names.text(self.spec.module(self.module).name);
        let operator = self.spec.names.text(name);
        let found = LEVEL_EXEMPT
            .iter()
            .find(|(m, op, _)| *m == module && *op == operator);
        if let Some((.., operands)) = found {
            let operands = operands.iter().filter_map(|operand| params.get(*operand));
            self.resolution.level_exempt.extend(operands.copied());
        }
    }

    /// Whether a parameter is level-exempt where the current text applies its operator. In built-in modules themselves no
    /// parameter is.
    pub(super) fn is_level_exempt(&self, param: EntityId) -> bool {
        self.resolution.level_exempt.contains(&param) && !self.is_built_in()
    }
}
