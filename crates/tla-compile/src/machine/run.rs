//! One run of code: the loop over its instructions.

use omnilink_tla_eval::Evaluator;
use omnilink_tla_ir::{Arithmetic, Comparison, Infinite};
use omnilink_value::{Value, ValueKind};

use super::loaded::{Loaded, Selection};
use super::{Memory, Successor, Successors, values};
use crate::code::{Address, Code, Instruction, MemoKey, NO_OFFSET, Of};
use crate::layout::Layout;
use crate::trap::Trap;
use crate::values::{Store, Word};

/// Elements of loops for one state, after which the evaluator takes over: it watches the time.
const ELEMENTS_MAX: u64 = 1 << 24;

/// One run of code.
pub(super) struct Run<'a, 'e, 'p> {
    pub(super) store: &'a mut Store,
    pub(super) layout: &'a Layout,
    pub(super) memory: &'a mut Memory,
    /// Whether the current state is one of the successors.
    pub(super) is_after: bool,
    pub(super) evaluator: &'e mut Evaluator<'p>,
}

impl<'p> Run<'_, '_, 'p> {
    #[inline]
    fn cell(&self, registers: &[u64], address: Address, of: Of) -> u64 {
        let at = located(registers, address);
        match (of, self.is_after) {
            (Of::Next, _) => self.memory.next[at],
            (Of::Now, false) => self.memory.now[at],
            (Of::Now, true) => self.memory.after[at],
        }
    }

    fn gather(&mut self, registers: &[u64], node: u32, address: Address, of: Of) -> Word {
        let at = located(registers, address) as u32;
        let cells: &[u64] = match (of, self.is_after) {
            (Of::Next, _) => &self.memory.next,
            (Of::Now, false) => &self.memory.now,
            (Of::Now, true) => &self.memory.after,
        };
        self.layout.gather(node, at, cells, self.store)
    }

    fn interpret(&mut self, code: &Code<'p>, registers: &[u64], site: u32) -> Result<Word, Trap> {
        let site = &code.sites[site as usize];
        let state = match &self.memory.values {
            Some(values) => values.clone(),
            None => {
                let cells: &[u64] = match self.is_after {
                    false => &self.memory.now,
                    true => &self.memory.after,
                };
                let state = values(self.layout, cells, self.store);
                self.memory.values = Some(state.clone());
                state
            }
        };
        let slots = site
            .slots
            .iter()
            .map(|(slot, register)| (*slot, self.store.value(Word(registers[*register as usize]))));
        let slots: Vec<(u32, Value)> = slots.collect();
        self.evaluator.set_state(&state);
        match self.evaluator.value_in_frame(site.node, site.frame, slots) {
            Ok(value) => Ok(self.store.word(&value)),
            Err(_) => Err(Trap::Domain),
        }
    }

    /// The elements of a set that a selection keeps.
    fn select(&mut self, selection: &mut Selection<'p>, set: Word) -> Result<Word, Trap> {
        let key = [set.0, 0, 0, 0];
        if let Some(known) = selection.memo.get(&key) {
            return Ok(known);
        }
        let count = self.store.as_set(set).ok_or(Trap::Type)?.len();
        selection.kept.clear();
        for at in 0..count {
            let element = self.store.parts(set)[at];
            if self.is_selected(selection, element)? {
                selection.kept.push(element);
            }
        }
        let kept = match selection.kept.len() == count {
            true => set,
            false => self.store.set_of_sorted(&selection.kept),
        };
        selection.memo.insert(&key, kept);
        Ok(kept)
    }

    fn is_selected(&mut self, selection: &mut Selection<'p>, element: Word) -> Result<bool, Trap> {
        let number = element.as_entry().map(|number| number as usize);
        if let Some(number) = number
            && let Some(Some(answer)) = selection.answers.get(number)
        {
            return Ok(*answer);
        }
        self.count_element()?;
        let parameter = selection.loaded.code.parameter;
        selection.loaded.registers[parameter as usize] = element.0;
        let answer = self.run(&mut selection.loaded)?;
        if let Some(number) = number {
            if selection.answers.len() <= number {
                selection.answers.resize(number + 1, None);
            }
            selection.answers[number] = Some(answer);
        }
        Ok(answer)
    }

