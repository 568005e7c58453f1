//! A probe as a GPU file: laid over the GPU of the catalogue where it has one, a whole GPU where it has none.

use super::straight_line::InstructionSupply;
use super::{Probe, Reading};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use std::fmt::Write;

/// Why no file can be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// A GPU of a new kind cannot be described from what a driver says.
    #[error(
        "{name} is not in the catalogue, and neither is another GPU of compute capability {major}.{minor} to take its SM from; write its file by hand (specs/gpus/README.md)"
    )]
    NoRelative {
        /// The driver's name.
        name: String,
        /// Its compute capability.
        major: u8,
        /// Its compute capability.
        minor: u8,
    },
    /// Nothing was measured that a file could hold.
    #[error("nothing was measured that a GPU file could hold")]
    Nothing,
}

/// The id of this GPU in the catalogue; `None` where it is new, or a slice of a GPU.
#[must_use]
pub fn known<'a>(probe_name: &str, mig: bool, gpus: &'a Catalogue<Gpu>) -> Option<&'a Gpu> {
    let bare = probe_name.strip_prefix("NVIDIA ").unwrap_or(probe_name);
    let place = gpus.id_named(probe_name).or_else(|| gpus.id_named(bare));
    place.filter(|_| !mig).map(|i| &gpus[i])
}

/// The text of a GPU file in the form that the loader reads.
///
/// # Errors
/// [`WriteError`].
pub fn gpu_file(probe: &Probe, gpus: &Catalogue<Gpu>) -> Result<String, WriteError> {
    let mut text = head(probe);
    let known = known(&probe.facts.name, probe.facts.mig, gpus);
    let achieved = Achieved::from_probe(probe);
    if achieved.is_empty() {
        return Err(WriteError::Nothing);
    }
    match known {
        Some(gpu) => {
            let _ = writeln!(text, "id = {}", quoted(&gpu.id));
            for table in ["compute", "memory", "cache", "launch"] {
                achieved.write(table, &mut text);
            }
        }
        None => whole(probe, &achieved, gpus, &mut text)?,
    }
    let title = format!(
        "roofswap probe {}, {}, driver {}, CUDA {}.{}",
        env!("CARGO_PKG_VERSION"),
        probe.facts.name,
        probe.version.driver,
        probe.version.cuda.0,
        probe.version.cuda.1
    );
    let _ = write!(text, "\n[sources.own]\nkind = \"measured\"\ntitle = {}\n", quoted(&title));
    if known.is_none() {
        let title = format!("What driver {} and NVML say of {}", probe.version.driver, probe.facts.name);
        let _ = write!(text, "\n[sources.driver]\nkind = \"published\"\ntitle = {}\n", quoted(&title));
    }
    Ok(text)
}

/// One line of TOML text; a driver's name may hold anything.
fn quoted(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    toml::Value::from(clean).to_string()
}

