//! A GEMM on one GPU with each tile: the default model's time, the power model's watts, and what the user's rows say.

use super::GemmRow;
use super::learned::{GemmCorrection, LearnedGemm};
use super::measured_tiles::{MeasuredTile, measured_tiles};
use super::physical::{LIBRARY, physical};
use super::tiles::{From, Ranged, Tile, TileAnswer};
use crate::answer::{Answer, Settings};
use crate::catalogue::{ElementType, FileError};
use crate::gpu::GpuId;
use crate::kernel::Problem;
use crate::measurement::Measurement;
use crate::power::{BoardPower, Load, PowerModel};
use crate::predict::{Caution, RegistersFrom, Subject};
use crate::session::Session;
use crate::units::{Seconds, Watts};

/// The tiled kernel of the catalogue.
const TILED: &str = "gemm_tiled";

/// What every tile computes with.
pub const ARITHMETIC: &str = "FP32, no tensor cores";

/// The operators that compute a product of other types, with what their tensor cores take.
pub const OTHER_TYPES: [(ElementType, &str); 4] = [
    (ElementType::Bf16, "linear_bf16"),
    (ElementType::Fp16, "linear_fp16"),
    (ElementType::Fp8, "linear_fp8"),
    (ElementType::Fp4, "linear_fp4"),
];

/// A product to be computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Gemm {
    /// m, n, k.
    pub size: [u64; 3],
    /// `nn`, `nt`, `tn` or `tt`: the library's kernel is compiled for each; the tiled one knows `nn` alone.
    pub layout: String,
    /// Scalars. The tiled kernel has neither.
    pub alpha: f64,
    /// As alpha; where it is not 0, C is read.
    pub beta: f64,
}

impl Default for Gemm {
    fn default() -> Self {
        Self { size: [4096; 3], layout: "nn".into(), alpha: 1.0, beta: 0.0 }
    }
}

impl Gemm {
    fn problem_text(&self, tile: Tile) -> String {
        let [m, n, k] = self.size;
        match tile {
            Tile::Side(side) => format!("m={m};n={n};k={k};tile={side}"),
            Tile::Library => format!("m={m};n={n};k={k}"),
        }
    }

    fn variant(&self, tile: Tile) -> String {
        match tile {
            Tile::Side(_) => String::new(),
            Tile::Library => format!("alpha={};beta={};layout={}", self.alpha, self.beta, self.layout),
        }
    }

    /// 2 m n k.
    fn flops(&self) -> f64 {
        let [m, n, k] = self.size_f64();
        2.0 * m * n * k
    }

    fn size_f64(&self) -> [f64; 3] {
        self.size.map(|v| v as f64)
    }
}

/// What rows of the library's kernel on this GPU say of its time and power.
///
/// # Errors
/// [`FileError`] where a table inside the program is damaged.
pub fn learn_rows(session: &Session, rows: &[Measurement], gpu: GpuId) -> Result<LearnedGemm, FileError> {
    let power = PowerModel::shipped()?;
    let library = session.kernels.id_named(LIBRARY);
    let own = rows.iter().filter(|r| r.gpu == gpu && Some(r.kernel) == library);
    let of_library: Vec<GemmRow> = own.filter_map(GemmRow::from_measurement).collect();
    let gpus = session.stock_gpus();
    let mut learned =
        LearnedGemm::from_rows(&of_library, |row| physical(gpus, &session.kernels, &power, row));
    learned.tiles = own_tiles(session, rows.iter(), gpu);
    Ok(learned)
}

/// What these rows say of the tiled kernel on this GPU.
fn own_tiles<'r>(
    session: &Session,
    rows: impl Iterator<Item = &'r Measurement>,
    gpu: GpuId,
) -> Vec<MeasuredTile> {
    let tiled = session.kernels.id_named(TILED);
    measured_tiles(rows.filter(|r| r.gpu == gpu && Some(r.kernel) == tiled))
}

/// The product on this GPU with these tiles, in their order. A tile that was measured at this size, by the rows that were
/// learned from or by the session's own, has that time; both ways give the same.
///
/// # Errors
/// [`FileError`] where a table inside the program is damaged.
pub fn answer_tiles(
    session: &Session,
    gemm: &Gemm,
    gpu: GpuId,
    tiles: &[Tile],
    learned: &LearnedGemm,
) -> Result<Vec<TileAnswer>, FileError> {
    let power = PowerModel::shipped()?;
    let asked = AskedProduct { session, gemm, gpu, power: &power, learned };
    Ok(tiles.iter().map(|tile| asked.tile_answer(*tile)).collect())
}

