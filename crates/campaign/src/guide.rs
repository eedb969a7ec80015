//! Guidance: what a run exercised decides what the next one gets.
//!
//! A run's *coverage* is the set of things about the specification that it exercised: actions, branches of actions, abstract states, kinds
//! of results, pairs of operations that overlapped. How often counts too, in powers of two, because a queue that was empty once and one that
//! was empty a hundred times are different tests. Of abstract states it does not: to have been there is what counts. A run that exercised something new joins the *corpus* with its choices: threads,
//! operations, values, weights, and the seed of its operations. Later runs take choices from the corpus and change some of them.
//! Of the corpus those are preferred whose coverage is rare.
//!
//! Guidance changes how likely a violation is to be met, never what counts as one. A quarter of all runs stay unguided, so that
//! no behaviour becomes unreachable because it was never rewarded. The choices of every run are stored with it, so a guided
//! run is repeated like any other.

use std::collections::{BTreeMap, BTreeSet};

use crate::planned_run::PlannedRun;
use crate::store::RunRecord;

const THREADS: &str = "OMNILINK_THREADS";
const OPS: &str = "OMNILINK_OPS";
const VALUES: &str = "OMNILINK_VALUES";
const WEIGHTS: &str = "OMNILINK_WEIGHTS";
const INPUT_SEED: &str = "OMNILINK_INPUT_SEED";
const STEPS: &str = "OMNILINK_STEPS";

/// The sizes that are tried. Small ones make conflicts likely, large ones reach states that need many operations.
const THREAD_COUNTS: [u64; 6] = [2, 2, 3, 3, 4, 6];
const OP_COUNTS: [u64; 5] = [8, 20, 50, 100, 200];
const VALUE_COUNTS: [u64; 6] = [1, 2, 3, 5, 8, 16];
const WEIGHTS_TRIED: [&str; 5] = ["0", "0.3", "1", "3", "10"];

/// The corpus keeps at most this many runs; the least useful one goes.
const CORPUS_MAX: usize = 256;

/// What was learned from the runs so far.
#[derive(Debug)]
pub(crate) struct Guide {
    random: fastrand::Rng,
    /// What the user decided.
    fixed: BTreeMap<String, String>,
    /// In how many runs each feature occurred.
    seen: BTreeMap<String, u64>,
    corpus: Vec<Entry>,
    /// The operations that traces had.
    ops: BTreeSet<String>,
    /// How many steps of the scheduler runs took, on average.
    steps: Option<f64>,
}

#[derive(Debug)]
struct Entry {
    choices: BTreeMap<String, String>,
    seed: u64,
    features: Vec<String>,
    times_chosen: u64,
}

