//! What a campaign says: each new finding, and the end on one screen.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use omnilink_campaign::{Chaos, FindingGroup, RunRecord, Stop};
use omnilink_evidence::Verdict;
use omnilink_report::{Look, Tone, count, counted, seconds, wrapped};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::runs::show_command;

/// The figures of a campaign, as they grow.
#[derive(Debug)]
pub(super) struct Tally {
    started: Instant,
    runs: u64,
    ops: u64,
    findings: u64,
    verdicts: BTreeMap<Verdict, u64>,
    coverage: BTreeMap<String, u64>,
    errors: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            runs: 0,
            ops: 0,
            findings: 0,
            verdicts: BTreeMap::new(),
            coverage: BTreeMap::new(),
            errors: 0,
        }
    }
}

impl Tally {
    pub(super) fn add(&mut self, run: &RunRecord) {
        self.runs += 1;
        self.ops += run.ops;
        *self.verdicts.entry(run.verdict).or_default() += 1;
        for (feature, times) in &run.coverage {
            *self.coverage.entry(feature.clone()).or_default() += times;
        }
        match run.finding.as_deref() {
            Some("error") => self.errors += 1,
            Some(_) => self.findings += 1,
            None => {}
        }
    }

    /// How the command ends.
    pub(super) fn exit(&self, stop: Stop) -> Exit {
        match (self.findings, self.errors, stop) {
            (1.., _, _) => Exit::Violation,
            (0, 1.., _) => Exit::BadInput,
            (0, 0, Stop::Interrupt) => Exit::Unknown,
            _ if self.verdicts.contains_key(&Verdict::Unknown) => Exit::Unknown,
            _ => Exit::Valid,
        }
    }

    /// What there is of some kinds, and what of it was never exercised.
    fn exercised(&self, kinds: &[&str]) -> (usize, Vec<&str>) {
        let is_one = |feature: &str| kinds.iter().any(|kind| feature.starts_with(kind));
        let features = self.coverage.iter().filter(|(feature, _)| is_one(feature));
        let never = features.clone().filter(|(_, times)| **times == 0);
        (
            features.count(),
            never.map(|(feature, _)| feature.as_str()).collect(),
        )
    }
}

/// A finding that no run before had.
pub(super) fn finding(run: &RunRecord, store: &Path, look: &Look) -> String {
    let kind = run.finding.as_deref().unwrap_or_default();
    let headline = run.headline.as_deref().unwrap_or_default();
    let head = format!(
        "{} in run {} (seed {})",
        look.paint(Tone::Bad, kind),
        run.id,
        run.seed
    );
    format!(
        "{head}\n{}    {}\n",
        wrapped("    ", headline, look),
        show_command(run.id, store)
    )
}

pub(super) fn run_json(run: &RunRecord) -> Value {
    json!({ "run": run })
}

pub(super) fn campaign_json(
    id: &str,
    stop: Stop,
    tally: &Tally,
    groups: &[FindingGroup],
    opaque: &[String],
) -> Value {
    json!({
        "not_switched_inside": opaque,
        "campaign": id,
        "stopped_by": stop_word(stop),
        "runs": tally.runs,
        "ops": tally.ops,
        "seconds": tally.started.elapsed().as_secs_f64(),
        "verdicts": tally.verdicts,
        "findings": groups,
        "coverage": tally.coverage,
    })
}

/// Why a schedule may show nothing: there is code of the harness in which it switches no threads.
pub(super) fn not_switched_inside(opaque: &[String]) -> Option<String> {
    (!opaque.is_empty()).then(|| {
        format!(
            "threads are not switched inside of {}: not instrumented. --chaos signals stalls threads there too",
            opaque.join(", ")
        )
    })
}

fn stop_word(stop: Stop) -> &'static str {
    match stop {
        Stop::Runs => "runs",
        Stop::Time => "time",
        Stop::Finding => "finding",
        Stop::Interrupt => "interrupt",
    }
}

/// The end of a campaign on one screen.
pub(super) fn summary(
    tally: &Tally,
    stop: Stop,
    groups: &[FindingGroup],
    chaos: Chaos,
    store: &Path,
    look: &Look,
) -> String {
    let took = tally.started.elapsed().as_secs_f64();
    let mut text = format!(
        "\n{} in {}, {}, {} operations per second{}\n",
        look.paint(Tone::Strong, &counted(tally.runs, "run", "runs")),
        seconds(took),
        counted(tally.ops, "operation", "operations"),
        count((tally.ops as f64 / took.max(1e-9)) as u64),
        match stop {
            Stop::Interrupt => "; interrupted",
            Stop::Time => "; the time is over",
            Stop::Finding => "; stopped at the first finding",
            Stop::Runs => "",
        }
    );
    let verdicts: Vec<String> = tally
        .verdicts
        .iter()
        .map(|(word, runs)| format!("{} {word}", count(*runs)))
        .collect();
    if !verdicts.is_empty() {
        text.push_str(&format!("  {}\n", verdicts.join(", ")));
    }
    let kinds: [(&[&str], &str); 2] = [
        (
            &["action ", "branch "],
            "actions and branches of the specification were exercised",
        ),
        (&["overlap "], "pairs of operations overlapped"),
    ];
    for (prefixes, what) in kinds {
        let (all, never) = tally.exercised(prefixes);
        if all == 0 {
            continue;
        }
        text.push_str(&format!("  {} of {all} {what}\n", all - never.len()));
        for feature in never.iter().take(NEVER_SHOWN) {
            text.push_str(&wrapped("    never: ", feature, look));
        }
        if never.len() > NEVER_SHOWN {
            text.push_str(&format!("    and {} more\n", never.len() - NEVER_SHOWN));
        }
    }
    let (reached, _) = tally.exercised(&["state "]);
    if reached > 0 {
        text.push_str(&format!(
            "  {} abstract states were reached\n",
            count(reached as u64)
        ));
    }
    if groups.is_empty() {
        text.push_str("  nothing was found\n");
    }
    for group in groups.iter().take(GROUPS_SHOWN) {
        let runs = if group.runs == 1 { "run" } else { "runs" };
        let head = format!(
            "{} in {} {runs}",
            look.paint(Tone::Bad, &group.finding),
            count(group.runs)
        );
        text.push_str(&format!("\n{head}\n{}", wrapped("    ", &group.headline, look)));
        let show = show_command(group.first, store);
        text.push_str(&format!(
            "    see it:    {show}\n    repeat it: {}\n",
            show.replacen("show", "rerun", 1)
        ));
        if chaos.is_repeatable() && group.finding == "violation" {
            let replay = show.replacen("runs show", "replay", 1);
            text.push_str(&format!("    stop at it: {replay}\n"));
        }
    }
    text
}

const NEVER_SHOWN: usize = 8;
const GROUPS_SHOWN: usize = 10;
