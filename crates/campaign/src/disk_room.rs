//! Whether there is room left on a disk.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// With less than this no trace can be written.
const BYTES_MIN: u64 = 16 << 10;

/// Whether the disk of a folder is full. False if the system does not tell.
pub(crate) fn is_full(folder: &Path) -> bool {
    let Ok(path) = CString::new(folder.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: the structure holds integers only, for which 0 is a value.
    let mut disk: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path is a C string, and the structure is ours.
    let is_told = unsafe { libc::statvfs(path.as_ptr(), &raw mut disk) } == 0;
    // Some file systems, such as those of the kernel itself, have no blocks at all.
    is_told && disk.f_blocks > 0 && disk.f_bavail * disk.f_frsize < BYTES_MIN
}
