//! Access to a slot whose number the caller knows to be in range.
//!
//! The object has no panic machinery, so that it cannot index as usual. A number out of range is an error of this crate: the process ends
//! where it is found, and never goes on with another slot.

/// Ends the process at an error of this crate.
#[cold]
#[inline(never)]
pub(crate) fn trap() -> ! {
    #[cfg(all(omnilink_link, target_arch = "x86_64"))]
    // SAFETY: the instruction raises a signal, and nothing comes after it.
    unsafe {
        core::arch::asm!("ud2", options(noreturn, nomem, nostack));
    }
    #[cfg(all(omnilink_link, target_arch = "aarch64"))]
    // SAFETY: the instruction raises a signal, and nothing comes after it.
    unsafe {
        core::arch::asm!("brk #1", options(noreturn, nomem, nostack));
    }
    #[cfg(not(omnilink_link))]
    panic!("a slot out of range, or one that is in use already");
}

/// The slot with a number.
#[inline(always)]
pub(crate) fn slot<T>(slots: &[T], number: usize) -> &T {
    match slots.get(number) {
        Some(slot) => slot,
        None => trap(),
    }
}

#[cfg(test)]
mod tests {
    use super::slot;

    #[test]
    fn a_number_in_range_names_its_slot() {
        assert_eq!((*slot(&[1, 2, 3], 0), *slot(&[1, 2, 3], 2)), (1, 3));
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_number_out_of_range_names_none() {
        slot(&[1, 2, 3], 3);
    }
}
