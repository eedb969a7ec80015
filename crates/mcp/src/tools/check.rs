//! The tool `check`.

use std::collections::BTreeMap;

use super::{Arguments, Site, evidence_max, flag, option, specification};
use crate::call::{Call, Prints, SCRATCH};
use crate::limits::LimitArguments;

arguments! {
    /// Histories, and what they are to be explained by.
    pub(super) struct CheckArguments {
        /// Files, or folders of one file per thread; each is a history by itself. The format is recognised: OmniLink's JSON lines,
        /// Jepsen's EDN, JSON and logs, Porcupine, OpenTelemetry, CSV and others
        traces: Vec<String>,
        /// A history as text, instead of traces; for example one JSON object per line:
        /// {"thread":0,"op":"write","args":{"value":1},"start":0,"end":10}
        history: Option<String>,
        /// A shipped model with its options, such as queue, stack, set, map, register:initial=0, cas-register, counter, mutex; the
        /// resource omnilink://docs/models has all. Transactions need none
        model: Option<String>,
        /// A TLA+ specification instead of a model: an operation Name(args) is its action Name
        spec: Option<String>,
        /// linearizable if not given; sequential, causal, read-my-writes, weak, … and for transactions serializable,
        /// snapshot-isolation, read-committed, …: see the resources omnilink://docs/consistency and omnilink://docs/transactions
        consistency: Option<String>,
        /// Find out which levels hold, instead of checking one
        infer: bool,
        /// Shrink a violation to the few operations that cause it
        minimize: bool,
        /// The format, if it is not recognised: ndjson, json, jepsen-edn, porcupine, otlp, csv, …
        format: Option<String>,
        /// What operations are called instead, such as {"0": "put", "1": "get"} for a history that numbers them
        ops: BTreeMap<String, String>,
        /// Whether the values of a Jepsen history are [key, value] pairs of independent keys; found by content if not given
        keyed: Option<bool>,
        /// Calls of one thread may overlap
        r#async: bool,
        /// Values of the specification's constants, as TLA+ expressions
        constants: BTreeMap<String, String>,
        /// The specification's configuration; the .cfg beside it if not given
        config: Option<String>,
        /// The most bytes of evidence in the answer: 24000 if not given, 0 for none, at most 1000000
        evidence_max: Option<usize>,
        /// When to give up
        limits: Option<LimitArguments>,
    }
}

impl Arguments for CheckArguments {
    const NAME: &'static str = "check";
    const TITLE: &'static str = "Check histories";
    const DESCRIPTION: &'static str = "Tells whether recorded histories of a concurrent object or database are linearizable (or \
        meet another consistency or isolation level) with respect to a model or a TLA+ specification. The verdict is valid, \
        violation or unknown. A violation comes with a drawing of the operations and the reason why no order explains them; \
        minimize shrinks it.";

    fn call(self, site: &Site<'_>) -> Result<Call, String> {
        let limits = site.limits(self.limits.as_ref())?;
        let mut words = vec!["check".to_owned(), "--json".to_owned()];
        words.extend(limits.words());
        option(&mut words, "model", self.model);
        option(
            &mut words,
            "spec",
            self.spec.map(|spec| site.path(&spec)).transpose()?,
        );
        specification::config(&mut words, self.config.as_deref(), site)?;
        specification::constants(&mut words, &self.constants)?;
        option(&mut words, "consistency", self.consistency);
        option(&mut words, "format", self.format);
        for (code, name) in &self.ops {
            if [code, name].iter().any(|part| part.contains(['=', ','])) {
                return Err(format!(
                    "ops: {code:?}: {name:?}: codes and names have no = and no comma"
                ));
            }
            option(&mut words, "ops", Some(format!("{code}={name}")));
        }
        option(
            &mut words,
            "keyed",
            self.keyed.map(|keyed| if keyed { "yes" } else { "no" }),
        );
        flag(&mut words, "infer", self.infer);
        flag(&mut words, "minimize", self.minimize);
        flag(&mut words, "async", self.r#async);
        words.push("--".to_owned());
        let file = match (self.traces.is_empty(), self.history) {
            (false, None) => {
                words.extend(site.paths(&self.traces)?);
                None
            }
            (true, Some(history)) => {
                words.push(format!("{SCRATCH}/history"));
                Some(("history", history))
            }
            _ => return Err("give traces (paths), or history (its text)".to_owned()),
        };
        Ok(Call {
            words,
            prints: Prints::Evidence,
            executes: false,
            limits,
            file,
            evidence_max: evidence_max(self.evidence_max),
        })
    }
}
