//! Code with its registers, its memos and its selections.

use super::memo::Memo;
use super::procedures::Procedures;
use crate::code::Code;
use crate::values::ValueWord;

/// A piece of code with its registers.
#[derive(Debug)]
pub(super) struct Loaded<'p> {
    pub(super) code: Code<'p>,
    pub(super) registers: Vec<u64>,
    pub(super) memos: Vec<Memo>,
    pub(super) selections: Vec<Selection<'p>>,
}

/// A whole action or formula: a piece of code with the procedures that it calls.
#[derive(Debug)]
pub(super) struct Whole<'p> {
    pub(super) main: Loaded<'p>,
    pub(super) procedures: Procedures<'p>,
}

impl<'p> Whole<'p> {
    pub(super) fn new(mut code: Code<'p>) -> Self {
        let procedures = std::mem::take(&mut code.procedures);
        Self {
            main: Loaded::new(code),
            procedures: Procedures::new(procedures),
        }
    }

    /// What its tables take in memory.
    pub(super) fn heap_bytes(&self) -> usize {
        self.main.heap_bytes() + self.procedures.heap_bytes()
    }
}

/// A filter by a formula about an element alone. Its answer for an element never changes, so it is kept.
#[derive(Debug)]
pub(super) struct Selection<'p> {
    pub(super) loaded: Loaded<'p>,
    /// The answers for elements, by the numbers of their entries.
    pub(super) answers: Vec<Option<bool>>,
    /// The result for a set.
    pub(super) memo: Memo,
    pub(super) kept: Vec<ValueWord>,
}

impl<'p> Loaded<'p> {
    pub(super) fn new(mut code: Code<'p>) -> Self {
        let mut registers = vec![0; code.registers + 1];
        for (register, word) in &code.constants {
            registers[*register as usize] = word.0;
        }
        let count = code.memos.len() + code.selections.len();
        let memos = code.memos.iter().map(|_| Memo::one_of(count)).collect();
        let selections = std::mem::take(&mut code.selections)
            .into_iter()
            .map(|code| Selection {
                loaded: Loaded::new(code),
                answers: Vec::new(),
                memo: Memo::one_of(count),
                kept: Vec::new(),
            })
            .collect();
        Self {
            code,
            registers,
            memos,
            selections,
        }
    }

    /// Fills in the parameters, in order.
    pub(super) fn set_parameters(&mut self, words: impl IntoIterator<Item = ValueWord>) {
        for (register, word) in self.code.parameters.iter().zip(words) {
            self.registers[*register as usize] = word.0;
        }
    }

    /// What its tables take in memory.
    pub(super) fn heap_bytes(&self) -> usize {
        let memos: usize = self.memos.iter().map(Memo::heap_bytes).sum();
        let selections = self.selections.iter();
        let selections = selections.map(|selection| {
            selection.answers.len() + selection.memo.heap_bytes() + selection.loaded.heap_bytes()
        });
        memos + selections.sum::<usize>()
    }
}
