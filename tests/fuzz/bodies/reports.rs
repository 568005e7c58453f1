//! Reports of profilers, tuners, benchmarks and calibrations: whatever the bytes, rows that a measurement file may hold, or
//! an error that names the file; and everything that looks at such a file agrees on what it is.

use roofswap::audit::{AuditSheet, audit, read_text};
use roofswap::import::{FileFormat, ImportJob, Imported, OpenedFile, read_bytes, read_opened};
use roofswap::measurement::{Number, TimingKind, read_csv, write_csv};
use roofswap::progress::Progress;
use roofswap::session::Session;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> =
    LazyLock::new(|| Session::load(None).expect("the shipped files are sound"));

/// Imports, writes and reads back, loads and audits.
pub fn body(bytes: &[u8]) {
    let strings = Progress::default();
    let imported = read_bytes(bytes, &ImportJob::new("f.txt", &strings));
    match &imported {
        Ok(imported) => check(imported, bytes.len()),
        Err(e) => assert!(e.file == "f.txt" && (5..1000).contains(&e.message.len()), "{e}"),
    }
    let Ok(opened) = OpenedFile::from_reader(bytes, "f.txt") else { return };
    let is_report = matches!(opened.format(), FileFormat::Report(_));
    assert!(is_report || imported.is_err(), "read as a report, and recognised as none");
    let mut kernels = SHIPPED.kernels.clone();
    if let Ok(any) =
        read_opened(opened, None, TimingKind::Measured, &SHIPPED.gpus, &mut kernels, &Progress::default())
    {
        assert!(any.read.rows.iter().all(|row| row.time.0 > 0.0 && row.time.0.is_finite()));
        assert!(any.read.refused.iter().all(|e| e.to_string().len() < 1000));
    }
    let mut sheet = AuditSheet::new(&SHIPPED.gpus, &SHIPPED.kernels);
    if read_text(bytes, "f.txt", &mut sheet).is_ok() {
        let _ = audit(&sheet);
    }
}

fn check(imported: &Imported, size: usize) {
    assert!(imported.rows.len() + imported.roofs.len() <= size, "invented rows");
    assert!(imported.refused.len() <= imported.refused_count.min(100));
    assert!(imported.roofs.iter().all(|r| r.per_second > 0.0 && r.per_second.is_finite()));
    let mut named = imported.rows.to_vec();
    for row in &mut named {
        let time = row.get(Number::Time);
        assert!(time.is_none_or(|ms| ms >= 0.0 && ms.is_finite()), "{time:?}");
        row.gpu = "titan-v".into();
    }
    let mut kernels = SHIPPED.kernels.clone();
    let read = read_csv(&*write_csv(&named), "back.csv", TimingKind::Measured, &SHIPPED.gpus, &mut kernels);
    let read = read.expect("what was written can be read");
    assert_eq!(read.rows.len() + read.refused_count, named.len(), "rows got lost on the way");
}
