//! Counts the calls of the program into libraries that are not instrumented.
//!
//! A program calls a function of a shared library through a slot of its global offset table, which the loader has filled by now: the
//! driver asks for that (`LD_BIND_NOW`). The slots that lead into a counted library are redirected to a few instructions that add one to
//! a counter in the shared memory, which no execution restores, and go on where the slot led. Calls between libraries are not counted.

use crate::layout::LIBRARIES_CAP;
use crate::rt::entry;
use crate::rt::sys::{self, raw};
use core::ffi::{CStr, c_char, c_void};

/// The names of the libraries, separated by colons. The driver reads the counters in this order.
const VARIABLE: &CStr = c"OMNILINK_LIBRARIES";
/// Slots beyond this number are not redirected.
const SLOTS_MAX: usize = 1 << 10;
/// `mov r11, counter; lock inc qword ptr [r11]; mov r11, target; jmp r11`, padded. A call may change r11.
const JUMP_SIZE: usize = 32;
const PAGE: u64 = 1 << 12;

const MMAP: i64 = 9;
const MPROTECT: i64 = 10;
const READ: i64 = 1;
const READ_WRITE: i64 = 3;
const READ_EXECUTE: i64 = 5;

/// The parts of the ELF format that are needed here.
mod elf {
    pub const PT_DYNAMIC: u32 = 2;
    pub const PT_GNU_RELRO: u32 = 0x6474_e552;
    pub const DT_PLTRELSZ: i64 = 2;
    pub const DT_SYMTAB: i64 = 6;
    pub const DT_RELA: i64 = 7;
    pub const DT_RELASZ: i64 = 8;
    pub const DT_JMPREL: i64 = 23;
    pub const R_X86_64_GLOB_DAT: u32 = 6;
    pub const R_X86_64_JUMP_SLOT: u32 = 7;
    pub const STT_FUNC: u8 = 2;

    #[repr(C)]
    pub struct ElfHeader {
        pub ident: [u8; 16],
        pub kind: u16,
        pub machine: u16,
        pub version: u32,
        pub entry: u64,
        pub segments: u64,
        pub sections: u64,
        pub flags: u32,
        pub size: u16,
        pub segment_size: u16,
        pub segment_count: u16,
    }

    #[repr(C)]
    pub struct ProgramHeader {
        pub kind: u32,
        pub flags: u32,
        pub offset: u64,
        pub address: u64,
        pub physical: u64,
        pub file_size: u64,
        pub size: u64,
    }

    #[repr(C)]
    pub struct Dynamic {
        pub tag: i64,
        pub value: u64,
    }

    #[repr(C)]
    pub struct Relocation {
        pub offset: u64,
        pub info: u64,
        pub addend: i64,
    }

    #[repr(C)]
    pub struct Symbol {
        pub name: u32,
        pub info: u8,
        pub other: u8,
        pub section: u16,
        pub value: u64,
        pub size: u64,
    }
}

/// What `dladdr` tells about an address.
#[repr(C)]
struct Located {
    file: *const c_char,
    base: *mut c_void,
    symbol: *const c_char,
    address: *mut c_void,
}

type Locate = unsafe extern "C" fn(address: *const c_void, found: *mut Located) -> i32;

/// The tables of the program that the loader made, and the part of its memory that it protected afterwards.
struct Tables {
    symbols: *const elf::Symbol,
    relocations: [(*const elf::Relocation, usize); 2],
    protected: (u64, u64),
}

/// Redirects the slots of the libraries that the driver names to counters.
///
/// # Safety
/// To be called once, before the program has more than one thread.
pub unsafe fn count(counters: *mut [u64; LIBRARIES_CAP]) {
    let names = sys::getenv(VARIABLE.as_ptr());
    if names.is_null() || *names == 0 {
        return;
    }
    let locate = sys::dlsym(core::ptr::null_mut(), c"dladdr".as_ptr());
    let (false, Some(tables)) = (locate.is_null(), tables()) else {
        return;
    };
    // SAFETY: the C library's function of this name has this type.
    let locate = core::mem::transmute::<*mut c_void, Locate>(locate);
    const ANONYMOUS: i64 = 0x22;
    let length = (SLOTS_MAX * JUMP_SIZE) as i64;
    let jumps = raw(MMAP, [0, length, READ_WRITE, ANONYMOUS, -1, 0]);
    if jumps < 0 {
        return;
    }
    let mut used = 0;
    for (relocations, relocations_len) in tables.relocations {
        for number in 0..relocations_len {
            let relocation = &*relocations.add(number);
            let kind = relocation.info as u32;
            let symbol = &*tables.symbols.add((relocation.info >> 32) as usize);
            let is_function = kind == elf::R_X86_64_JUMP_SLOT
                || kind == elf::R_X86_64_GLOB_DAT && symbol.info & 0xf == elf::STT_FUNC;
            if !is_function || symbol.section != 0 || used == SLOTS_MAX {
                continue;
            }
            let slot = (entry::load_address() + relocation.offset) as *mut u64;
            if let Some(library) = library_of(*slot, locate, names) {
                let jump = (jumps as u64) + (used * JUMP_SIZE) as u64;
                write_jump(jump as *mut u8, counters.cast::<u64>().add(library) as u64, *slot);
                redirect(slot, jump, tables.protected);
                used += 1;
            }
        }
    }
    raw(MPROTECT, [jumps, length, READ_EXECUTE]);
}

