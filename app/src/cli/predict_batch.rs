//! `roofswap predict --batch FILE|-`: every row of a table by itself, as a stream.

use super::changes::changed_gpus;
use super::choices::RowsFormatChoice;
use super::named_gpus::target_gpus;
use super::question::QuestionArgs;
use super::{Usage, load, output};
use crate::catalogue::Catalogue;
use crate::import::{FileFormat, OpenedFile};
use crate::kernel::Kernel;
use crate::measurement::{Measurement, ReadResult, RowError, TimingKind, other_columns_note, stream_csv};
use crate::report::predictions::{Comparison, record_cells};
use crate::report::row_predictions::{numbered_cells, refused_cells, row_columns};
use crate::report::{RecordFormat, RecordStream, TableCell};
use crate::session::{RowQuestions, Sources};
use anyhow::{Context, Result, bail};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::fmt::Display;
use std::io::{BufWriter, ErrorKind, IsTerminal, Stdout};
use std::path::Path;

/// A table, and what is asked about its rows.
pub(super) struct BatchQuestion<'a> {
    pub(super) file: &'a Path,
    pub(super) question: &'a QuestionArgs,
    pub(super) format: Option<RowsFormatChoice>,
}

pub(super) fn run_predict_batch(asked: BatchQuestion<'_>) -> Result<()> {
    let BatchQuestion { file, question, format } = asked;
    let format = format.unwrap_or(RowsFormatChoice::Csv).of_records()?;
    if matches!(format, RecordFormat::Columns(_)) && std::io::stdout().is_terminal() {
        let text =
            "--format parquet and arrow are no text: send them into a file or a program, `> answers.parquet`";
        return Err(Usage(text.into()).into());
    }
    if question.to.is_empty() {
        let text = "no --to: give one GPU or several, for example --to rtx-4070,a100-pcie-40gb, or --to all";
        return Err(Usage(text.into()).into());
    }
    let settings = question.settings()?;
    let mut session = load::session_naming(&[], question.to.iter().map(String::as_str), None)?;
    let stated = target_gpus(&session, &question.to, None)?;
    let changed = changed_gpus(&mut session, &stated, question.set.as_deref())?;
    let targets = if changed.is_empty() { stated } else { changed };
    // Every row has a source of its own.
    let targets = question.clocks.laid(&mut session, &targets, &Sources::All)?.targets;
    let opened = opened_table(file)?;
    let columns = row_columns();
    let out = BufWriter::with_capacity(1 << 18, std::io::stdout());
    let mut writer = BatchWriter {
        questions: RowQuestions::new(&session, targets, settings),
        stream: RecordStream::start(out, &columns, format)?,
        counted: BatchCount::default(),
    };
    let (mut kernels, name) = (session.kernels.clone(), opened.file().to_string());
    let kind = TimingKind::Measured;
    let written = stream_csv(opened, &name, kind, &session.gpus, &mut kernels, |kernels, block| {
        writer.take(kernels, block)
    });
    let counted = writer.counted;
    counted.tell(&name);
    match written?.and_then(|()| writer.stream.finish()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => return Ok(()),
        done => done.context("stdout cannot be written")?,
    }
    match counted.first {
        Some(why) if counted.answered == 0 => bail!("nothing could be predicted: {why}"),
        _ => Ok(()),
    }
}

/// The table, which must be one of canonical rows.
pub(super) fn opened_table(file: &Path) -> Result<OpenedFile<'static>> {
    let opened = OpenedFile::path(file)?;
    match opened.format() {
        FileFormat::Report(importer) => bail!(
            "{}: this is {}, which is no table of rows: `roofswap import {} -o rows.csv` makes one",
            opened.file(),
            importer.name,
            opened.file()
        ),
        FileFormat::Canonical => {
            other_columns_note(opened.head()).into_iter().for_each(output::remark);
            Ok(opened)
        }
        // The reader says what is missing.
        FileFormat::Unknown => Ok(opened),
    }
}

/// What became of the rows.
#[derive(Debug, Default)]
pub(super) struct BatchCount {
    /// Rows with an answer.
    pub(super) answered: u64,
    /// Rows without one.
    pub(super) refused: u64,
    /// The first reason.
    pub(super) first: Option<String>,
}

impl BatchCount {
    /// Counts a row that has no answer.
    pub(super) fn refuse(&mut self, why: impl FnOnce() -> String) {
        self.refused += 1;
        self.first.get_or_insert_with(why);
    }

