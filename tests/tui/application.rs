//! The Application view: a trace opened, predicted, its groups walked through and opened in the Swap view.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::stage::{Dashboard, dashboard};
use roofswap::application::{Application, PartOfTrace, RangeTotal, forecast, read_application};
use roofswap::progress::Progress;
use roofswap::tui::{DashboardOptions, DashboardView, Effect, LoadedFiles, Message, first_state, update};
use std::fmt::Write as _;

const GEMM: &str = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1";
const NORM: &str =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int)";

/// A host that launches products, norms and additions, some of them late.
pub fn application() -> Application {
    application_of(&[(GEMM, 48, 1), (NORM, 9, 2), ("mystery_kernel", 20, 0)])
}

/// The same host with these kernels: name, microseconds, operator.
fn application_of(kernels: &[(&str, u64, u64)]) -> Application {
    let mut events = String::new();
    for i in 0..30u64 {
        let (call, correlation) = (70 * i + if i % 6 == 5 { 60 } else { 0 }, i + 1);
        let start = call + 12;
        let (name, dur, op) = kernels[i as usize % kernels.len()];
        write!(events, r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{call},"dur":8,"args":{{"correlation":{correlation}}}}},"#).unwrap();
        write!(events, r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"External id":{op},"device":0,"stream":7,"correlation":{correlation},"registers per thread":64,"shared memory":0,"grid":[512,1,1],"block":[128,1,1]}}}},"#).unwrap();
    }
    let text = format!(
        r#"{{"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3"}}],"traceEvents":[
        {{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":0,"dur":1,"args":{{"External id":1,"Input Dims":[[2048,1024],[1024,4096]],"Input type":["c10::BFloat16","c10::BFloat16"]}}}},
        {{"ph":"X","cat":"cpu_op","name":"aten::native_layer_norm","pid":9,"tid":9,"ts":0,"dur":1,"args":{{"External id":2,"Input Dims":[[2048,4096],[],[4096],[4096],[]],"Input type":["c10::BFloat16","","","",""]}}}},
        {{"ph":"X","cat":"cpu_op","name":"aten::native_layer_norm","pid":9,"tid":9,"ts":0,"dur":1,"args":{{"External id":3,"Input Dims":[[512,4096],[],[4096],[4096],[]],"Input type":["c10::BFloat16","","","",""]}}}},
        {events}{{}}]}}"#
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    std::fs::write(&path, text).unwrap();
    let recorded = read_application(&path, &Progress::default()).unwrap();
    let mut application = recorded.application(&PartOfTrace::default()).unwrap();
    application.file = "run.json".into();
    application
}

/// Sends a message and answers what it asks of the worker about the application.
fn play(d: &mut Dashboard, message: Message) {
    let effects = update(&mut d.state, message);
    for effect in effects {
        if let Effect::Forecast { session, application, source, targets, settings } = effect {
            let found = forecast(&session, &application, source, &targets, settings);
            update(&mut d.state, Message::Forecast(Some(found)));
        }
    }
}

fn press(d: &mut Dashboard, keys: &str) {
    keys.split(' ').for_each(|key| play(d, Message::Key(key.into())));
}

/// A trace that was read whole.
pub fn opened(application: Application) -> Message {
    Message::ApplicationRead(Box::new((application, PartOfTrace::default())))
}

/// Types a line after `:`.
fn command(d: &mut Dashboard, typed: &str) -> Vec<Effect> {
    let mut effects = d.key(":");
    for letter in typed.chars() {
        effects.extend(d.key(if letter == ' ' { "space".into() } else { letter.to_string() }.as_str()));
    }
    effects.extend(d.key("enter"));
    effects
}

#[test]
fn the_other_views_start_from_the_gpu_that_an_opened_program_ran_on() {
    let mut d = dashboard(120, 40);
    let source = |d: &Dashboard| d.state.session.gpus[d.state.selection.source].id.clone();
    assert_ne!(source(&d), "h100-sxm5");
    play(&mut d, opened(application()));
    assert_eq!(source(&d), "h100-sxm5");
    press(&mut d, "1");
    assert!(d.screen().contains("H100 SXM5 80 GB ▶"), "{}", d.screen());
    // The same program read again changes nothing of what was chosen since.
    press(&mut d, "x");
    let chosen = source(&d);
    play(&mut d, opened(application()));
    assert_eq!(source(&d), chosen);
}

/// An application has one source, whatever `a` asks of kernels.
#[test]
fn the_header_says_that_an_application_has_one_source() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(application()));
    press(&mut d, "1 a");
    assert!(d.screen().contains("H100 SXM5 80 GB and all sources ▶"), "{}", d.screen());
    press(&mut d, "4");
    assert!(d.screen().contains("H100 SXM5 80 GB alone ▶"), "{}", d.screen());
}

