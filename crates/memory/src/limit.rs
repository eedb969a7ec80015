//! The default memory limit: three quarters of the memory that is available, to the machine and to the control groups of this process.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::resident_bytes;

/// The default memory limit of this process; `None` where the system does not report available memory.
///
/// Computed once, because the memory that a first search holds must not lower the limit of the next one.
pub fn default_limit_bytes() -> Option<u64> {
    static DEFAULT: OnceLock<Option<u64>> = OnceLock::new();
    *DEFAULT.get_or_init(|| {
        let available = available_bytes().map(|free| free.saturating_add(resident_bytes().unwrap_or(0)));
        let most = [available, control_group_bytes()].into_iter().flatten().min()?;
        Some(share_of(most))
    })
}

/// The rest is for other processes, and for allocations between two checks.
fn share_of(bytes: u64) -> u64 {
    bytes / 4 * 3
}

fn available_bytes() -> Option<u64> {
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The lowest memory limit of the control groups of this process, as containers set them.
fn control_group_bytes() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    limit_files(&groups)
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok())
        .min()
}

/// The files with the limits of these groups and of the enclosing groups. Inside a container, the path of the group is
/// often the one outside of it, and only the root exists.
fn limit_files(groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|controller| controller == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let group = Path::new(path.trim_start_matches('/'));
        files.extend(
            group
                .ancestors()
                .map(|group| Path::new(root).join(group).join(name)),
        );
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_from_every_enclosing_group() {
        let groups = "9:name=systemd:/\n4:memory:/box/a1\n0::/user.slice\nnonsense\n";
        let files: Vec<String> = limit_files(groups)
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        assert_eq!(
            files,
            [
                "/sys/fs/cgroup/memory/box/a1/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/box/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "/sys/fs/cgroup/user.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
    }

    #[test]
    fn available_memory_is_read_from_its_line() {
        let meminfo = "MemTotal:       24682740 kB\nMemFree: 1 kB\nMemAvailable:   1024 kB\n";
        assert_eq!(available_in(meminfo), Some(1 << 20));
        assert_eq!(available_in("MemAvailable: much"), None);
        assert_eq!(available_in(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_default_limit_leaves_room_for_other_processes() {
        let (limit, held) = (default_limit_bytes(), resident_bytes());
        assert!(limit > held && held > Some(0), "{limit:?} {held:?}");
        assert!(limit < available_bytes().zip(held).map(|(free, held)| free + held));
    }
}
