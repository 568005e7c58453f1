//! Changed times, and which numbers matter, for many workloads on many GPUs: what a GPU brings is made once for all workloads, and those are asked on all cores.

use super::answering::WhatIfParts;
use super::question::WhatIf;
use super::table::{WhatIfAnswer, answer_json, power_texts};
use super::tornado::{TornadoBar, TornadoGpus};
use crate::answer::Settings;
use crate::cores;
use crate::gpu::{ChangeError, GpuChanges, GpuId};
use crate::pair::Pair;
use crate::report::{Table, TableCell, TableColumn};
use crate::session::{Session, Sources};
use crate::text::{clipped_text, harmless_json};
use crate::units::significant;
use crate::workload::Workload;
use std::collections::HashMap;
use std::io::{Result as Written, Write};

/// How many numbers stand in a row of the table.
const NUMBERS_SHOWN: usize = 3;

/// Longer labels are cut.
const MOST_OF_LABEL: usize = 44;

/// Workloads that are asked about on many GPUs.
#[derive(Clone)]
pub struct ManyWorkloads<'a> {
    /// What is loaded.
    pub session: &'a Session,
    /// What runs.
    pub workloads: &'a [Workload],
    /// Where it was timed; each GPU itself where none is named.
    pub sources: Option<Sources>,
    /// What is changed of every GPU.
    pub changes: GpuChanges,
    /// Whether the tornado of each is asked for.
    pub with_tornado: bool,
    /// Model, ceilings, rules.
    pub settings: Settings,
}

impl ManyWorkloads<'_> {
    /// Every workload on this GPU, in their order.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that this GPU cannot have.
    pub fn answers_on(&self, base: GpuId) -> Result<Vec<WhatIfAnswer>, ChangeError> {
        let Self { session, settings, .. } = *self;
        self.changes.check_effect(&session.gpus[base])?;
        let of_tornado = || TornadoGpus::new(&session.gpus[base], &self.changes);
        let moved = self.with_tornado.then(of_tornado).transpose()?;
        let answer = |workload: &Workload| {
            let own = || workload.own_source(session, base);
            let source = self.sources.as_ref().and_then(Sources::seen_from).unwrap_or_else(own);
            let sources = self.sources.clone().unwrap_or_else(|| Sources::from_gpu(source));
            let pair = Pair::new(source, base);
            let mut asked = WhatIf::with_sources(session, workload, pair, sources, settings);
            match &moved {
                Some(moved) => asked.answer_with_tornado(self.changes.clone(), moved),
                None => asked.whole_answer(self.changes.clone(), &WhatIfParts::default()),
            }
        };
        cores::try_collect(self.workloads.len(), |at| answer(&self.workloads[at]))
    }
}

/// One GPU: a row per workload with its time on the changed GPU beside that on the unchanged one.
#[must_use]
pub fn changed_times_table(answers: &[WhatIfAnswer]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("kernel"),
        TableColumn::right("time"),
        TableColumn::right("interval"),
        TableColumn::right("unchanged GPU"),
        TableColumn::right("speedup"),
        TableColumn::right("power"),
        TableColumn::right("energy"),
        TableColumn::right("unchanged power"),
        TableColumn::right("unchanged energy"),
        TableColumn::left("notes"),
    ]);
    table.title = answers.first().map_or_else(String::new, WhatIfAnswer::gpu_in_words);
    let labels = short_labels(answers.iter().map(|answer| answer.workload.as_str()));
    table.rows = answers.iter().zip(labels).map(|(answer, label)| changed_times_row(answer, label)).collect();
    table.footnoted("notes")
}

fn changed_times_row(answer: &WhatIfAnswer, label: String) -> Vec<TableCell> {
    let speedup =
        answer.base_time.zip(answer.time).map(|(base, time)| format!("{}×", significant(base / time)));
    let power = [answer.power, answer.base_power].map(power_texts);
    let cells = [answer.marked_time(), answer.interval_text(), answer.marked_base_time(), speedup];
    let notes = match answer.time {
        Some(_) => answer.cautions.clone(),
        None => vec![answer.without_time()],
    };
    [TableCell::text(label)]
        .into_iter()
        .chain(cells.map(|cell| TableCell::maybe(cell, TableCell::text)))
        .chain(power.into_iter().flatten().map(TableCell::text))
        .chain([TableCell::List(notes)])
        .collect()
}

