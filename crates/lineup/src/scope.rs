//! The scope of a check: which accesses were scheduling points, and which code was not instrumented.

use std::collections::BTreeMap;
use std::path::Path;

use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _, ProgramHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _};
use omnilink_sched::MemoryModel;
use omnilink_sched::build::INSTRUMENTS_LIBRARY;

/// What an executor sees of a component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Which stores a load may read, if that is controlled.
    pub memory_model: Option<MemoryModel>,
    /// The most times in a run that a thread which waits by reading goes on although nothing has changed.
    pub spins: Option<u32>,
    /// Whether a run had a relaxed load before a relaxed store, so that load buffering, which no run shows, is possible.
    pub may_buffer_loads: bool,
    /// The numbers of the calls in which no step was seen in any run.
    pub calls_without_steps: Vec<u32>,
    /// Whether all plain accesses are scheduling points.
    pub plain_accesses: bool,
    /// Whether data races are detected. If so, plain accesses that race are scheduling points.
    pub races: bool,
    /// The number of plain accesses that are scheduling points because they race.
    pub racy_accesses: usize,
    /// Libraries that are not instrumented.
    pub uninstrumented: Vec<String>,
    /// The calls of all runs into each of them, where they are counted.
    pub library_calls: BTreeMap<String, u64>,
}

/// Distinguished from other libraries: its waits are controlled, and its entry points are scheduling points.
pub(crate) const RUST_LIBRARY: &str =
    "Rust's standard library, but for what is generic or inlined and where it waits";

impl Scope {
    /// Whether code that is not instrumented may order accesses: then a race is only suspected.
    pub fn may_hide_order(&self) -> bool {
        self.uninstrumented.iter().any(|library| library != RUST_LIBRARY)
    }
}

/// Libraries of the system whose waits are controlled, or that do not wait.
const KNOWN: [&str; 9] = [
    "libc.so",
    "libm.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libdl.so",
    "libpthread.so",
    "librt.so",
    "ld-linux",
    "libc++",
];

/// The shared libraries that a program uses, that were built without instrumentation, and that are none of the system's.
pub fn opaque_libraries(program: &Path) -> Vec<String> {
    let mut libraries = uninstrumented_libraries(program);
    libraries.retain(|library| library != RUST_LIBRARY);
    libraries
}

/// The libraries that a program uses and that were built without instrumentation.
pub(crate) fn uninstrumented_libraries(program: &Path) -> Vec<String> {
    let Ok(data) = std::fs::read(program) else {
        return Vec::new();
    };
    let mut uninstrumented = Vec::new();
    if let Ok(file) = ElfFile64::<Endianness>::parse(&*data) {
        let names = needed(&file, &data);
        let is_known = |name: &str| KNOWN.iter().any(|known| name.starts_with(known));
        uninstrumented.extend(names.into_iter().filter(|name| !is_known(name)));
        let is_rust = file
            .symbols()
            .any(|symbol| symbol.name() == Ok("rust_eh_personality"));
        let is_instrumented = file
            .symbols()
            .any(|symbol| symbol.name() == Ok(INSTRUMENTS_LIBRARY));
        if is_rust && !is_instrumented {
            uninstrumented.push(RUST_LIBRARY.to_owned());
        }
    }
    uninstrumented
}

/// The names of the shared libraries that a program needs.
fn needed(file: &ElfFile64<'_>, data: &[u8]) -> Vec<String> {
    let endian = file.endian();
    let Ok(headers) = file.elf_header().program_headers(endian, data) else {
        return Vec::new();
    };
    let dynamic = headers
        .iter()
        .find_map(|header| header.dynamic(endian, data).ok().flatten());
    let entries = dynamic.unwrap_or_default();
    let value = |tag: u32| {
        let found = entries.iter().find(|entry| entry.tag32(endian) == Some(tag));
        found.map(|entry| entry.d_val(endian))
    };
    let Some(table) = value(object::elf::DT_STRTAB) else {
        return Vec::new();
    };
    let at = |address: u64| {
        headers.iter().find_map(|header| {
            let offset = address.checked_sub(header.p_vaddr(endian))?;
            let is_inside = header.p_type(endian) == object::elf::PT_LOAD && offset < header.p_filesz(endian);
            is_inside.then(|| header.p_offset(endian) + offset)
        })
    };
    let text = |offset: u64| {
        let start = usize::try_from(at(table)? + offset).ok()?;
        let bytes = data.get(start..)?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        String::from_utf8(bytes.get(..end)?.to_vec()).ok()
    };
    entries
        .iter()
        .filter(|entry| entry.tag32(endian) == Some(object::elf::DT_NEEDED))
        .filter_map(|entry| text(entry.d_val(endian)))
        .collect()
}
