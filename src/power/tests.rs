//! What must hold of any power, whatever the fit.

use super::*;
use crate::catalogue::shipped_sources;
use crate::gpu::{LimitsTable, TENSOR_PART, TensorPower, Tuning, load_shipped};
use crate::kernel::{ArithmeticSource, Count, StatedArithmetic, Work};
use crate::roofline::{KernelArithmetic, pipe_of};
use crate::units::{Hertz, Seconds, significant};

fn gpus() -> crate::catalogue::Catalogue<Gpu> {
    let sources = shipped_sources().unwrap();
    load_shipped(&sources, &LimitsTable::shipped().unwrap()).0
}

fn load(part: f64) -> Load {
    Load { flops_per_s: part * 20e12, dram_per_s: part * 400e9, l2_per_s: part * 1e12, ..Load::of_all_sms() }
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
    let half =
        Load { flops_per_s: peak / 2.0, dram_per_s: 112e9, l2_per_s: 112e9, active: 0.5, ..Load::default() };
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

#[test]
fn a_limit_leaves_an_rtx_4090_nearly_the_published_clock() {
    // 347 W at 2,726 MHz, 268 W at 2,443 MHz, in games: a load is found that draws the first.
    let all = gpus();
    let stock = all.entry_named("rtx-4090").unwrap();
    let model = PowerModel::shipped().unwrap();
    let clocks = Clocks { sm: Hertz(2726e6), ..stock.clocks() };
    let at = |clock: f64, part: f64| Load { flops_per_s: part * 80e12 * clock, ..Load::of_all_sms() };
    let part = (1..1000).map(|p| f64::from(p) / 1000.0);
    let part =
        part.into_iter().find(|p| model.estimate(stock, clocks, &at(1.0, *p)).wanted.0 >= 347.0).unwrap();
    let tuned = stock.tuned("sm=2726MHz power=268W".parse::<Tuning>().unwrap()).unwrap();
    let share = model.capped_share(&tuned, &at(1.0, part), |share| Some(at(share, part)));
    assert!((share / (2443.0 / 2726.0) - 1.0).abs() < 0.06, "{share}");
}

#[test]
fn less_power_never_leaves_more_clock_and_none_is_taken_where_less_is_drawn() {
    let model = PowerModel::shipped().unwrap();
    for stock in gpus().entries() {
        let mut last = 0.0;
        for percent in (20..=100).step_by(5) {
            let limit = Watts(stock.power_limit.value.0 * f64::from(percent) / 100.0);
            let typed = Tuning { power_limit: Some(limit), ..Tuning::default() };
            let tuned = stock.tuned(typed).unwrap();
            let share = model.busy_share(&tuned);
            assert!(share >= last && share <= 1.0, "{} at {percent} %: {share} after {last}", stock.id);
            let idle = model.capped_share(&tuned, &Load::default(), |_| Some(Load::default()));
            let rest = model.estimate(stock, stock.clocks(), &Load::default()).wanted;
            assert!(idle == 1.0 || rest > limit, "{} at {percent} %: {rest:?}", stock.id);
            last = share;
        }
        assert_eq!(last, 1.0, "{}", stock.id);
    }
}

/// A limit leaves one clock, whichever above it was typed: a lower one is never faster, and no slower before it is below that.
#[test]
fn a_lower_sm_clock_under_a_limit_is_never_faster() {
    let load = |gpu: &Gpu| Load { flops_per_s: gpu.fp32_sustained().value.0, ..Load::of_all_sms() };
    for stock in gpus().entries() {
        for part in [0.95, 0.9, 0.8, 0.7, 0.5, 0.35] {
            let limit = Watts(part * stock.power_limit.value.0);
            let left = |percent: u32| {
                let sm_clock = Hertz(f64::from(percent) / 100.0 * stock.boost_clock.value.0);
                let typed =
                    Tuning { sm_clock: Some(sm_clock), power_limit: Some(limit), ..Tuning::default() };
                let gpu = stock.tuned(typed).unwrap();
                let left = gpu_at_limit(&gpu, |gpu| Some(load(gpu))).unwrap_or(gpu);
                (left.boost_clock.value.0, left.fp32_sustained().value.0)
            };
            let all: Vec<_> = (40..=115).step_by(5).map(left).collect();
            let is_ordered = |pair: &[(f64, f64)]| {
                pair[0].0 <= pair[1].0 * (1.0 + 1e-9) && pair[0].1 <= pair[1].1 * (1.0 + 1e-9)
            };
            assert!(all.windows(2).all(is_ordered), "{} under {limit:?}: {all:?}", stock.id);
            let at_stock = left(100).0;
            if at_stock < 0.9 * stock.boost_clock.value.0 {
                assert!((left(95).0 / at_stock - 1.0).abs() < 1e-9, "{}", stock.id);
            }
        }
    }
}

/// Idle power and memory are paid first: a load that wants more than the board's limit already has no more of the clock than one that wants it just so.
#[test]
fn who_draws_more_has_no_more_of_the_clock() {
    let (all, model) = (gpus(), PowerModel::shipped().unwrap());
    let stock = all.entry_named("l4").unwrap();
    let limited = stock.tuned("power=45W".parse::<Tuning>().unwrap()).unwrap();
    let share = |part: f64| {
        let load = |share: f64| Load {
            flops_per_s: part * share * stock.fp32_peak.value.0,
            dram_per_s: 100e9,
            ..Load::of_all_sms()
        };
        model.capped_share(&limited, &load(1.0), |share| Some(load(share)))
    };
    let shares: Vec<f64> = (0..=10).map(|tenth| share(0.1 * f64::from(tenth))).collect();
    assert!(shares.windows(2).all(|pair| pair[1] <= pair[0] + 1e-3), "{shares:?}");
    assert!(shares[10] < 0.9 && shares[10] > 0.5, "{shares:?}");
}

#[test]
fn the_clock_that_a_limit_leaves_has_no_steps() {
    let model = PowerModel::shipped().unwrap();
    let all = gpus();
    let stock = all.entry_named("rtx-4090").unwrap();
    let share = |step: u32| {
        let limit = Watts(200.0 + 0.01 * f64::from(step));
        model.busy_share(&stock.tuned(Tuning { power_limit: Some(limit), ..Tuning::default() }).unwrap())
    };
    let shares: Vec<f64> = (0..50).map(share).collect();
    assert!(shares.windows(2).all(|pair| pair[1] > pair[0]), "{shares:?}");
}

#[test]
fn a_limit_that_is_too_low_is_refused_with_both_numbers() {
    let all = gpus();
    let stock = all.entry_named("rtx-4070").unwrap();
    let model = PowerModel::shipped().unwrap();
    let low = stock.tuned("power=20W".parse::<Tuning>().unwrap()).unwrap();
    let why = model.check_limit(&low).unwrap_err().to_string();
    let least = significant(model.lowest_limit_of(stock).0);
    assert!(why.starts_with("rtx-4070: power limit 20.0 W is too low: it draws "), "{why}");
    assert!(why.contains(&format!("{least} W with its SMs at a tenth of their clock (modelled)")), "{why}");
    assert_eq!(model.check_limit(stock), Ok(()));
}

fn kernel(id: &str) -> crate::kernel::Kernel {
    let kernels = crate::kernel::load_shipped(&shipped_sources().unwrap()).0;
    kernels.entry_named(id).unwrap().clone()
}

#[test]
fn flops_that_the_limit_holds_below_the_peak_draw_the_limit_at_what_is_left() {
    let (all, model) = (gpus(), PowerModel::shipped().unwrap());
    for id in ["l4", "t4", "rtx-4090"] {
        let gpu = all.entry_named(id).unwrap();
        let law = gpu.fp32_part_by_power();
        let lanes = |part: f64| Load { flops_per_s: part * gpu.fp32_peak.value.0, ..Load::of_all_sms() };
        let wanted = |part: f64| model.estimate(gpu, gpu.clocks(), &lanes(part)).wanted.0;
        let limit = gpu.power_limit.value.0;
        assert!(law < 1.0 && wanted(law) >= 0.99 * limit, "{id}: {} of {limit} W", wanted(law));
        assert!(wanted(0.5 * law) < 0.99 * limit, "{id}: {} of {limit} W", wanted(0.5 * law));
    }
}

#[test]
fn tensor_cores_draw_by_flops_and_nearly_the_limit_where_it_slows_them() {
    let (all, model) = (gpus(), PowerModel::shipped().unwrap());
    let linear = kernel("linear_bf16");
    for id in ["a100-sxm4-80gb", "h100-sxm5", "b200", "l40s"] {
        let gpu = all.entry_named(id).unwrap();
        let (input, peak) = KernelArithmetic::from_kernel(&linear).tensor_rate_on(gpu).unwrap();
        let left = TENSOR_PART * TensorPower::new(gpu, input).clock_share(gpu.boost_clock.value.0, peak);
        let at = |part: f64| {
            let work = Work::default().with(Count::Flops, Some(part * left * peak.0));
            let load = Load::from_work(&linear, &work, None, gpu, Seconds(1.0));
            model.estimate(gpu, gpu.clocks(), &load).wanted.0 / gpu.power_limit.value.0
        };
        assert!((1.0..2.0).contains(&at(1.0)), "{id}: {}", at(1.0));
        assert!(at(0.1) < 0.75 && at(0.05) < at(0.1), "{id}: {}", at(0.1));
    }
}

#[test]
fn sms_that_wait_for_atomics_draw_next_to_nothing() {
    let (all, model) = (gpus(), PowerModel::shipped().unwrap());
    let gpu = all.entry_named("h200").unwrap();
    let watts = |id: &str, problem: &str, ms: f64| {
        let kernel = kernel(id);
        let problem = kernel.completed_problem(&problem.parse().unwrap()).unwrap();
        let work = kernel.instance(&problem, "").unwrap().work;
        let load = Load::from_work(&kernel, &work, None, gpu, Seconds(1e-3 * ms));
        model.drawn_power(gpu, gpu.clocks(), &load).0
    };
    // Measured (datasets/h200): 131 W in 9.6 ms, 540 W in 4.1 ms.
    let waiting = watts("atomic_hotspot", "n=4194304;iters=100", 9.6);
    assert!(waiting < 150.0, "{waiting}");
    assert!(watts("gemm_tiled", "n=2048;tile=8", 4.1) > 2.0 * waiting);
}

#[test]
fn more_flops_of_any_pipe_never_draw_less_and_full_pipes_draw_most_of_the_limit() {
    let (all, model) = (gpus(), PowerModel::shipped().unwrap());
    for (pipe, least) in [("fp64", 0.85), ("tensor-fp64", 0.65), ("fp16", 0.85), ("tensor-bf16", 0.9)] {
        let mut kernel = kernel("clblast_xgemm");
        let stated = StatedArithmetic::from_text(pipe, ArithmeticSource::Typed).unwrap();
        kernel.state_arithmetic(stated).unwrap();
        for id in ["a100-sxm4-80gb", "h100-sxm5", "b200"] {
            let gpu = all.entry_named(id).unwrap();
            let peak = pipe_of(&kernel).pipe.peak(gpu).unwrap().value.0;
            let share = |part: f64| {
                let work = Work::default().with(Count::Flops, Some(part * peak));
                let load = Load::from_work(&kernel, &work, None, gpu, Seconds(1.0));
                model.drawn_power(gpu, gpu.clocks(), &load) / gpu.power_limit.value
            };
            let shares = [0.0, 0.1, 0.3, 0.6, 1.0].map(share);
            assert!(shares.windows(2).all(|pair| pair[1] >= pair[0]), "{pipe} on {id}: {shares:?}");
            assert!(pipe == "tensor-fp64" && id == "b200" || shares[4] > least, "{pipe} on {id}: {shares:?}");
        }
    }
}

#[test]
fn more_sms_and_lanes_of_a_board_draw_more() {
    let (all, model) = (gpus(), PowerModel::shipped().unwrap());
    let board = all.entry_named("rtx-4070").unwrap();
    let kernel = kernel("saxpy");
    let drawn = |changes: &str| {
        let gpu = board.changed(&changes.parse().unwrap(), "made").unwrap();
        // A fifth of the FP32 peak, whatever that is.
        let work = Work::default().with(Count::Flops, Some(0.2 * gpu.fp32_peak.value.0));
        model.drawn_power(&gpu, gpu.clocks(), &Load::from_work(&kernel, &work, None, &gpu, Seconds(1.0))).0
    };
    let watts = ["sms=23", "sms=46", "sms=55", "sms=92"].map(drawn);
    assert!(watts.windows(2).all(|pair| pair[1] > 1.05 * pair[0]), "{watts:?}");
    assert!(drawn("fp32-lanes=256") > 1.05 * watts[1], "{watts:?}");
}

/// The first percent of another bandwidth costs about what it changes, whatever clock the memory has.
#[test]
fn another_memory_draws_at_its_clock_what_that_of_the_board_does() {
    let (all, model) = (gpus(), PowerModel::shipped().unwrap());
    let board = all.entry_named("rtx-4070").unwrap();
    let slow = board.tuned("mem=3000MHz".parse::<Tuning>().unwrap()).unwrap();
    let busy = Load { dram_per_s: 50e9, ..load(0.5) };
    let drawn = |gpu: &Gpu| model.estimate(gpu, gpu.clocks(), &busy).wanted.0;
    for changes in ["mem=+0.1%", "mem=-0.1%", "mem=-0.1%,bus=384"] {
        let made = slow.changed(&changes.parse().unwrap(), "made").unwrap();
        assert!(
            (drawn(&made) / drawn(&slow) - 1.0).abs() < 2e-3,
            "{changes}: {} {}",
            drawn(&made),
            drawn(&slow)
        );
    }
    let faster = board.changed(&"mem=+20%".parse().unwrap(), "made").unwrap();
    let faster_slowed = faster.tuned("mem=3600MHz".parse::<Tuning>().unwrap()).unwrap();
    assert!(drawn(&faster_slowed) < 0.95 * drawn(&faster), "{} {}", drawn(&faster_slowed), drawn(&faster));
    // What is moved is less of what it could move.
    assert!(drawn(&faster_slowed) < drawn(&slow));
}