#[test]
fn a_range_a_gpu_and_the_host_are_typed_after_a_colon() {
    let mut d = dashboard(120, 40);
    assert!(command(&mut d, "host 2").iter().all(|e| !matches!(e, Effect::Forecast { .. })));
    assert!(d.screen().contains("no application is loaded"), "{}", d.screen());
    press(&mut d, "esc");
    play(&mut d, opened(application()));
    let walls = |d: &Dashboard| d.state.application.forecasts.clone().unwrap().unwrap()[0].wall;
    let recorded = walls(&d);
    // A range is read from the file anew, and says so where it is shown.
    let effects = command(&mut d, "range step");
    let asked = effects.iter().find_map(|e| match e {
        Effect::ReadPart { path, part } => Some((path.clone(), part.clone())),
        _ => None,
    });
    let part = PartOfTrace { range: Some("step".into()), ..PartOfTrace::default() };
    assert_eq!(asked, Some(("run.json".into(), part.clone())));
    let cut = Application { range: Some("step".into()), devices: vec![0, 1], ..application() };
    play(&mut d, Message::ApplicationRead(Box::new((cut, part.clone()))));
    assert!(d.screen().contains("GPU 0, range step"), "{}", d.screen());
    // The other GPU of the same range.
    let other = PartOfTrace { device: Some(1), ..part.clone() };
    let effects = command(&mut d, "device 1");
    assert!(
        effects.iter().any(|e| matches!(e, Effect::ReadPart { part, .. } if *part == other)),
        "{effects:?}"
    );
    // A file that changes is cut again.
    let session = (*d.state.session).clone();
    let again =
        LoadedFiles { applications: vec![application()], ..*LoadedFiles::without_notes(session, "read") };
    let effects = update(&mut d.state, Message::Loaded(Box::new(again)));
    assert!(
        effects.iter().any(|e| matches!(e, Effect::ReadPart { part: asked, .. } if *asked == part)),
        "{effects:?}"
    );
    play(&mut d, opened(application()));
    // A slower host is a longer wall clock, never a shorter one.
    for effect in command(&mut d, "host 3x") {
        if let Effect::Forecast { session, application, source, targets, settings } = effect {
            let found = forecast(&session, &application, source, &targets, settings);
            update(&mut d.state, Message::Forecast(Some(found)));
        }
    }
    assert!(d.screen().contains("host 3.00×"), "{}", d.screen());
    assert!(walls(&d).unwrap().value > recorded.unwrap().value);
}

#[test]
fn a_trace_is_shown_with_its_bars_and_groups() {
    for (width, height) in [(40, 12), (80, 24), (120, 40), (160, 50), (200, 60)] {
        let mut d = dashboard(width, height);
        press(&mut d, "4");
        assert!(d.screen().contains("No application"), "{}", d.screen());
        play(&mut d, opened(application()));
        insta::assert_snapshot!(format!("application_{width}x{height}"), d.screen());
    }
}

#[test]
fn header_and_board_speak_of_the_application_that_is_loaded() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(application()));
    let first = |d: &Dashboard| d.screen().lines().next().unwrap_or_default().to_string();
    let spoken = "H100 SXM5 80 GB ▶ RTX 4070  application run.json";
    assert!(first(&d).contains(spoken), "{}", d.screen());
    let effects = d.key("2");
    let question = effects.into_iter().find_map(|e| if let Effect::Rank(q) = e { Some(q) } else { None });
    let question = question.unwrap();
    let board = question.rank_rows(&Progress::default()).unwrap();
    update(&mut d.state, Message::Ranked(Some(Box::new((question.asked.clone(), board)))));
    assert!(first(&d).contains(spoken), "{}", d.screen());
    assert!(d.screen().contains("run.json from H100 SXM5 80 GB: 149 GPUs by time"), "{}", d.screen());
    let forecast =
        |d: &Dashboard| d.state.application.forecasts.clone().unwrap().unwrap()[1].time_range().value;
    let on_board = d.state.ranked.row_of(d.state.target()).unwrap().time;
    assert_eq!(on_board, Some(forecast(&d)), "the board and the view of the application agree");
    let effects = d.key("w");
    assert!(effects.iter().any(|e| matches!(e, Effect::Rank(_))), "the kernel is ranked again");
    assert!(first(&d).contains("H100 SXM5 80 GB ▶ RTX 4070  matmul_tiled"), "{}", d.screen());
    assert!(d.screen().contains("compared now: kernel matmul_tiled n=512"), "{}", d.screen());
}

#[test]
fn a_group_opens_in_the_swap_view() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(application()));
    press(&mut d, "down down");
    assert_eq!(d.state.application.cursor, 2);
    press(&mut d, "up up enter");
    let screen = d.screen();
    assert!(screen.contains("H100") && screen.contains("Roofline"), "{screen}");
    let gpu = &d.state.session.gpus[d.state.selection.source];
    assert_eq!(gpu.id, "h100-sxm5");
    let kernel = &d.state.session.kernels[d.state.rows[d.state.selected].kernel];
    assert_eq!(kernel.id, "linear_bf16", "a library's product: another kernel runs on the target");
    assert!(screen.contains("added to your rows as linear_bf16"), "{screen}");
    press(&mut d, "4 down enter");
    let said = d.screen();
    assert!(said.contains("no FLOP or byte counts"), "{said}");
}

