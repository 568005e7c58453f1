//! The canonical CSV: whatever the bytes, rows that hold what rows must hold, or an error that names the file.

use roofswap::measurement::{Store, TimingKind, read_csv};
use roofswap::session::Session;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> =
    LazyLock::new(|| Session::load(None).expect("the shipped files are sound"));

/// Reads, stores and asks.
pub fn body(bytes: &[u8]) {
    let mut kernels = SHIPPED.kernels.clone();
    let lines = 1 + bytes.iter().filter(|b| matches!(**b, b'\n' | b'\r')).count();
    match read_csv(bytes, "f.csv", TimingKind::Measured, &SHIPPED.gpus, &mut kernels) {
        Ok(read) => {
            assert!(read.rows.len() + read.refused_count <= lines, "invented rows");
            assert!(read.rows.iter().all(|row| row.time.0 > 0.0 && row.time.0.is_finite()));
            assert!(read.refused.iter().all(|e| e.to_string().len() < 500));
            let mut store = Store::default();
            store.add_rows(read.rows);
            assert!(store.configs().all(|(id, _)| store.rows_of(id).next().is_some()));
        }
        Err(e) => assert!(e.to_string().starts_with("f.csv: ") && e.to_string().len() < 400, "{e}"),
    }
}
