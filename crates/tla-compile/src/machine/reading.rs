//! What code reads of a state besides single cells: exploded functions, unchanged variables, and all of it for the evaluator.

use omnilink_value::Value;

use super::run::{Run, located};
use super::values;
use crate::code::{Address, Code, NO_OFFSET, Of};
use crate::trap::Trap;
use crate::values::ValueWord;

/// Values of exploded functions that are kept within a run.
const GATHERED: usize = 64;

impl<'p> Run<'_, '_, 'p> {
    /// The value of an exploded function.
    #[inline(never)]
    pub(super) fn gather(&mut self, registers: &[u64], node: u32, address: Address, of: Of) -> ValueWord {
        let at = located(registers, address) as u32;
        let (cells, is_after): (&[u64], bool) = match (of, self.is_after, self.is_step) {
            (Of::Next, _, false) => return self.layout.gather(node, at, &self.memory.next, self.store),
            (Of::Now, false, _) => (&self.memory.now, false),
            (Of::Now, true, _) | (Of::Next, _, true) => (&self.memory.after, true),
        };
        // Within a run, these states do not change.
        let key = (self.memory.run, node, at, is_after);
        let place = (node as usize * 31 + at as usize * 2 + usize::from(is_after)) % GATHERED;
        if let Some((known, word)) = self.memory.gathered.get(place)
            && *known == key
        {
            return *word;
        }
        let word = self.layout.gather(node, at, cells, self.store);
        self.memory
            .gathered
            .resize(GATHERED, ((0, 0, 0, false), ValueWord::NONE));
        self.memory.gathered[place] = (key, word);
        word
    }

    /// The value of an expression that the evaluator evaluates.
    #[inline(never)]
    pub(super) fn interpret(
        &mut self,
        code: &Code<'p>,
        registers: &[u64],
        site: u32,
    ) -> Result<ValueWord, Trap> {
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
            .map(|(slot, register)| (*slot, self.store.value(ValueWord(registers[*register as usize]))));
        let slots: Vec<(u32, Value)> = slots.collect();
        self.evaluator.set_state(&state);
        match self.evaluator.value_in_frame(site.node, site.frame, slots) {
            Ok(value) => Ok(self.store.word(&value)),
            Err(_) => Err(Trap::Domain),
        }
    }

    /// Whether some cells are in the next state as in the current one. As where functions are compared, the first difference decides.
    pub(super) fn is_unchanged(&self, cell: u32, cells: u32) -> Result<bool, Trap> {
        for cell in cell..cell + cells {
            let address = Address {
                cell,
                offset: NO_OFFSET,
            };
            let next = ValueWord(self.cell(&[], address, Of::Next));
            if !self
                .store
                .equal(next, ValueWord(self.cell(&[], address, Of::Now)))?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
