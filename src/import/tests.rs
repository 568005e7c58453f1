//! What holds for every importer: damaged reports are refused or read in part, never believed, and never end the program.

use super::*;
use crate::catalogue::{Catalogue, shipped_sources};
use crate::gpu::{Gpu, LimitsTable, load_shipped};
use crate::measurement::{Number, TimingKind, read_csv, write_csv};

/// Reads a text as if it were the file `test.txt`.
pub(super) fn read_text(importer: &Importer, text: &str) -> Result<Imported, ReadError> {
    read_bytes(importer, text.as_bytes(), false)
}

fn read_bytes(importer: &Importer, bytes: &[u8], cancelled: bool) -> Result<Imported, ReadError> {
    let progress = Progress::default();
    if cancelled {
        progress.cancel();
    }
    let job = ImportJob::new("test.txt", &progress);
    (importer.read)(&mut &*bytes, &job)
}

/// A sound report of every format of this folder's tables.
fn reports() -> Vec<(&'static str, String)> {
    let header = gemm_power::HEADER;
    let runs = gemm_power::tests::sample_run("150", "99") + &gemm_power::tests::sample_run("30", "0");
    vec![
        ("CUTLASS profiler CSV", cutlass::tests::TABLE.to_string()),
        ("CUTLASS power runs", format!("{header}{runs}")),
        ("Kernel Tuner cache", kernel_tuner::tests::whole()),
        ("mixbench", mixbench::tests::REPORT.to_string()),
        ("NVBench CSV", nvbench::tests::TABLE.to_string()),
        (
            "tiled matrix product CSV",
            "M,N,K,Tile Size,Execution Time\n64,64,64,8,6.5\n128,64,32,16,7\n".to_string(),
        ),
    ]
}

fn importer_of(text: &[u8]) -> Option<&'static Importer> {
    recognise(&text[..text.len().min(HEAD)])
}

fn shipped() -> Catalogue<Gpu> {
    load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap()).0
}

#[test]
fn every_report_is_recognised_by_its_own_importer_alone() {
    for (name, text) in reports() {
        let by: Vec<&str> =
            IMPORTERS.iter().filter(|i| (i.recognises)(text.as_bytes())).map(|i| i.name).collect();
        assert_eq!(by, [name]);
        let marked = format!("\u{feff}{text}");
        assert_eq!(importer_of(marked.as_bytes()).map(|i| i.name), Some(name), "with a byte-order mark");
    }
    for other in ["", "gpu,kernel,problem,time_ms\n", "{}", "\0\0\0", "hello\nworld\n"] {
        assert!(importer_of(other.as_bytes()).is_none(), "{other:?}");
    }
}

#[test]
fn what_is_imported_passes_the_checks_of_the_canonical_csv() {
    let gpus = shipped();
    for (name, text) in reports() {
        let mut imported = read_text(importer_of(text.as_bytes()).unwrap(), &text).unwrap();
        assert!(imported.rows.len() + imported.roofs.len() > 1, "{name}");
        for name in imported.rows.gpus_mut().filter(|name| name.is_empty()) {
            *name = "rtx-4070".into(); // what `--gpu` does
        }
        let mut kernels = Catalogue::new("kernel");
        let csv = write_csv(&imported.rows.to_vec());
        let read = read_csv(&*csv, "x.csv", TimingKind::Measured, &gpus, &mut kernels).unwrap();
        assert_eq!(
            (read.rows.len(), read.refused_count),
            (imported.rows.len(), 0),
            "{name}: {:?}",
            read.refused
        );
        for (row, back) in imported.rows.iter().zip(&read.rows) {
            assert_eq!(
                row.get(Number::Time).map(|t| (t * 1e6).round()),
                Some((back.time.millis() * 1e6).round())
            );
        }
    }
}

#[test]
fn nobody_waits_for_what_is_cancelled() {
    for (name, text) in reports() {
        let error = read_bytes(importer_of(text.as_bytes()).unwrap(), text.as_bytes(), true).unwrap_err();
        assert!(error.message.contains("cancelled"), "{name}: {error}");
    }
}

#[test]
fn utf_16_and_nul_bytes_are_never_read() {
    for (name, text) in reports() {
        let importer = importer_of(text.as_bytes()).unwrap();
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(importer_of(&wide).is_none(), "{name}");
        let with_mark: Vec<u8> = [0xff, 0xfe].into_iter().chain(wide).collect();
        assert!(read_bytes(importer, &with_mark, false).is_err(), "{name}");
        let mut holed = text.into_bytes();
        let middle = holed.len() / 2;
        holed[middle] = 0;
        let error = read_bytes(importer, &holed, false).unwrap_err();
        assert!(error.message.contains("NUL byte"), "{name}: {error}");
    }
}

