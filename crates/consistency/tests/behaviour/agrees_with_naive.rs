//! The search agrees with the definition on random small histories of every shipped model.

use fastrand::Rng;

use crate::common::{Visitor, Workload, each_workload};
use omnilink_consistency::{
    Axiom, Claim, ConsistencyLevel, Criterion, Filter, History, HistoryOp, Order, Relation, Ret, WeakChecker,
    WeakOptions, WeakReductions, confirm, naive,
};
use omnilink_engine::{Model, Strategy};
use omnilink_evidence::Conclusion;
use omnilink_models::Register;
use omnilink_value::Value;

/// A random history: few operations, few threads, any partial order, now and then a pending operation.
fn random_history<W: Workload>(
    workload: &W,
    count: usize,
    threads: usize,
    rng: &mut Rng,
) -> History<<W::Model as Model>::Op> {
    let calls = workload.calls();
    let mut ops: Vec<HistoryOp<_>> = Vec::new();
    for position in 0..count {
        let effect = calls[rng.usize(..calls.len())].clone();
        let results = workload.results(&effect);
        let optional = rng.usize(..12) == 0;
        let op = if optional {
            effect.clone()
        } else {
            results[rng.usize(..results.len())].clone()
        };
        ops.push(HistoryOp {
            op,
            effect,
            method: ["a", "b"][position % 2].to_owned(),
            thread: rng.usize(..threads) as u32,
            optional,
            label: position.to_string(),
        });
    }
    let density = rng.usize(..4);
    let mut pairs = Vec::new();
    for second in 0..count {
        for (first, op) in ops.iter().enumerate().take(second) {
            if rng.usize(..4) < density && !op.optional {
                pairs.push((first, second));
            }
        }
    }
    History::new(ops, &Order::from_pairs(count, pairs).unwrap()).unwrap()
}

/// Every named level, and axioms that no level has.
fn criteria() -> Vec<Criterion> {
    use Relation::{Hb, Lin, Only, Po, Vis};
    let named = ConsistencyLevel::ALL.map(ConsistencyLevel::criterion);
    let a = || Only(Filter::Methods(vec!["a".to_owned()]));
    let axiom = |claim| Axiom { claim, scope: None };
    let for_a = |claim| Axiom {
        claim,
        scope: Some(Filter::Methods(vec!["a".to_owned()])),
    };
    let custom = [
        (
            "consistent prefix",
            vec![axiom(Claim::VisContains(Lin.then(Vis)))],
            true,
        ),
        ("all of a", vec![axiom(Claim::VisContains(a().then(Lin)))], true),
        (
            "a sees all",
            vec![
                for_a(Claim::VisContains(Lin)),
                axiom(Claim::VisContains(Vis.then(Po))),
            ],
            true,
        ),
        (
            "a causal",
            vec![
                for_a(Claim::VisContains(Vis.then(Vis))),
                axiom(Claim::VisContains(Hb)),
            ],
            true,
        ),
        (
            "writers first",
            vec![axiom(Claim::VisContains(
                Only(Filter::Writers).then(Hb).then(Vis),
            ))],
            true,
        ),
        (
            "through readers",
            vec![axiom(Claim::VisContains(
                Vis.then(Only(Filter::Readers)).then(Vis),
            ))],
            true,
        ),
        (
            "partly real time",
            vec![axiom(Claim::LinContains(a().then(Hb)))],
            false,
        ),
        ("no order at all", vec![], false),
    ];
    let custom = custom.map(|(name, axioms, keeps_hb)| Criterion::new(name, axioms, keeps_hb).unwrap());
    named.into_iter().chain(custom).collect()
}

struct Comparison {
    criteria: Vec<Criterion>,
    reductions: Vec<WeakReductions>,
    strategies: Vec<Option<Strategy>>,
    rounds: usize,
    /// How many operations a history has at least and at most.
    sizes: [usize; 2],
    threads: usize,
    valid: u64,
    violations: u64,
}

