//! The compiler: registers, labels and what is known while code is made.

use std::cell::RefCell;
use std::rc::Rc;

use omnilink_tla_eval::Evaluator;
use omnilink_tla_ir::{Loc, Node, Program};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::available::Available;
use super::leading::OpenLoop;
use super::procedure::{Procedure, ProcedureKey};
use super::scope::{Binding, Deferred, Scope};
use crate::code::{Code, Instruction, Of, RegisterIndex, Target};
use crate::layout::CellLayout;
use crate::values::{ValueStore, ValueWord};

/// Code grows with the ways through an action. What has more stays with the evaluator.
const INSTRUCTIONS_MAX: usize = 100_000;
/// Calls within calls; deeper ones are recursive.
const CALLS_MAX: usize = 60;
/// Recursive calls with a constant argument within each other.
pub(super) const RECURSION_MAX: usize = 16;
/// Larger constant sets are not listed.
const CONSTANT_ELEMENTS_MAX: usize = 1 << 14;
/// Why an expression is not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCompiled {
    /// Where it is.
    pub at: Loc,
    /// Why.
    pub reason: &'static str,
}

/// An expression and the words in its slots.
type FoldedKey = (*const Node, Vec<(u32, ValueWord)>);

pub(crate) type Compiled<T> = Result<T, NotCompiled>;

/// Makes code from nodes.
pub(crate) struct Compiler<'a, 'p> {
    pub(crate) program: &'p Program,
    pub(crate) store: &'a mut ValueStore,
    pub(crate) layout: &'a CellLayout,
    pub(crate) evaluator: &'a mut Evaluator<'p>,
    pub(crate) code: Code<'p>,
    constants: FxHashMap<ValueWord, RegisterIndex>,
    words: FxHashMap<RegisterIndex, ValueWord>,
    /// The values of expressions of constants, by address and the words in their slots, which is all that they depend on; `None` for
    /// those without one that could be listed. Nodes live as long as the program.
    folded: FxHashMap<FoldedKey, Option<ValueWord>>,
    /// The registers that constants were computed from, where a name stands for one: those of loops that are written out.
    pub(super) origins: FxHashMap<RegisterIndex, Vec<RegisterIndex>>,
    /// Registers of expressions that are evaluated once for each state, with their numbers, by cell. The expression of a cell depends on
    /// nothing but the current state.
    pub(crate) per_state: FxHashMap<u32, (RegisterIndex, u32)>,
    /// How often such a register was used.
    pub(crate) state_reads: usize,
    /// Where each label is, once it is placed.
    labels: Vec<Option<Target>>,
    /// Where the last label was placed.
    last_placed: usize,
    /// The number of instructions that stay, whatever is taken back.
    floor: usize,
    /// For each label that is jumped to but not placed, how much of `known` holds at all jumps.
    open: Vec<(Target, usize)>,
    /// The numbers of the lazy expressions that are evaluated on every way to the current place.
    pub(crate) known: Vec<u32>,
    lazies: u32,
    pub(super) available: Available,
    /// The operators whose bodies are being compiled.
    pub(crate) calls: Vec<u32>,
    /// Whether this is the code of a procedure.
    pub(crate) is_procedure: bool,
    /// The procedures of all of the code that is being made, by number.
    pub(crate) procedures: Rc<RefCell<Vec<(ProcedureKey, Procedure<'p>)>>>,
    /// The variables that have a next value here.
    pub(crate) assigned: u64,
    pub(crate) action: u32,
    /// The registers with the next values of hidden variables, those that only an ENABLED has, as far as they are assigned.
    pub(crate) hidden: FxHashMap<u32, RegisterIndex>,
    /// Whether `\E` may end early where a conjunct is false for all elements.
    pub(crate) refutes: bool,
    /// The bound names around the current place.
    pub(crate) loops: Vec<OpenLoop>,
    /// What is behind each loop around the current place.
    pub(crate) exits: Vec<Target>,
    /// Whether `TLCGet("queue")` has a value.
    pub(crate) knows_queue: bool,
    /// The number of searches around the current place.
    pub(crate) searches: u32,
    /// The number of branches of actions that are left to the evaluator.
    pub(crate) gaps: usize,
    pub(crate) reasons: Vec<NotCompiled>,
}

/// All that is to be as it was if code is taken back. What is not here is only added to, and what was added does no harm: registers,
/// constants, lists, and places and numbers of what is known, which are never given out again.
#[derive(Clone, Copy)]
struct Point {
    instructions: usize,
    last_placed: usize,
    known: usize,
    calls: usize,
    loops: usize,
    exits: usize,
    reasons: usize,
    gaps: usize,
    assigned: u64,
    action: u32,
}

pub(crate) fn not_compiled(node: &Node, reason: &'static str) -> NotCompiled {
    NotCompiled { at: node.at, reason }
}

impl<'a, 'p> Compiler<'a, 'p> {
    pub(super) fn new(
        program: &'p Program,
        layout: &'a CellLayout,
        store: &'a mut ValueStore,
        evaluator: &'a mut Evaluator<'p>,
    ) -> Self {
        Self {
            program,
            store,
            layout,
            evaluator,
            code: Code::default(),
            constants: FxHashMap::default(),
            words: FxHashMap::default(),
            folded: FxHashMap::default(),
            origins: FxHashMap::default(),
            per_state: FxHashMap::default(),
            state_reads: 0,
            labels: Vec::new(),
            last_placed: usize::MAX,
            floor: 0,
            open: Vec::new(),
            known: Vec::new(),
            lazies: 0,
            available: Available::default(),
            calls: Vec::new(),
            is_procedure: false,
            procedures: Rc::default(),
            assigned: 0,
            action: u32::MAX,
            hidden: FxHashMap::default(),
            refutes: false,
            loops: Vec::new(),
            exits: Vec::new(),
            knows_queue: false,
            searches: 0,
            gaps: 0,
            reasons: Vec::new(),
        }
    }

