//! Selections: the elements of a set that a formula about an element keeps.

use super::loaded::Selection;
use super::run::Run;
use crate::trap::Trap;
use crate::values::ValueWord;

impl<'p> Run<'_, '_, 'p> {
    /// The elements of a set that a selection keeps.
    #[inline(never)]
    pub(super) fn select(
        &mut self,
        selection: &mut Selection<'p>,
        set: ValueWord,
    ) -> Result<ValueWord, Trap> {
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

    #[inline(never)]
    fn is_selected(&mut self, selection: &mut Selection<'p>, element: ValueWord) -> Result<bool, Trap> {
        let number = element.as_entry().map(|number| number as usize);
        if let Some(number) = number
            && let Some(Some(answer)) = selection.answers.get(number)
        {
            return Ok(*answer);
        }
        self.count_element()?;
        selection.loaded.set_parameters([element]);
        let answer = self.run(&mut selection.loaded)?;
        if let Some(number) = number {
            if selection.answers.len() <= number {
                selection.answers.resize(number + 1, None);
            }
            selection.answers[number] = Some(answer);
        }
        Ok(answer)
    }
}
