//! The machine: runs code on the cells of a state.

mod arithmetic;
mod collections;
mod loaded;
mod memo;
mod operation;
mod parts;
mod procedures;
mod reading;
mod run;
mod search;
mod select;

use omnilink_tla_eval::{Evaluator, State};
use omnilink_value::Value;

use self::collections::Collections;
use self::loaded::Whole;
use self::parts::Paused;
use self::run::Run;
use self::search::Searches;
use crate::code::{Code, RegisterIndex, Target};
use crate::layout::{CellLayout, LayoutNodeId};
use crate::trap::Trap;
use crate::values::ValueStore;
use crate::values::ValueWord;

/// Elements of loops for one state, after which the evaluator takes over: it watches the time.
const ELEMENTS_MAX: u64 = 1 << 24;

/// The successors of one state, in the order of the evaluator: each by what it changes.
#[derive(Debug, Default)]
pub struct Successors {
    found: Vec<Successor>,
    changes: Vec<(u32, u64)>,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    /// The sum over its variables, from which its fingerprint is made.
    pub sum: u64,
    /// The action that leads to it; `u32::MAX` for none.
    pub action: u32,
    /// The end of its changes.
    end: u32,
}

impl Successors {
    fn clear(&mut self) {
        self.found.clear();
        self.changes.clear();
    }

    /// The slots of a successor that are not as in the state before, with their contents.
    fn changes(&self, successor: usize) -> &[(u32, u64)] {
        let start = match successor.checked_sub(1) {
            Some(before) => self.found[before].end as usize,
            None => 0,
        };
        &self.changes[start..self.found[successor].end as usize]
    }
}

/// Runs code on the cells of a state. Belongs to one worker.
#[derive(Debug)]
pub struct Machine<'p> {
    /// The values.
    pub store: ValueStore,
    layout: CellLayout,
    actions: Vec<Whole<'p>>,
    formulas: Vec<Whole<'p>>,
    memory: Memory,
}

/// A place at which code goes on after a trap.
#[derive(Clone, Copy, Debug)]
struct Rescue {
    /// The register that holds nothing then.
    to: RegisterIndex,
    goto: Target,
    /// The collections under construction.
    collections: usize,
    /// The searches under way.
    searches: usize,
}

/// What a run of code changes, besides its registers and the store.
#[derive(Debug, Default)]
struct Memory {
    now: Vec<u64>,
    /// Whether what is kept beside the cells of the current state is computed.
    is_complete: bool,
    next: Vec<u64>,
    /// The slots of one of the successors, and which one that is.
    after: Vec<u64>,
    loaded: Option<usize>,
    trail: Vec<(u32, u64)>,
    searches: Searches,
    collections: Collections,
    successors: Successors,
    /// The number of successors after which an action pauses; 0 for never.
    limit: usize,
    /// Where it has paused, and what it goes on with.
    paused_at: usize,
    paused: Option<Paused>,
    scattered: Vec<(u32, ValueWord)>,
    /// Values of exploded functions, by run, part of the layout, first cell, and whether of the state after.
    gathered: Vec<((u64, LayoutNodeId, u32, bool), ValueWord)>,
    listed: Vec<ValueWord>,
    /// Elements of loops in this run, and how many may be.
    elements: u64,
    elements_max: u64,
    /// The number of the run of an action or formula.
    run: u64,
    /// What a procedure returned.
    returned: ValueWord,
    /// Where to go on after a trap: the innermost last.
    rescues: Vec<Rescue>,
    /// The current state for the evaluator, once it was needed.
    values: Option<State>,
    /// The values of the current state, where it was given as values.
    given: Vec<Value>,
}

impl<'p> Machine<'p> {
    /// A machine for some actions and formulas.
    pub fn new(
        store: ValueStore,
        layout: CellLayout,
        actions: Vec<Code<'p>>,
        formulas: Vec<Code<'p>>,
    ) -> Self {
        Self {
            store,
            memory: Memory {
                now: vec![0; layout.slot_count()],
                next: vec![0; layout.slot_count()],
                after: vec![0; layout.slot_count()],
                elements_max: ELEMENTS_MAX,
                ..Memory::default()
            },
            layout,
            actions: actions.into_iter().map(Whole::new).collect(),
            formulas: formulas.into_iter().map(Whole::new).collect(),
        }
    }

    /// What its values and tables take in memory.
    pub fn heap_bytes(&self) -> usize {
        let loaded = self.actions.iter().chain(&self.formulas);
        self.store.bytes() + loaded.map(Whole::heap_bytes).sum::<usize>()
    }

    /// The number of instructions of its code.
    pub fn instruction_count(&self) -> usize {
        let loaded = self.actions.iter().chain(&self.formulas);
        loaded.map(|whole| whole.main.code.instructions.len()).sum()
    }

    /// The store, without the machine.
    pub fn into_store(self) -> ValueStore {
        self.store
    }

    /// The layout.
    pub fn layout(&self) -> &CellLayout {
        &self.layout
    }

    /// The store and the layout, and the cells of the current state, to be filled before anything is asked about it.
    pub fn input(&mut self) -> (&mut ValueStore, &CellLayout, &mut [u64]) {
        let cells = self.layout.cell_count();
        self.memory.is_complete = false;
        self.memory.given.clear();
        (&mut self.store, &self.layout, &mut self.memory.now[..cells])
    }

    /// The same for a next state, to be filled before [`Self::holds_for_step`].
    pub fn next_input(&mut self) -> (&mut ValueStore, &CellLayout, &mut [u64]) {
        let cells = self.layout.cell_count();
        self.memory.loaded = None;
        (&mut self.store, &self.layout, &mut self.memory.after[..cells])
    }

