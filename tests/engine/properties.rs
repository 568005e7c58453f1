//! What must hold for every GPU, every block and every text, tried on a few hundred random ones; the same ones each time.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use roofswap::answer::Settings;
use roofswap::catalogue::{Catalogue, CatalogueEntry, Id};
use roofswap::gpu::{Ceilings, GpuId, LimitsTable, SmLimits};
use roofswap::kernel::{Formula, FormulaError, Problem, VectorPrecision};
use roofswap::measurement::{TimingKind, read_csv};
use roofswap::occupancy::{
    BlockNeeds, Carveout, Change, GlobalCaching, Lever, Over, Resource, Rules, best_block, launch_refusal,
    needed_for_one_more, next_step, occupancy, sweep,
};
use roofswap::predict::{MODELS, model_position};
use roofswap::roofline::compute_roof;
use roofswap::session::Session;
use roofswap::units::{
    Bytes, BytesPerSecond, Flops, Hertz, Intensity, Seconds, Watts, prefixed, significant,
};
use std::collections::BTreeSet;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

/// Tries `cases` values of a fixed sequence.
fn always<S: Strategy>(cases: u32, strategy: S, holds: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(e) = runner.run(&strategy, holds) {
        panic!("{e}");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Occupancy

fn every_limit() -> Vec<SmLimits> {
    LimitsTable::shipped().unwrap().iter().map(|(_, l)| l).collect()
}

fn blocks() -> impl Strategy<Value = BlockNeeds> {
    (0u32..1100, 0u32..260, 0u32..60_000, 0u32..250_000).prop_map(|(threads, regs, fixed, dynamic)| {
        BlockNeeds {
            threads,
            regs_per_thread: regs,
            smem_static: fixed,
            smem_dynamic: dynamic,
            ..BlockNeeds::default()
        }
    })
}

const RULES: [Rules; 2] = [Rules::Exact, Rules::Study];

#[test]
fn more_registers_never_let_more_blocks_in() {
    let limits = every_limit();
    always(256, (blocks(), 1u32..64), |(needs, more)| {
        // 0 registers means unknown, not few.
        let few = BlockNeeds { regs_per_thread: needs.regs_per_thread.max(1), ..needs };
        let many = BlockNeeds { regs_per_thread: few.regs_per_thread + more, ..few };
        for (l, rules) in limits.iter().flat_map(|l| RULES.map(|r| (l, r))) {
            let active = |n| occupancy(l, n, rules).active_blocks;
            prop_assert!(active(many) <= active(few), "{few:?} + {more} on {l:?} ({rules:?})");
        }
        Ok(())
    });
}

#[test]
fn more_shared_memory_never_lets_more_blocks_in() {
    let limits = every_limit();
    always(256, (blocks(), 0u32..20_000, 0u32..20_000), |(few, fixed, dynamic)| {
        let many = BlockNeeds {
            smem_static: few.smem_static + fixed,
            smem_dynamic: few.smem_dynamic + dynamic,
            ..few
        };
        for (l, rules) in limits.iter().flat_map(|l| RULES.map(|r| (l, r))) {
            let active = |n| occupancy(l, n, rules).active_blocks;
            prop_assert!(active(many) <= active(few), "{few:?} -> {many:?} on {l:?} ({rules:?})");
        }
        Ok(())
    });
}

#[test]
fn occupancy_is_a_share_and_its_limiter_is_the_smallest_limit() {
    let limits = every_limit();
    always(256, blocks(), |needs| {
        for (l, rules) in limits.iter().flat_map(|l| RULES.map(|r| (l, r))) {
            let o = occupancy(l, needs, rules);
            prop_assert!((0.0..=1.0).contains(&o.fraction()), "{o:?}");
            prop_assert!(o.limiters().count() >= 1, "{o:?}");
            if o.active_blocks > 0 && rules == Rules::Exact {
                prop_assert!(o.active_blocks * needs.threads <= l.threads_per_sm, "{o:?}");
                let shared = o.active_blocks * (needs.smem_static + needs.smem_dynamic);
                prop_assert!(shared <= l.smem_per_sm, "{o:?}");
                prop_assert!(
                    o.active_blocks * needs.threads * needs.regs_per_thread <= l.regs_per_sm,
                    "{o:?}"
                );
            }
        }
        Ok(())
    });
}

#[test]
fn a_launch_is_refused_exactly_where_no_block_fits() {
    let limits = every_limit();
    always(256, blocks(), |needs| {
        for l in limits.iter().filter(|_| needs.threads > 0) {
            // 256 registers would fit by the driver's header, but no compiler gives a thread more than 255.
            let compiles = needs.regs_per_thread <= 255;
            let fits = compiles && occupancy(l, needs, Rules::Exact).active_blocks > 0;
            let refusal = launch_refusal(l, needs, None);
            prop_assert_eq!(fits, refusal.is_none(), "{:?} {:?}", needs, refusal);
        }
        Ok(())
    });
}

#[test]
fn a_gpu_that_holds_fewer_warps_than_a_block_has_refuses_it() {
    let mut limits = every_limit();
    limits.iter_mut().for_each(|l| l.threads_per_sm = 28 * 32);
    always(256, blocks(), |needs| {
        for l in limits.iter().filter(|_| needs.threads > 0) {
            let fits = needs.regs_per_thread <= 255 && occupancy(l, needs, Rules::Exact).active_blocks > 0;
            let refusal = launch_refusal(l, needs, None);
            prop_assert_eq!(fits, refusal.is_none(), "{:?} {:?}", needs, refusal);
        }
        Ok(())
    });
}

/// As [`blocks`], with everything else a kernel can ask for.
fn any_needs() -> impl Strategy<Value = BlockNeeds> {
    let caching = prop::sample::select(vec![GlobalCaching::Off, GlobalCaching::On, GlobalCaching::Strict]);
    (blocks(), -1i64..=100, 0u32..40, caching, any::<bool>()).prop_map(
        |(needs, carveout, barriers, global_caching, opt_in)| BlockNeeds {
            carveout: Carveout::from_number(carveout).unwrap(),
            barriers,
            global_caching,
            opt_in,
            ..needs
        },
    )
}

/// The same change, one unit nearer to what there is now: one register, one byte, one barrier, one warp.
fn one_less(change: Change) -> Option<Change> {
    let by = match change.lever {
        Lever::SmallerBlock | Lever::LargerBlock => 32,
        _ => 1,
    };
    let to = if change.to < change.from { change.to + by } else { change.to - by };
    let still_a_change = if change.to < change.from { to < change.from } else { to > change.from };
    still_a_change.then_some(Change { to, ..change })
}

#[test]
fn the_next_step_gains_and_one_unit_less_of_any_of_its_changes_does_not() {
    let limits = every_limit();
    always(2048, (any_needs(), any::<prop::sample::Index>()), |(needs, which)| {
        let l = which.get(&limits);
        for rules in RULES {
            let now = occupancy(l, needs, rules);
            let Some(step) = next_step(l, needs, rules) else {
                let full = now.active_warps == now.max_warps || needs.threads == 0;
                // With registers or barriers beyond counting and blocks of one warp something always helps, but for
                // shared memory that even the reserve of one block more would not fit, and for slots.
                let one_warp = BlockNeeds {
                    threads: 32,
                    regs_per_thread: 1,
                    smem_static: 0,
                    smem_dynamic: 0,
                    barriers: 0,
                    ..needs
                };
                let best = occupancy(l, one_warp, rules);
                prop_assert!(full || best.active_warps <= now.active_warps, "{needs:?} {rules:?} on {l:?}");
                continue;
            };
            let then = occupancy(l, step.applied(needs), rules);
            prop_assert_eq!((then.active_blocks, then.active_warps), (step.blocks, step.warps), "{:?}", step);
            prop_assert!(then.active_warps > now.active_warps, "{needs:?} {step:?} {rules:?}");
            for at in 0..step.changes.len() {
                let Some(less) = one_less(step.changes[at]) else { continue };
                let mut weaker = step.clone();
                weaker.changes[at] = less;
                let then = occupancy(l, weaker.applied(needs), rules);
                prop_assert!(then.active_warps <= now.active_warps, "{needs:?} {step:?} {less:?} {rules:?}");
            }
        }
        Ok(())
    });
}

#[test]
fn no_single_change_helps_where_the_next_step_has_several() {
    let limits = every_limit();
    always(512, (any_needs(), any::<prop::sample::Index>()), |(needs, which)| {
        let l = which.get(&limits);
        for rules in RULES {
            let Some(step) = next_step(l, needs, rules).filter(|s| s.changes.len() > 1) else { continue };
            let now = occupancy(l, needs, rules);
            let helps = |n| occupancy(l, n, rules).active_warps > now.active_warps;
            let regs = (1..needs.regs_per_thread).any(|r| helps(BlockNeeds { regs_per_thread: r, ..needs }));
            let smaller =
                (1..needs.threads.div_ceil(32)).any(|w| helps(BlockNeeds { threads: 32 * w, ..needs }));
            let smem = helps(BlockNeeds { smem_static: 0, smem_dynamic: 0, ..needs });
            prop_assert!(!regs && !smaller && !smem, "{needs:?} {step} {rules:?}");
        }
        Ok(())
    });
}

#[test]
fn what_a_resource_needs_for_one_more_block_is_exact() {
    let limits = every_limit();
    always(1024, (any_needs(), any::<prop::sample::Index>()), |(needs, which)| {
        let l = which.get(&limits);
        for (rules, resource) in RULES.iter().flat_map(|r| Resource::ALL.map(|q| (*r, q))) {
            let Some(change) = needed_for_one_more(l, needs, rules, resource) else { continue };
            let now = occupancy(l, needs, rules).active_blocks;
            let limit = |c: Change| occupancy(l, c.applied(needs), rules).limit(resource).unwrap_or(u32::MAX);
            if resource != Resource::Blocks {
                prop_assert!(limit(change) > now, "{needs:?} {change} {rules:?}");
                let block = |c: &Change| c.lever != Lever::SmallerBlock || c.to <= l.threads_per_block;
                if let Some(less) = one_less(change).filter(block) {
                    prop_assert!(limit(less) <= now, "{needs:?} {change} {rules:?}");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn a_sweep_says_what_each_single_value_says() {
    let limits = every_limit();
    let over = prop::sample::select(vec![Over::Block, Over::Registers, Over::SharedMemory]);
    always(
        512,
        (any_needs(), any::<prop::sample::Index>(), over, 0.0..1.0f64),
        |(needs, which, over, at)| {
            let l = which.get(&limits);
            let most = over.most(l);
            let value = over.least() + (at * f64::from(most - over.least())) as u32;
            for rules in RULES {
                let all = sweep(l, needs, rules, over, most);
                prop_assert_eq!((all[0].from, all[all.len() - 1].to), (over.least(), most));
                prop_assert!(all.windows(2).all(|w| w[0].to + 1 == w[1].from));
                let stretch = all.iter().find(|s| (s.from..=s.to).contains(&value)).unwrap();
                let o = occupancy(l, over.set(needs, value), rules);
                prop_assert_eq!(
                    (stretch.active_blocks, stretch.active_warps),
                    (o.active_blocks, o.active_warps)
                );
            }
            Ok(())
        },
    );
}

#[test]
fn no_block_size_has_more_threads_per_sm_than_the_best() {
    let limits = every_limit();
    always(512, (any_needs(), any::<prop::sample::Index>()), |(needs, which)| {
        let l = which.get(&limits);
        for rules in RULES {
            let threads = |t: u32| t * occupancy(l, BlockNeeds { threads: t, ..needs }, rules).active_blocks;
            let most = (1..=32).map(|w| threads(32 * w)).max().unwrap();
            let best = best_block(l, needs, rules);
            prop_assert_eq!(best.map_or(0, |b| threads(b.threads)), most);
            let larger =
                best.map_or(0, |b| (b.threads / 32 + 1..=32).map(|w| threads(32 * w)).max().unwrap_or(0));
            prop_assert!(larger < most || most == 0, "the largest of the best comes first");
        }
        Ok(())
    });
}

// ---------------------------------------------------------------------------------------------------------------------
// Models

/// An entry of this catalogue.
fn place<T: CatalogueEntry + 'static>(catalogue: &Catalogue<T>) -> impl Strategy<Value = Id<T>> + use<T> {
    (0..catalogue.ids().len()).prop_map(Id::from_index)
}

#[test]
fn models_without_a_measurement_never_beat_the_roof() {
    let s = &*SHIPPED;
    let (gpus, kernels) = (&s.gpus, &s.kernels);
    let questions = (place(kernels), place(gpus), place(gpus), 1u32..1 << 26, any::<bool>());
    always(256, questions, |(kernel, from, to, size, achieved)| {
        let entry = &s.kernels[kernel];
        let typed: Vec<String> = entry.keys.iter().map(|k| format!("{k}={}", 1 + size % 9000)).collect();
        let Ok(subject) = s.subject(kernel, &typed.join(";").parse().unwrap(), "") else { return Ok(()) };
        let ceilings = if achieved { Ceilings::Achieved } else { Ceilings::Peak };
        for model in ["plain-roofline", "first-principles"] {
            let settings =
                Settings { model: model_position(model).unwrap(), ceilings, ..Settings::default() };
            let a = s.answer(&subject, from, to, settings);
            let Ok(p) = a.prediction else { continue };
            let gpu = &s.gpus[to];
            if let Some(flops) = a.work.flops() {
                let rate = flops / p.time;
                prop_assert!(
                    rate.0
                        <= compute_roof(gpu, entry, VectorPrecision::Single, a.ceilings_used).value.0
                            * (1.0 + 1e-12),
                    "{model} {rate}"
                );
            }
            if let Some(bytes) = a.work.dram() {
                let rate = bytes / p.time;
                prop_assert!(
                    rate.0 <= gpu.bandwidth(a.ceilings_used).value.0 * (1.0 + 1e-12),
                    "{model} {rate}"
                );
            }
        }
        Ok(())
    });
}

/// The shipped world with one row of a kernel nobody else has.
fn with_time(gpu: GpuId, millis: f64, launch: &str, work: (f64, f64)) -> Session {
    let mut s = SHIPPED.clone();
    let id = &s.gpus[gpu].id;
    let csv = format!(
        "gpu,kernel,problem,block,grid,regs_per_thread,smem_static_bytes,smem_dynamic_bytes,flops,dram_bytes,time_ms\n\
         {id},there_and_back,n=1,{launch},{},{},{millis:e}\n",
        work.0, work.1
    );
    let read =
        s.edit(|w| read_csv(csv.as_bytes(), "p.csv", TimingKind::Measured, &w.gpus, &mut w.kernels)).unwrap();
    assert!(read.refused.is_empty(), "{:?}", read.refused);
    s.edit(|w| w.store.add_rows(read.rows));
    s
}

#[test]
fn efficiency_transfer_there_and_back_returns_the_time() {
    let gpus = &SHIPPED.gpus;
    let work = (prop_oneof![Just(0.0), 1e3..1e13f64], 1.0..1e10f64);
    let launch = (1u32..=32, 1u32..=64, 0u32..=12_000);
    always(64, (place(gpus), place(gpus), 1e-3..1e3f64, launch, work), |(a, b, millis, launch, work)| {
        let (warps, regs, shared) = launch;
        let launch = format!("{},1000,{regs},{shared},0", warps * 32);
        let there = |s: &Session, from, to| {
            let kernel = s.kernels.position("there_and_back").unwrap();
            let subject = s.subject(kernel, &"n=1".parse().unwrap(), "").unwrap();
            let settings =
                Settings { model: model_position("efficiency-transfer").unwrap(), ..Settings::default() };
            let p = s.answer(&subject, from, to, settings).prediction;
            p.map(|p| p.time.millis()).map_err(|e| TestCaseError::fail(e.to_string()))
        };
        let on_b = there(&with_time(a, millis, &launch, work), a, b)?;
        let back = there(&with_time(b, on_b, &launch, work), b, a)?;
        prop_assert!((back / millis - 1.0).abs() < 1e-9, "{millis} -> {on_b} -> {back}");
        Ok(())
    });
}

#[test]
fn same_time_is_the_same_both_ways_and_never_depends_on_the_target() {
    let gpus = &SHIPPED.gpus;
    let model = model_position("same-time").unwrap();
    let settings = Settings { model, ..Settings::default() };
    always(32, (place(gpus), place(gpus), 1e-3..1e3f64), |(a, b, millis)| {
        let time = |timed, from, to| {
            let s = with_time(timed, millis, "256,1000,32,0,0", (1e6, 1e6));
            let kernel = s.kernels.position("there_and_back").unwrap();
            let subject = s.subject(kernel, &"n=1".parse().unwrap(), "").unwrap();
            s.answer(&subject, from, to, settings).prediction.unwrap().time.millis()
        };
        prop_assert!((time(a, a, b) / millis - 1.0).abs() < 1e-12);
        prop_assert_eq!(time(a, a, b), time(b, b, a));
        Ok(())
    });
}

#[test]
fn the_next_size_is_the_next_of_all_sizes() {
    let s = &*SHIPPED;
    let mut stepped = 0;
    for kernel in s.kernels.ids() {
        let sizes = s.sizes(kernel, "");
        for now in sizes.iter().map(|p| p.volume()).flat_map(|v| [v / 2.0, v, v * 1.5]) {
            let larger = sizes.iter().find(|p| p.volume() > now);
            let smaller = sizes.iter().rev().find(|p| p.volume() < now);
            assert_eq!(s.next_size(kernel, "", now, true).as_ref(), larger);
            assert_eq!(s.next_size(kernel, "", now, false).as_ref(), smaller);
            stepped += usize::from(larger.is_some()) + usize::from(smaller.is_some());
        }
    }
    assert!(stepped > 100, "{stepped}");
}

#[test]
fn every_shipped_question_has_an_answer_or_a_reason() {
    // Every model x kernel, at each of its sizes, between GPUs far apart: no panic, no time that is not one.
    let s = &*SHIPPED;
    let ends = ["gtx-titan-x", "t4", "b200"].map(|g| s.gpus.position(g).unwrap());
    let mut answered = 0;
    for kernel in s.kernels.ids() {
        let variant = s.kernels[kernel].example_variant();
        for problem in s.sizes(kernel, "") {
            let subject = s.subject(kernel, &problem, variant).unwrap();
            for (from, to) in ends.iter().flat_map(|a| ends.map(|b| (*a, b))) {
                for model in MODELS.ids() {
                    let a = s.answer(&subject, from, to, Settings { model, ..Settings::default() });
                    match a.prediction {
                        Ok(p) => {
                            assert!(p.time.0 > 0.0 && p.time.0.is_finite());
                            answered += 1;
                        }
                        Err(e) => assert!(e.to_string().len() > 10, "{e}"),
                    }
                }
            }
        }
    }
    assert!(answered > 2000, "only {answered}");
}

// ---------------------------------------------------------------------------------------------------------------------
// Texts

/// Anything, and things that look nearly right.
fn texts(nearly: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), nearly, "\\PC{0,60}"]
}

#[test]
fn a_problem_that_is_read_prints_as_what_it_is() {
    let nearly = "([a-z ]{0,3}=[0-9eE^.kKMGi+ -]{0,7}[;,]?){0,4}";
    always(2000, texts(nearly), |text| {
        if let Ok(p) = text.parse::<Problem>() {
            prop_assert_eq!(&p.to_string().parse::<Problem>().unwrap(), &p, "{:?}", text);
            prop_assert!(p.volume() >= 1.0);
        }
        for kernel in SHIPPED.kernels.entries() {
            // What a kernel completes, it completes again to the same.
            if let Ok(p) = kernel.typed(&text) {
                prop_assert_eq!(&kernel.typed(&p.to_string()).unwrap(), &p, "{:?}", text);
            }
        }
        if let Ok(p) = Problem::parse_recorded(&text) {
            let again = Problem::parse_recorded(&p.to_string()).unwrap();
            prop_assert_eq!(again.to_string(), p.to_string(), "{:?}", text);
        }
        Ok(())
    });
    for no_key in ["=5", " =5", "n=1;=2"] {
        assert!(
            no_key.parse::<Problem>().unwrap_err().to_string().contains("expected key=value"),
            "{no_key}"
        );
    }
}

#[test]
fn no_text_makes_the_formula_parser_panic() {
    let names = ["n".to_string(), "m".into()];
    let nearly = "([nm(){}+*/^,. -]|[0-9]{1,3}|max|min|ceil|sqrt|log2|abs|PI|π|é|atan2|\\(|\\)){0,14}";
    always(4000, texts(nearly), |text| {
        if let Ok(f) = Formula::parse(&text, &names) {
            // Whatever parses gives a sound number or says why not.
            for scope in [[0.0, 0.0], [1.0, 2.0], [1e300, 1e300]] {
                if let Ok(v) = f.eval(&scope) {
                    prop_assert!(v.is_finite() && v >= 0.0);
                }
            }
        }
        Ok(())
    });
}

#[test]
fn absurd_formulas_are_refused_before_they_are_parsed() {
    let refused = |text: &str| Formula::parse(text, &["n".into()]).unwrap_err();
    let deep = format!("{}n{}", "(".repeat(100_000), ")".repeat(100_000));
    let FormulaError::Syntax { text, why } = refused(&deep) else { panic!() };
    assert!(text.len() <= 80 && why.contains("at most 400"), "{why}");
    for odd in ["{n}", "n!", "π*n", "n\u{0}", "n\nn", "\"n\"", "n\u{202e}"] {
        let FormulaError::Syntax { why, .. } = refused(odd) else { panic!("{odd}") };
        assert!(why.contains("expected letters, digits"), "{odd}: {why}");
    }
    let many = (0..30).map(|i| format!("a{i}")).collect::<Vec<_>>();
    let sum = Formula::parse(&many.join("+"), &many).unwrap_err();
    assert!(sum.to_string().contains("at most 16"), "{sum}");
}

/// A formula and its value at n, m, both by construction.
#[derive(Debug, Clone)]
enum Tree {
    N,
    M,
    Number(u32),
    Binary(char, Box<Tree>, Box<Tree>),
    Ceil(Box<Tree>),
    Max(Box<Tree>, Box<Tree>),
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Self::N => "n".into(),
            Self::M => "m".into(),
            Self::Number(v) => v.to_string(),
            Self::Binary(op, a, b) => format!("({}{op}{})", a.text(), b.text()),
            Self::Ceil(a) => format!("ceil({})", a.text()),
            Self::Max(a, b) => format!("max({}, {})", a.text(), b.text()),
        }
    }

    fn value(&self, n: f64, m: f64) -> f64 {
        match self {
            Self::N => n,
            Self::M => m,
            Self::Number(v) => f64::from(*v),
            Self::Binary('+', a, b) => a.value(n, m) + b.value(n, m),
            Self::Binary('-', a, b) => a.value(n, m) - b.value(n, m),
            Self::Binary('*', a, b) => a.value(n, m) * b.value(n, m),
            Self::Binary(_, a, b) => a.value(n, m) / b.value(n, m),
            Self::Ceil(a) => a.value(n, m).ceil(),
            Self::Max(a, b) => a.value(n, m).max(b.value(n, m)),
        }
    }
}

#[test]
fn a_formula_means_what_arithmetic_says() {
    let leaf = prop_oneof![Just(Tree::N), Just(Tree::M), (1u32..2000).prop_map(Tree::Number)];
    let trees = leaf.prop_recursive(4, 16, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            4 => (prop::sample::select(vec!['+', '-', '*', '/']), pair.clone())
                .prop_map(|(op, (a, b))| Tree::Binary(op, Box::new(a), Box::new(b))),
            1 => inner.prop_map(|a| Tree::Ceil(Box::new(a))),
            1 => pair.prop_map(|(a, b)| Tree::Max(Box::new(a), Box::new(b))),
        ]
    });
    let names = ["n".to_string(), "m".into()];
    always(1000, (trees, 1.0..1e6f64, 1.0..1e6f64), |(tree, n, m)| {
        let expected = tree.value(n, m);
        let text = tree.text();
        match Formula::parse(&text, &names) {
            Ok(f) => match f.eval(&[n, m]) {
                Ok(v) => prop_assert!(
                    v == expected || (v / expected - 1.0).abs() < 1e-9,
                    "{text}: {v}, {expected}"
                ),
                Err(e) => prop_assert!(!expected.is_finite() || expected < 0.0, "{text} is {expected}: {e}"),
            },
            // The parser knows no function of two arguments inside the arguments of another, or beyond 400 characters.
            Err(e) => prop_assert!(text.matches("max").count() > 1 || text.len() > 400, "{text}: {e}"),
        }
        Ok(())
    });
}

#[test]
fn the_usual_precedence_holds_without_parentheses() {
    let eval = |text: &str| Formula::parse(text, &["n".into()]).unwrap().eval(&[12.0]).unwrap();
    for (text, value) in [
        ("160*n*n*n/32/128", 160.0 * 1728.0 / 32.0 / 128.0),
        ("4*n+1024", 1072.0),
        ("2*n^3", 3456.0),
        ("100-n-8", 80.0),
        ("100-n/4*2", 94.0),
        ("(10*32+276*16)/286", 4736.0 / 286.0),
        ("32-4*129/(8*110)", 32.0 - 516.0 / 880.0),
    ] {
        assert!((eval(text) / value - 1.0).abs() < 1e-12, "{text}");
    }
}

#[test]
fn every_number_prints() {
    let numbers = prop_oneof![any::<f64>(), prop::num::f64::ANY, Just(f64::NAN), Just(-0.0), -1e6..1e6f64];
    always(4000, numbers, |v| {
        let texts = [
            significant(v),
            prefixed(v, "s"),
            Seconds(v).to_string(),
            Flops(v).to_string(),
            Bytes(v).to_string(),
            BytesPerSecond(v).to_string(),
            Hertz(v).to_string(),
            Watts(v).to_string(),
            Intensity(v).to_string(),
        ];
        prop_assert!(texts.iter().all(|t| !t.is_empty() && t.len() < 40), "{v}: {texts:?}");
        // Three digits are kept.
        if v.is_normal() && v.abs() > 1e-300 {
            let back: f64 = significant(v).parse().unwrap();
            prop_assert!((back / v - 1.0).abs() <= 0.0051, "{v} prints as {back}");
        }
        Ok(())
    });
}

#[test]
fn any_name_is_looked_up_without_harm() {
    let s = &*SHIPPED;
    always(400, texts("(nvidia|NVIDIA| |-|_|rtx|gtx|[0-9]{1,4}|ti|é|İ|ß){0,6}"), |name| {
        for message in
            [s.gpus.entry_named(&name).err(), s.kernels.position(&name).err()].into_iter().flatten()
        {
            prop_assert!(message.to_string().len() < 2500, "{message}");
        }
        if let Some(i) = s.gpus.id_named(&name) {
            prop_assert_eq!(s.gpus.position(&name), Ok(i));
        }
        Ok(())
    });
    assert!(s.gpus.entry_named(&"x".repeat(10 << 20)).unwrap_err().to_string().len() < 400);
}

/// Where an operator was measured nowhere, what it takes on a GPU is no matter of where it was not timed, be it a GPU that lacks
/// what it runs on.
#[test]
fn without_any_time_the_source_of_an_operator_does_not_matter() {
    let session = Session::load(None).unwrap();
    let timed: BTreeSet<_> = session.store.rows().map(|row| row.kernel).collect();
    let target = session.gpus.position("rtx-4090").unwrap();
    let mut checked = 0;
    for (at, kernel) in
        session.kernels.with_ids().filter(|(at, k)| !timed.contains(at) && k.operator.is_some())
    {
        let Ok(subject) = session.subject(at, &kernel.sizes[0].1, "") else { continue };
        let times: Vec<f64> = (session.gpus.ids())
            .filter(|source| *source != target)
            .filter_map(|source| {
                session.answer(&subject, source, target, Settings::default()).predicted_time()
            })
            .map(|time| time.0)
            .collect();
        let (least, most) = times.iter().fold((f64::MAX, 0.0_f64), |(a, b), t| (a.min(*t), b.max(*t)));
        assert!(times.is_empty() || most / least < 1.0 + 1e-9, "{}: {least} to {most} s", kernel.id);
        checked += times.len();
    }
    assert!(checked > 1_000, "only {checked} answers");
}
