//! Says which commit the program is of, and to its tests where the checkout lies.

use std::path::Path;
use std::process::Command;

#[allow(clippy::print_stdout)] // how a build script speaks to cargo
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Tests on other people's measurements are ignored, counted and named where these are not beside the checkout.
    println!("cargo:rustc-check-cfg=cfg(shared_data)");
    if ["data", "samples"].iter().all(|folder| Path::new("../../shared").join(folder).is_dir()) {
        println!("cargo:rustc-cfg=shared_data");
    }
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate lies in a folder");
    println!("cargo:rustc-env=ROOFSWAP_CHECKOUT={}", checkout.display());
    println!("cargo:rustc-env=ROOFSWAP_BUILT_FROM={}", built_from());
}

/// What `--version` says behind the version: the commit of a build for use. A debug build does not follow the commits: each
/// one would compile everything again.
fn built_from() -> String {
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return " (debug build)".into();
    }
    commit_of_package()
        .or_else(commit_of_checkout)
        .map_or_else(String::new, |commit| format!(" (commit {commit})"))
}

/// The commit that `cargo package` wrote down.
fn commit_of_package() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let hash = text.split("\"sha1\": \"").nth(1)?.split('"').next()?;
    Some(hash.chars().take(12).collect())
}

/// The commit that is checked out; a star where files differ from it.
#[allow(clippy::print_stdout)]
fn commit_of_checkout() -> Option<String> {
    // Somebody else's repository may lie around an unpacked archive.
    if !Path::new("../.git").exists() {
        return None;
    }
    let log = answer_of_git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo:rerun-if-changed={log}");
    for sources in ["src", "../src"] {
        println!("cargo:rerun-if-changed={sources}");
    }
    answer_of_git(&["describe", "--always", "--abbrev=12", "--dirty=*", "--exclude=*"])
}

fn answer_of_git(words: &[&str]) -> Option<String> {
    let done = Command::new("git").args(words).output().ok().filter(|done| done.status.success())?;
    let said = String::from_utf8(done.stdout).ok()?.trim().to_string();
    (!said.is_empty()).then_some(said)
}
