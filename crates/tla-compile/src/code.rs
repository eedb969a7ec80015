//! The instructions of the machine.
//!
//! Registers hold words, except for those of loops, offsets and marks, which hold numbers. Code has structure: a guard that is false
//! jumps behind its branch, a choice is a loop around the rest of the action, and what a branch wrote is taken back behind it. So the
//! machine needs no stack.

use omnilink_tla_ir::native::Native;
use omnilink_tla_ir::{Arithmetic, Comparison, Infinite, Node};

use crate::layout::LayoutNodeId;
use crate::values::ValueWord;

/// A register.
pub type RegisterIndex = u16;
/// A place in the code; while code is made, the number of a label.
pub type Target = u32;

/// Which state a cell is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The current state.
    Now,
    /// The next state.
    Next,
}

/// Where a part of a variable is: its first cell, and the register of an offset from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The first cell.
    pub cell: u32,
    /// The register with the offset, or [`NO_OFFSET`].
    pub offset: RegisterIndex,
}

impl Address {
    /// The address this many cells behind.
    pub(crate) fn further(self, cells: u32) -> Self {
        Self {
            cell: self.cell + cells,
            ..self
        }
    }
}

/// No offset.
pub const NO_OFFSET: RegisterIndex = RegisterIndex::MAX;

/// An operation on sequences, sets and functions with up to three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ValueOperation {
    Union,
    /// `S \cup {x}`.
    Insert,
    Intersection,
    Difference,
    BigUnion,
    Powerset,
    FunctionSet,
    Interval,
    Apply,
    Domain,
    Len,
    Head,
    Tail,
    Append,
    Concat,
    SubSeq,
    Cardinality,
    IsFiniteSet,
    Max,
    Min,
    MapsTo,
    Override,
    BagOfSet,
    BagSum,
    BagDifference,
}

/// How a collection grows by one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// `S \cup {x}`.
    Set,
    /// `B (+) SetToBag({x})`.
    Bag,
    /// `Append(s, x)`.
    Sequence,
}