/// Instances of one template are called as the list of groups calls them: their arguments say nothing in a narrow column.
#[test]
fn opened_groups_keep_the_short_names_of_their_list() {
    let name = |type_name: &str| {
        format!("void at::native::vec_norm_kernel<float, at::native::{type_name}, 2ul>(int)")
    };
    let names = ["A", "B"].map(name);
    let mut d = dashboard(80, 24);
    play(&mut d, opened(application_of(&[(&names[0], 30, 2), (&names[1], 20, 3)])));
    press(&mut d, "enter");
    let screen = d.screen();
    let rows = screen.lines().filter(|line| line.contains(" vec_norm_kernel ") && line.contains('×'));
    assert_eq!(rows.count(), 2, "{screen}");
    assert!(screen.lines().next().unwrap().contains("  vec_norm_kernel "), "{screen}");
    // And so they do when the files are read again.
    let read = LoadedFiles::without_notes((*d.state.base).clone(), "read");
    play(&mut d, Message::Loaded(read));
    assert_eq!(d.state.kernel().label(), "vec_norm_kernel", "{}", d.screen());
}

/// Its time was measured on a GPU that no model covers: it is no time of the selected source.
#[test]
fn a_kernel_of_an_amd_gpu_is_not_opened_as_one_of_the_selected_source() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(Application { gpu_name: "AMD Instinct MI300X".into(), ..application() }));
    press(&mut d, "down up");
    let before = d.screen();
    assert!(!before.contains("open in Swap"), "{before}");
    assert!(before.contains("other trace"), "{before}");
    press(&mut d, "enter");
    let screen = d.screen();
    assert_eq!(d.state.view, DashboardView::Application, "{screen}");
    assert!(screen.contains("kernels of AMD Instinct MI300X are listed; no model covers them"), "{screen}");
    assert_eq!(d.state.session.store.rows().count(), dashboard(80, 24).state.session.store.rows().count());
}

#[test]
fn a_trace_that_is_read_again_stays_where_it_is() {
    let mut d = dashboard(120, 40);
    let read = |d: &Dashboard, applications| {
        let session = (*d.state.session).clone();
        let loaded = LoadedFiles { applications, ..*LoadedFiles::without_notes(session, "read") };
        Message::Loaded(Box::new(loaded))
    };
    let first = read(&d, vec![application()]);
    play(&mut d, first);
    assert_eq!(d.state.view, DashboardView::Application, "what is opened is shown");
    press(&mut d, "down down 1");
    let mut shorter = application();
    shorter.groups.truncate(2);
    let other = Application { file: "other.json".into(), ..application() };
    let again = read(&d, vec![shorter, other]);
    play(&mut d, again);
    assert_eq!(d.state.view, DashboardView::Swap);
    press(&mut d, "4");
    let found = &d.state.application;
    let shown = found.application.as_ref().unwrap();
    assert_eq!((shown.file.as_str(), shown.groups.len(), found.cursor), ("run.json", 2, 1));
    assert!(matches!(found.forecasts, Some(Ok(_))), "{:?}", found.forecasts);
}

#[test]
fn targets_that_change_are_predicted_again() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(application()));
    let target = |d: &Dashboard| d.state.application.forecasts.clone().unwrap().unwrap()[1].target;
    let before = target(&d);
    assert_eq!(before, d.state.selection.targets[0]);
    let other = d.state.session.gpus.position("l40s").unwrap();
    d.state.selection.targets = vec![other];
    press(&mut d, "1 4");
    assert_eq!(target(&d), other);
}

/// A trace that names no GPU: nothing is predicted before one is chosen, and the chosen one stays.
#[test]
fn a_trace_without_a_gpu_asks_for_it() {
    let mut d = dashboard(120, 40);
    let unnamed = || Application { gpu_name: String::new(), ..application() };
    play(&mut d, opened(unnamed()));
    assert!(d.screen().contains("Which GPU was run.json measured on?"), "{}", d.screen());
    press(&mut d, "esc");
    assert!(d.screen().contains("GPU unknown ▶ RTX 4070"), "{}", d.screen());
    assert!(d.screen().contains("run.json names no GPU: Enter"), "{}", d.screen());
    assert!(matches!(d.state.application.forecasts, Some(Err(_))));
    press(&mut d, "2");
    assert!(!d.screen().contains("run.json"), "no board of it: {}", d.screen());
    press(&mut d, "1 x 4");
    assert!(matches!(d.state.application.forecasts, Some(Err(_))), "whatever is the source");
    press(&mut d, "enter h 1 0 0 - s x m 5 enter");
    let source = |d: &Dashboard| {
        let forecasts = d.state.application.forecasts.clone().unwrap().unwrap();
        d.state.session.gpus[forecasts[0].target].id.clone()
    };
    assert_eq!(source(&d), "h100-sxm5");
    // Another part of the same file, and another source of the kernels, leave it.
    play(&mut d, opened(unnamed()));
    press(&mut d, "1 x 4");
    assert_eq!(source(&d), "h100-sxm5");
    assert!(d.screen().contains("H100 SXM5 80 GB ▶"), "{}", d.screen());
}

