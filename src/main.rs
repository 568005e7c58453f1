//! scratch
fn main() {
    let s = roofswap::session::Session::load(None).unwrap();
    let o = roofswap::tui::Options::default();
    roofswap::tui::run(s, o).unwrap();
}
