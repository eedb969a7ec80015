//! Huge pages of memory: not for short jobs.
//!
//! The allocator asks the system for pages of two megabytes. That makes long searches faster, by a tenth or so, but a page has
//! to be found and zeroed before its first byte can be used: a job of a few milliseconds would spend some of them on
//! memory that it never touches. So a process begins with small pages, and asks for huge ones when there is more to
//! do. That must be arranged before the first allocation, which is made before `main`.
//!
//! Linux only; elsewhere allocators and systems do as they please.

use crate::input::Input;

#[cfg(target_os = "linux")]
fn set_disabled(disabled: libc::c_ulong) {
    // SAFETY: this call takes numbers, and changes nothing but how pages of this process are found from now on. Should the
    // system not know it, it does nothing.
    unsafe {
        libc::prctl(libc::PR_SET_THP_DISABLE, disabled, 0, 0, 0);
    }
}

/// What has to be arranged before the first allocation.
#[cfg(target_os = "linux")]
extern "C" fn begin_small() {
    set_disabled(1);
    crate::allocator::reserve_little();
}

// SAFETY: the C library calls what stands in this section, with arguments that a function without parameters may ignore,
// before `main` and before any thread. The function uses nothing that would have to be set up first.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN_SMALL: extern "C" fn() = begin_small;

/// Allows huge pages if it takes a while to read these.
pub(crate) fn allow_unless_short(inputs: &[Input]) {
    if !inputs.iter().all(Input::is_short) {
        allow();
    }
}

/// There is more to do: from now on, memory may come in huge pages.
pub(crate) fn allow() {
    #[cfg(target_os = "linux")]
    set_disabled(0);
}
