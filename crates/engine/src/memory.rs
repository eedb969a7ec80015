//! How much memory this process holds, and how much it may take before the system ends it.
//!
//! A search that meets a hard history takes whatever it is given, and a process that takes more than there is gets
//! killed without a word. So there is always a limit: the user's, or else three quarters of what is to be had when the
//! search first holds enough to ask. Linux tells both in files; elsewhere only the user's limit and the size of the tables count.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How much memory this process holds, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// How much this process may hold if nobody says otherwise; `None` where the system does not tell.
///
/// Looked up once: a process that runs several searches must not take what the first one holds for spoken for.
pub fn default_memory_bytes() -> Option<u64> {
    static DEFAULT: OnceLock<Option<u64>> = OnceLock::new();
    *DEFAULT.get_or_init(|| {
        let available = available_bytes().map(|free| free.saturating_add(resident_bytes().unwrap_or(0)));
        let most = [available, control_group_bytes()].into_iter().flatten().min()?;
        Some(share_of(most))
    })
}

/// The rest is for whatever else runs here, and for what is allocated between two looks.
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

/// The lowest limit of the control groups that this process is in, as containers set them.
fn control_group_bytes() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    limit_files(&groups)
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok())
        .min()
}

/// Where the limits of these groups stand, and of the groups around them. Inside a container the path of the group is often the
/// one outside of it, and only the root is to be found.
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
    fn limits_are_looked_for_in_every_enclosing_group() {
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
    fn what_is_available_is_read_from_the_line_that_says_so() {
        let meminfo = "MemTotal:       24682740 kB\nMemFree: 1 kB\nMemAvailable:   1024 kB\n";
        assert_eq!(available_in(meminfo), Some(1 << 20));
        assert_eq!(available_in("MemAvailable: much"), None);
        assert_eq!(available_in(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn there_is_a_limit_that_leaves_room_for_others() {
        let (limit, held) = (default_memory_bytes(), resident_bytes());
        assert!(limit > held && held > Some(0), "{limit:?} {held:?}");
        assert!(limit < available_bytes().zip(held).map(|(free, held)| free + held));
    }
}
