//! Stubs before the functions of shared libraries that the program calls: they count calls into libraries that are not instrumented, and leave a mark where
//! nothing is known of the function.
//!
//! A program calls a function of a shared library through a slot of its global offset table, which the loader has filled by now: the
//! driver asks for that (`LD_BIND_NOW`). The slots that lead into a counted library are redirected to a few instructions that add one to
//! a counter in the shared memory, which no execution restores, and go on where the slot led. Calls between libraries are not counted.

use crate::known_functions::is_harmless;
use crate::layout::LIBRARIES_CAP;
use crate::rt::entry::{self, ThreadLocal};
use crate::rt::sys::{self, raw};
use crate::rt::unknown_calls;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::AtomicU64;

/// The names of the libraries, separated by colons. The driver reads the counters in this order.
const VARIABLE: &CStr = c"OMNILINK_LIBRARIES";
/// Slots beyond this number are not redirected.
const SLOTS_MAX: usize = 1 << 10;
/// `mov r11, counter; lock inc qword ptr [r11]`, `mov r11, name; mov fs:[offset], r11`, `mov r11, target; jmp r11`, padded. A call may change r11.
const JUMP_SIZE: usize = 48;
const PAGE: u64 = 1 << 12;

const MMAP: i64 = 9;
const MPROTECT: i64 = 10;
const READ: i64 = 1;
const READ_WRITE: i64 = 3;
const READ_EXECUTE: i64 = 5;

/// The parts of the ELF format that are needed here.
mod elf {
    pub const PT_LOAD: u32 = 1;
    pub const PT_DYNAMIC: u32 = 2;
    pub const PT_GNU_RELRO: u32 = 0x6474_e552;
    pub const DT_PLTRELSZ: i64 = 2;
    pub const DT_STRTAB: i64 = 5;
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
        pub alignment: u64,
    }
    // The loader has them in an array.
    const _: () = assert!(size_of::<ProgramHeader>() == 56);
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
    names: *const u8,
    relocations: [(*const elf::Relocation, usize); 2],
    protected: (u64, u64),
}

/// Redirects the slots of functions that are to be counted or of which nothing is known.
///
/// # Safety
/// To be called once, before the program has more than one thread.
pub unsafe fn redirect_slots(counters: &'static [AtomicU64; LIBRARIES_CAP]) {
    let counted = sys::variable(VARIABLE).map_or(&[][..], CStr::to_bytes);
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
    unknown_calls::set_names(tables.names);
    let libraries = SystemLibraries::find();
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
            // SAFETY: a symbol has a name in the table of names.
            let name = unsafe { CStr::from_ptr(tables.names.add(symbol.name as usize).cast()) };
            let is_known = libraries.have(target) && is_harmless(name.to_bytes());
            let counter = match counted {
                [] => None,
                counted => library_of(target, locate, counted).and_then(|library| counters.get(library)),
            };
            if counter.is_none() && is_known || target == 0 {
                continue;
            }
            let jump = (jumps as u64) + (used * JUMP_SIZE) as u64;
            let code = jump_code(counter, (!is_known).then_some(symbol.name), target);
            // SAFETY: there is room for this many jumps; the slot then leads to one that goes on where it led.
            unsafe {
                core::ptr::copy_nonoverlapping(code.as_ptr(), jump as *mut u8, JUMP_SIZE);
                redirect(slot, jump, tables.protected);
            }
            used += 1;
        }
    }
    // SAFETY: it is the memory that was mapped above, and nobody writes there any more.
    unsafe { raw(MPROTECT, [jumps, length, READ_EXECUTE]) };
}

/// The memory of the libraries whose functions are known by their names: those of the system.
struct SystemLibraries {
    ranges: [(u64, u64); 16],
    len: usize,
}

impl SystemLibraries {
    const NAMES: [&'static [u8]; 10] = [
        b"libc.so",
        b"libm.so",
        b"libgcc_s.so",
        b"libstdc++.so",
        b"libdl.so",
        b"libpthread.so",
        b"librt.so",
        b"ld-linux",
        b"libc++",
        b"linux-vdso",
    ];

