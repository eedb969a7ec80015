//! The solver against all values of all variables.

use omnilink_engine::Limits;
use omnilink_history::order_graph::{Graph, Wiring};

use super::*;

const NODES: u32 = 5;
const VARIABLES: usize = 9;

struct Problem {
    edges: Vec<(Edges, Edges)>,
    clauses: Vec<Vec<Literal>>,
}

impl Problem {
    fn random(rng: &mut fastrand::Rng) -> Self {
        let edges = |rng: &mut fastrand::Rng| -> Edges {
            (0..rng.usize(0..3))
                .map(|_| (rng.u32(0..NODES), rng.u32(0..NODES)))
                .filter(|(a, b)| a != b)
                .collect()
        };
        let literal = |rng: &mut fastrand::Rng| Literal(rng.u32(0..2 * VARIABLES as u32));
        Self {
            edges: (0..VARIABLES).map(|_| (edges(rng), edges(rng))).collect(),
            clauses: (0..rng.usize(0..36))
                .map(|_| (0..3).map(|_| literal(rng)).collect())
                .collect(),
        }
    }

    fn is_solvable(&self) -> bool {
        (0..1_u32 << VARIABLES).any(|values| {
            let is_true = |literal: &Literal| (values >> literal.variable()) & 1 != literal.0 & 1;
            let mut graph = without_edges();
            let chosen = { self.edges.iter().enumerate() }
                .flat_map(|(at, (yes, no))| if (values >> at) & 1 == 1 { yes } else { no });
            self.clauses.iter().all(|clause| clause.iter().any(is_true)) && { chosen }
                .all(|(from, to)| graph.add(*from, *to, ALWAYS).is_ok())
        })
    }

    fn solved(&self, learned_literals_max: usize) -> (bool, Solver) {
        let mut solver = Solver::new(without_edges());
        solver.learned_literals_max = learned_literals_max;
        for (yes, no) in &self.edges {
            solver.variable(yes.clone(), no.clone());
        }
        for clause in &self.clauses {
            let mut clause = clause.clone();
            clause.sort_unstable();
            clause.dedup();
            // A clause with both values of a variable says nothing.
            if !clause.iter().any(|literal| clause.contains(&!*literal)) {
                solver.clause(clause);
            }
        }
        let mut budget = Budget::new(Limits::default());
        let solved = solver.solve(&mut budget, u64::MAX, &mut |_, _| Remaining::Nothing);
        (matches!(solved, Solved::Yes), solver)
    }
}

fn without_edges() -> AcyclicGraph {
    AcyclicGraph::new(&Graph::new(NODES as usize, Wiring::Serial), (0..NODES).collect())
}

#[test]
fn forgetting_changes_no_answer() {
    let mut rng = fastrand::Rng::with_seed(7);
    let (mut solvable, mut forgotten) = (0, 0);
    for _ in 0..3_000 {
        let problem = Problem::random(&mut rng);
        let expected = problem.is_solvable();
        solvable += u32::from(expected);
        for learned_literals_max in [0, 8, LEARNED_LITERALS] {
            let (is_solved, solver) = problem.solved(learned_literals_max);
            assert_eq!(
                is_solved, expected,
                "with room for {learned_literals_max} literals"
            );
            forgotten += { solver.clauses.iter() }
                .filter(|clause| clause.is_empty())
                .count();
            let held: usize = { solver.learned.iter() }
                .map(|learned| solver.clauses[learned.number as usize].len())
                .sum();
            assert_eq!(held, solver.learned_literals);
        }
    }
    assert!(solvable > 300 && solvable < 2_700, "{solvable}");
    assert!(forgotten > 300, "{forgotten}");
}