/// A trace among the user's files, with an L40S as the source that is remembered or was asked for.
fn from_l40s(source_asked: bool, trace: Application) -> Dashboard {
    let saved = roofswap::config::Saved { source: Some("l40s".into()), ..Default::default() };
    let data = vec!["run.json".into()];
    let options = DashboardOptions { saved, source_asked, data, ..DashboardOptions::default() };
    let mut d = dashboard(120, 40);
    let session = (*d.state.base).clone();
    d.state = first_state(session.clone(), &options).unwrap();
    update(&mut d.state, Message::Resize(120, 40));
    let mut read = LoadedFiles::without_notes(session, "read");
    read.applications = vec![trace];
    play(&mut d, Message::Loaded(read));
    d
}

/// As in commands: `--from` goes before the GPU that the file names, and both say so.
#[test]
fn a_trace_is_taken_as_that_of_the_source_that_was_asked_for() {
    let source = |d: &Dashboard| d.state.session.gpus[d.state.application.source.unwrap()].id.clone();
    assert_eq!(source(&from_l40s(false, application())), "h100-sxm5");
    let d = from_l40s(true, application());
    assert_eq!(source(&d), "l40s");
    let note = "run.json was recorded on h100-sxm5; its times are taken as those of l40s";
    assert!(d.screen().contains(note), "{}", d.screen());
}

/// As in commands: the GPU that was asked for is that of files which name none.
#[test]
fn a_trace_without_a_gpu_ran_on_the_source_that_was_asked_for() {
    let opens =
        |source_asked| from_l40s(source_asked, Application { gpu_name: String::new(), ..application() });
    let d = opens(true);
    assert!(!d.screen().contains("Which GPU"), "{}", d.screen());
    let source = d.state.application.source.unwrap();
    assert_eq!(d.state.session.gpus[source].id, "l40s");
    assert!(matches!(d.state.application.forecasts, Some(Ok(_))), "{}", d.screen());
    let d = opens(false);
    assert!(d.screen().contains("Which GPU was run.json measured on?"), "a remembered one: {}", d.screen());
}

/// A slice is no GPU of the catalogue until a trace names it.
#[test]
fn a_trace_of_a_mig_slice_starts_from_the_slice() {
    let mut d = dashboard(120, 40);
    play(
        &mut d,
        opened(Application { gpu_name: "NVIDIA H100 80GB HBM3 MIG 3g.40gb".into(), ..application() }),
    );
    assert!(!d.screen().contains("Which GPU"), "{}", d.screen());
    let source = d.state.application.source.unwrap();
    assert_eq!(d.state.session.gpus[source].id, "h100-sxm5:mig-3g.40gb");
    assert!(matches!(d.state.application.forecasts, Some(Ok(_))), "{:?}", d.state.application.forecasts);
    assert!(d.screen().contains("H100 SXM5 80 GB MIG 3g.40gb ▶"), "{}", d.screen());
}

#[test]
fn a_gpu_whose_name_several_have_is_said_to_be_one_of_them() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(Application { gpu_name: "NVIDIA H100".into(), ..application() }));
    press(&mut d, "esc");
    assert!(d.screen().contains("which is one of h100-pcie, h100-sxm5, h100-nvl: Enter"), "{}", d.screen());
}

#[test]
fn kernels_without_a_duration_are_said_to_have_none_once() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(application_of(&[(GEMM, 0, 1)])));
    assert_eq!(d.screen().matches("no kernel has a duration").count(), 1, "{}", d.screen());
}

/// Groups of one kernel are told apart by the sizes that differ, however few columns the operator has.
#[test]
fn groups_that_are_cut_alike_show_where_their_sizes_differ() {
    let mut d = dashboard(80, 24);
    play(&mut d, opened(application_of(&[(NORM, 9, 2), (NORM, 7, 3)])));
    let screen = d.screen();
    assert!(screen.contains(" native_…2048,4…") && screen.contains(" native_…512,40…"), "{screen}");
}

/// Rows of one kernel say what tells them apart as the Application view does.
#[test]
fn groups_of_one_kernel_are_told_apart_in_the_swap_view() {
    for ((width, height), shapes) in [
        ((160, 50), [" [2048,4096] [4096] [4096] ", "[512,4096] [4096] [4096] "]),
        ((80, 24), [" [2048,40… ", " [512,409… "]),
    ] {
        let mut d = dashboard(width, height);
        play(&mut d, opened(application_of(&[(NORM, 9, 2), (NORM, 7, 3)])));
        press(&mut d, "enter");
        let screen = d.screen();
        assert!(screen.contains("Predictions") && !screen.contains("timing=traced"), "{screen}");
        assert!(shapes.iter().all(|shape| screen.contains(shape)), "{screen}");
    }
}

