//! Assembly stubs: a symbol that saves what its kind needs, and jumps to a function of this crate.

#[cfg(omnilink_link)]
macro_rules! symbol {
    ($($part:expr),+) => { concat!($($part),+) };
}
#[cfg(not(omnilink_link))]
macro_rules! symbol {
    ($($part:expr),+) => { concat!("omnilink_unlinked_", $($part),+) };
}

/// A symbol with its binding (`.globl` or `.weak`): some assembly, then a jump to a function.
macro_rules! stub {
    ($binding:literal, $name:expr, $function:path, [$($assembly:literal),*], $($operands:tt)*) => {
        ::core::arch::global_asm!(
            concat!(".pushsection .text.", $name, ", \"ax\", %progbits"),
            ".balign 16",
            concat!($binding, " ", $name),
            concat!(".type ", $name, ", %function"),
            concat!($name, ":"),
            $($assembly,)*
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            function = sym $function,
            $($operands)*
        );
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! plain {
    ($binding:literal, $name:expr, $function:path) => {
        stub!($binding, $name, $function, ["jmp {function}"],);
    };
}

/// Passes the return address as the second, third or fourth argument.
#[cfg(target_arch = "x86_64")]
macro_rules! passing_caller {
    (2, $name:expr, $function:path) => {
        stub!(
            ".globl",
            $name,
            $function,
            ["mov rsi, qword ptr [rsp]", "jmp {function}"],
        );
    };
    (3, $name:expr, $function:path) => {
        stub!(
            ".globl",
            $name,
            $function,
            ["mov rdx, qword ptr [rsp]", "jmp {function}"],
        );
    };
    (4, $name:expr, $function:path) => {
        stub!(
            ".globl",
            $name,
            $function,
            ["mov rcx, qword ptr [rsp]", "jmp {function}"],
        );
    };
}

/// Saves the return address.
#[cfg(target_arch = "x86_64")]
macro_rules! with_caller {
    ($name:expr, $function:path) => {
        stub!(".globl", $name, $function, [
            "mov r11, qword ptr [rip + omnilink_thread_local@GOTTPOFF]",
            "mov r10, qword ptr [rsp]",
            "mov qword ptr fs:[r11 + {caller}], r10",
            "jmp {function}"
        ], caller = const $crate::rt::entry::CALLER);
    };
}

/// Saves the return address and the callee-saved registers.
#[cfg(target_arch = "x86_64")]
macro_rules! with_registers {
    ($name:expr, $function:path) => {
        stub!(".globl", $name, $function, [
            "mov r11, qword ptr [rip + omnilink_thread_local@GOTTPOFF]",
            "mov r10, qword ptr [rsp]",
            "mov qword ptr fs:[r11 + {caller}], r10",
            "mov qword ptr fs:[r11 + {registers_caller}], r10",
            "mov qword ptr fs:[r11], rbx",
            "mov qword ptr fs:[r11 + 8], rbp",
            "mov qword ptr fs:[r11 + 16], r12",
            "mov qword ptr fs:[r11 + 24], r13",
            "mov qword ptr fs:[r11 + 32], r14",
            "mov qword ptr fs:[r11 + 40], r15",
            "mov qword ptr fs:[r11 + 48], rsp",
            "jmp {function}"
        ], caller = const $crate::rt::entry::CALLER, registers_caller = const $crate::rt::entry::REGISTERS_CALLER);
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! plain {
    ($binding:literal, $name:expr, $function:path) => {
        stub!($binding, $name, $function, ["b {function}"],);
    };
}

/// Passes the return address as the second, third or fourth argument.
#[cfg(target_arch = "aarch64")]
macro_rules! passing_caller {
    (2, $name:expr, $function:path) => {
        stub!(".globl", $name, $function, ["mov x1, x30", "b {function}"],);
    };
    (3, $name:expr, $function:path) => {
        stub!(".globl", $name, $function, ["mov x2, x30", "b {function}"],);
    };
    (4, $name:expr, $function:path) => {
        stub!(".globl", $name, $function, ["mov x3, x30", "b {function}"],);
    };
}

/// Saves the return address.
#[cfg(target_arch = "aarch64")]
macro_rules! with_caller {
    ($name:expr, $function:path) => {
        stub!(".globl", $name, $function, [
            "mrs x16, tpidr_el0",
            "adrp x17, :gottprel:omnilink_thread_local",
            "ldr x17, [x17, :gottprel_lo12:omnilink_thread_local]",
            "add x16, x16, x17",
            "str x30, [x16, #{caller}]",
            "b {function}"
        ], caller = const $crate::rt::entry::CALLER);
    };
}

/// Saves the return address and the callee-saved registers.
#[cfg(target_arch = "aarch64")]
macro_rules! with_registers {
    ($name:expr, $function:path) => {
        stub!(".globl", $name, $function, [
            "mrs x16, tpidr_el0",
            "adrp x17, :gottprel:omnilink_thread_local",
            "ldr x17, [x17, :gottprel_lo12:omnilink_thread_local]",
            "add x16, x16, x17",
            "str x30, [x16, #{caller}]",
            "str x30, [x16, #{registers_caller}]",
            "stp x19, x20, [x16]",
            "stp x21, x22, [x16, #16]",
            "stp x23, x24, [x16, #32]",
            "stp x25, x26, [x16, #48]",
            "stp x27, x28, [x16, #64]",
            "str x29, [x16, #80]",
            "stp d8, d9, [x16, #88]",
            "stp d10, d11, [x16, #104]",
            "stp d12, d13, [x16, #120]",
            "stp d14, d15, [x16, #136]",
            "mov x17, sp",
            "str x17, [x16, #152]",
            "b {function}"
        ], caller = const $crate::rt::entry::CALLER, registers_caller = const $crate::rt::entry::REGISTERS_CALLER);
    };
}
