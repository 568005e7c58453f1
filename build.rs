//! Rebuilds when a data file that travels inside the binary is added, changed or removed.

use std::path::Path;

#[allow(clippy::print_stdout)] // how a build script speaks to cargo
fn main() {
    for folder in ["specs", "datasets", "assets"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    // Tests on other people's measurements are ignored, counted and named where these are not beside the checkout.
    println!("cargo:rustc-check-cfg=cfg(shared_data)");
    if ["data", "samples"].iter().all(|folder| Path::new("../shared").join(folder).is_dir()) {
        println!("cargo:rustc-cfg=shared_data");
    }
}