#[test]
fn a_group_has_the_same_time_in_the_swap_view() {
    let elementwise = |kind: u64| {
        format!(
            "void at::native::vectorized_elementwise_kernel<{kind}, at::native::CUDAFunctor_add<c10::BFloat16> >(int)"
        )
    };
    let names = [2, 4, 8].map(elementwise);
    let mut kernels: Vec<(&str, u64, u64)> = names.iter().map(|name| (name.as_str(), 2, 2)).collect();
    kernels.push((NORM, 9, 2));
    let mut d = dashboard(120, 40);
    play(&mut d, opened(application_of(&kernels)));
    let forecasts = d.state.application.forecasts.clone().unwrap().unwrap();
    let in_program = forecasts[1].groups[0].time;
    press(&mut d, "enter");
    let swapped = d.state.answer();
    let prediction = swapped.prediction.clone().unwrap();
    assert!((prediction.time / in_program.value - 1.0).abs() < 1e-9, "{prediction:?} {in_program:?}");
    let interval = swapped.interval.unwrap();
    assert!((interval.high / in_program.high - 1.0).abs() < 1e-9, "{interval:?} {in_program:?}");
}

#[test]
fn what_is_assumed_of_an_application_is_undone_before_older_changes_and_named() {
    let mut d = dashboard(80, 24);
    play(&mut d, opened(application()));
    let target = d.state.target();
    press(&mut d, "1 x 4");
    let effects = command(&mut d, "host 2");
    assert!(effects.iter().any(|e| matches!(e, Effect::Forecast { .. })));
    press(&mut d, "u");
    assert!((d.state.application.settings.host - 1.0).abs() < f64::EPSILON);
    assert!(d.screen().contains("undone: host time is 1.00x again"), "{}", d.screen());
    press(&mut d, "u");
    assert_eq!(d.state.target(), target);
    assert!(d.screen().contains("undone: source is"), "{}", d.screen());
    // A part that was read is read anew, whole.
    command(&mut d, "range step");
    let part = PartOfTrace { range: Some("step".into()), ..PartOfTrace::default() };
    play(&mut d, Message::ApplicationRead(Box::new((application(), part))));
    let effects = d.key("u");
    let whole = effects.iter().any(|e| matches!(e, Effect::ReadPart { part, .. } if part.range.is_none()));
    assert!(whole, "{}", d.screen());
}

/// A part of a name is enough, so what was taken is said once it is read; so is what was undone.
#[test]
fn the_range_that_was_taken_or_undone_is_said_once_it_is_read() {
    let range = |name: &str| RangeTotal { name: name.into(), count: 3, median: 1_000_000 };
    let ranges = vec![range("ProfilerStep#"), range("train_step")];
    let marked = Application { ranges, step: None, ..application() };
    let mut d = dashboard(120, 40);
    play(&mut d, opened(marked.clone()));
    let part = |name: Option<&str>| PartOfTrace { range: name.map(str::to_string), ..PartOfTrace::default() };
    let read = |name: Option<&str>| {
        let cut = Application { range: name.map(str::to_string), ..marked.clone() };
        Message::ApplicationRead(Box::new((cut, part(name))))
    };
    let last = |d: &mut Dashboard, name: Option<&str>| {
        play(d, read(name));
        d.state.message.clone().unwrap().1
    };
    command(&mut d, "range prof");
    assert_eq!(last(&mut d, Some("ProfilerStep#")), "`prof`: range ProfilerStep#: 30 kernel launches");
    command(&mut d, "range train_step");
    assert_eq!(last(&mut d, Some("train_step")), "range train_step: 30 kernel launches");
    d.key("u");
    let undone = "undone: range is ProfilerStep# again: 30 kernel launches";
    assert_eq!(last(&mut d, Some("ProfilerStep#")), undone);
    command(&mut d, "range all");
    assert_eq!(last(&mut d, None), "all of the trace: 30 kernel launches");
    let effects = command(&mut d, "range ste");
    let taken = effects.into_iter().find_map(|e| match e {
        Effect::ReadPart { part, .. } => part.range,
        _ => None,
    });
    let (taken, said) = (taken.clone().unwrap(), last(&mut d, taken.as_deref()));
    let other = if taken == "train_step" { "ProfilerStep#" } else { "train_step" };
    assert_eq!(said, format!("`ste`: range {taken} (also {other}): 30 kernel launches"));
}

#[test]
fn every_letter_of_the_bars_is_explained_on_a_narrow_screen() {
    let names =
        ["flash_fwd_kernel", "implicit_convolve_sgemm", "reduce_kernel", "CUDAFunctor_add", "index_copy"];
    let kernels = names.iter().chain(&["mystery_kernel", "nccl_AllReduce"]).map(|name| (*name, 20, 0));
    let kernels: Vec<_> = [(GEMM, 48, 1), (NORM, 9, 2)].into_iter().chain(kernels).collect();
    let mut d = dashboard(80, 24);
    play(&mut d, opened(application_of(&kernels)));
    let screen = d.screen();
    for letter in
        ["M matrix product", "X communication", "O other", "- launch gaps", ". host-bound", "? not predicted"]
    {
        assert!(screen.contains(letter), "{letter}: {screen}");
    }
}

