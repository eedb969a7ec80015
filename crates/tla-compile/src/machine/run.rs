//! One run of code: the loop over its instructions.

use omnilink_memory::guard;
use omnilink_tla_eval::Evaluator;
use omnilink_tla_ir::{Comparison, Infinite};
use omnilink_value::ValueKind;

use super::loaded::Loaded;
use super::procedures::Procedures;
use super::{Memory, Rescue};
use crate::code::{Address, Code, Instruction, MemoKey, NO_OFFSET, Of};
use crate::layout::CellLayout;
use crate::trap::Trap;
use crate::values::{ValueStore, ValueWord};

/// One run of code.
pub(super) struct Run<'a, 'e, 'p> {
    pub(super) store: &'a mut ValueStore,
    pub(super) layout: &'a CellLayout,
    pub(super) memory: &'a mut Memory,
    pub(super) procedures: &'a mut Procedures<'p>,
    /// Whether the current state is one of the successors.
    pub(super) is_after: bool,
    /// Whether the next state is one of the successors.
    pub(super) is_step: bool,
    pub(super) evaluator: &'e mut Evaluator<'p>,
}

impl<'p> Run<'_, '_, 'p> {
    #[inline]
    pub(super) fn cell(&self, registers: &[u64], address: Address, of: Of) -> u64 {
        let at = located(registers, address);
        match (of, self.is_after, self.is_step) {
            (Of::Next, _, false) => self.memory.next[at],
            (Of::Now, false, _) => self.memory.now[at],
            (Of::Now, true, _) | (Of::Next, _, true) => self.memory.after[at],
        }
    }

    /// The key of a remembered expression.
    #[inline]
    fn key(&self, code: &Code<'p>, registers: &[u64], memo: u32) -> [u64; MemoKey::WORDS_MAX] {
        let MemoKey {
            registers: own,
            cells,
            next,
        } = &code.memos[memo as usize];
        let memory = &self.memory;
        let now = if self.is_after { &memory.after } else { &memory.now };
        // As in `cell`.
        let then = if self.is_step { &memory.after } else { &memory.next };
        let mut key = [0; MemoKey::WORDS_MAX];
        let words = own.iter().map(|register| registers[*register as usize]);
        let words = words.chain(cells.iter().map(|cell| now[*cell as usize]));
        let words = words.chain(next.iter().map(|cell| then[*cell as usize]));
        for (place, word) in key.iter_mut().zip(words) {
            *place = word;
        }
        key
    }

    #[inline]
    pub(super) fn count_element(&mut self) -> Result<(), Trap> {
        self.memory.elements += 1;
        let is_over = self.memory.elements & 0x3ff == 0 && guard::is_over();
        if is_over || self.memory.elements > self.memory.elements_max {
            return Err(Trap::Time);
        }
        Ok(())
    }

    /// Runs to the end. The result is the answer of a formula.
    pub(super) fn run(&mut self, loaded: &mut Loaded<'p>) -> Result<bool, Trap> {
        for register in &loaded.code.fresh {
            loaded.registers[*register as usize] = ValueWord::NONE.0;
        }
        self.run_on(loaded, 0)
    }

    /// Runs from a place to the end, or to the successor at which an action is to pause: then the result is false.
    pub(super) fn run_on(&mut self, loaded: &mut Loaded<'p>, mut at: usize) -> Result<bool, Trap> {
        let outer = self.memory.rescues.len();
        loop {
            let trap = match self.run_from(loaded, at) {
                Ok(answer) => return Ok(answer),
                Err(trap) => trap,
            };
            if trap == Trap::Time || self.memory.rescues.len() <= outer {
                self.memory.rescues.truncate(outer);
                return Err(trap);
            }
            if let Some(rescue) = self.memory.rescues.pop() {
                loaded.registers[rescue.to as usize] = ValueWord::NONE.0;
                self.memory.collections.truncate(rescue.collections);
                while self.memory.searches.depth() > rescue.searches {
                    self.end_search();
                }
                at = rescue.goto as usize;
            }
        }
    }