impl Comparison {
    fn count(&self, round: usize) -> usize {
        let [least, most] = self.sizes;
        least + round % (most - least + 1)
    }
}

impl Visitor for Comparison {
    fn visit<W: Workload>(&mut self, name: &str, workload: &W) {
        let model = workload.model();
        let mut checker = WeakChecker::new(&model);
        let mut rng = Rng::with_seed(name.len() as u64 * 7919);
        for round in 0..self.rounds {
            let history = random_history(workload, self.count(round), self.threads, &mut rng);
            for criterion in &self.criteria {
                for ret in [Ret::Own, Ret::All] {
                    let expected = naive::explain(&model, &history, criterion, ret).is_some();
                    match confirm(&model, &history, criterion, ret) {
                        Ok(confirmation) => assert!(
                            !expected && confirmation.is_confirmed(),
                            "{name}, {}, {ret:?}: {history:#?} {confirmation:?}",
                            criterion.name()
                        ),
                        Err(error) => assert!(expected, "{name}, {}: {history:#?} {error}", criterion.name()),
                    }
                    let ways = self.reductions.iter();
                    for (reductions, strategy) in
                        ways.flat_map(|way| self.strategies.iter().map(move |strategy| (way, strategy)))
                    {
                        let options = WeakOptions {
                            ret,
                            reductions: *reductions,
                            strategy: *strategy,
                            minimise: false,
                            ..WeakOptions::default()
                        };
                        let outcome = checker.check(&history, criterion, &options).unwrap();
                        assert_eq!(
                            outcome.conclusion.is_valid(),
                            expected,
                            "{name}, {}, {ret:?}, {reductions:?}, {strategy:?}: {history:#?} {:#?}",
                            criterion.name(),
                            outcome.conclusion
                        );
                    }
                    *(if expected {
                        &mut self.valid
                    } else {
                        &mut self.violations
                    }) += 1;
                }
            }
        }
    }
}

#[test]
fn every_level_and_reading_agrees_with_the_definition_for_every_model() {
    let mut comparison = Comparison {
        criteria: criteria(),
        reductions: vec![WeakReductions::ALL],
        strategies: vec![None],
        rounds: 60,
        sizes: [1, 4],
        threads: 3,
        valid: 0,
        violations: 0,
    };
    each_workload(&mut comparison);
    // Both answers are common, or the comparison would show little.
    let total = comparison.valid + comparison.violations;
    assert!(comparison.valid * 5 > total && comparison.violations * 5 > total);
}

/// Two threads of two or three operations each: the least in which one of several minimal visibilities of an operation
/// leaves the next one of its thread without any.
#[test]
fn what_is_seen_is_chosen_with_regard_to_what_comes_after() {
    let mut comparison = Comparison {
        criteria: criteria(),
        reductions: vec![
            WeakReductions {
                strongest_first: false,
                ..WeakReductions::ALL
            },
            WeakReductions {
                strongest_first: false,
                lookahead_after: Some(0),
                ..WeakReductions::ALL
            },
        ],
        strategies: vec![None, Some(Strategy::Sweep)],
        rounds: 250,
        sizes: [5, 5],
        threads: 2,
        valid: 0,
        violations: 0,
    };
    comparison.visit(
        "register",
        &Register {
            initial: Value::int(0),
        },
    );
}

#[test]
fn no_reduction_changes_a_verdict() {
    let without = |change: fn(&mut WeakReductions)| {
        let mut reductions = WeakReductions::ALL;
        change(&mut reductions);
        reductions
    };
    let mut comparison = Comparison {
        criteria: criteria(),
        reductions: vec![
            WeakReductions::NONE,
            without(|reductions| reductions.strongest_first = false),
            without(|reductions| {
                reductions.strongest_first = false;
                reductions.minimal = false;
            }),
            without(|reductions| {
                reductions.strongest_first = false;
                reductions.eager = false;
            }),
            without(|reductions| {
                reductions.strongest_first = false;
                reductions.memo = false;
            }),
            without(|reductions| {
                reductions.strongest_first = false;
                reductions.lookahead_after = Some(0);
            }),
        ],
        strategies: vec![None],
        rounds: 24,
        sizes: [1, 4],
        threads: 3,
        valid: 0,
        violations: 0,
    };
    each_workload(&mut comparison);
}

