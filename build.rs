//! Rebuilds when a data file that travels inside the binary is added, changed or removed.

#[allow(clippy::print_stdout)] // how a build script speaks to cargo
fn main() {
    for folder in ["specs", "datasets", "assets"] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