    /// Code of its own, for a part that runs by itself.
    pub(crate) fn sub_code(
        &mut self,
        make: impl FnOnce(&mut Compiler<'_, 'p>) -> Compiled<()>,
    ) -> Compiled<Code<'p>> {
        let program = self.program;
        let mut inner = Compiler::new(program, self.layout, self.store, self.evaluator);
        inner.calls.clone_from(&self.calls);
        inner.is_procedure = self.is_procedure;
        inner.procedures = Rc::clone(&self.procedures);
        make(&mut inner)?;
        let (code, reasons) = inner.finish(&program.operators[0].body)?;
        self.reasons.extend(reasons);
        Ok(code)
    }

    /// The code with that of all procedures.
    pub(super) fn finish_all(self, body: &Node) -> Result<(Code<'p>, Vec<NotCompiled>), NotCompiled> {
        let procedures = Rc::clone(&self.procedures);
        let (mut code, reasons) = self.finish(body)?;
        for (_, procedure) in procedures.take() {
            let procedure = match procedure {
                Procedure::Made(code) => *code,
                Procedure::Open | Procedure::Failed => Code::not_compiled(),
            };
            code.procedures.push(procedure);
        }
        // What a procedure reads, its caller reads.
        code.reads |= code
            .procedures
            .iter()
            .fold(0, |all, procedure| all | procedure.reads);
        Ok((code, reasons))
    }

    /// Resolves the labels.
    fn finish(mut self, body: &Node) -> Result<(Code<'p>, Vec<NotCompiled>), NotCompiled> {
        if self.is_too_large() {
            return Err(not_compiled(body, "its code would be too large"));
        }
        // A jump to the next instruction is left out. Labels are places before that.
        let target = |goto: Target| {
            self.labels
                .get(goto as usize)
                .copied()
                .flatten()
                .unwrap_or_default()
        };
        let count = self.code.instructions.len();
        let mut places = vec![0; count + 1];
        let mut kept = count as Target;
        for at in (0..count).rev() {
            // Counted from the end, because a jump may lead over others that are left out.
            places[at + 1] = kept;
            let is_idle = matches!(self.code.instructions[at], Instruction::Jump { goto }
                if places[target(goto) as usize] == kept && target(goto) as usize > at);
            kept -= Target::from(!is_idle);
            places[at] = kept;
        }
        let dropped = places[0];
        let mut instructions = Vec::with_capacity(count);
        for (at, mut instruction) in std::mem::take(&mut self.code.instructions)
            .into_iter()
            .enumerate()
        {
            if let Some(goto) = instruction.target_mut() {
                *goto = places[target(*goto) as usize] - dropped;
            }
            if places[at] != places[at + 1] {
                instructions.push(instruction);
            }
        }
        self.code.instructions = instructions;
        self.code.fresh = self.per_state.values().map(|(register, _)| *register).collect();
        Ok((self.code, self.reasons))
    }