#[test]
fn a_narrow_screen_shows_what_the_time_of_a_kernel_rests_on() {
    let mut d = dashboard(80, 24);
    play(&mut d, opened(application()));
    let screen = d.screen();
    assert!(screen.contains("operator model (") && screen.contains("), limited by compute"), "{screen}");
    assert!(screen.contains("Application ─ run.json, NVIDIA H100 80GB HBM3"), "{screen}");
}

/// The board of an application, ranked.
fn board_of_application(width: u16, height: u16) -> Dashboard {
    let mut d = dashboard(width, height);
    play(&mut d, opened(application()));
    for effect in d.key("2") {
        if let Effect::Rank(question) = effect {
            let board = question.rank_rows(&Progress::default()).unwrap();
            let ranked = Box::new((question.asked.clone(), board));
            update(&mut d.state, Message::Ranked(Some(ranked)));
        }
    }
    d
}

#[test]
fn the_gpu_of_the_application_is_the_source_on_its_board() {
    let d = board_of_application(80, 24);
    let screen = d.screen();
    let own = screen.lines().find(|line| line.contains("H100 SXM5 80 GB  ")).unwrap();
    assert!(own.contains("S  H100"), "{screen}");
    assert!(!screen.lines().nth(2).unwrap().contains("limit"), "no row has one: {screen}");
}

/// What is compared is a part of the trace, and on another host: both are named wherever it is shown.
#[test]
fn board_and_what_if_name_the_range_and_the_host_of_the_application() {
    let mut d = board_of_application(80, 24);
    let part = PartOfTrace { range: Some("ProfilerStep#".into()), ..PartOfTrace::default() };
    let cut = Application { range: part.range.clone(), ..application() };
    play(&mut d, Message::ApplicationRead(Box::new((cut, part))));
    command(&mut d, "host 2");
    for (view, named) in [
        ("4", "Application ─ range ProfilerStep#, host 2.00×, NVIDIA H100"),
        ("2", "Board ─ range ProfilerStep#, host 2.00×: 149 GPUs by time"),
        ("3", "What if ─ range ProfilerStep#, host 2.00×, run.json on RTX 4070"),
    ] {
        press(&mut d, view);
        assert!(d.screen().contains(named), "{view}: {}", d.screen());
    }
    d.play(Message::Resize(120, 40));
    d.size = (120, 40);
    press(&mut d, "2");
    let wide = "range ProfilerStep#, host 2.00×, run.json from H100 SXM5 80 GB: 149 GPUs by time";
    assert!(d.screen().contains(wide), "{}", d.screen());
    // The kernel is none of it.
    press(&mut d, "w");
    assert!(!d.screen().contains("host 2.00×"), "{}", d.screen());
}

#[test]
fn the_board_of_an_application_is_not_sorted_by_an_energy_that_nobody_knows() {
    let mut d = board_of_application(160, 50);
    d.key("o");
    let screen = d.screen();
    assert!(screen.contains("by time × launch price"), "{screen}");
    assert!(!screen.contains("limited by      -"), "what is not known has no line: {screen}");
}

/// What makes the totals worthless stands beside them, as `roofswap app` says it.
#[test]
fn the_totals_stand_with_their_cautions_and_what_to_profile_next() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut d = dashboard(width, height);
        play(&mut d, opened(application()));
        press(&mut d, "down up");
        let screen = d.screen();
        assert!(screen.contains("! RTX 4070: 26.0 % of kernel time (1 group)"), "{screen}");
        assert!(screen.contains("at most"), "{screen}");
        assert!(screen.contains("recorded"), "{screen}");
    }
    let mut narrow = dashboard(80, 30);
    play(&mut narrow, opened(application()));
    let screen = narrow.screen();
    assert!(screen.contains("? not predicted") && screen.contains(". host-bound"), "a second line: {screen}");
    assert!(screen.contains("; Y copies the command):"), "{screen}");
    let mut d = dashboard(200, 60);
    play(&mut d, opened(application()));
    let screen = d.screen();
    assert!(screen.contains("profile next, to narrow the kernel total on RTX 4070"), "{screen}");
    assert!(
        screen.contains("--kernel-name 'regex:^mystery_kernel$' --launch-count 3 -o profile <program>"),
        "{screen}"
    );
}

#[test]
fn a_host_that_takes_longer_is_modelled_on_the_recorded_gpu_as_well() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(application()));
    press(&mut d, "down up");
    let own = |d: &Dashboard| {
        d.screen().lines().find(|line| line.contains(" H100 SXM5 80 GB   ")).unwrap().to_string()
    };
    assert!(own(&d).contains("2.11 ms recorded"), "{}", own(&d));
    for effect in command(&mut d, "host 3x") {
        if let Effect::Forecast { session, application, source, targets, settings } = effect {
            let found = forecast(&session, &application, source, &targets, settings);
            update(&mut d.state, Message::Forecast(Some(found)));
        }
    }
    assert!(own(&d).contains(" ms modelled 0."), "{}", own(&d));
}