/// An instruction. `to` is a destination register, `goto` where it jumps.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Instruction {
    Move {
        to: RegisterIndex,
        from: RegisterIndex,
    },
    /// Reads a cell.
    Load {
        to: RegisterIndex,
        address: Address,
        of: Of,
    },
    /// Builds the value of an exploded function.
    Gather {
        to: RegisterIndex,
        node: LayoutNodeId,
        address: Address,
        of: Of,
    },
    /// The offset of the value for a key of an exploded function, added to another offset.
    Index {
        to: RegisterIndex,
        node: LayoutNodeId,
        key: RegisterIndex,
        base: RegisterIndex,
    },
    /// Writes a cell of the next state.
    Write {
        address: Address,
        from: RegisterIndex,
    },
    /// Writes all cells of an exploded function.
    Scatter {
        node: LayoutNodeId,
        address: Address,
        from: RegisterIndex,
    },
    Calculate {
        arithmetic: Arithmetic,
        to: RegisterIndex,
        left: RegisterIndex,
        right: RegisterIndex,
    },
    Operate {
        operation: ValueOperation,
        to: RegisterIndex,
        first: RegisterIndex,
        second: RegisterIndex,
        third: RegisterIndex,
    },
    /// `[f EXCEPT ![key] = value]`.
    Except {
        to: RegisterIndex,
        function: RegisterIndex,
        key: RegisterIndex,
        value: RegisterIndex,
    },
    /// From the registers of a list.
    Tuple {
        to: RegisterIndex,
        list: u32,
    },
    Set {
        to: RegisterIndex,
        list: u32,
    },
    /// A function with a set of keys.
    Record {
        to: RegisterIndex,
        domain: RegisterIndex,
        list: u32,
    },
    /// A part of a tuple that must have this many.
    Part {
        to: RegisterIndex,
        from: RegisterIndex,
        index: u16,
        count: u16,
    },
    Jump {
        goto: Target,
    },
    JumpIf {
        from: RegisterIndex,
        is: bool,
        goto: Target,
    },
    JumpEqual {
        left: RegisterIndex,
        right: RegisterIndex,
        is: bool,
        goto: Target,
    },
    /// Reads a cell and compares it.
    LoadJumpEqual {
        to: RegisterIndex,
        address: Address,
        other: RegisterIndex,
        is: bool,
        goto: Target,
    },
    JumpCompare {
        comparison: Comparison,
        left: RegisterIndex,
        right: RegisterIndex,
        is: bool,
        goto: Target,
    },
    JumpIn {
        element: RegisterIndex,
        set: RegisterIndex,
        is: bool,
        goto: Target,
    },
    JumpSubset {
        left: RegisterIndex,
        right: RegisterIndex,
        is: bool,
        goto: Target,
    },
    /// Membership in an infinite set.
    JumpInfinite {
        element: RegisterIndex,
        set: Infinite,
        is: bool,
        goto: Target,
    },
    /// Whether the operand is a function (tuple, record) with this domain. A model value is none; anything else traps.
    JumpFunction {
        from: RegisterIndex,
        domain: RegisterIndex,
        is: bool,
        goto: Target,
    },
    /// Whether the operand is a sequence. A model value is none; anything else traps.
    JumpSequence {
        from: RegisterIndex,
        is: bool,
        goto: Target,
    },
    /// Whether some consecutive cells are in the next state as in the current one.
    JumpUnchanged {
        cell: u32,
        cells: u32,
        is: bool,
        goto: Target,
    },
    /// The element by which a collection has grown; jumps if it has not grown by one. Traps if it is the same set: then any of its
    /// elements may have been added.
    Added {
        growth: Growth,
        to: RegisterIndex,
        before: RegisterIndex,
        after: RegisterIndex,
        goto: Target,
    },
    /// Traps unless the operand is a set.
    NeedSet {
        from: RegisterIndex,
    },
    /// Jumps if a register holds a value.
    JumpKnown {
        register: RegisterIndex,
        goto: Target,
    },
    Forget {
        register: RegisterIndex,
    },
    /// Starts a loop over a set: the register holds the set, the next one the index.
    Loop {
        state: RegisterIndex,
        set: RegisterIndex,
    },
    /// Starts a loop over the values of a function.
    LoopRange {
        state: RegisterIndex,
        function: RegisterIndex,
    },
    /// The next element, or the end of the loop.
    Each {
        state: RegisterIndex,
        to: RegisterIndex,
        goto: Target,
    },
    /// Starts a loop over an interval: the register holds the next integer, the next register the last one.
    Count {
        state: RegisterIndex,
        low: RegisterIndex,
        high: RegisterIndex,
    },
    /// The next integer, or the end of the loop.
    EachInt {
        state: RegisterIndex,
        to: RegisterIndex,
        goto: Target,
    },
    /// Starts a collection.
    Collect,
    Push {
        from: RegisterIndex,
    },
    /// The set of what was collected, which may be in any order.
    CollectedSet {
        to: RegisterIndex,
    },
    /// The set of what was collected in order.
    CollectedSorted {
        to: RegisterIndex,
    },
    /// The tuple of what was collected.
    CollectedTuple {
        to: RegisterIndex,
    },
    /// The function with this domain and the collected values.
    CollectedFunction {
        to: RegisterIndex,
        domain: RegisterIndex,
    },
    /// Remembers what was written so far.
    Mark {
        to: RegisterIndex,
    },
    /// Takes back what was written since.
    Undo {
        mark: RegisterIndex,
    },
    /// A successor.
    Emit {
        action: u32,
    },
    /// Traps: an action ends here and has left a variable open.
    Open,
    /// Starts a search for one next state, from the current state. The next state so far is put aside.
    Search,
    /// The end of what [`Instruction::Search`] began.
    EndSearch,
    /// The end of a formula.
    Answer {
        is: bool,
    },
    /// The end of an action.
    Done,
    /// The elements of a set that a selection keeps.
    Select {
        to: RegisterIndex,
        set: RegisterIndex,
        selection: u32,
    },
    /// The value that was remembered for the current key, if there is one.
    Recall {
        to: RegisterIndex,
        memo: u32,
        goto: Target,
    },
    Remember {
        from: RegisterIndex,
        memo: u32,
    },
    /// Calls a procedure with the registers of a list.
    Call {
        to: RegisterIndex,
        procedure: u32,
        list: u32,
    },
    /// The end of a procedure.
    Return {
        from: RegisterIndex,
    },
    /// Traps if a register holds no value: that of an argument which could not be evaluated.
    Need {
        register: RegisterIndex,
    },
    /// From here on, a trap means that a register has no value, and the code goes on elsewhere.
    Rescue {
        to: RegisterIndex,
        goto: Target,
    },
    /// The end of what [`Instruction::Rescue`] began.
    Rescued,
    /// Applies a native operator to the registers of a list.
    Native {
        to: RegisterIndex,
        native: Native,
        list: u32,
        memo: u32,
    },
    /// Asks the evaluator for the value of an expression.
    Interpret {
        to: RegisterIndex,
        site: u32,
    },
    NotCompiled,
}