    /// Says how many rows are not predicted.
    pub(super) fn tell(&self, name: &str) {
        if let Some(first) = self.first.as_ref().filter(|_| self.answered > 0) {
            let all = self.refused + self.answered;
            let without = self.refused;
            output::remark(format!(
                "{without} of {all} rows of {name} are not predicted; the first is {first}"
            ));
        }
    }
}

/// Answers on their way to standard output.
struct BatchWriter<'a> {
    questions: RowQuestions<'a>,
    stream: RecordStream<'a, BufWriter<Stdout>>,
    counted: BatchCount,
}

/// What is written of one row, and why it has no answer.
struct RowRecords {
    records: Vec<Vec<TableCell>>,
    refused: Option<String>,
}

/// Records that wait to be written at most: a row may have hundreds.
const RECORDS: usize = 1 << 14;

impl BatchWriter<'_> {
    /// Answers the rows of a block on all cores, and writes them and the refused ones in the order of the table.
    fn take(&mut self, kernels: &mut Catalogue<Kernel>, block: ReadResult) -> std::io::Result<()> {
        let good = block.rows.into_iter().map(|row| (u64::from(row.line), Ok(row)));
        let mut all: Vec<(u64, Result<Measurement, RowError>)> = good.collect();
        all.extend(block.refused.into_iter().map(|refused| (refused.line, Err(refused))));
        all.sort_by_key(|(line, _)| *line);
        let rows = all.into_iter().map(|(_, row)| row).collect();
        let Self { questions, stream, counted } = self;
        let at_once = RECORDS / (questions.targets.len() * questions.settings.len()).max(1);
        let remarks = questions.for_each_part(kernels, rows, |kernels, part| {
            let mut rest = part.into_iter();
            loop {
                let some: Vec<_> = rest.by_ref().take(at_once.max(1)).collect();
                if some.is_empty() {
                    return Ok::<(), std::io::Error>(());
                }
                let records = |row: Result<Measurement, RowError>| match row {
                    Ok(row) => answered_row(questions, kernels, row),
                    Err(refused) => refused_row(questions, &refused),
                };
                let answered: Vec<RowRecords> = some.into_par_iter().map(records).collect();
                for records in answered {
                    write_row(stream, counted, records)?;
                }
            }
        })?;
        remarks.into_iter().for_each(output::remark);
        Ok(())
    }
}

fn write_row(
    stream: &mut RecordStream<'_, BufWriter<Stdout>>,
    counted: &mut BatchCount,
    RowRecords { records, refused }: RowRecords,
) -> std::io::Result<()> {
    let row = counted.refused + counted.answered + 1;
    match refused {
        Some(why) => counted.refuse(|| why),
        None => counted.answered += 1,
    }
    records.into_iter().try_for_each(|record| stream.write_record(&numbered_cells(row, record)))
}

/// The answers of a row.
fn answered_row(questions: &RowQuestions<'_>, kernels: &Catalogue<Kernel>, row: Measurement) -> RowRecords {
    let of_row = row.clone();
    let told = |why: &dyn Display| format!("{}:{}: {why}", of_row.file(), of_row.line);
    let asked = match questions.asked_row(kernels, row) {
        Ok(asked) => asked,
        Err(why) => return row_without_answer(questions, &why, told(&why)),
    };
    let answers = questions.answers(kernels, &asked);
    let gpus = &questions.session().gpus;
    let id_of = |gpu| questions.session().id_with_settings(gpu);
    let record = |answer| {
        record_cells(&Comparison::new(gpus, kernels, &asked.subject, answer).with_source_ids(id_of), false)
    };
    let refusals: Option<Vec<_>> = answers.iter().map(|a| a.prediction.as_ref().err()).collect();
    let refused = refusals.and_then(|all| Some(told(all.first()?)));
    RowRecords { records: answers.iter().map(record).collect(), refused }
}

fn refused_row(questions: &RowQuestions<'_>, refused: &RowError) -> RowRecords {
    let why = format!("{}: {}", refused.column, refused.message);
    row_without_answer(questions, &why, refused.to_string())
}

/// A record for every target and model, so that every row of a table has as many.
fn row_without_answer(questions: &RowQuestions<'_>, why: &str, told: String) -> RowRecords {
    let gpus = questions.targets.iter().map(|target| &questions.session().gpus[*target]);
    let of_gpu = |gpu| questions.settings.iter().map(move |s| refused_cells(gpu, s.model, why));
    RowRecords { records: gpus.flat_map(of_gpu).collect(), refused: Some(told) }
}
