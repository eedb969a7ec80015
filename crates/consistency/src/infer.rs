//! The strongest levels that a set of histories satisfies.
//!
//! Levels of different methods trade against each other: raising one may forbid raising another, so there may be
//! several strongest assignments. This finds one: methods that change the object are raised first, then the others, each
//! as far as all histories allow. In the result no single method can be raised.

use std::collections::BTreeMap;

use omnilink_engine::{LimitWatch, Model};
use omnilink_evidence::Verdict;

use crate::any_history::AnyHistory;
use crate::check::WeakChecker;
use crate::guarantee::Guarantee;
use crate::level::ConsistencyLevel;
use crate::method_levels::MethodLevels;
use crate::options::WeakOptions;
use crate::weak_error::WeakError;

/// What was inferred. Histories are named by their position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// A strongest level for each method.
    pub levels: MethodLevels,
    /// The strongest level of all methods together; `None` if even the weakest is violated.
    pub together: Option<ConsistencyLevel>,
    /// Histories that satisfy no level at all; the levels are inferred from the others.
    pub unexplained: Vec<usize>,
    /// Histories for which a limit was reached; a level that could not be decided for one counts as violated.
    pub undecided: Vec<usize>,
}

/// Infers the strongest levels that `histories` satisfy. Methods of `given` keep the level that they have there.
///
/// # Errors
/// If the model fails.
pub fn infer<M: Model>(
    model: &M,
    histories: &[AnyHistory<M::Op>],
    given: &MethodLevels,
    options: &WeakOptions,
) -> Result<Inferred, WeakError> {
    let mut inference = Inference {
        checker: WeakChecker::new(model),
        histories,
        options: WeakOptions {
            minimise: false,
            ..*options
        },
        watch: LimitWatch::new(options.limits),
        distinguishing: Vec::new(),
        undecided: Vec::new(),
    };
    let methods = inference.methods(model);
    let mut levels = MethodLevels::default();
    for method in &methods {
        let given = given.level_of(method);
        levels
            .methods
            .insert(method.clone(), given.unwrap_or(ConsistencyLevel::ReturnValue));
    }
    let weakest = Guarantee::Levels(levels.clone());
    let mut unexplained = Vec::new();
    for position in 0..histories.len() {
        // A linearizable history satisfies every level of every method: it rules nothing out.
        if inference.satisfies(position, &Guarantee::Level(ConsistencyLevel::Linearizable))? {
            continue;
        }
        match inference.satisfies(position, &weakest)? {
            true => inference.distinguishing.push(position),
            // A history that is undecided is not unexplained.
            false if inference.undecided.contains(&position) => {}
            false => unexplained.push(position),
        }
    }
    let mut together = None;
    for level in ConsistencyLevel::LADDER {
        if !unexplained.is_empty() || !inference.all_satisfy(&Guarantee::Level(level))? {
            break;
        }
        together = Some(level);
    }
    for method in methods
        .into_iter()
        .filter(|method| given.level_of(method).is_none())
    {
        for level in ConsistencyLevel::LADDER.into_iter().skip(1) {
            let mut raised = levels.clone();
            raised.methods.insert(method.clone(), level);
            let guarantee = Guarantee::Levels(raised);
            if !inference.all_satisfy(&guarantee)? {
                break;
            }
            levels.methods.insert(method.clone(), level);
        }
    }
    inference.undecided.sort_unstable();
    inference.undecided.dedup();
    Ok(Inferred {
        levels,
        together,
        unexplained,
        undecided: inference.undecided,
    })
}

struct Inference<'a, M: Model> {
    checker: WeakChecker<'a, M>,
    histories: &'a [AnyHistory<M::Op>],
    options: WeakOptions,
    /// The limits apply to all histories together.
    watch: LimitWatch,
    /// Histories that satisfy some levels and not others.
    distinguishing: Vec<usize>,
    undecided: Vec<usize>,
}

impl<M: Model> Inference<'_, M> {
    fn satisfies(&mut self, position: usize, guarantee: &Guarantee) -> Result<bool, WeakError> {
        if self.watch.reached().is_some() {
            self.undecided.push(position);
            return Ok(false);
        }
        let options = WeakOptions {
            limits: self.watch.limits_left(),
            ..self.options
        };
        let verdict = match &self.histories[position] {
            AnyHistory::Searched(history) => {
                // Levels of the ladder always make a criterion.
                let Ok(criterion) = guarantee.criterion() else {
                    return Ok(false);
                };
                self.checker
                    .check(history, &criterion, &options)?
                    .conclusion
                    .verdict()
            }
            AnyHistory::Long(history) => history
                .check(self.checker.model(), guarantee, &options)?
                .verdict(),
        };
        if verdict == Verdict::Unknown {
            self.undecided.push(position);
        }
        Ok(verdict == Verdict::Valid)
    }

    fn all_satisfy(&mut self, guarantee: &Guarantee) -> Result<bool, WeakError> {
        for at in 0..self.distinguishing.len() {
            let position = self.distinguishing[at];
            if !self.satisfies(position, guarantee)? {
                // The history that refutes one level is likely to refute the next one tried.
                self.distinguishing.swap(0, at);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All methods, those that change the object first.
    fn methods(&self, model: &M) -> Vec<String> {
        let mut is_reader: BTreeMap<String, bool> = BTreeMap::new();
        for op in self.histories.iter().flat_map(AnyHistory::ops) {
            let is_pure = model.is_pure(&op.effect);
            *is_reader.entry(op.method.clone()).or_insert(true) &= is_pure;
        }
        let mut methods: Vec<(bool, String)> = is_reader
            .into_iter()
            .map(|(method, is_reader)| (is_reader, method))
            .collect();
        methods.sort();
        methods.into_iter().map(|(_, method)| method).collect()
    }
}
