//! Tests that look at less than they could say so where everybody sees it: the harness keeps to itself what a passing test
//! prints, but not what goes to stderr past its macros. `.ci/run` counts the lines.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Says that a test is skipped, why, and how many of this program are by now.
pub fn skip_aloud(why: &str) {
    let count = 1 + COUNT.fetch_add(1, Ordering::Relaxed);
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Nobody listens: then nobody is told.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why} [{count}: {test}]");
}