/// A product on a GPU, with what its tiles are answered from.
struct AskedProduct<'a> {
    session: &'a Session,
    gemm: &'a Gemm,
    gpu: GpuId,
    power: &'a PowerModel,
    learned: &'a LearnedGemm,
}

impl AskedProduct<'_> {
    fn tile_answer(&self, tile: Tile) -> TileAnswer {
        let subject = match self.tile_subject(tile) {
            Ok(subject) => subject,
            Err(why) => return self.refused_tile(tile, why),
        };
        let source = self.session.own_source(&subject, self.gpu);
        let answer = self.session.answer(&subject, source, self.gpu, Settings::default());
        let measured = self.own_tile(&subject, tile);
        let mut cautions: Vec<String> = tile.caution().map(String::from).into_iter().collect();
        let is_bound = answer.registers.target.is_unknown();
        cautions.extend(is_bound.then(|| registers_bound_text(&answer.registers.target)));
        let time = match &measured {
            Some(own) => Ok(own_time(own)),
            None => self.tile_time(&answer, tile, &mut cautions),
        };
        let modelled = time.as_ref().ok().map(|t| self.tile_power(&subject, &answer, t.value));
        let own_watts = measured.and_then(|own| own.watts).map(own_power);
        let watts = own_watts.or_else(|| modelled.map(|p| self.learned_power(p, tile, &mut cautions)));
        if modelled.is_some_and(|p| p.is_capped()) {
            cautions.push(
                "would draw more than the board's limit: it stays at the limit, and clocks fall".into(),
            );
        }
        TileAnswer {
            tile,
            occupancy: answer.occupancy.target,
            is_occupancy_bound: is_bound,
            bound: answer.prediction.as_ref().ok().and_then(|p| Some(p.bound_target?.as_str().to_string())),
            time,
            power: watts,
            modelled,
            flops: self.gemm.flops(),
            cautions,
        }
    }

    /// What was measured of this very product and tile, at the clocks that are asked about.
    fn own_tile(&self, subject: &Subject, tile: Tile) -> Option<MeasuredTile> {
        let Tile::Side(side) = tile else { return None };
        if self.session.tuning(self.gpu).is_some() {
            return None;
        }
        let size = self.gemm.size_f64();
        let learned = self.learned.tiles.iter().find(|t| t.size == size && t.side == side);
        let loaded = || {
            let row = self.session.store.row_on(subject.config?, self.gpu)?;
            measured_tiles(std::iter::once(row)).pop()
        };
        learned.cloned().or_else(loaded)
    }

    fn refused_tile(&self, tile: Tile, why: String) -> TileAnswer {
        TileAnswer {
            tile,
            occupancy: None,
            is_occupancy_bound: false,
            bound: None,
            time: Err(why),
            power: None,
            modelled: None,
            flops: self.gemm.flops(),
            cautions: Vec::new(),
        }
    }

    fn tile_subject(&self, tile: Tile) -> Result<Subject, String> {
        let kernels = &self.session.kernels;
        let id = if tile == Tile::Library { LIBRARY } else { TILED };
        let place = kernels.position(id).map_err(|e| e.to_string())?;
        let kernel = &kernels[place];
        let problem: Problem = kernel.typed(&self.gemm.problem_text(tile)).map_err(|e| e.to_string())?;
        let variant = kernel.declared_variant(&self.gemm.variant(tile));
        self.session.subject(place, &problem, &variant).map_err(|e| e.to_string())
    }

    /// The user's own median of this very problem, else the model's time, corrected where this size lies among theirs.
    fn tile_time(
        &self,
        answer: &Answer,
        tile: Tile,
        cautions: &mut Vec<String>,
    ) -> Result<Ranged<Seconds>, String> {
        let prediction = answer.prediction.as_ref().map_err(ToString::to_string)?;
        let (low, high) = answer.interval.map_or((prediction.time, prediction.time), |i| (i.low, i.high));
        if answer.interval.is_none() {
            cautions.push("no interval: too few residuals".into());
        }
        let plain = Ranged { value: prediction.time, low, high, from: From::Modelled };
        if !self.rows_count(tile) {
            return Ok(plain);
        }
        let (gemm, learned) = (self.gemm, self.learned);
        if let Some((ms, low, high)) = learned.measured(gemm.size_f64(), &gemm.variant(tile)) {
            let [value, low, high] = [ms, low, high].map(Seconds::from_millis);
            return Ok(Ranged { value, low, high, from: From::Measured });
        }
        Ok(corrected(plain, learned.time.as_ref(), gemm, "time", cautions, |v, by| v * by))
    }

    /// Whether what the user measured says anything of this tile: of the library's alone, at the clocks it was taken at.
    fn rows_count(&self, tile: Tile) -> bool {
        tile == Tile::Library && self.session.tuning(self.gpu).is_none()
    }

    fn tile_power(&self, subject: &Subject, answer: &Answer, time: Seconds) -> BoardPower {
        let blocks = answer.launch.target.map(|l| l.grid.iter().map(|n| *n as f64).product());
        let gpu = &self.session.gpus[self.gpu];
        let kernel = &self.session.kernels[subject.kernel];
        let load = Load::from_work(kernel, &answer.work, blocks, gpu, time);
        self.power.estimate(gpu, gpu.clocks(), &load)
    }

    fn learned_power(&self, power: BoardPower, tile: Tile, cautions: &mut Vec<String>) -> Ranged<Watts> {
        let BoardPower { watts, low, high, .. } = power;
        let plain = Ranged { value: watts, low, high, from: From::Modelled };
        if !self.rows_count(tile) {
            return plain;
        }
        let within = |w: Watts, by: f64| Watts((w.0 * by).clamp(power.idle.0, power.limit.0));
        corrected(plain, self.learned.power.as_ref(), self.gemm, "power", cautions, within)
    }
}

