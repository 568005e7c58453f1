//! The Application view: a trace opened, predicted, its groups walked through and opened in the Swap view.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::stage::{Dashboard, dashboard};
use roofswap::application::{Application, PartOfTrace, forecast, read_application};
use roofswap::progress::Progress;
use roofswap::tui::{DashboardView, Effect, LoadedFiles, Message, update};
use std::fmt::Write as _;

/// A host that launches products, norms and additions, some of them late.
fn application() -> Application {
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
        if let Effect::Forecast { session, application, source, targets } = effect {
            let found = forecast(&session, &application, source, &targets, Default::default());
            update(&mut d.state, Message::Forecast(Some(found)));
        }
    }
}

fn press(d: &mut Dashboard, keys: &str) {
    keys.split(' ').for_each(|key| play(d, Message::Key(key.into())));
}

#[test]
fn a_trace_is_shown_with_its_bars_and_groups() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut d = dashboard(width, height);
        press(&mut d, "4");
        assert!(d.screen().contains("No application"), "{}", d.screen());
        play(&mut d, Message::ApplicationRead(Box::new(application())));
        insta::assert_snapshot!(format!("application_{width}x{height}"), d.screen());
    }
}

#[test]
fn a_group_opens_in_the_swap_view() {
    let mut d = dashboard(120, 40);
    play(&mut d, Message::ApplicationRead(Box::new(application())));
    press(&mut d, "down down");
    assert_eq!(d.state.application.cursor, 2);
    press(&mut d, "up up enter");
    let screen = d.screen();
    assert!(screen.contains("H100") && screen.contains("Roofline"), "{screen}");
    let gpu = &d.state.session.gpus[d.state.selection.source];
    assert_eq!(gpu.id, "h100-sxm5");
    let kernel = &d.state.session.kernels[d.state.rows[d.state.selected].kernel];
    assert!(kernel.id.starts_with("sm90_xmma_gemm_bf16bf16"), "{}", kernel.id);
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
    play(&mut d, Message::ApplicationRead(Box::new(application())));
    let target = |d: &Dashboard| d.state.application.forecasts.clone().unwrap().unwrap()[1].target;
    let before = target(&d);
    assert_eq!(before, d.state.selection.targets[0]);
    let other = d.state.session.gpus.position("l40s").unwrap();
    d.state.selection.targets = vec![other];
    press(&mut d, "1 4");
    assert_eq!(target(&d), other);
}
