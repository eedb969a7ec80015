//! Short cycles of dependencies, one of each class.
//!
//! A class is what the literature names a cycle by: the kinds of its edges. Cycles are enumerated by length, so the first one of a class
//! is a shortest one. Few transactions are searched completely; of many, up to a length and a number of steps.

use std::collections::BTreeMap;

use crate::dependency::{Dependencies, Dependency, DependencyKind};

/// The number of edges that are followed.
const STEPS_MAX: u64 = 1_000_000;
/// The longest cycle that is looked for.
const LENGTH_MAX: usize = 8;

/// A simple cycle of dependencies.
pub(crate) type DependencyCycle = Vec<Dependency>;

/// The name of a cycle, after Adya and Elle.
pub(crate) fn class(cycle: &[Dependency]) -> String {
    let count = |kind: DependencyKind| cycle.iter().filter(|edge| edge.kind == kind).count();
    let is_predicate = cycle.iter().any(Dependency::is_by_predicate);
    let is_anti = |at: usize| cycle[at % cycle.len()].kind == DependencyKind::Rw;
    let base = match count(DependencyKind::Rw) {
        0 if count(DependencyKind::Wr) > 0 => "G1c",
        0 => "G0",
        1 => "G-single",
        _ if (0..cycle.len()).any(|at| is_anti(at) && is_anti(at + 1)) => {
            if is_predicate {
                "G2"
            } else {
                "G2-item"
            }
        }
        _ => "G-nonadjacent",
    };
    let suffix = match (count(DependencyKind::RealTime), count(DependencyKind::Session)) {
        (0, 0) => "",
        (0, _) => "-process",
        _ => "-realtime",
    };
    format!("{base}{suffix}")
}

/// A shortest cycle of each class.
pub(crate) fn shortest_cycles(graph: &Dependencies) -> BTreeMap<String, DependencyCycle> {
    let component = components(graph);
    let mut search = CycleSearch {
        graph,
        component: &component,
        is_on_path: vec![false; graph.out.len()],
        path: Vec::new(),
        found: BTreeMap::new(),
        steps: 0,
    };
    for length in 2..=LENGTH_MAX {
        for (start, (_, size)) in component.iter().enumerate() {
            if *size > 1 {
                search.is_on_path[start] = true;
                search.extend(start, start, length);
                search.is_on_path[start] = false;
            }
            if search.steps > STEPS_MAX {
                return search.found;
            }
        }
    }
    search.found
}

struct CycleSearch<'a> {
    graph: &'a Dependencies,
    component: &'a [(usize, usize)],
    is_on_path: Vec<bool>,
    path: DependencyCycle,
    found: BTreeMap<String, DependencyCycle>,
    steps: u64,
}

impl CycleSearch<'_> {
    /// Cycles of this length that start with the path and have no transaction before `start`.
    fn extend(&mut self, start: usize, at: usize, length: usize) {
        for next in 0..self.graph.out[at].len() {
            let edge = self.graph.out[at][next];
            self.steps += 1;
            if self.steps > STEPS_MAX {
                return;
            }
            if self.path.len() + 1 == length {
                if edge.to == start {
                    self.path.push(edge);
                    let class = class(&self.path);
                    self.found.entry(class).or_insert_with(|| self.path.clone());
                    self.path.pop();
                }
            } else if edge.to > start
                && !self.is_on_path[edge.to]
                && self.component[edge.to].0 == self.component[start].0
            {
                self.path.push(edge);
                self.is_on_path[edge.to] = true;
                self.extend(start, edge.to, length);
                self.is_on_path[edge.to] = false;
                self.path.pop();
            }
        }
    }
}

/// The strongly connected component of each transaction, and its size.
fn components(graph: &Dependencies) -> Vec<(usize, usize)> {
    let count = graph.out.len();
    let mut order = Vec::with_capacity(count);
    let mut is_known = vec![false; count];
    for start in 0..count {
        // Depth-first, in order of leaving.
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut is_known[start], true) {
            continue;
        }
        while let Some((one, next)) = path.last_mut() {
            match graph.out[*one].get(*next) {
                Some(edge) => {
                    *next += 1;
                    if !std::mem::replace(&mut is_known[edge.to], true) {
                        path.push((edge.to, 0));
                    }
                }
                None => {
                    order.push(*one);
                    path.pop();
                }
            }
        }
    }
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in graph.out.iter().flatten() {
        into[edge.to].push(edge.from);
    }
    let mut component = vec![usize::MAX; count];
    let mut sizes: Vec<usize> = Vec::new();
    for &start in order.iter().rev() {
        if component[start] != usize::MAX {
            continue;
        }
        let number = sizes.len();
        sizes.push(0);
        let mut open = vec![start];
        component[start] = number;
        while let Some(one) = open.pop() {
            sizes[number] += 1;
            for &from in &into[one] {
                if component[from] == usize::MAX {
                    component[from] = number;
                    open.push(from);
                }
            }
        }
    }
    component
        .into_iter()
        .map(|number| (number, sizes[number]))
        .collect()
}