/// What the value of a remembered expression depends on: the registers of its names, and the cells of the current and of the next state that it reads.
#[derive(Clone, Debug, Default)]
pub struct MemoKey {
    /// The registers.
    pub registers: Vec<RegisterIndex>,
    /// The cells of the current state.
    pub cells: Vec<u32>,
    /// The cells of the next state.
    pub next: Vec<u32>,
}

impl MemoKey {
    /// The largest number of words in a key.
    pub const WORDS_MAX: usize = 4;
}

/// An expression that the evaluator evaluates.
#[derive(Clone, Debug)]
pub struct Site<'p> {
    /// The expression.
    pub node: &'p Node,
    /// The size of its frame.
    pub frame: usize,
    /// The slots that it uses, with the registers of their values.
    pub slots: Vec<(u32, RegisterIndex)>,
    /// Whether it depends on nothing else, and its value is remembered.
    pub memo: Option<u32>,
}

/// Code with its constants.
#[derive(Clone, Debug, Default)]
pub struct Code<'p> {
    /// The instructions.
    pub instructions: Vec<Instruction>,
    /// The registers that hold constants.
    pub constants: Vec<(RegisterIndex, ValueWord)>,
    /// The number of registers.
    pub registers: usize,
    /// The registers of the parameters, in the code of an operation, a selection or a procedure.
    pub parameters: Vec<RegisterIndex>,
    /// Formulas about an element alone, by which sets are filtered.
    pub selections: Vec<Code<'p>>,
    /// The recursive operators and functions that it calls, and those that they call.
    pub procedures: Vec<Code<'p>>,
    /// The keys of the expressions whose values are remembered.
    pub memos: Vec<MemoKey>,
    /// Lists of registers.
    pub lists: Vec<Box<[RegisterIndex]>>,
    /// The expressions that are not compiled.
    pub sites: Vec<Site<'p>>,
    /// The registers that hold nothing when it starts.
    pub fresh: Vec<RegisterIndex>,
    /// Whether it is a formula about a step.
    pub is_step: bool,
    /// The variables that it reads in the current state, one bit each.
    pub reads: u64,
}

impl Code<'_> {
    /// Code that leaves everything to the evaluator.
    pub fn not_compiled() -> Self {
        Self {
            instructions: vec![Instruction::NotCompiled],
            reads: u64::MAX,
            ..Self::default()
        }
    }
}

impl Instruction {
    /// Where it may jump to.
    pub(crate) fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Instruction::Jump { goto }
            | Instruction::JumpIf { goto, .. }
            | Instruction::JumpEqual { goto, .. }
            | Instruction::LoadJumpEqual { goto, .. }
            | Instruction::JumpCompare { goto, .. }
            | Instruction::JumpIn { goto, .. }
            | Instruction::JumpSubset { goto, .. }
            | Instruction::JumpInfinite { goto, .. }
            | Instruction::JumpFunction { goto, .. }
            | Instruction::JumpSequence { goto, .. }
            | Instruction::JumpUnchanged { goto, .. }
            | Instruction::JumpKnown { goto, .. }
            | Instruction::Added { goto, .. }
            | Instruction::Each { goto, .. }
            | Instruction::EachInt { goto, .. }
            | Instruction::Rescue { goto, .. }
            | Instruction::Recall { goto, .. } => Some(goto),
            _ => None,
        }
    }
}