fn own_time(own: &MeasuredTile) -> Ranged<Seconds> {
    let [low, value, high] = own.ms.map(Seconds::from_millis);
    Ranged { value, low, high, from: From::Measured }
}

fn own_power(watts: f64) -> Ranged<Watts> {
    let value = Watts(watts);
    Ranged { value, low: value, high: value, from: From::Measured }
}

/// That blocks per SM are a bound, and by what.
fn registers_bound_text(registers: &RegistersFrom) -> String {
    let is_stated = *registers == RegistersFrom::AtLeast;
    let by = if is_stated { ", by the least number that its file states" } else { "" };
    format!("{}{by}", Caution::RegistersUnknown)
}

/// The model's number as the user's rows correct it, or as it is where they say nothing about this size.
fn corrected<T: Copy>(
    plain: Ranged<T>,
    correction: Option<&GemmCorrection>,
    gemm: &Gemm,
    what: &str,
    cautions: &mut Vec<String>,
    times: impl Fn(T, f64) -> T,
) -> Ranged<T> {
    let Some(c) = correction else { return plain };
    if !c.holds(gemm.size_f64()) {
        cautions.push(format!(
            "{what}: not learned, the size lies outside the rows of --data ({})",
            c.range_words()
        ));
        return plain;
    }
    let value = times(plain.value, c.factor);
    let (low, high) = (times(value, (-c.ln_90).exp()), times(value, c.ln_90.exp()));
    Ranged { value, low, high, from: From::Learned }
}

impl Gemm {
    /// The command that predicts this product in another type: that of `dtype`, where an operator has it, else BF16.
    #[must_use]
    pub fn other_type_command(&self, gpu_id: &str, dtype: Option<ElementType>) -> String {
        let named = OTHER_TYPES.iter().find(|(other, _)| Some(*other) == dtype);
        let (_, kernel) = named.unwrap_or(&OTHER_TYPES[0]);
        let [m, n, k] = self.size;
        format!("roofswap rank --kernel {kernel} --size 'm={m};n={n};k={k}' --to {gpu_id}")
    }
}

impl std::fmt::Display for Gemm {
    /// `GEMM 4096 x 4096 x 4096, FP32, no tensor cores, nn, alpha 1, beta 0`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [m, n, k] = self.size;
        let Self { layout, alpha, beta, .. } = self;
        write!(f, "GEMM {m} x {n} x {k}, {ARITHMETIC}, {layout}, alpha {alpha}, beta {beta}")
    }
}
