//! Whether a file has room in memory: a program that runs out of it ends without a word, and leaves a terminal as it was.

use crate::measurement::ReadError;
use crate::units::Bytes;

/// What rows need at most beside their bytes in the file, with everything that is derived of them (docs/fleet.md).
const TIMES_THE_FILE: u64 = 8;

/// What the program itself needs.
const OF_PROGRAM: u64 = 64 << 20;

/// Files up to this size are read without a look.
const SMALL: u64 = 8 << 20;

/// That a file of this many bytes has room.
///
/// # Errors
/// [`ReadError`] where it may need more memory than this process can still have; with what answers it in little.
pub(super) fn check_room(file: &str, size: Option<u64>) -> Result<(), ReadError> {
    match size.filter(|size| *size > SMALL) {
        Some(size) => check_room_in(file, size, free_memory()),
        None => Ok(()),
    }
}

fn check_room_in(file: &str, size: u64, free: Option<u64>) -> Result<(), ReadError> {
    let needed = size.saturating_mul(TIMES_THE_FILE).saturating_add(OF_PROGRAM);
    let Some(free) = free.filter(|free| *free < needed) else { return Ok(()) };
    let [size, needed, free] = [size, needed, free].map(|bytes| Bytes(bytes as f64));
    let message = format!(
        "needs about {needed} of memory ({size} to read), {free} free: use `roofswap predict --batch` or `rank --batch`, which stream \
         rows, or split the file"
    );
    Err(ReadError { file: file.into(), message })
}

/// Bytes that this process can still have: what the machine has left, within the limits of its address space and of its container.
/// `None` where nothing says it.
fn free_memory() -> Option<u64> {
    [machine_free(), address_space_free(), container_free()].into_iter().flatten().min()
}

/// Of `/proc/meminfo`.
fn machine_free() -> Option<u64> {
    kibibytes_named("/proc/meminfo", "MemAvailable:")
}

/// What `ulimit -v` leaves.
#[cfg(unix)]
fn address_space_free() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::As).current?;
    Some(limit.saturating_sub(kibibytes_named("/proc/self/status", "VmSize:").unwrap_or(0)))
}

#[cfg(not(unix))]
fn address_space_free() -> Option<u64> {
    None
}

/// What the memory limit of a control group leaves, where there is one.
fn container_free() -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

/// The number of kB behind this name, in bytes.
fn kibibytes_named(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_refused_where_it_may_need_more_than_there_is() {
        let size = 100 << 20;
        let needed = 8 * size + OF_PROGRAM;
        assert!(check_room_in("a.csv", size, None).is_ok());
        assert!(check_room_in("a.csv", size, Some(needed)).is_ok());
        let refused = check_room_in("a.csv", size, Some(needed - 1)).unwrap_err().to_string();
        for word in ["a.csv", " free: ", "--batch"] {
            assert!(refused.contains(word), "{refused}");
        }
        assert!(check_room("a.csv", Some(SMALL)).is_ok() && check_room("a pipe", None).is_ok());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_says_what_is_free() {
        assert!(machine_free().is_some_and(|free| free > 1 << 20));
        assert!(free_memory() <= machine_free());
    }
}
