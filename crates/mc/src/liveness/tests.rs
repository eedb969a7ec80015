//! Random graphs, formulas and fairness conditions: the search for a lasso against a naive check of all short lassos.
//!
//! The naive check enumerates lassos as walks over (state, visited part of the cycle conditions) would be, but without any theory: it
//! tries all prefixes and cycles up to a length, and evaluates the formulas on each by the definition of the temporal operators. On
//! graphs of at most four states, with formulas of limited depth, a lasso exists if and only if a short one does; where the naive
//! check finds none up to its bound and the search finds one, that one is evaluated.

use std::collections::BTreeSet;

use super::find_lasso;
use super::formula::{FormulaKind, Letter, Origin, TemporalFormula};
use super::graph::{LabelledGraph, Node};
use super::lasso::Lasso;
use super::normal_form::NormalForms;
use crate::limits::{LimitWatch, SearchLimits};
use crate::progress::SearchProgress;
use crate::random::word;

/// Random numbers from a seed.
struct Random {
    seed: u64,
    draws: u64,
}

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.draws += 1;
        word(self.seed, self.draws) % bound
    }
}

const STATE_ATOMS: u64 = 2;
/// Atoms: two of states, ENABLED and step of two actions, one step formula `[A]_v`.
const ATOMS: u32 = 7;

fn formula(kind: FormulaKind) -> TemporalFormula {
    TemporalFormula {
        kind,
        origin: Origin::default(),
    }
}

fn random_formula(random: &mut Random, depth: u32) -> TemporalFormula {
    let choice = if depth == 0 {
        random.below(3)
    } else {
        random.below(16)
    };
    let boxed = |random: &mut Random| Box::new(random_formula(random, depth - 1));
    let two = |random: &mut Random| {
        Box::new((
            random_formula(random, depth - 1),
            random_formula(random, depth - 1),
        ))
    };
    formula(match choice {
        0 | 1 => FormulaKind::Atom(random.below(STATE_ATOMS) as u32),
        // `<><<A>>_v` and `[][A]_v`: actions occur in no other form.
        2 => match random.below(2) {
            0 => FormulaKind::Eventually(Box::new(formula(FormulaKind::Atom(
                3 + 2 * random.below(2) as u32,
            )))),
            _ => FormulaKind::Always(Box::new(formula(FormulaKind::Atom(6)))),
        },
        3 | 4 => FormulaKind::Not(boxed(random)),
        5 | 6 => FormulaKind::And(vec![*boxed(random), *boxed(random)]),
        7 => FormulaKind::Or(vec![*boxed(random), *boxed(random)]),
        8 => FormulaKind::Implies(two(random)),
        9 => FormulaKind::Equiv(two(random)),
        10 => FormulaKind::If(Box::new((*boxed(random), *boxed(random), *boxed(random)))),
        11 | 12 => FormulaKind::Always(boxed(random)),
        13 | 14 => FormulaKind::Eventually(boxed(random)),
        _ => match random.below(2) {
            0 => FormulaKind::LeadsTo(two(random)),
            _ => random_fairness(random).kind,
        },
    })
}

fn random_fairness(random: &mut Random) -> TemporalFormula {
    let enabled = 2 + 2 * random.below(2) as u32;
    formula(FormulaKind::Fairness {
        is_strong: random.below(2) == 0,
        enabled,
        step: enabled + 1,
    })
}

/// A graph of up to four states with random labels. As in a spec, a step is taken only where it is enabled, and stuttering takes no
/// step and satisfies `[A]_v`. An action may be enabled although no step of the graph takes it.
fn random_graph(random: &mut Random) -> LabelledGraph {
    let count = 1 + random.below(4) as Node;
    let mut letters: Vec<Letter> = Vec::new();
    let mut number = |letter: u64| {
        let letter: Letter = Box::new([letter]);
        letters
            .iter()
            .position(|known| *known == letter)
            .unwrap_or_else(|| {
                letters.push(letter);
                letters.len() - 1
            }) as u32
    };
    let mut states = Vec::new();
    for state in 0..count {
        let mut of_state = random.below(1 << STATE_ATOMS);
        let mut steps = Vec::new();
        let mut enabled = [random.below(3) == 0, random.below(3) == 0];
        for to in (0..count).filter(|to| *to != state) {
            if random.below(2) == 0 {
                let taken = [random.below(3) == 0, random.below(3) == 0];
                enabled[0] |= taken[0];
                enabled[1] |= taken[1];
                let mut bits = u64::from(taken[0]) << 3 | u64::from(taken[1]) << 5;
                bits |= random.below(2) << 6;
                steps.push((to, bits));
            }
        }
        of_state |= u64::from(enabled[0]) << 2 | u64::from(enabled[1]) << 4;
        let stuttering = number(of_state | 1 << 6);
        let steps = steps
            .into_iter()
            .map(|(to, bits)| (to, number(of_state | bits)))
            .collect();
        states.push((stuttering, steps));
    }
    let mut initial = vec![0];
    if count > 1 && random.below(3) == 0 {
        initial.push(1);
    }
    assert!(letters.iter().all(|letter| letter[0] < 1 << ATOMS));
    LabelledGraph::new(initial, letters, states)
}

