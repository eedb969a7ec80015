//! Where in the component a function of the runtime was called.

unsafe extern "C" {
    /// Where the exported function returns to that this is inlined into.
    #[link_name = "llvm.returnaddress"]
    fn return_address(level: i32) -> *const u8;

    /// Placed by the linker at the first byte of the program.
    static __ehdr_start: u8;
}

/// Where the calling exported function was called from, relative to the program's first byte.
#[inline(always)]
pub fn caller() -> u64 {
    unsafe { (return_address(0) as u64).wrapping_sub(load_address()) }
}

pub fn load_address() -> u64 {
    (&raw const __ehdr_start) as u64
}
