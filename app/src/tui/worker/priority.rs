//! At which priority work outside runs.

/// Of two threads that want the same core, one of this niceness gets a tenth.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Runs this thread, and those that it starts, after the one that draws: a key is answered while all cores predict. Niceness is a
/// thread's own on Linux alone; elsewhere nothing happens.
pub fn lower_priority() {
    // Where it is refused, work runs at the priority that it had.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICENESS);
}