    /// Runs from a place to the end.
    fn run_from(&mut self, loaded: &mut Loaded<'p>, start: usize) -> Result<bool, Trap> {
        let Loaded {
            code,
            registers,
            memos,
            selections,
        } = loaded;
        let registers = &mut registers[..];
        let mut at = start;
        loop {
            let instruction = code.instructions[at];
            at += 1;
            macro_rules! word {
                ($register:expr) => {
                    ValueWord(registers[$register as usize])
                };
            }
            macro_rules! set {
                ($register:expr, $word:expr) => {{
                    let word: ValueWord = $word;
                    registers[$register as usize] = word.0;
                }};
            }
            macro_rules! jump {
                ($condition:expr, $goto:expr) => {
                    if $condition {
                        at = $goto as usize;
                    }
                };
            }
            match instruction {
                Instruction::Move { to, from } => set!(to, word!(from)),
                Instruction::Load { to, address, of } => {
                    set!(to, ValueWord(self.cell(registers, address, of)))
                }
                Instruction::Gather {
                    to,
                    node,
                    address,
                    of,
                } => set!(to, self.gather(registers, node, address, of)),
                Instruction::Index { to, node, key, base } => {
                    let Some(exploded) = &self.layout.node(node).exploded else {
                        return Err(Trap::NotCompiled);
                    };
                    let index = CellLayout::index(exploded, word!(key)).ok_or(Trap::Domain)?;
                    let offset = exploded.parts[index].1;
                    let base = if base == NO_OFFSET {
                        0
                    } else {
                        registers[base as usize]
                    };
                    registers[to as usize] = base + u64::from(offset);
                }
                Instruction::Write { address, from } => {
                    let cell = located(registers, address) as u32;
                    let memory = &mut *self.memory;
                    self.layout
                        .write(&mut memory.next, &mut memory.trail, self.store, cell, word!(from));
                }
                Instruction::Scatter { node, address, from } => {
                    let first = located(registers, address) as u32;
                    let memory = &mut *self.memory;
                    memory.scattered.clear();
                    self.layout
                        .scatter(node, first, word!(from), self.store, &mut memory.scattered)?;
                    for (cell, word) in &memory.scattered {
                        self.layout
                            .write(&mut memory.next, &mut memory.trail, self.store, *cell, *word);
                    }
                }
                Instruction::Calculate {
                    arithmetic,
                    to,
                    left,
                    right,
                } => {
                    let (Some(l), Some(r)) = (word!(left).as_int(), word!(right).as_int()) else {
                        return Err(Trap::Type);
                    };
                    set!(to, self.calculate(arithmetic, l, r)?);
                }
                Instruction::Operate {
                    operation,
                    to,
                    first,
                    second,
                    third,
                } => {
                    let operands = [word!(first), word!(second), word!(third)];
                    set!(to, self.store.operate(operation, operands)?);
                }
                Instruction::Except {
                    to,
                    function,
                    key,
                    value,
                } => {
                    let index = self.store.index_of(word!(function), word!(key))?;
                    let changed = self.store.with_entry(word!(function), index, word!(value));
                    set!(to, changed.ok_or(Trap::Type)?);
                }
                Instruction::Tuple { to, list } => {
                    set!(to, self.store.tuple_of(self.memory.list(code, registers, list)));
                }
                Instruction::Set { to, list } => {
                    let mut parts = self.memory.list(code, registers, list).to_vec();
                    set!(to, self.store.set_of(&mut parts)?);
                }
                Instruction::Record { to, domain, list } => {
                    let parts = self.memory.list(code, registers, list);
                    set!(to, self.store.function_of(word!(domain), parts));
                }
                Instruction::Part {
                    to,
                    from,
                    index,
                    count,
                } => {
                    let parts = self.store.as_tuple(word!(from)).ok_or(Trap::Type)?;
                    if parts.len() != count as usize {
                        return Err(Trap::Type);
                    }
                    set!(to, parts[index as usize]);
                }
                Instruction::Jump { goto } => at = goto as usize,
                Instruction::JumpIf { from, is, goto } => {
                    jump!(word!(from).as_bool().ok_or(Trap::Type)? == is, goto);
                }
                Instruction::JumpEqual {
                    left,
                    right,
                    is,
                    goto,
                } => jump!(self.store.equal(word!(left), word!(right))? == is, goto),
                Instruction::LoadJumpEqual {
                    to,
                    address,
                    other,
                    is,
                    goto,
                } => {
                    let word = ValueWord(self.cell(registers, address, Of::Now));
                    set!(to, word);
                    jump!(self.store.equal(word, word!(other))? == is, goto);
                }
                Instruction::JumpCompare {
                    comparison,
                    left,
                    right,
                    is,
                    goto,
                } => {
                    let (Some(l), Some(r)) = (word!(left).as_int(), word!(right).as_int()) else {
                        return Err(Trap::Type);
                    };
                    let holds = match comparison {
                        Comparison::Less => l < r,
                        Comparison::LessEqual => l <= r,
                        Comparison::Greater => l > r,
                        Comparison::GreaterEqual => l >= r,
                    };
                    jump!(holds == is, goto);
                }
                Instruction::JumpIn {
                    element,
                    set,
                    is,
                    goto,
                } => {
                    jump!(self.store.contains(word!(set), word!(element))? == is, goto);
                }
                Instruction::JumpSubset {
                    left,
                    right,
                    is,
                    goto,
                } => jump!(self.store.is_subset(word!(left), word!(right))? == is, goto),
                Instruction::JumpInfinite {
                    element,
                    set,
                    is,
                    goto,
                } => {
                    let element = word!(element);
                    let holds = match (set, self.store.kind(element)) {
                        (Infinite::Any, _) => true,
                        (Infinite::Nat, ValueKind::Int) => element.as_int().ok_or(Trap::Size)? >= 0,
                        (Infinite::Int, ValueKind::Int) | (Infinite::Strings, ValueKind::Str) => true,
                        (_, ValueKind::Model) => false,
                        _ => return Err(Trap::Type),
                    };
                    jump!(holds == is, goto);
                }
                Instruction::JumpFunction {
                    from,
                    domain,
                    is,
                    goto,
                } => jump!(self.store.is_function_on(word!(from), word!(domain))? == is, goto),
                Instruction::JumpSequence { from, is, goto } => {
                    jump!(self.store.is_sequence(word!(from))? == is, goto);
                }
                Instruction::JumpUnchanged {
                    cell,
                    cells,
                    is,
                    goto,
                } => jump!(self.is_unchanged(cell, cells)? == is, goto),
                Instruction::Added {
                    growth,
                    to,
                    before,
                    after,
                    goto,
                } => match self.store.added(growth, word!(before), word!(after))? {
                    Some(element) => set!(to, element),
                    None => at = goto as usize,
                },
                Instruction::NeedSet { from } => {
                    self.store.as_set(word!(from)).ok_or(Trap::Type)?;
                }
                Instruction::JumpKnown { register, goto } => {
                    jump!(word!(register) != ValueWord::NONE, goto);
                }
                Instruction::Forget { register } => set!(register, ValueWord::NONE),
                Instruction::Loop { state, set } => {
                    self.store.as_set(word!(set)).ok_or(Trap::Type)?;
                    set!(state, word!(set));
                    registers[state as usize + 1] = 0;
                }
                Instruction::LoopRange { state, function } => {
                    self.store.range_of(word!(function)).ok_or(Trap::Type)?;
                    set!(state, word!(function));
                    registers[state as usize + 1] = 0;
                }
                Instruction::Each { state, to, goto } => {
                    self.count_element()?;
                    let index = registers[state as usize + 1] as usize;
                    match self.store.parts(word!(state)).get(index) {
                        Some(element) => {
                            registers[state as usize + 1] += 1;
                            set!(to, *element);
                        }
                        None => at = goto as usize,
                    }
                }
                Instruction::Count { state, low, high } => {
                    let (Some(low), Some(high)) = (word!(low).as_int(), word!(high).as_int()) else {
                        return Err(Trap::Type);
                    };
                    registers[state as usize] = low as u64;
                    registers[state as usize + 1] = high as u64;
                }
                Instruction::EachInt { state, to, goto } => {
                    self.count_element()?;
                    let (low, high) = (
                        registers[state as usize] as i64,
                        registers[state as usize + 1] as i64,
                    );
                    if low > high {
                        at = goto as usize;
                    } else {
                        registers[state as usize] = (low + 1) as u64;
                        set!(to, ValueWord::int(low).ok_or(Trap::Size)?);
                    }
                }
                Instruction::Collect => self.memory.collections.start(),
                Instruction::Push { from } => self.memory.collections.push(word!(from)),
                Instruction::CollectedSet { to } => {
                    let mut list = self.memory.collections.end();
                    let set = self.store.set_of(&mut list);
                    self.memory.collections.give_back(list);
                    set!(to, set?);
                }
                Instruction::CollectedSorted { to } => {
                    let list = self.memory.collections.end();
                    set!(to, self.store.set_of_sorted(&list));
                    self.memory.collections.give_back(list);
                }
                Instruction::CollectedTuple { to } => {
                    let list = self.memory.collections.end();
                    set!(to, self.store.tuple_of(&list));
                    self.memory.collections.give_back(list);
                }
                Instruction::CollectedFunction { to, domain } => {
                    let list = self.memory.collections.end();
                    set!(to, self.store.function_of(word!(domain), &list));
                    self.memory.collections.give_back(list);
                }
                Instruction::Mark { to } => registers[to as usize] = self.memory.trail.len() as u64,
                Instruction::Undo { mark } => {
                    let kept = registers[mark as usize] as usize;
                    while self.memory.trail.len() > kept {
                        if let Some((slot, old)) = self.memory.trail.pop() {
                            self.memory.next[slot as usize] = old;
                        }
                    }
                }
                Instruction::Emit { action } => {
                    if self.emit(action) {
                        self.memory.paused_at = at;
                        return Ok(false);
                    }
                }
                Instruction::Open => return Err(Trap::Open),
                Instruction::Search => self.start_search(),
                Instruction::EndSearch => self.end_search(),
                Instruction::Answer { is } => return Ok(is),
                Instruction::Done => return Ok(true),
                Instruction::Select { to, set, selection } => {
                    set!(to, self.select(&mut selections[selection as usize], word!(set))?);
                }
                Instruction::Recall { to, memo, goto } => {
                    let key = self.key(code, registers, memo);
                    if let Some(value) = memos[memo as usize].get(&key) {
                        set!(to, value);
                        at = goto as usize;
                    }
                }
                Instruction::Remember { from, memo } => {
                    let key = self.key(code, registers, memo);
                    memos[memo as usize].insert(&key, word!(from));
                }
                Instruction::Call { to, procedure, list } => {
                    set!(to, self.call(registers, procedure, &code.lists[list as usize])?);
                }
                Instruction::Return { from } => {
                    self.memory.returned = word!(from);
                    return Ok(true);
                }
                Instruction::Need { register } => {
                    if word!(register) == ValueWord::NONE {
                        return Err(Trap::Domain);
                    }
                }
                Instruction::Rescue { to, goto } => self.memory.rescues.push(Rescue {
                    to,
                    goto,
                    collections: self.memory.collections.depth(),
                    searches: self.memory.searches.depth(),
                }),
                Instruction::Rescued => {
                    self.memory.rescues.pop();
                }
                Instruction::Native {
                    to,
                    native,
                    list,
                    memo,
                } => {
                    let key = self.key(code, registers, memo);
                    let value = match memos[memo as usize].get(&key) {
                        Some(known) => known,
                        None => {
                            let value = self.native(registers, native, &code.lists[list as usize])?;
                            memos[memo as usize].insert(&key, value);
                            value
                        }
                    };
                    set!(to, value);
                }
                Instruction::Interpret { to, site } => {
                    let memo = code.sites[site as usize]
                        .memo
                        .map(|memo| (memo, self.key(code, registers, memo)));
                    let known = memo
                        .as_ref()
                        .and_then(|(memo, key)| memos[*memo as usize].get(key));
                    let value = match known {
                        Some(known) => known,
                        None => self.interpret(code, registers, site)?,
                    };
                    if let (Some((memo, key)), None) = (memo, known) {
                        memos[memo as usize].insert(&key, value);
                    }
                    set!(to, value);
                }
                Instruction::NotCompiled => return Err(Trap::NotCompiled),
            }
        }
    }
}

#[inline]
pub(super) fn located(registers: &[u64], address: Address) -> usize {
    match address.offset {
        NO_OFFSET => address.cell as usize,
        offset => address.cell as usize + registers[offset as usize] as usize,
    }
}