/// Whether some lasso with at most `length` states satisfies all formulas.
fn has_lasso(graph: &LabelledGraph, formulas: &[&TemporalFormula], length: usize) -> bool {
    let mut walks: Vec<(Vec<Node>, Vec<u32>)> = graph
        .initial
        .iter()
        .map(|node| (vec![*node], Vec::new()))
        .collect();
    for _ in 0..length {
        let mut longer = Vec::new();
        for (nodes, letters) in walks {
            let last = nodes[nodes.len() - 1];
            let mut number = 0;
            while let Some((to, letter)) = graph.step(last, number) {
                number += 1;
                let mut letters = letters.clone();
                letters.push(letter);
                for start in (0..nodes.len()).filter(|start| nodes[*start] == to) {
                    let lasso = Lasso {
                        nodes: nodes.clone(),
                        letters: letters.clone(),
                        start,
                    };
                    if formulas.iter().all(|formula| lasso.truths(graph, formula)[0]) {
                        return true;
                    }
                }
                let mut nodes = nodes.clone();
                nodes.push(to);
                longer.push((nodes, letters));
            }
        }
        walks = longer;
    }
    false
}

/// Whether two lassos that are found are really lassos of the graph.
fn is_walk(graph: &LabelledGraph, lasso: &Lasso) -> bool {
    let has_step = |at: usize| {
        let to = lasso.nodes[lasso.next(at)];
        let steps = (0..).map_while(|number| graph.step(lasso.nodes[at], number));
        steps.into_iter().any(|step| step == (to, lasso.letters[at]))
    };
    graph.initial.contains(&lasso.nodes[0]) && (0..lasso.nodes.len()).all(has_step)
}

/// Compares the search with the naive check; the number of cases with a lasso.
fn compare(seeds: std::ops::Range<u64>, length: usize, depth: u32) -> (u64, BTreeSet<usize>) {
    let progress = SearchProgress::default();
    let limits = LimitWatch::new(
        &SearchLimits {
            time: None,
            memory_bytes: u64::MAX,
        },
        &progress,
    );
    let mut found_count = 0;
    let mut lengths = BTreeSet::new();
    for seed in seeds {
        let mut random = Random { seed, draws: 0 };
        let graph = random_graph(&mut random);
        let property = random_formula(&mut random, depth);
        let fairness: Vec<TemporalFormula> = (0..random.below(3))
            .map(|_| random_fairness(&mut random))
            .collect();
        let negation = formula(FormulaKind::Not(Box::new(property.clone())));
        let mut forms = NormalForms::default();
        let mut conjuncts = vec![forms.of(&property, false)];
        conjuncts.extend(fairness.iter().map(|formula| forms.of(formula, true)));
        let found = find_lasso(&graph, &mut forms, &conjuncts, &limits);
        let found = found.unwrap_or_else(|stop| panic!("seed {seed}: {stop:?}"));
        let formulas: Vec<&TemporalFormula> = fairness.iter().chain([&negation]).collect();
        match &found {
            Some(lasso) => {
                found_count += 1;
                lengths.insert(lasso.nodes.len());
                assert!(
                    is_walk(&graph, lasso),
                    "seed {seed}: {lasso:?} is no behaviour of {graph:?}"
                );
                for formula in formulas {
                    assert!(
                        lasso.truths(&graph, formula)[0],
                        "seed {seed}: {lasso:?} violates {formula:?} in {graph:?}"
                    );
                }
            }
            None => assert!(
                !has_lasso(&graph, &formulas, length),
                "seed {seed}: a lasso was missed for {property:?} under {fairness:?} in {graph:?}"
            ),
        }
    }
    (found_count, lengths)
}

/// How often the random tests run: `OMNILINK_ROUNDS` sets it.
fn rounds(default: u64) -> u64 {
    let rounds = std::env::var("OMNILINK_ROUNDS").ok();
    rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}

#[test]
fn the_search_finds_a_lasso_where_the_naive_check_does() {
    let rounds = rounds(6_000);
    let (found, lengths) = compare(0..rounds, 5, 3);
    assert!(
        found > rounds / 5 && found < rounds,
        "{found} of {rounds} have a lasso"
    );
    assert!(lengths.len() > 3, "lassos of different lengths: {lengths:?}");
}

#[test]
fn deeper_formulas_agree_with_the_naive_check() {
    let rounds = rounds(2_000);
    let (found, _) = compare(1_000_000..1_000_000 + rounds, 5, 5);
    assert!(found > rounds / 5 && found < rounds);
}
