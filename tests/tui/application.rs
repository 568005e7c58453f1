//! The Application view: a trace opened, predicted, its groups walked through and opened in the Swap view.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::stage::{Dashboard, dashboard};
use roofswap::application::{Application, PartOfTrace, forecast, read_application};
use roofswap::progress::Progress;
use roofswap::tui::{DashboardView, Effect, LoadedFiles, Message, update};
use std::fmt::Write as _;

/// A host that launches products, norms and additions, some of them late.
pub fn application() -> Application {
    let mut events = String::new();
    for i in 0..30u64 {
        let (call, correlation) = (70 * i + if i % 6 == 5 { 60 } else { 0 }, i + 1);
        let start = call + 12;
        let (name, dur, op) = [
            ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1", 48, 1),
            (
                "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int)",
                9,
                2,
            ),
            ("mystery_kernel", 20, 0),
        ][(i % 3) as usize];
        write!(events, r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{call},"dur":8,"args":{{"correlation":{correlation}}}}},"#).unwrap();
        write!(events, r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"External id":{op},"device":0,"stream":7,"correlation":{correlation},"registers per thread":64,"shared memory":0,"grid":[512,1,1],"block":[128,1,1]}}}},"#).unwrap();
    }
    let text = format!(
        r#"{{"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3"}}],"traceEvents":[
        {{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":0,"dur":1,"args":{{"External id":1,"Input Dims":[[2048,1024],[1024,4096]],"Input type":["c10::BFloat16","c10::BFloat16"]}}}},
        {{"ph":"X","cat":"cpu_op","name":"aten::native_layer_norm","pid":9,"tid":9,"ts":0,"dur":1,"args":{{"External id":2,"Input Dims":[[2048,4096],[],[4096],[4096],[]],"Input type":["c10::BFloat16","","","",""]}}}},
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
    assert!(first(&d).contains("TITAN V ▶ RTX 4070  matmul_tiled"), "{}", d.screen());
    assert!(d.screen().contains("asking about matmul_tiled n=512"), "{}", d.screen());
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
    assert!(said.contains("No FLOPs") || said.contains("no FLOPs"), "{said}");
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
