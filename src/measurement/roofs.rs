//! Achieved ceilings that files state, laid over the catalogue.

use super::import::{Roof, RoofOf};
use crate::catalogue::{Catalogue, Entry, NameError, Origin, Sourced};
use crate::gpu::Gpu;
use crate::units::{BytesPerSecond, FlopsPerSecond};

/// The catalogue with these achieved ceilings and no others.
///
/// # Errors
/// [`NameError`] where a roof's GPU is not in the catalogue.
pub fn with_achieved(gpus: &Catalogue<Gpu>, roofs: &[Roof]) -> Result<Catalogue<Gpu>, NameError> {
    let mut changed = gpus.clone();
    let mut all: Vec<Gpu> = gpus.entries().to_vec();
    for gpu in &mut all {
        (gpu.fp32_achieved, gpu.bandwidth_achieved) = (None, None);
    }
    for roof in roofs {
        let gpu = &mut all[gpus.position(&roof.gpu)?];
        let stated = Sourced {
            value: roof.per_second,
            origin: Origin::Measured,
            source: roof.source.as_str().into(),
            note: None,
            date: None,
        };
        match roof.of {
            RoofOf::Fp32 => gpu.fp32_achieved = Some(stated.map(|v| FlopsPerSecond(*v))),
            RoofOf::Dram => gpu.bandwidth_achieved = Some(stated.map(|v| BytesPerSecond(*v))),
            _ => {}
        }
    }
    for gpu in all {
        let id = gpu.id().to_string();
        changed.insert(gpu).unwrap_or_else(|clash| unreachable!("{id} replaces itself: {clash}"));
    }
    Ok(changed)
}
