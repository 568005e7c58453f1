//! What must hold of any power, whatever the fit.

use super::*;
use crate::catalogue::shipped_sources;
use crate::gpu::{LimitsTable, Tuning, load_shipped};
use crate::units::Hertz;

fn gpus() -> crate::catalogue::Catalogue<Gpu> {
    let sources = shipped_sources().unwrap();
    load_shipped(&sources, &LimitsTable::shipped().unwrap()).0
}

fn load(part: f64) -> Load {
    Load { flops_per_s: part * 20e12, dram_per_s: part * 400e9, l2_per_s: part * 1e12, active: 1.0 }
}

#[test]
fn power_lies_between_idle_and_the_limit_on_every_gpu() {
    let model = PowerModel::shipped().unwrap();
    for gpu in gpus().entries() {
        for part in [0.0, 0.01, 0.5, 1.0, 100.0] {
            let p = model.estimate(gpu, gpu.clocks(), &load(part));
            let inside = p.idle <= p.low && p.low <= p.watts && p.watts <= p.high && p.high <= p.limit;
            assert!(inside && p.idle.0 > 0.0, "{} {part}: {p:?}", gpu.id);
            assert_eq!(p.is_capped(), p.wanted.0 > gpu.power_limit.value.0);
        }
    }
}

#[test]
fn more_work_and_more_clock_never_need_less_power() {
    let model = PowerModel::shipped().unwrap();
    let all = gpus();
    for gpu in all.entries() {
        let mut last = 0.0;
        for step in 0..40 {
            let p = model.estimate(gpu, gpu.clocks(), &load(f64::from(step) / 10.0));
            assert!(p.watts.0 >= last, "{}: {p:?}", gpu.id);
            last = p.watts.0;
        }
        // The same share of what the clock allows: twice the clock, twice the work.
        let mut last = 0.0;
        for step in 1..40 {
            let clock = f64::from(step) / 20.0;
            let clocks = Clocks { sm: Hertz(gpu.boost_clock.value.0 * clock), ..gpu.clocks() };
            let p = model.estimate(gpu, clocks, &load(0.3 * clock));
            assert!(p.watts.0 >= last, "{} at {clock}: {p:?}", gpu.id);
            last = p.watts.0;
        }
        // The same work at a higher clock: the parts are used less, each costs more.
        let mut last = 0.0;
        for step in 10..40 {
            let clocks =
                Clocks { sm: Hertz(gpu.boost_clock.value.0 * f64::from(step) / 20.0), ..gpu.clocks() };
            let p = model.estimate(gpu, clocks, &load(0.3));
            assert!(p.watts.0 >= last, "{}: {p:?}", gpu.id);
            last = p.watts.0;
        }
    }
}

#[test]
fn the_equation_by_hand() {
    let all = gpus();
    let gpu = all.entry_named("gtx-980").unwrap();
    let model = PowerModel::shipped().unwrap();
    let s = model.shares;
    // Half the peak at the stated clock, half the DRAM, half the SMs: voltage and clock are 1.
    let peak = 2.0 * 128.0 * 16.0 * 1216e6;
    let half = Load { flops_per_s: peak / 2.0, dram_per_s: 112e9, l2_per_s: 112e9, active: 0.5 };
    let l2 = 112e9 / (64.0 * 16.0 * 1216e6);
    let expected = 165.0 * (s.idle + s.active / 2.0 + s.fp / 2.0 + s.l2 * l2 + s.dram / 2.0 + s.memory);
    let p = model.estimate(gpu, gpu.clocks(), &half);
    assert!((p.wanted.0 / expected - 1.0).abs() < 1e-12, "{p:?} {expected}");
    assert!(p.known_gpu && p.idle_origin == NumberOrigin::Assumed);
}

#[test]
fn a_lower_limit_caps() {
    let all = gpus();
    let stock = all.entry_named("rtx-4070").unwrap();
    let tuned = stock.tuned("power=120W".parse::<Tuning>().unwrap()).unwrap();
    let p = PowerModel::shipped().unwrap().estimate(stock, tuned.clocks(), &load(1.0));
    assert_eq!((p.watts, p.limit, p.is_capped()), (Watts(120.0), Watts(120.0), true));
}