    fn find() -> Self {
        let mut found = Self {
            ranges: [(0, 0); 16],
            len: 0,
        };
        // SAFETY: it calls the function for each library, with what was passed on.
        unsafe { sys::dl_iterate_phdr(Self::add, (&raw mut found).cast()) };
        found
    }

    unsafe extern "C" fn add(library: *const LoadedLibrary, _size: usize, found: *mut c_void) -> c_int {
        // SAFETY: the loader describes a library; `find` has passed its structure on.
        let (library, found) = unsafe { (&*library, &mut *found.cast::<Self>()) };
        if library.name.is_null() {
            return 0;
        }
        // SAFETY: the loader's names end.
        let name = unsafe { CStr::from_ptr(library.name) }.to_bytes();
        let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
        if !Self::NAMES.iter().any(|known| name.starts_with(known)) {
            return 0;
        }
        let (mut from, mut to) = (u64::MAX, 0);
        for number in 0..usize::from(library.segment_count) {
            // SAFETY: there are this many.
            let segment = unsafe { &*library.segments.add(number) };
            if segment.kind == elf::PT_LOAD {
                from = from.min(library.base + segment.address);
                to = to.max(library.base + segment.address + segment.size);
            }
        }
        if let Some(free) = found.ranges.get_mut(found.len) {
            *free = (from, to);
            found.len += 1;
        }
        0
    }

    fn have(&self, address: u64) -> bool {
        let mut ranges = self.ranges.iter().take(self.len);
        ranges.any(|(from, to)| (*from..*to).contains(&address))
    }
}

/// `struct dl_phdr_info`.
#[repr(C)]
pub struct LoadedLibrary {
    base: u64,
    name: *const c_char,
    segments: *const elf::ProgramHeader,
    segment_count: u16,
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

/// What a slot leads to.
fn jump_code(counter: Option<&AtomicU64>, unknown_name: Option<u32>, target: u64) -> [u8; JUMP_SIZE] {
    let mut code = Code {
        bytes: [0x90; JUMP_SIZE],
        len: 0,
    };
    if let Some(counter) = counter {
        code.load_r11(counter.as_ptr() as u64);
        code.add(&[0xf0, 0x49, 0xff, 0x03]);
    }
    if let Some(name) = unknown_name {
        let (storage, thread) = entry::storage_and_thread_pointer();
        let offset = (storage + core::mem::offset_of!(ThreadLocal, unknown_call) as u64).wrapping_sub(thread);
        code.load_r11(name.into());
        code.add(&[0x64, 0x4c, 0x89, 0x1c, 0x25]);
        code.add(&(offset as u32).to_le_bytes());
    }
    code.load_r11(target);
    code.add(&[0x41, 0xff, 0xe3]);
    code.bytes
}

struct Code {
    bytes: [u8; JUMP_SIZE],
    len: usize,
}

impl Code {
    fn load_r11(&mut self, value: u64) {
        self.add(&[0x49, 0xbb]);
        self.add(&value.to_le_bytes());
    }

    fn add(&mut self, bytes: &[u8]) {
        let free = self.bytes.iter_mut().skip(self.len);
        free.zip(bytes).for_each(|(to, from)| *to = *from);
        self.len += bytes.len();
    }
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
    let (mut symbols, mut names, mut all, mut all_size, mut lazy, mut lazy_size) = (0, 0, 0, 0, 0, 0);
    loop {
        // SAFETY: the entries of the dynamic section end with one whose tag is 0.
        let &elf::Dynamic { tag, value } = unsafe { &*entry };
        match tag {
            0 => break,
            elf::DT_STRTAB => names = value,
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
    (symbols >= base && names >= base).then_some(Tables {
        symbols: symbols as *const elf::Symbol,
        names: names as *const u8,
        relocations: [table(all, all_size), table(lazy, lazy_size)],
        protected,
    })
}
