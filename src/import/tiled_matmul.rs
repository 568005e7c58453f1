//! The two tables of the tiled matrix product of "Understanding GEMM Performance and Energy on NVIDIA Ada Lovelace": times
//! (`M,N,K,Tile Size,Execution Time`) and board power (`M,N,K,Tile Size,Average Power Usage (W)`).
//!
//! A tile of T launches blocks of T x T with 8 T^2 bytes of dynamic shared memory (two tiles of floats) and one block for
//! each tile of the result. The time is one cold launch, in milliseconds. The power is a mean over the whole process, host
//! work included, and belongs to no launch: a file of powers alone gives no rows.

use super::lines::{Lines, TableHeader, TableRow, has_all, refusal};
use super::{ImportJob, ImportRefusal, Imported, Importer};
use crate::measurement::{CanonicalRow, Number, ReadError};
use std::io::BufRead;

pub(super) const IMPORTER: Importer =
    Importer { name: "tiled matrix product CSV", recognises: is_own_format, read: read_rows };

const SIZES: [&str; 4] = ["M", "N", "K", "Tile Size"];
const TIME: &str = "Execution Time";
const POWER: &str = "Average Power Usage (W)";

fn is_own_format(head: &[u8]) -> bool {
    let first = head.split(|b| *b == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first);
    let header = TableHeader::cut(first.trim_start_matches('\u{feff}'));
    SIZES.iter().all(|name| header.column_named(name).is_some())
        && (has_all(head, &[TIME]) || has_all(head, &[POWER]))
}

fn read_rows(reader: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut lines = Lines::new(reader, job);
    let header = match lines.next()? {
        Some((_, text)) => TableHeader::cut(text),
        None => return Err(job.read_error("is empty; expected M,N,K,Tile Size and a time")),
    };
    let mut sizes = [0; 4];
    for (place, name) in sizes.iter_mut().zip(SIZES) {
        *place = header.need(name, job)?;
    }
    let time = header.once(TIME, job)?;
    let power = header.once(POWER, job)?;
    let mut out = Imported::default();
    let mut untimed = 0_usize;
    while let Some((number, text)) = lines.next()? {
        if text.trim().is_empty() {
            continue;
        }
        match canonical_row(&TableRow::cut(&header, text), sizes, time, power) {
            Ok(Some(row)) => {
                out.rows.push(&CanonicalRow { source: format!("{}:{number}", job.file), ..row });
            }
            Ok(None) => untimed += 1,
            Err(why) => out.add_refusal(job, number, why),
        }
    }
    remark(&mut out, untimed);
    Ok(out)
}

fn remark(out: &mut Imported, untimed: usize) {
    if !out.rows.is_empty() {
        out.remarks.push(
            "each time is one cold launch (no warm-up) and includes loading the module: about 5.5 ms".into(),
        );
    }
    if untimed > 0 {
        let what = "rows hold a power and no time: they are no measurements of a launch and were left out";
        out.remarks.push(format!("{untimed} {what}"));
    }
}

/// One row; nothing where it has no time.
fn canonical_row(
    row: &Result<TableRow<'_>, ImportRefusal>,
    sizes: [usize; 4],
    time: Option<usize>,
    power: Option<usize>,
) -> Result<Option<CanonicalRow>, ImportRefusal> {
    let row = row.as_ref().map_err(Clone::clone)?;
    let [m, n, k, tile] = sizes.map(|at| row.size(at));
    let (m, n, k, tile) = (m?, n?, k?, tile?);
    let power = power.map(|at| row.number_at(at)).transpose()?.flatten();
    let Some(ms) = time.map(|at| row.time_ms(at, 1.0)).transpose()?.flatten() else { return Ok(None) };
    if tile > 32 {
        return Err(refusal(
            "Tile Size",
            format!("{tile}: expected at most 32 (blocks of tile x tile threads)"),
        ));
    }
    let mut out = CanonicalRow {
        kernel: "gemm_tiled".into(),
        problem: format!("m={m};n={n};k={k};tile={tile}"),
        variant: "timing=single_cold_launch".into(),
        dtype: "fp32".into(),
        block: Some([tile, tile, 1]),
        grid: Some([n.div_ceil(tile), m.div_ceil(tile), 1]),
        ..CanonicalRow::default()
    };
    let [rows, columns, depth] = [m, n, k].map(|v| v as f64);
    out.set(Number::SmemStatic, Some(0.0));
    out.set(Number::SmemDynamic, Some((8 * tile * tile) as f64));
    out.set(Number::Flops, Some(2.0 * rows * columns * depth));
    out.set(Number::DramBytes, Some(4.0 * (rows * depth + depth * columns + rows * columns)));
    out.set(Number::Time, Some(ms));
    out.set(Number::Trials, Some(1.0));
    if let Some(watts) = power {
        out.attributes.insert("process_power_w".into(), watts.to_string());
    }
    Ok(Some(out))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::read_text;
    use super::*;

    #[test]
    fn the_launch_follows_from_sizes_and_tile() {
        let read = read_text(&IMPORTER, "M,N,K,Tile Size,Execution Time\n100,200,300,16,7.5\n").unwrap();
        let rows = read.rows.to_vec();
        let [row] = rows.as_slice() else { panic!("{read:?}") };
        assert_eq!((row.block, row.grid), (Some([16, 16, 1]), Some([13, 7, 1])));
        assert_eq!(row.get(Number::SmemDynamic), Some(2048.0));
        assert_eq!(row.get(Number::Flops), Some(12e6));
        assert_eq!((row.gpu.as_str(), row.get(Number::Time)), ("", Some(7.5)), "the file names no GPU");
        assert_eq!(row.source, "test.txt:2");
    }

    #[test]
    fn a_power_without_a_time_is_no_row() {
        let read = read_text(&IMPORTER, "M,N,K,Tile Size,Average Power Usage (W)\n8,8,8,8,33\n8,8,8,4,34\n")
            .unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (0, 0));
        assert!(read.remarks[0].starts_with("2 rows hold a power and no time"), "{:?}", read.remarks);
    }

    #[test]
    fn what_cannot_have_run_is_refused() {
        for (bad, column) in [
            ("0,8,8,8,1", "M"),
            ("8,8,8,64,1", "Tile Size"),
            ("8,8,8,8,0", TIME),
            ("8,8,8,8,x", TIME),
            ("8,8", "row"),
        ] {
            let read =
                read_text(&IMPORTER, &format!("M,N,K,Tile Size,Execution Time\n{bad}\n8,8,8,8,1\n")).unwrap();
            assert_eq!(
                (read.rows.len(), read.refused_count, &*read.refused[0].column),
                (1, 1, column),
                "{bad}"
            );
        }
        let twice = read_text(&IMPORTER, "M,N,K,K,Tile Size,Execution Time\n");
        assert!(twice.unwrap_err().message.contains("`K` stands twice"));
    }
}