    /// Lets runs trap after this many elements of loops; `None` for as many as they may have. For tests.
    pub fn limit_elements(&mut self, max: Option<u64>) {
        self.memory.elements_max = max.unwrap_or(ELEMENTS_MAX);
    }

    /// The variables that a formula reads, one bit each.
    pub fn reads(&self, formula: usize) -> u64 {
        self.formulas
            .get(formula)
            .map_or(u64::MAX, |formula| formula.main.code.reads)
    }

    /// The successors of the current state under an action.
    ///
    /// # Errors
    /// A trap; then nothing is known about this state.
    pub fn successors(&mut self, action: usize, evaluator: &mut Evaluator<'p>) -> Result<&[Successor], Trap> {
        self.memory.limit = 0;
        self.enumerate(action, None, evaluator)?;
        Ok(&self.memory.successors.found)
    }

    /// Whether a formula holds in one of the successors found last, or for the step to it.
    ///
    /// # Errors
    /// A trap; then the evaluator must decide.
    pub fn holds(
        &mut self,
        formula: usize,
        successor: usize,
        evaluator: &mut Evaluator<'p>,
    ) -> Result<bool, Trap> {
        self.memory.load(successor);
        self.evaluate(formula, true, evaluator)
    }

    /// The value of an expression, which is one of the formulas, in one of the successors found last.
    ///
    /// # Errors
    /// A trap; then the evaluator must decide.
    pub fn value_of(
        &mut self,
        expression: usize,
        successor: usize,
        evaluator: &mut Evaluator<'p>,
    ) -> Result<ValueWord, Trap> {
        self.holds(expression, successor, evaluator)?;
        Ok(self.memory.returned)
    }

    /// Whether a formula holds in the current state.
    ///
    /// # Errors
    /// A trap; then the evaluator must decide.
    pub fn holds_now(&mut self, formula: usize, evaluator: &mut Evaluator<'p>) -> Result<bool, Trap> {
        self.evaluate(formula, false, evaluator)
    }

    /// Whether a formula holds for the step to the next state that was filled in.
    ///
    /// # Errors
    /// A trap; then the evaluator must decide.
    pub fn holds_for_step(&mut self, formula: usize, evaluator: &mut Evaluator<'p>) -> Result<bool, Trap> {
        self.evaluate(formula, true, evaluator)
    }

    /// The answer of a formula about the state that is loaded as the one after, or about the step to it; or about the current one.
    fn evaluate(
        &mut self,
        formula: usize,
        is_after: bool,
        evaluator: &mut Evaluator<'p>,
    ) -> Result<bool, Trap> {
        let Some(Whole { main, procedures }) = self.formulas.get_mut(formula) else {
            return Err(Trap::NotCompiled);
        };
        self.memory.start_formula();
        let is_step = main.code.is_step;
        let mut run = Run {
            store: &mut self.store,
            layout: &self.layout,
            memory: &mut self.memory,
            procedures,
            is_after: is_after && !is_step,
            is_step,
            evaluator,
        };
        run.run(main)
    }

    /// The successors found last.
    pub fn found(&self) -> &[Successor] {
        &self.memory.successors.found
    }

    /// The variables of a successor with another value than before, one bit each.
    pub fn changed(&self, successor: usize) -> u64 {
        let changes = self.memory.successors.changes(successor).iter();
        let variables = changes.filter_map(|(slot, _)| self.layout.variable_of_hash(*slot));
        variables.fold(0, |all, variable| all | 1_u64.checked_shl(variable).unwrap_or(0))
    }

    /// The cells of a successor.
    pub fn cells(&mut self, successor: usize) -> (&[u64], &CellLayout, &ValueStore) {
        self.memory.load(successor);
        (
            &self.memory.after[..self.layout.cell_count()],
            &self.layout,
            &self.store,
        )
    }

    /// The hashes of the values of a successor.
    pub fn hashes(&mut self, successor: usize) -> &[u64] {
        self.memory.load(successor);
        self.layout.hashes(&self.memory.after)
    }

    /// The values of the variables of the state whose successors were found.
    pub fn values_before(&mut self) -> State {
        values(&self.layout, &self.memory.now, &mut self.store)
    }

    /// The values of the variables of a successor.
    pub fn values(&mut self, successor: usize) -> State {
        self.memory.load(successor);
        values(&self.layout, &self.memory.after, &mut self.store)
    }
}

fn values(layout: &CellLayout, cells: &[u64], store: &mut ValueStore) -> State {
    let value = |variable| {
        let (node, first) = layout.variable(variable);
        let word = layout.gather(node, first, cells, store);
        store.value(word)
    };
    let values: Vec<Value> = (0..layout.variable_count() as u32).map(value).collect();
    values.into()
}

impl Memory {
    /// The words in the registers of a list.
    fn list(&mut self, code: &Code<'_>, registers: &[u64], list: u32) -> &[ValueWord] {
        self.listed.clear();
        let list = &code.lists[list as usize];
        self.listed.extend(
            list.iter()
                .map(|register| ValueWord(registers[*register as usize])),
        );
        &self.listed
    }

    /// Makes a successor the state after.
    fn load(&mut self, successor: usize) {
        if self.loaded == Some(successor) {
            return;
        }
        self.after.copy_from_slice(&self.now);
        for (slot, content) in self.successors.changes(successor) {
            self.after[*slot as usize] = *content;
        }
        self.loaded = Some(successor);
    }

    fn start(&mut self) {
        self.start_formula();
        self.loaded = None;
        self.trail.clear();
        self.successors.clear();
    }

    fn start_formula(&mut self) {
        self.collections.clear();
        self.searches.clear();
        self.elements = 0;
        self.run += 1;
        self.rescues.clear();
        self.values = None;
    }
}