    pub(crate) fn is_too_large(&self) -> bool {
        self.code.instructions.len() > INSTRUCTIONS_MAX
            || self.code.registers > usize::from(RegisterIndex::MAX) - 64
    }

    /// Fails if the code is too large already.
    pub(crate) fn check_size(&self, node: &Node) -> Compiled<()> {
        match self.is_too_large() {
            true => Err(not_compiled(node, "its code would be too large")),
            false => Ok(()),
        }
    }

    pub(crate) fn emit(&mut self, instruction: Instruction) {
        let mut instruction = self.fused(instruction);
        if let Some(goto) = instruction.target_mut() {
            let goto = *goto;
            let known = self.known.len();
            match self.open.iter_mut().find(|(label, _)| *label == goto) {
                Some((_, least)) => *least = known.min(*least),
                None if self.labels[goto as usize].is_none() => self.open.push((goto, known)),
                None => {}
            }
        }
        self.code.instructions.push(instruction);
    }

    /// A comparison right after a load becomes one instruction with it.
    fn fused(&mut self, instruction: Instruction) -> Instruction {
        if let Instruction::JumpEqual {
            left,
            right,
            is,
            goto,
        } = instruction
            && let Some(Instruction::Load {
                to,
                address,
                of: Of::Now,
            }) = self.code.instructions.last().copied()
            && (to == left || to == right)
            && self.last_placed != self.code.instructions.len()
            && self.floor < self.code.instructions.len()
        {
            self.code.instructions.pop();
            let other = if to == left { right } else { left };
            return Instruction::LoadJumpEqual {
                to,
                address,
                other,
                is,
                goto,
            };
        }
        instruction
    }

    pub(crate) fn label(&mut self) -> Target {
        self.labels.push(None);
        self.labels.len() as Target - 1
    }

    /// Places a label here. From now on only that is known which is known on every way to it.
    pub(crate) fn place(&mut self, label: Target) {
        self.last_placed = self.code.instructions.len();
        self.labels[label as usize] = Some(self.code.instructions.len() as Target);
        if let Some(at) = self.open.iter().position(|(open, _)| *open == label) {
            let (_, known) = self.open.swap_remove(at);
            self.forget_beyond(known);
        }
    }

    /// Forgets what became known since.
    pub(crate) fn forget_beyond(&mut self, known: usize) {
        self.known.truncate(known);
        // What is known at a jump is a prefix of this list, as long as that prefix stays as it is.
        for (_, least) in &mut self.open {
            *least = known.min(*least);
        }
    }

    pub(crate) fn register(&mut self) -> RegisterIndex {
        self.registers(1)
    }

    /// Consecutive registers; the first one.
    pub(crate) fn registers(&mut self, count: usize) -> RegisterIndex {
        let first = self.code.registers;
        self.code.registers += count;
        RegisterIndex::try_from(first).unwrap_or(0)
    }

    /// The register of a constant.
    pub(crate) fn constant(&mut self, word: ValueWord) -> RegisterIndex {
        if let Some(known) = self.constants.get(&word) {
            return *known;
        }
        let register = self.register();
        self.code.constants.push((register, word));
        self.constants.insert(word, register);
        self.words.insert(register, word);
        register
    }

    pub(crate) fn constant_value(&mut self, value: &Value) -> RegisterIndex {
        let word = self.store.word(value);
        self.constant(word)
    }

    /// The word of a register that holds a constant.
    pub(crate) fn constant_in(&self, register: RegisterIndex) -> Option<ValueWord> {
        self.words.get(&register).copied()
    }