/// The number of the library that an address is in, if it is counted.
unsafe fn library_of(address: u64, locate: Locate, names: *const c_char) -> Option<usize> {
    let mut found = core::mem::zeroed::<Located>();
    if locate(address as *const c_void, &raw mut found) == 0 || found.file.is_null() {
        return None;
    }
    let file = CStr::from_ptr(found.file).to_bytes();
    let file = file.rsplit(|byte| *byte == b'/').next().unwrap_or(file);
    let mut names = CStr::from_ptr(names).to_bytes().split(|byte| *byte == b':');
    // The file may have a longer version than the name by which the program asks for it.
    let library = names.position(|name| !name.is_empty() && file.starts_with(name))?;
    (library < LIBRARIES_CAP).then_some(library)
}

unsafe fn write_jump(at: *mut u8, counter: u64, target: u64) {
    let mut code = [0x90_u8; JUMP_SIZE];
    code[..2].copy_from_slice(&[0x49, 0xbb]);
    code[2..10].copy_from_slice(&counter.to_le_bytes());
    code[10..14].copy_from_slice(&[0xf0, 0x49, 0xff, 0x03]);
    code[14..16].copy_from_slice(&[0x49, 0xbb]);
    code[16..24].copy_from_slice(&target.to_le_bytes());
    code[24..27].copy_from_slice(&[0x41, 0xff, 0xe3]);
    core::ptr::copy_nonoverlapping(code.as_ptr(), at, JUMP_SIZE);
}

/// Writes a slot, also where the loader has made it read-only.
unsafe fn redirect(slot: *mut u64, jump: u64, protected: (u64, u64)) {
    let page = (slot as u64 & !(PAGE - 1)) as i64;
    let is_protected = (protected.0..protected.1).contains(&(slot as u64));
    if is_protected && raw(MPROTECT, [page, PAGE as i64, READ_WRITE]) < 0 {
        return;
    }
    *slot = jump;
    if is_protected {
        raw(MPROTECT, [page, PAGE as i64, READ]);
    }
}

unsafe fn tables() -> Option<Tables> {
    let base = entry::load_address();
    let header = &*(base as *const elf::ElfHeader);
    let segments = (base + header.segments) as *const elf::ProgramHeader;
    let segment = |wanted: u32| {
        let all = (0..header.segment_count as usize).map(|number| &*segments.add(number));
        all.into_iter().find(|segment| segment.kind == wanted)
    };
    let mut entry = (base + segment(elf::PT_DYNAMIC)?.address) as *const elf::Dynamic;
    let (mut symbols, mut all, mut all_size, mut lazy, mut lazy_size) = (0, 0, 0, 0, 0);
    while (*entry).tag != 0 {
        match (*entry).tag {
            elf::DT_SYMTAB => symbols = (*entry).value,
            elf::DT_RELA => all = (*entry).value,
            elf::DT_RELASZ => all_size = (*entry).value,
            elf::DT_JMPREL => lazy = (*entry).value,
            elf::DT_PLTRELSZ => lazy_size = (*entry).value,
            _ => {}
        }
        entry = entry.add(1);
    }
    // The loader has made these addresses; before, they are relative.
    let table = |address: u64, size: u64| match address >= base {
        true => (
            address as *const elf::Relocation,
            size as usize / size_of::<elf::Relocation>(),
        ),
        false => (core::ptr::null(), 0),
    };
    let protected = segment(elf::PT_GNU_RELRO).map_or((0, 0), |segment| {
        (base + segment.address, base + segment.address + segment.size)
    });
    (symbols >= base).then_some(Tables {
        symbols: symbols as *const elf::Symbol,
        relocations: [table(all, all_size), table(lazy, lazy_size)],
        protected,
    })
}
