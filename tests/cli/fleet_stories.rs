//! Tables of data engines as a user meets them: the same answers as from a CSV, refused in the same words.
//! With the feature: `cargo test --features fleet --test cli fleet`; without it the program says how to get it.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk::Desk;

#[cfg(not(feature = "fleet"))]
#[test]
fn a_build_without_the_feature_says_how_to_build_it() {
    let desk = Desk::new();
    desk.file("rows.parquet", b"PAR1 and the rest");
    desk.file("rows.arrows", [0xff, 0xff, 0xff, 0xff, 0x10, 1, 0, 0, 0x10, 0, 0, 0]);
    for words in ["predict --batch rows.parquet --to l4", "evaluate --data rows.arrows", "audit rows.parquet"]
    {
        desk.types(words).ends(1, &["cargo install roofswap --features fleet", "or give the rows as CSV"]);
    }
    desk.file("rows.csv", crate::batch_stories::own_rows(2));
    desk.types("predict --batch rows.csv --to l4 --format parquet")
        .ends(1, &["--format parquet: ", "--features fleet"]);
}

#[cfg(feature = "fleet")]
mod with_the_feature {
    use super::Desk;
    use crate::batch_stories::own_rows;
    use arrow_array::builder::StringDictionaryBuilder;
    use arrow_array::types::Int32Type;
    use arrow_array::{
        Array, ArrayRef, Float32Array, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    };
    use arrow_ipc::{reader::StreamReader, writer::FileWriter, writer::StreamWriter};
    use parquet::arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder};
    use parquet::file::properties::WriterProperties;
    use std::sync::Arc;

    /// The cells of a CSV as columns of the types that engines give them: words as words, large words or dictionaries, numbers as whole
    /// numbers, fractions or words; blank cells as nulls.
    fn batch_of(csv: &str) -> RecordBatch {
        let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let rows: Vec<Vec<&str>> = lines.collect();
        let column = |at: usize| rows.iter().map(move |row| Some(row[at]).filter(|cell| !cell.is_empty()));
        let array = |at: usize| -> ArrayRef {
            match header[at] {
                "gpu" => {
                    let mut words = StringDictionaryBuilder::<Int32Type>::new();
                    column(at).for_each(|cell| words.append_option(cell));
                    Arc::new(words.finish())
                }
                "kernel" => Arc::new(column(at).collect::<LargeStringArray>()),
                "flops" | "time_ms" => Arc::new(
                    column(at).map(|c| c.map(|c| c.parse::<f64>().unwrap())).collect::<Float64Array>(),
                ),
                "block" => Arc::new(
                    column(at).map(|c| c.map(|c| c.parse::<f32>().unwrap())).collect::<Float32Array>(),
                ),
                "grid" | "dram_bytes" => {
                    Arc::new(column(at).map(|c| c.map(|c| c.parse::<i64>().unwrap())).collect::<Int64Array>())
                }
                _ => Arc::new(column(at).collect::<StringArray>()),
            }
        };
        let columns = header.iter().enumerate().map(|(at, name)| (*name, array(at), true));
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }

    /// The rows of a CSV as Parquet in small row groups, as an Arrow file and as an Arrow stream.
    fn put_tables(desk: &Desk, csv: &str) {
        desk.file("rows.csv", csv);
        let batch = batch_of(csv);
        let groups = WriterProperties::builder().set_max_row_group_row_count(Some(97)).build();
        let mut parquet = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(groups)).unwrap();
        parquet.write(&batch).unwrap();
        desk.file("rows.parquet", parquet.into_inner().unwrap());
        let mut file = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        file.write(&batch).unwrap();
        desk.file("rows.arrow", file.into_inner().unwrap());
        let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        stream.write(&batch).unwrap();
        desk.file("rows.arrows", stream.into_inner().unwrap());
    }

    const TABLES: [&str; 3] = ["rows.parquet", "rows.arrow", "rows.arrows"];

    /// A CSV with blanks, and with numbers that are whole in a column of fractions.
    fn rows() -> String {
        own_rows(1000).replace("kernel_3,n=400000,256", "kernel_3,n=400000,")
    }

    #[test]
    fn every_command_answers_a_table_as_the_same_rows_in_a_csv() {
        let desk = Desk::new();
        put_tables(&desk, &rows());
        for words in [
            "predict --to h100-sxm5,l4 --batch",
            "rank --to h100-sxm5,l4,titan-v --format json --batch",
            "predict --from titan-v --to l4 --model components --format csv --data",
            "evaluate --model components --format json --data",
            "metrics --format csv --data",
        ] {
            let answer = |table: &str| {
                let done = desk.types(&format!("{words} {table}")).works();
                done.stdout.replace(table, "TABLE")
            };
            let csv = answer("rows.csv");
            assert!(csv.lines().count() > 2, "{words}: {csv}");
            for table in TABLES {
                assert!(answer(table) == csv, "{words} {table} differs");
            }
        }
        for table in TABLES {
            let audit = desk.types(&format!("audit {table}"));
            assert!(audit.code <= 1 && audit.stdout.contains("1000"), "{}{}", audit.stdout, audit.stderr);
        }
    }

    #[test]
    fn a_bad_cell_is_refused_by_row_and_column_in_the_words_of_a_csv() {
        let desk = Desk::new();
        put_tables(
            &desk,
            &own_rows(6)
                .replace("a100-pcie-40gb,kernel_0", "moon-1,kernel_0")
                .replace("titan-v,kernel_1,n=200000,256,782,32", "titan-v,kernel_1,n=200000,256,782,many"),
        );
        let of_csv = desk.types("evaluate --data rows.csv --model same-time").stderr;
        for table in TABLES {
            let of_table = desk.types(&format!("evaluate --data {table} --model same-time")).stderr;
            assert!(of_table.contains(&format!("{table}:3: gpu: ")), "{of_table}");
            assert!(of_table.contains(&format!("{table}:4: regs_per_thread: ")), "{of_table}");
            // The header of a CSV is its first line.
            let shifted =
                of_csv.replace("rows.csv:4:", "T:3:").replace("rows.csv:5:", "T:4:").replace("rows.csv", "T");
            assert_eq!(of_table.replace(table, "T"), shifted);
        }
    }

    #[test]
    fn a_damaged_table_is_refused_with_the_reason() {
        let desk = Desk::new();
        put_tables(&desk, &rows());
        for table in TABLES {
            let whole = std::fs::read(desk.path(table)).unwrap();
            desk.file("cut", &whole[..whole.len() / 2]);
            desk.types("predict --batch cut --to l4").ends(1, &["cut: ", "is it cut off or damaged?"]);
        }
        let columns = batch_of(&own_rows(3)).project(&[1, 2, 8]).unwrap();
        let mut parquet = ArrowWriter::try_new(Vec::new(), columns.schema(), None).unwrap();
        parquet.write(&columns).unwrap();
        desk.file("less.parquet", parquet.into_inner().unwrap());
        desk.types("predict --batch less.parquet --to l4").ends(1, &["no column `gpu`"]);
    }

    #[test]
    fn answers_are_the_same_records_in_every_format() {
        let desk = Desk::new();
        put_tables(&desk, &rows());
        let words = "predict --batch rows.csv --to h100-sxm5,l4 --format";
        let csv = desk.types(&format!("{words} csv")).works().stdout;
        let answer = |format: &str| {
            let done = desk.command(&format!("{words} {format}"), &[]).output().unwrap();
            assert!(done.status.success());
            done.stdout
        };
        let parquet = desk.file("answers.parquet", answer("parquet"));
        let read = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(parquet).unwrap())
            .unwrap()
            .build()
            .unwrap();
        let arrow = answer("arrow");
        let stream = StreamReader::try_new(arrow.as_slice(), None).unwrap();
        let batches: [Vec<RecordBatch>; 2] =
            [read.map(Result::unwrap).collect(), stream.map(Result::unwrap).collect()];
        let mut records = csv::Reader::from_reader(csv.as_bytes());
        let header: Vec<String> = records.headers().unwrap().iter().map(String::from).collect();
        let records: Vec<csv::StringRecord> = records.records().map(Result::unwrap).collect();
        for batches in batches {
            let mut row = 0;
            for batch in batches {
                let names: Vec<String> = batch.schema().fields().iter().map(|f| f.name().clone()).collect();
                assert_eq!(names, header);
                for i in 0..batch.num_rows() {
                    for (at, column) in batch.columns().iter().enumerate() {
                        assert_eq!(cell_text(column, i), records[row][at], "row {row}, {}", header[at]);
                    }
                    row += 1;
                }
            }
            assert_eq!(row, 2000);
        }
    }

    fn cell_text(column: &ArrayRef, row: usize) -> String {
        if column.is_null(row) {
            return String::new();
        }
        if let Some(numbers) = column.as_any().downcast_ref::<Float64Array>() {
            return numbers.value(row).to_string();
        }
        if let Some(numbers) = column.as_any().downcast_ref::<Int64Array>() {
            return numbers.value(row).to_string();
        }
        column.as_any().downcast_ref::<StringArray>().unwrap().value(row).to_string()
    }
}
