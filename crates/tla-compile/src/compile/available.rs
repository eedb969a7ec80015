//! Values that are computed already: an operation on the same registers is not run twice.
//!
//! A set is evaluated before an element is tested for it, and again for the test; `{e[1], e[2]} \subseteq S` follows `e = <<e[1], e[2]>>`; each use of
//! a variable reads its cell. The key is the whole operation with its registers, which is all that the result depends on: reads are of the
//! current state, which stays as it is while code runs. A register keeps its value as long as what is known stays known: it is written
//! again only by the next round of a loop, or behind the end of a branch, and what became known inside is forgotten there, as for expressions
//! that are evaluated when they are first used.
//!
//! In an expression that is remembered, only what was computed within it is used again: its key is found in its code, so all that it reads must be there.

use std::mem::{Discriminant, discriminant};

use omnilink_tla_ir::Arithmetic;
use rustc_hash::FxHashMap;

use super::compiler::Compiler;
use crate::code::{Address, Instruction, Of, RegisterIndex, ValueOperation};
use crate::layout::LayoutNodeId;

/// An operation with its registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Computation {
    Load(u32, RegisterIndex),
    Gather(LayoutNodeId, u32, RegisterIndex),
    Index(LayoutNodeId, [RegisterIndex; 2]),
    Operate(Discriminant<ValueOperation>, [RegisterIndex; 3]),
    Calculate(Discriminant<Arithmetic>, [RegisterIndex; 2]),
    Except([RegisterIndex; 3]),
    Part(RegisterIndex, u16, u16),
    Tuple(Box<[RegisterIndex]>),
    Set(Box<[RegisterIndex]>),
    Record(RegisterIndex, Box<[RegisterIndex]>),
    NeedSet(RegisterIndex),
}

/// What was computed.
#[derive(Debug, Default)]
pub(super) struct Available {
    /// The register, and the number and the place of the result among what is known.
    results: FxHashMap<Computation, (RegisterIndex, u32, usize)>,
    /// The results before this place are not used.
    floor: usize,
}

impl Compiler<'_, '_> {
    /// The computation that an instruction makes, and its destination; the destination alone if it reads the next state, which changes while code runs.
    fn computation(&self, instruction: &Instruction) -> Result<(Computation, RegisterIndex), RegisterIndex> {
        let list = |list: u32| self.code.lists[list as usize].clone();
        Ok(match *instruction {
            Instruction::Load {
                to,
                address: Address { cell, offset },
                of: Of::Now,
            } => (Computation::Load(cell, offset), to),
            Instruction::Gather {
                to,
                node,
                address: Address { cell, offset },
                of: Of::Now,
            } => (Computation::Gather(node, cell, offset), to),
            Instruction::Index { to, node, key, base } => (Computation::Index(node, [key, base]), to),
            Instruction::Operate {
                operation,
                to,
                first,
                second,
                third,
            } => {
                let operands = [first, second, third];
                (Computation::Operate(discriminant(&operation), operands), to)
            }
            Instruction::Calculate {
                arithmetic,
                to,
                left,
                right,
            } => (
                Computation::Calculate(discriminant(&arithmetic), [left, right]),
                to,
            ),
            Instruction::Except {
                to,
                function,
                key,
                value,
            } => (Computation::Except([function, key, value]), to),
            Instruction::Part {
                to,
                from,
                index,
                count,
            } => (Computation::Part(from, index, count), to),
            Instruction::Tuple { to, list: parts } => (Computation::Tuple(list(parts)), to),
            Instruction::Set { to, list: parts } => (Computation::Set(list(parts)), to),
            Instruction::Record {
                to,
                domain,
                list: parts,
            } => (Computation::Record(domain, list(parts)), to),
            Instruction::NeedSet { from } => (Computation::NeedSet(from), from),
            Instruction::Load { to, .. } | Instruction::Gather { to, .. } => return Err(to),
            _ => return Err(0),
        })
    }

    /// Emits an instruction that does nothing but compute a value, unless that is computed already. Returns the register of the value.
    pub(crate) fn compute(&mut self, instruction: Instruction) -> RegisterIndex {
        let (computation, to) = match self.computation(&instruction) {
            Ok(computation) => computation,
            Err(to) => {
                self.emit(instruction);
                return to;
            }
        };
        if let Some((register, number, place)) = self.available.results.get(&computation)
            && *place >= self.available.floor
            && self.known.get(*place) == Some(number)
        {
            return *register;
        }
        self.emit(instruction);
        let number = self.lazy_number();
        let place = self.known.len();
        self.known.push(number);
        self.available.results.insert(computation, (to, number, place));
        to
    }

    /// Runs for an expression that is remembered.
    pub(super) fn with_nothing_available<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let floor = std::mem::replace(&mut self.available.floor, self.known.len());
        let result = run(self);
        self.available.floor = floor;
        result
    }
}