/// One GPU: a row per workload with the numbers that help it most.
#[must_use]
pub fn tornados_table(answers: &[WhatIfAnswer]) -> Table {
    let mut columns =
        vec![TableColumn::left("kernel"), TableColumn::right("time"), TableColumn::right("unchanged GPU")];
    columns.extend(["helps most", "second", "third"].map(TableColumn::left));
    let mut table = Table::new(columns);
    let labels = short_labels(answers.iter().map(|answer| answer.workload.as_str()));
    table.rows = answers.iter().zip(labels).map(|(answer, label)| tornados_row(answer, label)).collect();
    table.title = answers.first().map_or_else(String::new, |answer| {
        format!(
            "{}: the time with each number 20 % less or more, the larger gain of the two",
            answer.gpu_in_words()
        )
    });
    let is_changed = answers.iter().any(|answer| !answer.changes.is_empty());
    if is_changed { table } else { table.without(&["unchanged GPU"]) }
}

/// The workloads as a table has room for them: long ones, of tuned variants, are cut where that leaves them apart.
fn short_labels<'a>(workloads: impl Iterator<Item = &'a str>) -> Vec<String> {
    let short = |text: &str| match text.chars().count() > MOST_OF_LABEL {
        true => format!("{}…", clipped_text(text, MOST_OF_LABEL - 1)),
        false => text.to_string(),
    };
    let all: Vec<(&str, String)> = workloads.map(|text| (text, short(text))).collect();
    let mut times: HashMap<&str, usize> = HashMap::new();
    all.iter().for_each(|(_, short)| *times.entry(short).or_default() += 1);
    all.iter()
        .map(|(text, short)| if times[short.as_str()] > 1 { (*text).into() } else { short.clone() })
        .collect()
}

fn tornados_row(answer: &WhatIfAnswer, label: String) -> Vec<TableCell> {
    let times = [answer.marked_time(), answer.marked_base_time()];
    let mut cells = vec![TableCell::text(label)];
    cells.extend(times.map(|time| TableCell::maybe(time, TableCell::text)));
    let helps = |bar: &TornadoBar| Some(format!("{} {}", bar.number.title(), answer.gain_words(bar)?));
    let mut helpful = answer.tornado.iter().filter_map(helps);
    cells.extend((0..NUMBERS_SHOWN).map(|_| TableCell::maybe(helpful.next(), TableCell::text)));
    cells
}

/// An array of the objects that one what-if is for programs, each with its workload, written as they come.
#[derive(Debug, Default)]
pub struct AnswerStream {
    count: usize,
}

impl AnswerStream {
    /// Writes these answers.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write_answers(&mut self, out: &mut dyn Write, answers: &[WhatIfAnswer]) -> Written<()> {
        answers.iter().try_for_each(|answer| {
            out.write_all(if self.count == 0 { b"[\n" } else { b",\n" })?;
            self.count += 1;
            let mut object = answer_json(answer);
            object["workload"] = answer.workload.clone().into();
            out.write_all(harmless_json(&object.to_string()).as_bytes())
        })
    }

    /// Writes what stands behind the last.
    ///
    /// # Errors
    /// As [`AnswerStream::write_answers`].
    pub fn finish(self, out: &mut dyn Write) -> Written<()> {
        out.write_all(if self.count == 0 { b"[]\n" } else { b"\n]\n" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_are_cut_where_they_stay_apart() {
        let tuned = |last: u32| format!("clblast_xgemm n=2048 MWG=64;NWG=64;KWG=32;MDIMC=16;SB={last}");
        let one = short_labels([tuned(1).as_str(), "saxpy n=16"].into_iter());
        assert!(one[0].chars().count() == MOST_OF_LABEL && one[0].starts_with("clblast_xgemm n=2048 MWG"));
        assert_eq!(one[1], "saxpy n=16");
        let both = [tuned(1), tuned(2)];
        assert_eq!(short_labels(both.iter().map(String::as_str)), both);
    }
}
