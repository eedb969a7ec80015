//! The tool `validate`.

use std::collections::BTreeMap;

use super::{Arguments, Site, evidence_max, flag, option, specification};
use crate::call::{Call, Prints};
use crate::limits::LimitArguments;

arguments! {
    /// A specification, and traces or logs that it is to explain.
    pub(super) struct ValidateArguments {
        /// The specification: a .tla file
        spec: String,
        /// Traces of operations, or logs of events and variables: files or folders, each checked by itself
        traces: Vec<String>,
        /// The specification's configuration; the .cfg beside it if not given
        config: Option<String>,
        /// Values of constants, as TLA+ expressions, such as {"N": "3", "Server": "{\"a\", \"b\"}"}
        constants: BTreeMap<String, String>,
        /// Constants that are the set of all values of fields of the trace, such as {"Keys": ["key", "lo"]}
        collect: BTreeMap<String, Vec<String>>,
        /// A link file, which says how trace and specification belong together; the .toml beside the specification if not given
        link: Option<String>,
        /// Folders to look for modules in, after the specification's own
        library: Vec<String>,
        /// linearizable (if not given) or sequential
        consistency: Option<String>,
        /// Shrink a violation to the few operations that cause it
        minimize: bool,
        /// An answer that means nothing is an error
        strict: bool,
        /// The inputs are logs, also where their content does not tell
        log: bool,
        /// All inputs together are one log: the files of its nodes
        merge: bool,
        /// Rules that make events of lines of text: a .toml file, see the resource omnilink://docs/extract
        extract: Option<String>,
        /// How far the clocks of two machines may be apart, such as 5ms
        skew: Option<String>,
        /// The most bytes of evidence in the answer: 24000 if not given, 0 for none, at most 1000000
        evidence_max: Option<usize>,
        /// When to give up
        limits: Option<LimitArguments>,
    }
}

impl Arguments for ValidateArguments {
    const NAME: &'static str = "validate";
    const TITLE: &'static str = "Validate traces and logs";
    const DESCRIPTION: &'static str = "Tells whether some behaviour of a TLA+ specification explains a recorded trace of operations, or \
        a log of a distributed program (an event, some variables). No trace specification is needed: an operation or event is the \
        action of the same name. A violation comes with the line that cannot be explained, and why.";

    fn call(self, site: &Site<'_>) -> Result<Call, String> {
        let limits = site.limits(self.limits.as_ref())?;
        if self.traces.is_empty() {
            return Err("give traces: paths of traces or logs".to_owned());
        }
        let path = |given: Option<String>| given.map(|given| site.path(&given)).transpose();
        let mut words = vec!["validate".to_owned(), "--json".to_owned()];
        words.extend(limits.words());
        specification::config(&mut words, self.config.as_deref(), site)?;
        specification::constants(&mut words, &self.constants)?;
        specification::library(&mut words, &self.library, site)?;
        for (constant, fields) in &self.collect {
            option(
                &mut words,
                "collect",
                Some(format!("{constant}={}", fields.join(","))),
            );
        }
        option(&mut words, "link", path(self.link)?);
        option(&mut words, "extract", path(self.extract)?);
        option(&mut words, "consistency", self.consistency);
        option(&mut words, "skew", self.skew);
        flag(&mut words, "minimize", self.minimize);
        flag(&mut words, "strict", self.strict);
        flag(&mut words, "log", self.log);
        flag(&mut words, "merge", self.merge);
        words.push("--".to_owned());
        words.push(site.path(&self.spec)?);
        words.extend(site.paths(&self.traces)?);
        Ok(Call {
            words,
            prints: Prints::Evidence,
            executes: false,
            limits,
            file: None,
            evidence_max: evidence_max(self.evidence_max),
        })
    }
}
