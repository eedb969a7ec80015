//! Counts the calls of the program into libraries that are not instrumented.
//!
//! A program calls a function of a shared library through a slot of its global offset table, which the loader has filled by now: the
//! driver asks for that (`LD_BIND_NOW`). The slots that lead into a counted library are redirected to a few instructions that add one to
//! a counter in the shared memory, which no execution restores, and go on where the slot led. Calls between libraries are not counted.

use crate::layout::LIBRARIES_CAP;
use crate::rt::entry;
use crate::rt::sys::{self, raw};
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::AtomicU64;

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
pub unsafe fn count(counters: &'static [AtomicU64; LIBRARIES_CAP]) {
    let Some(names) = sys::variable(VARIABLE)
        .map(CStr::to_bytes)
        .filter(|names| !names.is_empty())
    else {
        return;
    };
    let locate = sys::function(c"dladdr");
    // SAFETY: the program that this is part of is loaded.
    let (false, Some(tables)) = (locate.is_null(), unsafe { tables() }) else {
        return;
    };
    // SAFETY: the C library's function of this name has this type.
    let locate = unsafe { core::mem::transmute::<*mut c_void, Locate>(locate) };
    const ANONYMOUS: i64 = 0x22;
    let length = (SLOTS_MAX * JUMP_SIZE) as i64;
    // SAFETY: the memory is new.
    let jumps = unsafe { raw(MMAP, [0, length, READ_WRITE, ANONYMOUS, -1, 0]) };
    if jumps < 0 {
        return;
    }
    let mut used = 0;
    for (relocations, relocations_len) in tables.relocations {
        for number in 0..relocations_len {
            // SAFETY: the tables of a loaded program are complete, and a relocation names a symbol of its table.
            let (relocation, symbol) = unsafe {
                let relocation = &*relocations.add(number);
                (relocation, &*tables.symbols.add((relocation.info >> 32) as usize))
            };
            let kind = relocation.info as u32;
            let is_function = kind == elf::R_X86_64_JUMP_SLOT
                || kind == elf::R_X86_64_GLOB_DAT && symbol.info & 0xf == elf::STT_FUNC;
            if !is_function || symbol.section != 0 || used == SLOTS_MAX {
                continue;
            }
            let slot = (entry::load_address() + relocation.offset) as *mut u64;
            // SAFETY: the relocation says that there is a slot, which holds the address of a function.
            let target = unsafe { *slot };
            if let Some(counter) = library_of(target, locate, names).and_then(|library| counters.get(library))
            {
                let jump = (jumps as u64) + (used * JUMP_SIZE) as u64;
                // SAFETY: there is room for this many jumps; the slot then leads to one that goes on where it led.
                unsafe {
                    write_jump(jump as *mut u8, counter.as_ptr() as u64, target);
                    redirect(slot, jump, tables.protected);
                }
                used += 1;
            }
        }
    }
    // SAFETY: it is the memory that was mapped above, and nobody writes there any more.
    unsafe { raw(MPROTECT, [jumps, length, READ_EXECUTE]) };
}

/// The number of the library that an address is in, if it is counted.
fn library_of(address: u64, locate: Locate, names: &[u8]) -> Option<usize> {
    let mut found = Located {
        file: core::ptr::null(),
        base: core::ptr::null_mut(),
        symbol: core::ptr::null(),
        address: core::ptr::null_mut(),
    };
    // SAFETY: it writes the structure.
    if unsafe { locate(address as *const c_void, &raw mut found) } == 0 || found.file.is_null() {
        return None;
    }
    // SAFETY: the loader's names end, and stay as long as the library is loaded.
    let file = unsafe { CStr::from_ptr(found.file) }.to_bytes();
    let file = file.rsplit(|byte| *byte == b'/').next().unwrap_or(file);
    let mut names = names.split(|byte| *byte == b':');
    // The file may have a longer version than the name by which the program asks for it.
    names.position(|name| !name.is_empty() && file.starts_with(name))
}

/// # Safety
/// There is room for a jump.
unsafe fn write_jump(at: *mut u8, counter: u64, target: u64) {
    let mut code = [0x90_u8; JUMP_SIZE];
    code[..2].copy_from_slice(&[0x49, 0xbb]);
    code[2..10].copy_from_slice(&counter.to_le_bytes());
    code[10..14].copy_from_slice(&[0xf0, 0x49, 0xff, 0x03]);
    code[14..16].copy_from_slice(&[0x49, 0xbb]);
    code[16..24].copy_from_slice(&target.to_le_bytes());
    code[24..27].copy_from_slice(&[0x41, 0xff, 0xe3]);
    // SAFETY: the caller's contract.
    unsafe { core::ptr::copy_nonoverlapping(code.as_ptr(), at, JUMP_SIZE) };
}

/// Writes a slot, also where the loader has made it read-only.
///
/// # Safety
/// It is a slot, the jump does what the function in it does, and no other thread runs.
unsafe fn redirect(slot: *mut u64, jump: u64, protected: (u64, u64)) {
    let page = (slot as u64 & !(PAGE - 1)) as i64;
    let is_protected = (protected.0..protected.1).contains(&(slot as u64));
    // SAFETY: the caller's contract. The page is the loader's, who uses it no more.
    unsafe {
        if is_protected && raw(MPROTECT, [page, PAGE as i64, READ_WRITE]) < 0 {
            return;
        }
        *slot = jump;
        if is_protected {
            raw(MPROTECT, [page, PAGE as i64, READ]);
        }
    }
}

/// # Safety
/// The program is loaded where [`entry::load_address`] says.
unsafe fn tables() -> Option<Tables> {
    let base = entry::load_address();
    // SAFETY: a loaded program begins with its header.
    let header = unsafe { &*(base as *const elf::ElfHeader) };
    let segments = (base + header.segments) as *const elf::ProgramHeader;
    let segment = |wanted: u32| {
        // SAFETY: the header says how many there are, and they are loaded with it.
        let mut all = (0..header.segment_count as usize).map(|number| unsafe { &*segments.add(number) });
        all.find(|segment| segment.kind == wanted)
    };
    let mut entry = (base + segment(elf::PT_DYNAMIC)?.address) as *const elf::Dynamic;
    let (mut symbols, mut all, mut all_size, mut lazy, mut lazy_size) = (0, 0, 0, 0, 0);
    loop {
        // SAFETY: the entries of the dynamic section end with one whose tag is 0.
        let &elf::Dynamic { tag, value } = unsafe { &*entry };
        match tag {
            0 => break,
            elf::DT_SYMTAB => symbols = value,
            elf::DT_RELA => all = value,
            elf::DT_RELASZ => all_size = value,
            elf::DT_JMPREL => lazy = value,
            elf::DT_PLTRELSZ => lazy_size = value,
            _ => {}
        }
        entry = entry.wrapping_add(1);
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
