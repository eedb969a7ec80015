//! Procedures at run time: recursive code, each call with registers of its own.
//!
//! **Remembered results.** The result of a procedure is a function of its arguments and of the state that it reads. So the key of a result
//! is the words of the arguments, and, if any procedure of the code reads the state, the number of the run: within a run, of an action from
//! one state or of a formula about one state or step, the state that code reads does not change. (In an action, procedures read no next
//! values.) Calls with more arguments are not remembered.

use omnilink_tla_eval::Evaluator;

use super::loaded::Loaded;
use super::memo::Memo;
use super::run::Run;
use crate::code::{Code, MemoKey, RegisterIndex};
use crate::trap::Trap;
use crate::values::ValueWord;

/// Calls within calls. What goes deeper is left to the evaluator, which has a larger stack.
const DEPTH_MAX: usize = 400;

/// The procedures of a piece of code.
#[derive(Debug)]
pub(super) struct Procedures<'p> {
    list: Vec<Procedure<'p>>,
    depth: usize,
    /// Whether one of them reads the state.
    depends_on_state: bool,
}

#[derive(Debug)]
struct Procedure<'p> {
    code: Code<'p>,
    /// Copies that no call uses at the moment.
    idle: Vec<Loaded<'p>>,
    results: Memo,
}

impl<'p> Procedures<'p> {
    pub(super) fn new(codes: Vec<Code<'p>>) -> Self {
        let count = codes.len();
        Self {
            depth: 0,
            depends_on_state: codes.iter().any(|code| code.reads != 0 || code.is_step),
            list: codes
                .into_iter()
                .map(|code| Procedure {
                    code,
                    idle: Vec::new(),
                    results: Memo::one_of(count),
                })
                .collect(),
        }
    }

    /// What its tables take in memory.
    pub(super) fn heap_bytes(&self) -> usize {
        let bytes = |procedure: &Procedure<'_>| {
            let idle = procedure.idle.iter().map(Loaded::heap_bytes).sum::<usize>();
            idle + procedure.results.heap_bytes()
        };
        self.list.iter().map(bytes).sum()
    }

    fn key(&self, arguments: &[u64], run: u64) -> Option<[u64; MemoKey::WORDS_MAX]> {
        let mut key = [0; MemoKey::WORDS_MAX];
        let room = MemoKey::WORDS_MAX - usize::from(self.depends_on_state);
        if arguments.len() > room {
            return None;
        }
        key[..arguments.len()].copy_from_slice(arguments);
        if self.depends_on_state {
            key[MemoKey::WORDS_MAX - 1] = run;
        }
        Some(key)
    }
}

impl<'p> Run<'_, '_, 'p> {
    /// The result of a procedure.
    #[inline(never)]
    pub(super) fn call(
        &mut self,
        registers: &[u64],
        procedure: u32,
        list: &[RegisterIndex],
    ) -> Result<ValueWord, Trap> {
        let number = procedure as usize;
        let arguments = list.iter().map(|register| registers[*register as usize]);
        let arguments: smallvec::SmallVec<[u64; 8]> = arguments.collect();
        let key = self.procedures.key(&arguments, self.memory.run);
        if let Some(key) = &key
            && let Some(known) = self.procedures.list[number].results.get(key)
        {
            return Ok(known);
        }
        if self.procedures.depth == DEPTH_MAX {
            return Err(Trap::Size);
        }
        let known = &mut self.procedures.list[number];
        let mut loaded = match known.idle.pop() {
            Some(loaded) => loaded,
            None => Loaded::new(known.code.clone()),
        };
        loaded.set_parameters(arguments.iter().copied().map(ValueWord));
        self.count_element()?;
        self.procedures.depth += 1;
        let returned = self.run(&mut loaded);
        self.procedures.depth -= 1;
        let known = &mut self.procedures.list[number];
        known.idle.push(loaded);
        returned?;
        let result = self.memory.returned;
        if let Some(key) = &key {
            known.results.insert(key, result);
        }
        Ok(result)
    }

    /// The value of a native operator for some values.
    #[inline(never)]
    pub(super) fn native(
        &mut self,
        registers: &[u64],
        native: omnilink_tla_ir::native::Native,
        list: &[RegisterIndex],
    ) -> Result<ValueWord, Trap> {
        let operands: smallvec::SmallVec<[_; 4]> = list
            .iter()
            .map(|register| self.store.value(ValueWord(registers[*register as usize])))
            .collect();
        let evaluator: &mut Evaluator<'p> = self.evaluator;
        match evaluator.native_of_values(native, &operands) {
            Ok(value) => Ok(self.store.word(&value)),
            Err(_) => Err(Trap::Domain),
        }
    }
}