/// What a file of this form cannot hold, as comments.
fn head(probe: &Probe) -> String {
    let f = &probe.facts;
    let l = &f.limits;
    let watts = |w: Option<f64>| w.map_or_else(|| "unknown".into(), |w| format!("{w} W"));
    let mut text = format!(
        "# Written by `roofswap probe` for {} ({}).\n# Driver {}, CUDA {}.{}; power limit {} (default {}); clocks up to {:.0} MHz (SM) and {:.0} MHz (memory).\n",
        clean(&f.name),
        clean(&f.uuid),
        clean(&probe.version.driver),
        probe.version.cuda.0,
        probe.version.cuda.1,
        watts(f.power_limit_w),
        watts(f.default_power_limit_w),
        f.sm_clock_hz / 1e6,
        f.mem_clock_hz / 1e6,
    );
    let _ = writeln!(
        text,
        "# Compute capability {}.{}, {} SMs; per SM {} threads, {} blocks, {} registers, {} bytes of shared memory; per block {} threads, {} bytes ({} opted in).",
        f.capability.0,
        f.capability.1,
        f.sms,
        l.threads_per_sm,
        l.blocks_per_sm,
        l.regs_per_sm,
        l.smem_per_sm,
        l.threads_per_block,
        l.smem_per_block,
        l.smem_opt_in
    );
    let _ = writeln!(text, "#\n# Everything that was measured (median; best; spread; method):");
    for r in &probe.readings {
        let at = if r.at.is_empty() { String::new() } else { format!(" {}", r.at) };
        let _ = writeln!(
            text,
            "#   {}{at}: {}; {}; {:.1} %; {}",
            r.id,
            r.unit.shown(r.median),
            r.unit.shown(r.best),
            100.0 * r.spread,
            r.method
        );
    }
    for missing in &probe.missing {
        let _ = writeln!(text, "#   not measured: {}", clean(missing));
    }
    text.push('\n');
    text
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The measured values of a GPU file: table, key, value in the key's unit, note.
struct Achieved(Vec<(&'static str, &'static str, f64, String)>);

impl Achieved {
    fn from_probe(probe: &Probe) -> Self {
        let mut all = Vec::new();
        let mut put = |id: &str, table, key, scale: f64| {
            if let Some(r) = probe.ceiling(id) {
                all.push((table, key, r.median * scale, r.note()));
            }
        };
        put("fp32_fma", "compute", "fp32_achieved_gflops", 1e-9);
        put("fp64_fma", "compute", "fp64_achieved_gflops", 1e-9);
        put("fp16_fma", "compute", "fp16_achieved_gflops", 1e-9);
        put("dram_copy", "memory", "achieved_gb_per_s", 1e-9);
        put("l2_read", "cache", "l2_gb_per_s", 1e-9);
        put("l1_read", "cache", "l1_gb_per_s", 1e-9);
        put("launch_floor", "launch", "floor_us", 1e6);
        if let Some(r) = probe.ceiling("shared_read") {
            let (value, note) = per_clock(probe, r);
            all.push(("cache", "shared_bytes_per_clock_per_sm", value, note));
        }
        let loops = || probe.readings.iter().filter(|r| r.id == "straight_line");
        if let Some((supply, longest)) = InstructionSupply::from_readings(loops()).zip(loops().next_back()) {
            let (flops, note) = per_clock(probe, longest);
            all.push(("compute", "straight_line_cached_insts", supply.cached, note.clone()));
            if supply.beyond.is_some() {
                // A warp instruction is 64 FLOPs.
                all.push(("compute", "straight_line_issue_per_clock_per_sm", flops / 64.0, note));
            }
        }
        Self(all)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn write(&self, table: &str, text: &mut String) {
        let mut lines = String::new();
        for (_, key, value, note) in self.0.iter().filter(|(of, ..)| *of == table) {
            let _ = writeln!(
                lines,
                "{key} = {{ value = {}, source = \"own\", note = {} }}",
                digits(*value),
                quoted(note)
            );
        }
        if !lines.is_empty() {
            let _ = write!(text, "\n[{table}]\n{lines}");
        }
    }
}

/// Bytes or FLOPs per clock and SM, at the clock that was sampled, else at the highest.
fn per_clock(probe: &Probe, r: &Reading) -> (f64, String) {
    let (clock, which) = match r.sm_clock_hz {
        Some(hz) => (hz, "sampled"),
        None => (probe.facts.sm_clock_hz, "highest, none was sampled"),
    };
    let value = r.median / (clock * f64::from(probe.facts.sms.max(1)));
    (value, format!("{} at {:.0} MHz ({which})", r.note(), clock / 1e6))
}

/// Six significant digits.
fn digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// A GPU that the catalogue does not have: what the driver says, what follows from it, and from its nearest relative.
fn whole(
    probe: &Probe,
    achieved: &Achieved,
    gpus: &Catalogue<Gpu>,
    text: &mut String,
) -> Result<(), WriteError> {
    let f = &probe.facts;
    let (major, minor) = f.capability;
    let same =
        |g: &&Gpu| (g.cuda.compute_capability.major, g.cuda.compute_capability.minor) == (major, minor);
    let relatives = gpus.entries().iter().filter(same);
    let relative = relatives.min_by_key(|g| g.launch_year).ok_or_else(|| WriteError::NoRelative {
        name: f.name.clone(),
        major,
        minor,
    })?;
    let lanes = relative.fp32_lanes_per_sm.value;
    let tflops = 2e-12 * f64::from(lanes) * f64::from(f.sms) * f.sm_clock_hz;
    let driver = |value: f64, note: &str| {
        let note = if note.is_empty() { String::new() } else { format!(", note = {}", quoted(note)) };
        format!("{{ value = {}, source = \"driver\"{note} }}", digits(value))
    };
    let derived = |value: f64, note: &str| {
        format!(
            "{{ value = {}, source = \"driver\", kind = \"derived\", note = {} }}",
            digits(value),
            quoted(note)
        )
    };
    let slice = if f.mig { "; a MIG slice: its own SMs and memory, the clocks of the whole GPU" } else { "" };
    let _ = write!(
        text,
        "# A GPU that the catalogue does not have{slice}. launch_year is that of {}, the oldest GPU of this compute capability\n# in the catalogue, and says nothing about this one; the driver does not say which memory this is.\nid = {}\nname = {}\narchitecture = {}\ncompute_capability = \"{major}.{minor}\"\nlaunch_year = {}\n",
        relative.id,
        quoted(&slug(&f.name)),
        quoted(&f.name),
        quoted(&relative.architecture),
        relative.launch_year
    );
    let _ = write!(text, "\n[compute]\nsms = {}\n", driver(f.sms.into(), ""));
    let _ = writeln!(
        text,
        "fp32_lanes_per_sm = {}",
        derived(lanes.into(), &format!("that of {}, of the same compute capability", relative.id))
    );
    let _ = writeln!(
        text,
        "boost_clock_mhz = {}",
        driver(f.sm_clock_hz / 1e6, "the highest SM clock the driver states")
    );
    let _ = writeln!(text, "fp32_tflops = {}", derived(tflops, "2 x lanes x SMs x clock"));
    append(achieved, "compute", text);
    let gbps = 2.0 * f.mem_clock_hz / 1e9;
    let _ = write!(
        text,
        "\n[memory]\ntype = \"unknown\"\nsize_gib = {}\nbus_bits = {}\ndata_rate_gbps = {}\nbandwidth_gb_per_s = {}\n",
        driver(f.memory_bytes as f64 / f64::from(1 << 30), "what the driver gives programs"),
        driver(f.bus_bits.into(), ""),
        derived(gbps, "two transfers per memory clock"),
        derived(f.bandwidth() / 1e9, "bus x data rate / 8"),
    );
    append(achieved, "memory", text);
    let _ = write!(text, "\n[cache]\nl2_mib = {}\n", driver(f.l2_bytes as f64 / f64::from(1 << 20), ""));
    append(achieved, "cache", text);
    let limit = f.default_power_limit_w.or(f.power_limit_w);
    let power = match limit {
        Some(watts) => driver(watts, "the limit it comes with, by NVML"),
        None => format!(
            "{{ value = {}, source = \"driver\", kind = \"assumed\", note = {} }}",
            relative.power_limit.value.0,
            quoted(&format!("NVML says none; that of {}", relative.id))
        ),
    };
    let _ = write!(text, "\n[power]\nlimit_w = {power}\n");
    achieved.write("launch", text);
    Ok(())
}

/// The measured values of a table that has been begun.
fn append(achieved: &Achieved, table: &str, text: &mut String) {
    let mut lines = String::new();
    achieved.write(table, &mut lines);
    text.push_str(lines.trim_start_matches(&format!("\n[{table}]\n")));
}

/// The driver's name as an id: `nvidia-rtx-9999`, at most 40 characters.
fn slug(name: &str) -> String {
    let bare = name.strip_prefix("NVIDIA ").unwrap_or(name).strip_prefix("GeForce ").unwrap_or(name);
    let mut id = String::new();
    for c in bare.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => id.push(c),
            _ if !id.is_empty() && !id.ends_with('-') => id.push('-'),
            _ => {}
        }
    }
    id.truncate(40);
    let id = id.trim_end_matches('-');
    if id.is_empty() { "gpu".into() } else { id.into() }
}
