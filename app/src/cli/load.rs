//! Loads the session, and says on stderr what was refused while loading.

use super::{Usage, output};
use crate::calendar::utc_date;
use crate::catalogue::{Catalogue, user_folder};
use crate::config::user_prices;
use crate::gpu::Gpu;
use crate::import::{FileFormat, OpenedFile};
use crate::progress::Progress;
use crate::rank::PriceBook;
use crate::session::{LoadedFile, Recognised, Session};
use crate::text::first_names;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// So many GPUs are named that a report may be of.
const MOST_GPUS: usize = 24;

/// What ships, the user's folder, and these measurement files. Bad rows and bad user files are reported and left out.
///
/// # Errors
/// A measurement file that cannot be read at all, or has no usable row.
pub(super) fn session(data: &[PathBuf]) -> Result<ManuallyDrop<Session>> {
    session_naming(data, [], None)
}

/// [`session`], with the GPUs that these names make by rule, such as `rtx-4090@150W`: measurement files may name them too.
/// Reports that name no GPU ran on `ran_on`.
///
/// # Errors
/// As [`session`], and a name that follows a rule and makes no GPU.
pub(super) fn session_naming<'n>(
    data: &[PathBuf],
    gpus: impl IntoIterator<Item = &'n str>,
    ran_on: Option<&str>,
) -> Result<ManuallyDrop<Session>> {
    let session = Session::load(user_folder().as_deref()).context("a table inside the program is damaged")?;
    // The program ends with its command: what a thousand kernels hold is not given back piece by piece.
    let mut session = ManuallyDrop::new(session);
    output::remarks(&session.problems, session.problems.len());
    let names = gpus.into_iter().flat_map(|typed| typed.split([',', ' ']).chain([typed]));
    session.add_derived_gpus(names)?;
    load_data(&mut session, data, ran_on)?;
    Ok(session)
}

/// Lays these files over a session: measurements, or what a compiler says of kernels. Reports that name no GPU ran on `ran_on`.
///
/// # Errors
/// As [`session`].
pub(super) fn load_data(session: &mut Session, data: &[PathBuf], ran_on: Option<&str>) -> Result<()> {
    for path in data {
        let roofs = session.roofs.len();
        let opened = OpenedFile::path(path)?;
        let format = opened.format();
        if Recognised::from_opened(&opened) == Recognised::CompilerReport {
            let added = session.add_compiler_report(opened).map_err(anyhow::Error::msg)?;
            let file = path.display();
            output::remark(format!("{file}: {}", added.summary));
            let notices: Vec<String> =
                added.notices.iter().map(|notice| format!("{file}: {notice}")).collect();
            output::remarks(&notices, notices.len());
            continue;
        }
        let LoadedFile { rows: added, refused, refused_count: count, remarks, unnamed, .. } =
            session.add_opened_of(opened, ran_on, &Progress::default())?;
        let is_empty = added == 0 && session.roofs.len() == roofs;
        if let Some(stated) = unnamed.filter(|_| is_empty) {
            let file = path.display();
            let (why, gpu) = unnamed_gpu(&session.gpus, &stated);
            let text = format!(
                "{file}: {why}; say where it ran: --from {gpu}, or `roofswap import {file} --gpu {gpu} -o rows.csv`"
            );
            return Err(Usage(text).into());
        }
        output::refused(&refused, count);
        for remark in remarks {
            output::remark(format!("{}: {remark}", path.display()));
        }
        if count > 0 {
            let rows = if added == 1 { "row" } else { "rows" };
            output::remark(format!("{}: {added} {rows} loaded, {count} refused", path.display()));
        }
        if is_empty {
            bail!("{}: {}", path.display(), no_row_text(format, count));
        }
    }
    Ok(())
}

/// That a report names no GPU, with those that have the compute capabilities which it states; and what to type for it.
pub(super) fn unnamed_gpu(gpus: &Catalogue<Gpu>, stated: &BTreeSet<String>) -> (String, String) {
    let fits =
        |gpu: &&Gpu| stated.contains(&gpu.cuda.compute_capability.to_string()) && !gpu.is_hypothetical();
    let ids: Vec<&str> = gpus.entries().iter().filter(fits).map(|gpu| gpu.id.as_str()).collect();
    if ids.is_empty() {
        return ("names no GPU".into(), "GPU".into());
    }
    let capabilities = Vec::from_iter(stated.iter().map(String::as_str)).join(", ");
    let ids_named = first_names(&ids, MOST_GPUS);
    // Of several none is offered to be copied: another one's times would be taken for its own.
    let to_type = if let [only] = ids[..] { only } else { "GPU" };
    (format!("names no GPU, only compute capability {capabilities}: {ids_named}"), to_type.to_string())
}

/// That nothing came out of a file of this format, in which so many rows were refused.
fn no_row_text(format: FileFormat, refused: usize) -> String {
    match format {
        FileFormat::Report(importer) if refused == 0 => {
            format!("is a report ({}) without launches: profile again, or export all of it", importer.name)
        }
        FileFormat::Report(importer) => {
            format!("has no usable row: it is a report ({}) whose rows are all refused", importer.name)
        }
        _ => "has no usable row; expected lines such as titan-v,saxpy,n=1048576,0.0246 under gpu,kernel,problem,time_ms".into(),
    }
}

/// The prices of `--prices`, else those of the user's folder; what the file's lines leave out is said.
///
/// # Errors
/// A file of prices that cannot be read.
pub(super) fn price_book(file: Option<&Path>, session: &Session) -> Result<PriceBook> {
    let usual = user_prices();
    let prices = match file.or(usual.as_deref()) {
        Some(file) => PriceBook::read(file, &session.gpus, utc_date(SystemTime::now()).as_deref())?,
        None => PriceBook::default(),
    };
    output::remarks(&prices.remarks, prices.remarks.len());
    Ok(prices)
}
