//! Paper 4 from the rows of files.

use super::audited::{self, ProtocolErrors};
use super::conclusions::{Conclusion, TILES, conclusions, large_products};
use super::predictions::TestPredictions;
use super::prepare::{Clipping, prepare};
use super::tables::{Paper4Tables, reproduce};
use super::tiled::{TiledRows, TiledTarget};
use crate::catalogue::FileError;
use crate::gemm::learned::LearnedGemm;
use crate::gemm::sharing::{SharedTimes, shared};
use crate::gemm::tiles::{Tile, TileAnswer};
use crate::gemm::{Gemm, GemmRow, answer_tiles};
use crate::learn::Progress;
use crate::measurement::Measurement;
use crate::papers::FitError;
use crate::power::PowerModel;
use crate::session::Session;
use std::collections::{BTreeMap, BTreeSet};

/// The GPU of its rows.
pub const ADA: &str = "rtx-4070";

/// Paper 4 from its rows.
#[derive(Debug, Clone)]
pub struct Paper4 {
    /// Its tables.
    pub tables: Paper4Tables,
    /// Errors with problems held out; none of [`reproduce_published`].
    pub lines: Vec<ProtocolErrors>,
    /// What the forest says of the test rows.
    pub predictions: TestPredictions,
    /// Shapes whose time depends on the utilisation.
    pub shared: Vec<SharedTimes>,
}

/// Paper 4's tables, and what its models are worth.
///
/// # Errors
/// [`FitError`] where the rows are no GEMM runs with power, or it was cancelled.
pub fn reproduce_tables(
    session: &Session,
    rows: &[Measurement],
    progress: &Progress,
) -> Result<Paper4, FitError> {
    let (rows, power) = (gemm_rows(rows)?, PowerModel::shipped()?);
    let made = published(&rows, progress)?;
    let lines = audited::study(&rows, session.stock_gpus(), &session.kernels, &power, progress)?;
    Ok(Paper4 { lines, ..made })
}

/// What the paper prints alone, without the study of held-out problems.
///
/// # Errors
/// As [`reproduce_tables`].
pub fn reproduce_published(rows: &[Measurement], progress: &Progress) -> Result<Paper4, FitError> {
    published(&gemm_rows(rows)?, progress)
}

fn gemm_rows(rows: &[Measurement]) -> Result<Vec<GemmRow>, FitError> {
    let rows: Vec<GemmRow> = rows.iter().filter_map(GemmRow::from_measurement).collect();
    if rows.is_empty() { Err(FitError::NoGemm) } else { Ok(rows) }
}

fn published(rows: &[GemmRow], progress: &Progress) -> Result<Paper4, FitError> {
    Ok(Paper4 {
        tables: reproduce(rows, progress)?,
        lines: Vec::new(),
        predictions: TestPredictions::from_rows(&prepare(rows, Clipping::AllRows)?, progress)?,
        shared: shared(rows),
    })
}

/// Paper 4's conclusions about tiles on its own rows, beside what the models here say of the same products on its GPU.
///
/// # Errors
/// [`FileError`] where a table inside the program is damaged.
pub fn tiled_conclusions(session: &Session, files: &[TiledRows]) -> Result<Vec<Conclusion>, FileError> {
    let Ok(gpu) = session.gpus.position(ADA) else { return Ok(Vec::new()) };
    let tiles = TILES.map(Tile::Side);
    let sizes: BTreeSet<[u64; 3]> = files.iter().flat_map(|f| large_products(f).into_keys()).collect();
    let answers = |size: [u64; 3]| {
        let gemm = Gemm { size, ..Gemm::default() };
        Ok((size, answer_tiles(session, &gemm, gpu, &tiles, &LearnedGemm::default())?))
    };
    let modelled: BTreeMap<[u64; 3], Vec<TileAnswer>> =
        sizes.into_iter().map(answers).collect::<Result<_, FileError>>()?;
    Ok(conclusions(files, |target, size, tile| {
        let answer = modelled.get(&size)?.iter().find(|a| a.tile == Tile::Side(tile))?;
        match target {
            TiledTarget::Time => answer.time.as_ref().ok().map(|t| t.value.millis()),
            TiledTarget::Power => answer.power.map(|p| p.value.0),
        }
    }))
}
