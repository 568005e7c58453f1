//! The recipes of `packaging/` agree with each other and with the program.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const TARGET: &str = "x86_64-unknown-linux-gnu";

fn in_root(name: &str) -> String {
    fs::read_to_string(Path::new(env!("ROOFSWAP_CHECKOUT")).join(name)).unwrap()
}

fn script(name: &str, args: &[&str], dist: &Path) -> Output {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join("packaging").join(name);
    Command::new("bash")
        .arg(path)
        .args(args)
        .env("DIST", dist)
        .env("ROOFSWAP", env!("CARGO_BIN_EXE_roofswap"))
        .output()
        .unwrap()
}

#[test]
fn the_archive_holds_what_a_user_needs_under_the_name_that_binstall_looks_for() {
    let dist = tempfile::tempdir().unwrap();
    // What is packed may be for another system: the manual is printed by one of this.
    let program = dist.path().join("program");
    fs::write(&program, "a program").unwrap();
    let done = script("archive.sh", &[TARGET, &program.to_string_lossy()], dist.path());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let name = format!("roofswap-{}-{TARGET}", env!("CARGO_PKG_VERSION"));
    let archive = dist.path().join(format!("{name}.tar.gz"));
    let listed = Command::new("tar").arg("tzf").arg(&archive).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let files: BTreeSet<&str> =
        listed.lines().filter_map(|line| line.split_once('/')).map(|(_, f)| f).collect();
    for file in
        ["roofswap", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "examples/rtx-4070.toml", "man/roofswap.1"]
    {
        assert!(files.contains(file), "{file} is not in\n{listed}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(files.contains(&*format!("completions/roofswap.{shell}")), "{shell} is not in\n{listed}");
    }
    let pages = files.iter().filter_map(|file| file.strip_prefix("man/roofswap-")?.strip_suffix(".1"));
    assert_eq!(pages.map(String::from).collect::<BTreeSet<_>>(), commands());
    let sum = fs::read_to_string(dist.path().join(format!("{name}.tar.gz.sha256"))).unwrap();
    assert!(sum.ends_with(&format!("  {name}.tar.gz\n")), "{sum}");

    let manifest = in_root("app/Cargo.toml");
    let names = manifest.replace("{ name }", "roofswap").replace("{ version }", env!("CARGO_PKG_VERSION"));
    let names = names.replace("{ target }", TARGET).replace("{ bin }{ binary-ext }", "roofswap");
    assert!(names.contains(&format!("/{name}{{ archive-suffix }}\"")), "pkg-url of app/Cargo.toml");
    assert!(names.contains(&format!("bin-dir = \"{name}/roofswap\"")), "bin-dir of app/Cargo.toml");
}

/// The program's commands, as it names them itself.
fn commands() -> BTreeSet<String> {
    let unknown = Command::new(env!("CARGO_BIN_EXE_roofswap")).args(["man", "nothing"]).output().unwrap();
    let unknown = String::from_utf8(unknown.stderr).unwrap();
    let named = unknown.split("the commands are: ").nth(1).unwrap().trim();
    named.split(", ").filter(|command| *command != "help").map(String::from).collect()
}

#[test]
fn a_stamp_needs_a_checksum_and_changes_nothing_without_one() {
    let before = in_root("packaging/arch/PKGBUILD");
    let done = script("stamp.sh", &["someone", "0.2.0", "abc"], Path::new("."));
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("64 hexadecimal digits expected, not `abc`"));
    assert_eq!(in_root("packaging/arch/PKGBUILD"), before);
}

#[test]
fn a_stamp_fills_in_the_account_wherever_it_stands() {
    const PLACES: [&str; 4] =
        ["Cargo.toml", "app/Cargo.toml", "packaging/homebrew/roofswap.rb", "packaging/arch/PKGBUILD"];
    let root = tempfile::tempdir().unwrap();
    for place in PLACES {
        let copy = root.path().join(place);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::write(copy, in_root(place)).unwrap();
    }
    let stamp = |args: &[&str]| {
        let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join("packaging/stamp.sh");
        let done = Command::new("bash").arg(path).args(args).env("ROOT", root.path()).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        PLACES.map(|place| fs::read_to_string(root.path().join(place)).unwrap())
    };
    let sum = "0123456789abcdef".repeat(4);
    stamp(&["some-one"]);
    let [manifest, program, formula, recipe] = stamp(&["else-one", "9.8.7", &sum]);
    let repository = "repository = \"https://github.com/else-one/roofswap\"";
    assert_eq!(manifest.matches(repository).count(), 1, "once, whoever hosted it before");
    for crate_manifest in [&manifest, &program] {
        assert_eq!(crate_manifest.matches("\nrepository.workspace = true\n").count(), 1, "{crate_manifest}");
    }
    for text in [&manifest, &formula, &recipe] {
        assert!(text.contains("else-one") && !text.contains("OWNER") && !text.contains("some-one"), "{text}");
    }
    assert!(formula.contains("v9.8.7.tar.gz") && formula.contains(&sum), "{formula}");
    assert!(recipe.contains("pkgver=9.8.7\n") && recipe.contains(&sum), "{recipe}");
}

#[test]
fn both_crates_carry_the_same_licences() {
    for licence in ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"] {
        assert_eq!(in_root(licence), in_root(&format!("app/{licence}")), "{licence}");
    }
}

#[test]
fn recipes_and_workflows_name_one_oldest_rust_and_one_version() {
    let manifest = in_root("Cargo.toml");
    let value = |key: &str| {
        let line = manifest.lines().find(|line| line.starts_with(key)).unwrap();
        line.split('"').nth(1).unwrap().to_string()
    };
    let rust = value("rust-version = ");
    assert!(in_root("packaging/docker/Dockerfile").contains(&format!("FROM rust:{rust}-")), "Dockerfile");
    assert!(in_root("README.md").contains(&format!("Needs Rust {rust}")), "README.md");
    let version = value("version = ");
    assert!(in_root("packaging/arch/PKGBUILD").contains(&format!("pkgver={version}\n")), "PKGBUILD");
    assert!(
        in_root("packaging/homebrew/roofswap.rb").contains(&format!("tags/v{version}.tar.gz")),
        "formula"
    );
}

#[test]
fn the_changelog_has_a_section_of_this_version_and_no_runner_is_retired() {
    let section = format!("## [{}] - 20", env!("CARGO_PKG_VERSION"));
    assert!(in_root("CHANGELOG.md").contains(&section), "{section}");
    let workflow = in_root(".github/workflows/release.yml");
    // Retired in December 2025; the label of Intel machines names its version.
    assert!(!workflow.contains("macos-13") && workflow.contains("x86_64-apple-darwin, os: macos-15-intel"));
    for recipe in ["packaging/arch/PKGBUILD", "packaging/homebrew/roofswap.rb", "packaging/archive.sh"] {
        let text = in_root(recipe);
        assert!(text.contains("--all") && text.contains("man"), "{recipe}: every page that roofswap.1 names");
    }
}