/// A small generator of chance: the same reports are damaged in the same way every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn damage(&mut self, text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            match self.below(8) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 => bytes.truncate(at),
                2 => bytes.insert(at, [b',', b'"', b'\n', b'{', 0xff, b'-'][self.below(6)]),
                3 => drop(bytes.splice(at..at, vec![b'9'; self.below(5_000)])),
                4 => drop(bytes.splice(at.., bytes[at / 2..].to_vec())),
                5 => bytes = self.columns(&bytes),
                _ => bytes = self.number(&bytes),
            }
        }
        bytes
    }

    /// Drops or doubles one column everywhere, or in one line.
    fn columns(&mut self, bytes: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (column, double, only) = (self.below(12), self.below(2) == 0, self.below(20));
        let edit = |(i, line): (usize, &str)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if column < cells.len() && (only > 9 || only == i) {
                cells.splice(column..=column, vec![cells[column]; if double { 2 } else { 0 }]);
            }
            cells.join(",")
        };
        text.lines().enumerate().map(edit).collect::<Vec<_>>().join("\n").into_bytes()
    }

    /// Puts an absurd number in place of one.
    fn number(&mut self, bytes: &[u8]) -> Vec<u8> {
        const ABSURD: [&str; 10] = [
            "-1",
            "0",
            "nan",
            "inf",
            "1e308",
            "1e-320",
            "18446744073709551616",
            "9007199254740993",
            "",
            "1e400",
        ];
        let text = String::from_utf8_lossy(bytes).into_owned();
        let digits: Vec<usize> =
            text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
        let Some(&at) = digits.get(self.below(digits.len())) else { return bytes.to_vec() };
        let end = text[at..].find(|c: char| !(c.is_ascii_digit() || c == '.')).map_or(text.len(), |n| at + n);
        format!("{}{}{}", &text[..at], ABSURD[self.below(ABSURD.len())], &text[end..]).into_bytes()
    }
}

#[test]
fn damaged_reports_are_refused_or_read_in_part_and_never_believed() {
    let mut chance = Chance(0x0005_eed0_fa11);
    let (mut refused, mut in_part) = (0, 0);
    for (name, text) in reports() {
        let importer = importer_of(text.as_bytes()).unwrap();
        let sound = read_text(importer, &text).unwrap();
        for _ in 0..600 {
            match read_bytes(importer, &chance.damage(&text), false) {
                Err(error) => {
                    refused += 1;
                    assert!(
                        error.file == "test.txt" && (5..500).contains(&error.message.len()),
                        "{name}: {error}"
                    );
                }
                Ok(read) => {
                    in_part += usize::from(read.refused_count > sound.refused_count);
                    believable(name, &read);
                }
            }
        }
    }
    assert!(
        refused > 200 && in_part > 200,
        "{refused} refused, {in_part} read in part: the damage is too mild"
    );
}

/// Whatever came out can have been measured.
fn believable(name: &str, read: &Imported) {
    for row in read.rows.iter() {
        let ms = row.get(Number::Time).unwrap();
        assert!(ms > 0.0 && ms <= 1e9, "{name}: {ms} ms");
        assert!(!row.kernel.is_empty() && row.source.starts_with("test.txt:"), "{name}: {row:?}");
        assert!(row.numbers.iter().all(|(_, v)| v.is_finite() && v >= 0.0), "{name}: {row:?}");
        let threads = row.block.map_or(1, |b| b.iter().product());
        assert!((1..=1024 * 1024).contains(&threads), "{name}: {row:?}");
    }
    for roof in &read.roofs {
        assert!(roof.per_second.is_finite() && roof.per_second > 0.0, "{name}: {roof:?}");
    }
    for refused in &read.refused {
        let text = refused.to_string();
        assert!(refused.line > 0 && text.len() < 500, "{name}: {text}");
    }
    assert!(read.refused.len() <= read.refused_count && read.refused.len() <= 100);
}

#[test]
fn the_gpu_that_the_user_names_is_that_of_reports_without_one() {
    let strings = Progress::default();
    let unnamed = [
        cutlass::tests::TABLE.to_string(),
        "M,N,K,Tile Size,Execution Time\n64,64,64,8,6.5\n".to_string(),
        kernel_tuner::tests::whole().replace("NVIDIA A100-PCIE-40GB", " "),
        mixbench::tests::REPORT.replace("Device:              NVIDIA GeForce RTX 4070\n", ""),
        "N=2  avg_ms=1  GBps=256.5\n".to_string(),
    ];
    for text in unnamed {
        let job = ImportJob { gpu: Some("titan-v"), ..ImportJob::new("stream_like_.out", &strings) };
        let read = super::read_bytes(text.as_bytes(), &job).unwrap();
        let mut gpus = read.rows.gpus().iter().chain(read.roofs.iter().map(|r| &r.gpu)).peekable();
        assert!(gpus.peek().is_some() && gpus.all(|gpu| gpu == "titan-v"), "{text}");
        let without =
            super::read_bytes(text.as_bytes(), &ImportJob::new("stream_like_.out", &strings)).unwrap();
        let said = without.remarks.iter().filter(|r| r.contains("no GPU")).collect::<Vec<_>>();
        assert_eq!(
            said,
            [
                "the report names no GPU: say which it was, by --gpu ID of import and measure, by --from ID of other commands"
            ],
            "{text}"
        );
    }
}
