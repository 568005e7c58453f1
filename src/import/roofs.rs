//! Achieved ceilings that files state, laid over the catalogue.

use super::{AchievedRoof, highest};
use crate::catalogue::{Catalogue, CatalogueEntry, NameError, NumberOrigin, Sourced};
use crate::gpu::{AchievedRate, Gpu};
use crate::units::{BytesPerSecond, FlopsPerSecond};

/// The catalogue with these achieved ceilings, of several for one ceiling the highest, and no others.
///
/// # Errors
/// [`NameError`] where a roof's GPU is not in the catalogue.
pub fn with_achieved(gpus: &Catalogue<Gpu>, roofs: &[AchievedRoof]) -> Result<Catalogue<Gpu>, NameError> {
    let mut changed = gpus.clone();
    let mut all: Vec<Gpu> = gpus.entries().to_vec();
    for gpu in &mut all {
        (gpu.fp32_achieved, gpu.bandwidth_achieved) = (None, None);
    }
    let (best, mut unknown) = highest(roofs, gpus);
    if let Some((_, why)) = unknown.pop() {
        return Err(why);
    }
    for ((at, _), roof) in best {
        let gpu = &mut all[at.index()];
        let stated = Sourced {
            value: roof.per_second,
            origin: NumberOrigin::Measured,
            source: roof.source.as_str().into(),
            note: None,
            date: None,
        };
        match roof.of {
            AchievedRate::Fp32 => gpu.fp32_achieved = Some(stated.map(|v| FlopsPerSecond(*v))),
            AchievedRate::Dram => gpu.bandwidth_achieved = Some(stated.map(|v| BytesPerSecond(*v))),
            _ => {}
        }
    }
    for gpu in all {
        let id = gpu.id().to_string();
        changed.insert(gpu).unwrap_or_else(|clash| unreachable!("{id} replaces itself: {clash}"));
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::gpu::{LimitsTable, load_shipped};
    use crate::import::overlays;

    #[test]
    fn of_several_roofs_the_highest_counts_wherever_it_stands_and_whoever_asks() {
        let gpus = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap()).0;
        let roof = |gpu: &str, rate: f64| AchievedRoof {
            gpu: gpu.into(),
            of: AchievedRate::Dram,
            per_second: rate,
            source: format!("{rate}"),
        };
        for rates in [[400e9, 450e9, 300e9], [450e9, 300e9, 400e9]] {
            let roofs = rates.map(|rate| roof("NVIDIA GeForce RTX 4070", rate));
            let stated = with_achieved(&gpus, &roofs).unwrap();
            let of = stated.entry_named("rtx-4070").unwrap().bandwidth_achieved.as_ref().unwrap();
            assert_eq!((of.value.0, &*of.source), (450e9, "450000000000"));
            let (files, left_out) = overlays(&roofs, &gpus, "roofs");
            assert!(left_out.is_empty() && files[0].text.contains("450"), "{}", files[0].text);
        }
        assert!(with_achieved(&gpus, &[roof("rtx-4071", 1e9)]).is_err());
    }
}