/// Kernels of one name are other operators at other shapes.
#[test]
fn groups_of_one_name_are_told_apart() {
    for width in [80, 160] {
        let mut d = dashboard(width, 30);
        play(&mut d, opened(application_of(&[(NORM, 48, 1), (NORM, 9, 2), ("mystery_kernel", 20, 0)])));
        let screen = d.screen();
        let groups: Vec<&str> =
            screen.lines().filter(|line| line.contains("vectorized") && line.contains("aten::")).collect();
        assert_eq!(groups.len(), 2, "{screen}");
        assert!(groups[0].contains("aten::mm") && groups[1].contains("aten::native"), "{screen}");
        assert!(groups.iter().all(|line| line.contains('×')), "{screen}");
        assert_eq!(groups[0].contains("512 x 128"), width == 160, "{screen}");
    }
    let mut d = dashboard(60, 20);
    play(&mut d, opened(application()));
    let screen = d.screen();
    let first = screen.lines().find(|line| line.contains("sm90")).unwrap();
    assert!(first.contains('×'), "{screen}");
}

/// Kernels that no operator tells apart are shown by the template arguments in which they differ.
#[test]
fn instances_of_one_template_are_told_apart_by_their_arguments() {
    let kernel = |functor: &str| {
        format!(
            "void at::native::vectorized_elementwise_kernel<4, at::native::{functor}, std::array<char*, 2ul> >(int)"
        )
    };
    let names = ["CUDAFunctor_add<float>", "CUDAFunctorOnSelf_add<float>", "AbsFunctor<float>"].map(kernel);
    for width in [80, 100, 160] {
        let mut d = dashboard(width, 30);
        let [add, on_self, abs] = names.each_ref().map(String::as_str);
        play(&mut d, opened(application_of(&[(add, 48, 0), (on_self, 9, 0), (abs, 20, 0)])));
        let screen = d.screen();
        let line = |part: &str| {
            screen
                .lines()
                .filter(|line| line.contains('×') && line.contains("vector") && line.contains(part))
                .count()
        };
        assert_eq!(["nctorO", "nctor_", "AbsFunctor"].map(line), [1, 1, 1], "{screen}");
    }
}

/// The names of the groups that are shown, from the top.
fn shown_groups(d: &Dashboard) -> Vec<&'static str> {
    let screen = d.screen();
    let rows = screen.lines().skip_while(|line| !line.contains("kernel   "));
    let name = |line: &str| ["sm90", "vectorized", "mystery"].into_iter().find(|name| line.contains(name));
    rows.take(5).filter_map(name).collect()
}

#[test]
fn groups_are_filtered_and_sorted_by_the_keys_of_the_other_lists() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(application()));
    assert_eq!(shown_groups(&d), ["sm90", "mystery", "vectorized"], "by share");
    press(&mut d, "/ n o r m");
    assert_eq!(shown_groups(&d), ["vectorized"]);
    assert!(d.screen().contains("1/3 groups “norm” with 11.7 % of the time"), "{}", d.screen());
    press(&mut d, "enter y");
    assert!(d.state.message.as_ref().is_some_and(|(_, said)| said.contains("row sent")), "its row is copied");
    press(&mut d, "/ z z z z enter enter");
    assert_eq!(d.state.message.as_ref().unwrap().1, "no kernel matches the filter: Esc clears it");
    press(&mut d, "esc");
    assert_eq!(shown_groups(&d).len(), 3);
    press(&mut d, "o");
    assert_eq!(shown_groups(&d), ["mystery", "sm90", "vectorized"], "by name");
    assert_eq!(d.state.message.as_ref().unwrap().1, "kernels by name");
    press(&mut d, "O");
    assert_eq!(shown_groups(&d), ["vectorized", "sm90", "mystery"]);
    press(&mut d, "O o o");
    assert_eq!(shown_groups(&d), ["sm90", "mystery", "vectorized"], "by mean time");
    press(&mut d, "home down");
    assert!(d.screen().contains("┃ other, "), "the cursor is on the second line: {}", d.screen());
}

/// The time on a target is that of a call: the total of all calls never stands alone beside it.
#[test]
fn a_total_has_the_mean_beside_it_at_every_width() {
    for width in 60..130 {
        let mut d = dashboard(width, 30);
        play(&mut d, opened(application_of(&[(NORM, 48, 1), (NORM, 9, 2), ("mystery_kernel", 20, 0)])));
        let screen = d.screen();
        let head = screen.lines().find(|line| line.contains("kernel   ")).unwrap();
        assert!(!head.contains(" total") || head.contains(" mean"), "{width}: {head}");
    }
}

#[test]
fn targets_without_a_column_or_a_bar_are_named() {
    let mut d = dashboard(80, 24);
    play(&mut d, opened(application()));
    assert!(!d.screen().contains("no room for"), "{}", d.screen());
    for effect in command(&mut d, "add h200") {
        if let Effect::Forecast { session, application, source, targets, settings } = effect {
            let found = forecast(&session, &application, source, &targets, settings);
            update(&mut d.state, Message::Forecast(Some(found)));
        }
    }
    assert!(d.screen().contains(" no room for the column of H200 SXM 141 GB "), "{}", d.screen());
    let mut d = dashboard(200, 60);
    play(&mut d, opened(application()));
    press(&mut d, "8");
    let last = d.screen().lines().find(|line| line.contains("no room for")).map(str::to_string).unwrap();
    assert!(last.contains("no room for the bar of"), "{last}");
}