    /// The key of a remembered expression.
    #[inline]
    fn key(&self, code: &Code<'p>, registers: &[u64], memo: u32) -> [u64; MemoKey::WORDS_MAX] {
        let MemoKey {
            registers: own,
            cells,
        } = &code.memos[memo as usize];
        let now = if self.is_after {
            &self.memory.after
        } else {
            &self.memory.now
        };
        let mut key = [0; MemoKey::WORDS_MAX];
        let words = own.iter().map(|register| registers[*register as usize]);
        let words = words.chain(cells.iter().map(|cell| now[*cell as usize]));
        for (place, word) in key.iter_mut().zip(words) {
            *place = word;
        }
        key
    }

    fn count_element(&mut self) -> Result<(), Trap> {
        self.memory.elements += 1;
        if self.memory.elements > ELEMENTS_MAX {
            return Err(Trap::Time);
        }
        Ok(())
    }

    /// Runs to the end. The result is the answer of a formula.
    pub(super) fn run(&mut self, loaded: &mut Loaded<'p>) -> Result<bool, Trap> {
        let Loaded {
            code,
            registers,
            memos,
            selections,
        } = loaded;
        let registers = &mut registers[..];
        for register in &code.fresh {
            registers[*register as usize] = Word::NONE.0;
        }
        let mut at = 0;
        loop {
            let instruction = code.instructions[at];
            at += 1;
            macro_rules! word {
                ($register:expr) => {
                    Word(registers[$register as usize])
                };
            }
            macro_rules! set {
                ($register:expr, $word:expr) => {{
                    let word: Word = $word;
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
                Instruction::Load { to, address, of } => set!(to, Word(self.cell(registers, address, of))),
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
                    let index = Layout::index(exploded, word!(key)).ok_or(Trap::Domain)?;
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
                    let word = Word(self.cell(registers, address, Of::Now));
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
                    let elements = self.store.as_set(word!(set)).ok_or(Trap::Type)?;
                    jump!(self.store.contains(elements, word!(element))? == is, goto);
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
                Instruction::NeedSet { from } => {
                    self.store.as_set(word!(from)).ok_or(Trap::Type)?;
                }
                Instruction::JumpKnown { register, goto } => {
                    jump!(word!(register) != Word::NONE, goto);
                }
                Instruction::Forget { register } => set!(register, Word::NONE),
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
                        set!(to, Word::int(low).ok_or(Trap::Size)?);
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
                Instruction::Emit { action } => self.emit(action),
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

    #[inline]
    fn emit(&mut self, action: u32) {
        let memory = &mut *self.memory;
        let Successors { found, changes } = &mut memory.successors;
        let next = &memory.next;
        changes.extend(memory.trail.iter().map(|(slot, _)| (*slot, next[*slot as usize])));
        found.push(Successor {
            sum: next[self.layout.sum_slot()],
            action,
            end: changes.len() as u32,
        });
    }

    fn calculate(&self, arithmetic: Arithmetic, left: i64, right: i64) -> Result<Word, Trap> {
        let result = match arithmetic {
            Arithmetic::Plus => left.checked_add(right),
            Arithmetic::Minus => left.checked_sub(right),
            Arithmetic::Times => left.checked_mul(right),
            Arithmetic::Divide if right > 0 => Some(left.div_euclid(right)),
            Arithmetic::Modulo if right > 0 => Some(left.rem_euclid(right)),
            Arithmetic::Power if right >= 0 && (left, right) != (0, 0) => u32::try_from(right)
                .ok()
                .and_then(|right| left.checked_pow(right)),
            Arithmetic::Divide | Arithmetic::Modulo | Arithmetic::Power => return Err(Trap::Domain),
        };
        let result = result.filter(|result| self.evaluator.in_range(*result).is_some());
        result.and_then(Word::int).ok_or(Trap::Size)
    }
}

#[inline]
fn located(registers: &[u64], address: Address) -> usize {
    match address.offset {
        NO_OFFSET => address.cell as usize,
        offset => address.cell as usize + registers[offset as usize] as usize,
    }
}
