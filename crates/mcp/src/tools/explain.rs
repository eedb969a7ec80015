//! The tool `explain`.

use omnilink_evidence::Evidence;
use serde_json::{Map, Value};

use super::{Arguments, Site, evidence_max};
use crate::call::{Call, Prints, SCRATCH};

arguments! {
    /// Evidence to explain.
    pub(super) struct ExplainArguments {
        /// A file of evidence that a command wrote with --evidence
        file: Option<String>,
        /// Evidence as an object, instead of a file
        evidence: Option<Map<String, Value>>,
        /// Markdown, for a comment on a pull request, instead of text
        markdown: bool,
    }
}

impl Arguments for ExplainArguments {
    const NAME: &'static str = "explain";
    const TITLE: &'static str = "Explain evidence";
    const DESCRIPTION: &'static str = "Explains evidence, the answer of any OmniLink command as data, in words: the verdict, a drawing of \
        the operations or the states of a counterexample, and the reasons.";

    fn call(self, site: &Site<'_>) -> Result<Call, String> {
        let mut words = vec!["report".to_owned()];
        words.push(if self.markdown { "--markdown" } else { "--all" }.to_owned());
        words.push("--".to_owned());
        let file = match (self.file, self.evidence) {
            (Some(file), None) => {
                words.push(site.path(&file)?);
                None
            }
            (None, Some(evidence)) => {
                words.push(format!("{SCRATCH}/evidence.json"));
                // The command knows evidence by its first field, and an object has no first one.
                let evidence =
                    Evidence::from_json(&Value::Object(evidence).to_string()).map_err(|error| {
                        format!("evidence: {error}; give the evidence of an answer that has no left_out")
                    })?;
                Some(("evidence.json", evidence.to_json()))
            }
            _ => return Err("give file (a path) or evidence (an object), and not both".to_owned()),
        };
        Ok(Call {
            words,
            prints: Prints::Text,
            executes: false,
            limits: site.limits(None)?,
            file,
            evidence_max: evidence_max(None),
        })
    }
}
