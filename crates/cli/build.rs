//! How the command is linked: with its relative relocations packed, where the C library can unpack them.
//!
//! The dynamic linker adds the address of the program to some twelve thousand pointers before `main`. Listed one by one they take 300 KB
//! and a third of a millisecond of each start, packed 3 KB and a tenth. glibc can do that since 2.36; a program that is made for it says
//! so, and does not start on an older one, which is the same with every newer function of glibc. So it is done where the program
//! is made for the machine that it is made on.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is_native = std::env::var_os("TARGET") == std::env::var_os("HOST");
    if is_native && glibc_version().is_some_and(|version| version >= (2, 36)) {
        println!("cargo:rustc-link-arg-bin=omnilink=-Wl,-z,pack-relative-relocs");
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn glibc_version() -> Option<(u32, u32)> {
    use std::ffi::{CStr, c_char};

    unsafe extern "C" {
        fn gnu_get_libc_version() -> *const c_char;
    }
    // SAFETY: the C library gives a constant text.
    let version = unsafe { CStr::from_ptr(gnu_get_libc_version()) };
    let (major, minor) = version.to_str().ok()?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn glibc_version() -> Option<(u32, u32)> {
    None
}