    /// The value of an expression, if it depends on nothing but constants and can be listed.
    pub(crate) fn folded(&mut self, node: &'p Node, scope: &Scope<'p>) -> Option<ValueWord> {
        let uses = node.uses;
        let is_fixed = !uses.state && !uses.next && !uses.impure && !uses.opaque && !uses.unfinished;
        // Slots from 63 on share the last bit.
        if !is_fixed || uses.slots >> 63 == 1 {
            return None;
        }
        let mut slots = Vec::new();
        for slot in (0..63).filter(|slot| uses.slots >> slot & 1 == 1) {
            slots.push((slot, self.constant_slot(slot, scope)?));
        }
        let key = (std::ptr::from_ref(node), slots);
        if let Some(known) = self.folded.get(&key) {
            return *known;
        }
        let values: Vec<(u32, Value)> = key
            .1
            .iter()
            .map(|(slot, word)| (*slot, self.store.value(*word)))
            .collect();
        let value = self
            .evaluator
            .listed_constant(node, scope.size(), values, CONSTANT_ELEMENTS_MAX);
        let word = value.map(|value| self.store.word(&value));
        self.folded.insert(key, word);
        word
    }

    /// The truth value of a formula of constants. What it rules out is not compiled: recursion over a constant ends there.
    pub(crate) fn decided(&mut self, formula: &'p Node, scope: &Scope<'p>) -> Option<bool> {
        self.folded(formula, scope)?.as_bool()
    }

    /// A binding for an expression that is evaluated when it is first used.
    pub(crate) fn lazy(&mut self, node: &'p Node, scope: &Scope<'p>) -> Binding<'p> {
        let register = self.register();
        self.emit(Instruction::Forget { register });
        Binding::Lazy {
            deferred: Deferred::new(node, scope),
            register,
            number: self.lazy_number(),
        }
    }

    pub(crate) fn lazy_number(&mut self) -> u32 {
        self.lazies += 1;
        self.lazies
    }

    fn point(&self) -> Point {
        Point {
            instructions: self.code.instructions.len(),
            last_placed: self.last_placed,
            known: self.known.len(),
            calls: self.calls.len(),
            loops: self.loops.len(),
            exits: self.exits.len(),
            reasons: self.reasons.len(),
            gaps: self.gaps,
            assigned: self.assigned,
            action: self.action,
        }
    }

    fn back_to(&mut self, point: Point) {
        self.code.instructions.truncate(point.instructions);
        self.last_placed = point.last_placed;
        self.forget_beyond(point.known);
        self.calls.truncate(point.calls);
        self.loops.truncate(point.loops);
        self.exits.truncate(point.exits);
        self.reasons.truncate(point.reasons);
        self.gaps = point.gaps;
        self.assigned = point.assigned;
        self.action = point.action;
    }

    /// Runs; if that fails, takes back the code that it made and runs something else.
    pub(crate) fn or_else<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Compiled<T>,
        otherwise: impl FnOnce(&mut Self, NotCompiled) -> Compiled<T>,
    ) -> Compiled<T> {
        let point = self.point();
        // Code that may be taken back is not fused with what is before it.
        let floor = std::mem::replace(&mut self.floor, point.instructions);
        let result = run(self);
        self.floor = floor;
        match result {
            Ok(result) => Ok(result),
            Err(_) if self.is_too_large() => Err(NotCompiled {
                at: self.program.operators[0].body.at,
                reason: "its code would be too large",
            }),
            Err(reason) => {
                self.back_to(point);
                otherwise(self, reason)
            }
        }
    }

    /// The frame of an operator, for a call. Recursion ends here.
    pub(crate) fn enter(&mut self, operator: u32, has_constant: bool, node: &Node) -> Compiled<()> {
        // Recursion over a constant ends while code is made.
        let depth = self.calls.iter().filter(|call| **call == operator).count();
        if self.calls.len() >= CALLS_MAX || (depth > 0 && !has_constant) || depth > RECURSION_MAX {
            return Err(not_compiled(
                node,
                "the operator is recursive, or calls are nested too deeply",
            ));
        }
        self.check_size(node)?;
        self.calls.push(operator);
        Ok(())
    }
}
