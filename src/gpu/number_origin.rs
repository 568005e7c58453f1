//! Where the numbers of a GPU that can be changed come from.

use super::{Gpu, GpuNumber};
use crate::catalogue::NumberOrigin;

impl Gpu {
    /// Where this number comes from; `None` where nobody states it.
    #[must_use]
    pub fn number_origin(&self, number: GpuNumber) -> Option<NumberOrigin> {
        Some(match number {
            GpuNumber::Sms => self.sms.origin,
            GpuNumber::SmClock => self.boost_clock.origin,
            GpuNumber::Bandwidth => self.bandwidth_peak.origin,
            GpuNumber::BusBits => self.bus_bits.origin,
            GpuNumber::DataRate => self.data_rate.origin,
            GpuNumber::L2Size => self.l2_size.origin,
            GpuNumber::L2Bandwidth => self.l2_bandwidth_or_derived().origin,
            // The programming guide's limits per compute capability, where nobody changed them.
            GpuNumber::SharedPerSm | GpuNumber::RegistersPerSm | GpuNumber::MaxWarps => {
                let is_changed = self.number(number) != self.existing().number(number);
                if is_changed { NumberOrigin::Assumed } else { NumberOrigin::Published }
            }
            GpuNumber::Fp32Lanes => self.fp32_lanes_per_sm.origin,
            GpuNumber::Fp64Lanes => self.fp64_lanes_per_sm.as_ref()?.origin,
            GpuNumber::Fp32Peak => self.fp32_peak.origin,
            GpuNumber::TensorRate => self.tensor.iter().find_map(|rate| rate.dense.as_ref())?.origin,
            GpuNumber::LsuLanes => self.sm.lsu_lanes.origin,
            GpuNumber::LaunchOverhead => self.launch_floor_or_assumed().origin,
            GpuNumber::PowerLimit => self.power_limit.origin,
            GpuNumber::MemorySize => self.memory_size.origin,
        })
    }
}