#[test]
fn no_strategy_changes_a_verdict() {
    let mut comparison = Comparison {
        criteria: criteria(),
        reductions: vec![
            WeakReductions::ALL,
            WeakReductions {
                strongest_first: false,
                ..WeakReductions::ALL
            },
        ],
        strategies: [Strategy::Portfolio, Strategy::Sweep, Strategy::DepthFirst]
            .map(Some)
            .to_vec(),
        rounds: 24,
        sizes: [1, 5],
        threads: 3,
        valid: 0,
        violations: 0,
    };
    each_workload(&mut comparison);
}

/// Forgetting the results outside the core leaves a violation; forgetting one more of the core does not.
struct Cores;

impl Visitor for Cores {
    fn visit<W: Workload>(&mut self, name: &str, workload: &W) {
        let model = workload.model();
        let mut rng = Rng::with_seed(name.len() as u64 * 104_729);
        for round in 0..40 {
            let history = random_history(workload, 2 + round % 4, 3, &mut rng);
            let criterion = ConsistencyLevel::ALL[round % ConsistencyLevel::ALL.len()].criterion();
            let outcome = WeakChecker::new(&model)
                .check(&history, &criterion, &WeakOptions::default())
                .unwrap();
            let Conclusion::Violation(refutation) = outcome.conclusion else {
                continue;
            };
            let core = refutation.core.unwrap();
            let is_explained = |kept: &dyn Fn(usize) -> bool| {
                let mut ops = history.ops().to_vec();
                for (position, op) in ops.iter_mut().enumerate() {
                    if !kept(position) {
                        op.op = op.effect.clone();
                    }
                }
                let history = History::new(ops, history.happens_before()).unwrap();
                naive::explain(&model, &history, &criterion, Ret::Own).is_some()
            };
            assert!(!is_explained(&|op| core.has(op)), "{name}");
            for left_out in core.iter() {
                assert!(is_explained(&|op| core.has(op) && op != left_out), "{name}");
            }
        }
    }
}

#[test]
fn the_core_of_a_violation_is_minimal() {
    each_workload(&mut Cores);
}

/// Whatever satisfies a level satisfies those that it implies.
struct Inclusions;

impl Visitor for Inclusions {
    fn visit<W: Workload>(&mut self, name: &str, workload: &W) {
        let model = workload.model();
        let mut checker = WeakChecker::new(&model);
        let mut rng = Rng::with_seed(name.len() as u64 * 31_337);
        for round in 0..60 {
            let history = random_history(workload, 2 + round % 5, 3, &mut rng);
            for ret in [Ret::Own, Ret::All] {
                let options = WeakOptions {
                    ret,
                    minimise: false,
                    ..WeakOptions::default()
                };
                let satisfied = ConsistencyLevel::ALL.map(|level| {
                    let outcome = checker.check(&history, &level.criterion(), &options);
                    outcome.unwrap().conclusion.is_valid()
                });
                for (strong, is_strong) in ConsistencyLevel::ALL.into_iter().zip(satisfied) {
                    for (weak, is_weak) in ConsistencyLevel::ALL.into_iter().zip(satisfied) {
                        let holds = !strong.implies(weak) || !is_strong || is_weak;
                        assert!(
                            holds,
                            "{name}: {strong} but not {weak} with {ret:?}: {history:#?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_known_inclusions_between_levels_hold_for_every_model() {
    each_workload(&mut Inclusions);
}