impl Guide {
    /// `fixed` is what the user decided, and stays as it is.
    pub(crate) fn new(seed: u64, fixed: BTreeMap<String, String>) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            fixed,
            seen: BTreeMap::new(),
            corpus: Vec::new(),
            ops: BTreeSet::new(),
            steps: None,
        }
    }

    /// What a run gets.
    pub(crate) fn plan(&mut self, run: PlannedRun) -> PlannedRun {
        let mut choices = match self.random.u8(..4) {
            // As if there were no guidance.
            0 => BTreeMap::new(),
            1 => self.fresh(),
            _ => self.changed(),
        };
        if let Some(steps) = self.steps {
            choices.insert(STEPS.to_owned(), (steps.round() as u64).max(1).to_string());
        }
        choices.extend(self.fixed.clone());
        PlannedRun { choices, ..run }
    }

    /// All choices at random.
    fn fresh(&mut self) -> BTreeMap<String, String> {
        let mut choices = BTreeMap::new();
        for knob in 0..KNOBS {
            self.turn(knob, &mut choices);
        }
        choices
    }

    /// The choices of a run of the corpus, one or two of them changed.
    fn changed(&mut self) -> BTreeMap<String, String> {
        let Some(index) = self.chosen() else {
            return self.fresh();
        };
        let entry = &mut self.corpus[index];
        entry.times_chosen += 1;
        let mut choices = entry.choices.clone();
        let seed = entry.seed;
        choices.remove(STEPS);
        match self.random.u8(..3) {
            // The same operations under another schedule.
            0 => drop(choices.insert(INPUT_SEED.to_owned(), seed.to_string())),
            _ => drop(choices.remove(INPUT_SEED)),
        }
        for _ in 0..self.random.u8(0..3) {
            let knob = self.random.u8(..KNOBS);
            self.turn(knob, &mut choices);
        }
        choices
    }

    /// A run of the corpus; those with rare features, and those that were seldom chosen, are preferred.
    fn chosen(&mut self) -> Option<usize> {
        let weights: Vec<f64> = self.corpus.iter().map(|entry| self.usefulness(entry)).collect();
        let mut point = self.random.f64() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            point -= weight;
            if point < 0.0 {
                return Some(index);
            }
        }
        self.corpus.len().checked_sub(1)
    }

    fn usefulness(&self, entry: &Entry) -> f64 {
        let rarity: f64 = entry
            .features
            .iter()
            .map(|feature| 1.0 / self.seen.get(feature).copied().unwrap_or(1) as f64)
            .sum();
        rarity / (1 + entry.times_chosen) as f64
    }

    /// Makes one choice.
    fn turn(&mut self, knob: u8, choices: &mut BTreeMap<String, String>) {
        let (name, value) = match knob {
            0 => (THREADS, self.one_of(&THREAD_COUNTS).to_string()),
            1 => (OPS, self.one_of(&OP_COUNTS).to_string()),
            2 => (VALUES, self.one_of(&VALUE_COUNTS).to_string()),
            _ => match self.weights() {
                Some(weights) => (WEIGHTS, weights),
                None => return,
            },
        };
        choices.insert(name.to_owned(), value);
    }

    /// Weights for the operations; at least one is not zero.
    fn weights(&mut self) -> Option<String> {
        let ops: Vec<String> = self.ops.iter().cloned().collect();
        if ops.len() < 2 {
            return None;
        }
        let sure = self.random.usize(..ops.len());
        let weights: Vec<String> = ops
            .iter()
            .enumerate()
            .map(|(i, op)| match i == sure {
                true => format!("{op}=3"),
                false => format!("{op}={}", self.one_of(&WEIGHTS_TRIED)),
            })
            .collect();
        Some(weights.join(","))
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.random.usize(..items.len())]
    }

    /// Learns from a run that is over. Returns whether it exercised something new.
    pub(crate) fn learn(&mut self, run: &RunRecord, steps: Option<u64>) -> bool {
        if let Some(steps) = steps {
            let steps = steps as f64;
            self.steps = Some(self.steps.map_or(steps, |mean| mean * 0.9 + steps * 0.1));
        }
        let names = run
            .coverage
            .keys()
            .filter_map(|feature| feature.strip_prefix("result "))
            .filter_map(|rest| rest.split_once(": "))
            .map(|(op, _)| op);
        // A list of weights is written with these.
        self.ops
            .extend(names.filter(|op| !op.contains([',', '='])).map(ToOwned::to_owned));
        let features: Vec<String> = run
            .coverage
            .iter()
            .filter(|(_, times)| **times > 0)
            .map(|(feature, times)| match feature.starts_with("state ") {
                true => feature.clone(),
                false => format!("{feature} 2^{}", times.ilog2()),
            })
            .collect();
        let is_new = features.iter().any(|feature| !self.seen.contains_key(feature));
        for feature in &features {
            *self.seen.entry(feature.clone()).or_default() += 1;
        }
        if is_new {
            self.corpus.push(Entry {
                choices: run.choices.clone(),
                seed: run
                    .choices
                    .get(INPUT_SEED)
                    .and_then(|seed| seed.parse().ok())
                    .unwrap_or(run.seed),
                features,
                times_chosen: 0,
            });
            if self.corpus.len() > CORPUS_MAX {
                let usefulness = |entry: &Entry| self.usefulness(entry);
                let least = self
                    .corpus
                    .iter()
                    .enumerate()
                    .min_by(|(_, a), (_, b)| usefulness(a).total_cmp(&usefulness(b)));
                if let Some((index, _)) = least {
                    self.corpus.swap_remove(index);
                }
            }
        }
        is_new
    }
}

/// How many choices there are.
const KNOBS: u8 = 4;