/// What the view does not show is not changed from it.
#[test]
fn keys_of_other_views_change_nothing_from_the_application_and_say_so() {
    let mut d = dashboard(120, 40);
    play(&mut d, opened(application()));
    press(&mut d, "down up");
    let before = (d.state.selection.clone(), d.state.selected, d.state.sort, d.screen());
    for key in "+ - . , x s m M P R E tab [ ] a F N b c L".split(' ') {
        press(&mut d, key);
        assert!(d.screen().contains(&format!("{key} does nothing in this view: ")), "{key}: {}", d.screen());
        assert_eq!(d.state.view, DashboardView::Application, "{key}");
        press(&mut d, "down up");
        let now = (d.state.selection.clone(), d.state.selected, d.state.sort, d.screen());
        assert!(now == before, "{key}: {}", d.screen());
    }
    assert!(!before.3.contains(" swap") && !before.3.contains(" size"), "{}", before.3);
    press(&mut d, "?");
    assert!(!d.screen().contains("Swap source and target"), "{}", d.screen());
    press(&mut d, "esc 8");
    assert!(d.state.selection.targets.len() > 3 && d.state.view == DashboardView::Application);
    // Without an application the same keys say what is missing.
    let mut d = dashboard(120, 40);
    press(&mut d, "4 x");
    assert!(d.screen().contains("no application is loaded"), "{}", d.screen());
    // A GPU that the file does not name is chosen with the key of the source, too.
    play(&mut d, opened(Application { gpu_name: String::new(), ..application() }));
    press(&mut d, "esc s");
    assert!(d.screen().contains("Which GPU was run.json measured on?"), "{}", d.screen());
}

/// The board of an application shows nothing of the kernel that a key changes, and has no rows but GPUs.
#[test]
fn keys_that_change_the_kernel_say_so_beside_an_application() {
    let mut d = board_of_application(160, 50);
    for view in ["2", "3"] {
        for keys in ["+", "-", "]", "b 2 5 6 enter", "N 2 ^ 1 0 enter"] {
            press(&mut d, view);
            press(&mut d, keys);
            let name = d.state.kernel().label();
            assert!(d.screen().contains(&format!("selected kernel: {name} ")), "{keys}: {}", d.screen());
            assert!(d.screen().contains("; 1 shows it"), "{keys}: {}", d.screen());
        }
    }
    press(&mut d, "2 tab");
    assert!(d.screen().contains("the board of an application has no other rows"), "{}", d.screen());
    (d.state.message, d.state.jobs) = (None, Default::default());
    assert!(!d.screen().contains("tab "), "{}", d.screen());
}

/// Views of one pane have nothing to zoom; where nothing is predicted, the groups are filtered and sorted all the same.
#[test]
fn the_footer_offers_what_a_view_of_one_pane_can_do() {
    let mut d = board_of_application(160, 50);
    for view in ["2", "3", "4"] {
        press(&mut d, view);
        d.state.message = None;
        assert!(!d.screen().contains("z zoom"), "{view}: {}", d.screen());
        press(&mut d, "z");
        assert!(d.screen().contains("z does nothing in this view: it has one pane"), "{}", d.screen());
        assert!(!d.state.zoom);
    }
    let amd = Application { gpu_name: "AMD Instinct MI300X OAM".into(), ..application() };
    play(&mut d, opened(amd));
    (d.state.message, d.state.jobs) = (None, Default::default());
    let footer = d.screen().lines().last().unwrap().to_string();
    assert!(footer.contains("/ filter  o sort  i other trace"), "{footer}");
}

/// What is typed after a colon says whose it is.
#[test]
fn a_command_for_the_kernel_says_where_it_is_seen_from_the_application() {
    let mut d = dashboard(120, 40);
    command(&mut d, "size 2048");
    assert!(!d.screen().contains("selected kernel"), "it is seen there: {}", d.screen());
    play(&mut d, opened(application()));
    for (typed, said) in [
        ("kernel saxpy", "selected kernel: saxpy n="),
        ("size 2^22", "selected kernel: saxpy n=4194304; 1 shows it"),
        ("size zero", "zero"),
        ("source titan-v", "source of kernels: TITAN V; 1 shows it"),
        ("model hybrid", "model of kernels: hybrid; 1 shows it"),
    ] {
        command(&mut d, typed);
        assert!(d.screen().contains(said), "{typed}: {}", d.screen());
        press(&mut d, "esc");
    }
    assert_eq!(d.state.view, DashboardView::Application);
}

#[test]
fn the_evidence_offers_no_export_before_there_is_a_chart() {
    for key in ["w", "v", "A", "!"] {
        let mut d = dashboard(120, 40);
        press(&mut d, key);
        d.state.jobs = Default::default();
        d.state.message = None;
        let footer = d.screen().lines().last().unwrap().to_string();
        assert!(footer.contains("next pane") && !footer.contains("export"), "{key}: {footer}");
    }
}