/// The steps that an instrumented harness says it took: `omnilink: 1234 steps` on its standard output.
pub(crate) fn steps_in(stdout: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(stdout);
    let line = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("omnilink: "))?;
    line.strip_suffix(" steps")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(choices: &BTreeMap<String, String>, coverage: &[(&str, u64)]) -> RunRecord {
        RunRecord {
            id: 0,
            campaign: String::new(),
            number: 0,
            seed: 5,
            started_at: 0,
            seconds: 0.0,
            choices: choices.clone(),
            ending: String::new(),
            verdict: "valid".to_owned(),
            ops: 0,
            threads: 0,
            finding: None,
            signature: None,
            headline: None,
            coverage: coverage
                .iter()
                .map(|(name, times)| ((*name).to_owned(), *times))
                .collect(),
        }
    }

    /// A system whose rare behaviour needs one operation only and one value: guidance must come back to it far more often than
    /// chance does.
    #[test]
    fn choices_that_led_to_rare_behaviour_come_back() {
        let is_rare = |choices: &BTreeMap<String, String>| {
            choices.get(VALUES).is_some_and(|values| values == "1")
                && choices
                    .get(WEIGHTS)
                    .is_some_and(|weights| weights.contains("Put=0,"))
        };
        let mut guide = Guide::new(3, BTreeMap::new());
        let (mut guided, mut unguided) = (0, 0);
        for number in 0..2_000 {
            let plan = guide.plan(PlannedRun::new(3, number));
            let mut coverage = vec![("result Put: none", 4), ("result Take: null", 4)];
            if is_rare(&plan.choices) {
                coverage.push(("branch of a rare kind", 1));
                guided += 1;
            }
            guide.learn(&run(&plan.choices, &coverage), None);
            let mut other = guide.fresh();
            other.remove(INPUT_SEED);
            unguided += u32::from(is_rare(&other));
        }
        assert!(guided > 3 * unguided, "{guided} guided, {unguided} by chance");
    }

    #[test]
    fn a_run_that_reaches_another_abstract_state_is_kept_and_one_that_is_there_more_often_is_not() {
        let mut guide = Guide::new(1, BTreeMap::new());
        let choices = BTreeMap::from([(VALUES.to_owned(), "1".to_owned())]);
        let mut learns = |coverage: &[(&str, u64)]| guide.learn(&run(&choices, coverage), None);
        assert!(learns(&[("action A", 1), ("state <<1, 2>>", 1)]));
        assert!(!learns(&[("action A", 1), ("state <<1, 2>>", 900)]));
        assert!(learns(&[("action A", 1), ("state <<2, 2>>", 1)]));
        assert!(learns(&[("action A", 900), ("state <<2, 2>>", 1)]));
        assert_eq!(guide.corpus.len(), 3);
        let planned = (0..400).map(|number| guide.plan(PlannedRun::new(1, number)));
        let kept = planned.filter(|plan| plan.choices.get(VALUES).is_some_and(|values| values == "1"));
        assert!(
            kept.count() > 100,
            "the choices of runs that reached something new come back"
        );
    }

    #[test]
    fn what_the_user_decided_stays_and_some_weight_is_positive() {
        let fixed = BTreeMap::from([(THREADS.to_owned(), "7".to_owned())]);
        let mut guide = Guide::new(1, fixed);
        guide.learn(
            &run(&BTreeMap::new(), &[("result A: none", 1), ("result B: none", 1)]),
            Some(500),
        );
        let mut with_weights = 0;
        for number in 0..500 {
            let plan = guide.plan(PlannedRun::new(1, number));
            assert_eq!(plan.choices.get(THREADS).map(String::as_str), Some("7"));
            assert_eq!(plan.choices.get(STEPS).map(String::as_str), Some("500"));
            if let Some(weights) = plan.choices.get(WEIGHTS) {
                with_weights += 1;
                assert!(
                    weights.split(',').any(|weight| !weight.ends_with("=0")),
                    "{weights}"
                );
            }
            guide.learn(&run(&plan.choices, &[("action A", number)]), None);
        }
        assert!(with_weights > 50);
        assert!(guide.corpus.len() <= CORPUS_MAX);
    }

    #[test]
    fn steps_are_read_from_what_a_harness_prints() {
        assert_eq!(steps_in(b"hello\nomnilink: 1234 steps\n"), Some(1234));
        assert_eq!(steps_in(b"omnilink: many steps"), None);
        assert_eq!(steps_in(b"\xff\xfe"), None);
    }
}
