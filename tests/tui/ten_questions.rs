//! The ten questions that engineers ask first, each from a cold start in a pseudo-terminal, with the keys counted: what is typed
//! counts as well. Where a command answers too, it is asked the same.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::walk::{PROGRAM, Walk, fresh, start};
use std::process::Command;
use tempfile::TempDir;

/// A walk whose keys are counted.
struct Question {
    walk: Walk,
    keys: usize,
    most: usize,
}

/// Starts the dashboard on a screen of 160 x 50 for a question that may take so many keys.
fn ask(most: usize, home: TempDir, arguments: &[&str]) -> Question {
    Question { walk: start(160, 50, home, arguments), keys: 0, most }
}

impl Question {
    fn wait(&mut self, text: &str) -> &mut Self {
        self.walk.wait(text);
        self
    }

    fn wait_until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> &mut Self {
        self.walk.wait_until(what, wanted);
        self
    }

    /// Types; each letter is a key.
    fn press(&mut self, keys: &str) -> &mut Self {
        self.keys += keys.chars().count();
        assert!(self.keys <= self.most, "{} keys, {} are allowed", self.keys, self.most);
        self.walk.press(keys);
        self
    }

    /// Leaves; that key is not counted. The folder with what was written.
    fn leave(mut self) -> TempDir {
        self.walk.press("\u{3}");
        let (code, home) = self.walk.gone();
        assert_eq!(code, 0);
        home
    }
}

fn with_file(name: &str, text: &[u8]) -> TempDir {
    let home = fresh();
    std::fs::write(home.path().join(name), text).unwrap();
    home
}

/// What a command prints.
fn answer(home: &TempDir, arguments: &[&str]) -> String {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(home.path());
    for (name, file) in
        [("ROOFSWAP_CONFIG", "config"), ("ROOFSWAP_STATE", "state.toml"), ("ROOFSWAP_CACHE", "cache")]
    {
        command.env(name, home.path().join(file));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const PRICES: &str = "gpu,usd_per_hour,provider,region,date\nl40s,0.80,acme,eu,2026-11-01\n\
                      h100-sxm5,2.50,acme,eu,2026-11-01\nh200,3.50,acme,eu,2026-11-01\n\
                      a100-sxm4-80gb,1.40,acme,eu,2026-11-01\n";

/// Question a: saxpy on a V100; of four GPUs, which has the best value?
#[test]
fn the_best_value_of_four_gpus() {
    let home = fresh();
    std::fs::create_dir(home.path().join("config")).unwrap();
    std::fs::write(home.path().join("config/prices.csv"), PRICES).unwrap();
    let command = "rank --kernel saxpy --size 2^28 --from v100-pcie-16gb --to l40s,h100-sxm5,h200,a100-sxm4-80gb \
                   --by perf-per-dollar --format json";
    let ranked: serde_json::Value =
        serde_json::from_str(&answer(&home, &command.split(' ').collect::<Vec<_>>())).unwrap();
    let best = ranked[0]["name"].as_str().unwrap().to_string();
    assert!(ranked[0]["usd_per_million_runs"].is_number(), "{ranked}");
    let mut asked = ask(30, home, &[]);
    asked.wait("Predictions").press("s/v100\r").wait("V100 PCIe 16 GB ▶");
    asked.press(":saxpy\r").wait("saxpy n=").press("N2^28\r").wait("n=268435456");
    asked.press("2oo").wait("$ per run").wait("$/M runs");
    // Those without a price come last: the first row is the best of the four.
    asked.wait_until("the best of the four first", |screen| {
        let first = screen.lines().find(|line| line.contains('×')).unwrap_or_default();
        first.contains(&best)
    });
    asked.leave();
}

/// Question b: 4.2 ms of a matrix product on a 3090; what on a 4090, a 5090, an H100?
#[test]
fn a_typed_kernel_on_three_gpus() {
    let home = fresh();
    let command = "rank --from rtx-3090 --time 4.2ms --kernel matmul_tiled --size n=2048 \
                   --to rtx-4090,rtx-5090,h100-sxm5";
    let told = answer(&home, &command.split(' ').collect::<Vec<_>>());
    assert!(
        ["4.20 ms ● on RTX 3090", "RTX 4090", "RTX 5090", "H100"].iter().all(|w| told.contains(w)),
        "{told}"
    );
    let mut asked = ask(45, home, &["--fresh"]);
    asked.wait("Predictions").press("n4.2ms on 3090 matmul_tiled n=2048\r").wait("4.20 ms ●");
    asked.press("2").wait_until("the three on the board", |screen| {
        let on = |name: &str| screen.lines().any(|line| line.contains(name) && line.contains('×'));
        on("RTX 4090") && on("RTX 5090") && on("H100 SXM5")
    });
    // It comes back at the next start.
    let home = asked.leave();
    let mut again = ask(0, home, &[]);
    again.wait("4.20 ms ●");
    again.leave();
}

/// Question c: a report of ncu; question "own CSV": the first screen shows it without a key.
#[test]
fn own_measurements_are_the_first_screen() {
    let report = include_bytes!("../fuzz/seeds/own.ncu-rep");
    for (name, bytes) in [
        ("own.ncu-rep", &report[..]),
        ("mine.csv", b"gpu,kernel,problem,flops,dram_bytes,time_ms\nrtx-3090,my_kernel,n=7,1e9,4e7,0.2\n"),
    ] {
        let home = with_file(name, bytes);
        let mut asked = ask(0, home, &["--data", name]);
        asked.wait("built-in kernels").wait("of your rows").wait("●");
        asked.leave();
    }
}

/// Question d: an application, whole, from a profiler's trace.
#[test]
fn an_application_from_its_trace() {
    let event = |name: &str, start: u64, dur: u64| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"device":0,"stream":7}}}}"#
        )
    };
    let trace = format!(
        r#"{{"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3"}}],"traceEvents":[{},{}]}}"#,
        event("my_gemm", 0, 900),
        event("my_reduce", 1000, 300)
    );
    let mut asked = ask(1, with_file("run.json", trace.as_bytes()), &["--data", "run.json"]);
    asked.wait("Predictions").press("4").wait("my_gemm").wait("run.json");
    asked.leave();
}

/// Questions e and f: 20 % more bandwidth; a limit of 150 W.
#[test]
fn more_bandwidth_and_less_power() {
    let mut asked = ask(30, fresh(), &["--kernel", "saxpy"]);
    asked.wait("TITAN V ▶ RTX 4070").press(":set mem=+20%\r").wait("◇ RTX 4070");
    asked.press("u").wait_until("the stock GPU", |screen| !screen.contains('◇'));
    asked.press(":power 150W\r").wait("RTX 4070 @150W");
    asked.leave();
}

/// Question g: a mix of kernels on every GPU.
#[test]
fn a_mix_on_every_gpu() {
    let mix = "name = \"step\"\n[[kernel]]\nkernel = \"saxpy\"\ncalls = 120\n[[kernel]]\nkernel = \"matmul_tiled\"\n\
               size = \"n=2048\"\ncalls = 2\n";
    let home = with_file("layers.toml", mix.as_bytes());
    let told =
        answer(&home, &"rank --mix layers.toml --from titan-v --to l4,l40s".split(' ').collect::<Vec<_>>());
    assert!(told.contains("step") && told.contains("L40S"), "{told}");
    let mut asked = ask(12, home, &[]);
    asked
        .wait("Predictions")
        .press(":mix lay")
        .wait("layers.toml") // the file itself: the command's own example is `mix.toml`
        .press("\r")
        .wait("step from TITAN V")
        .wait("GPUs by time");
    asked.leave();
}

/// Question h: four generations side by side; i: the slide; j: why.
#[test]
fn generations_side_by_side_the_slide_and_why() {
    let mut asked = ask(3, fresh(), &[]);
    asked.wait("TITAN V ▶ RTX 4070").press("8").wait_until("a column for each", |screen| {
        ["GB200", "H200", "A100", "Quadro RTX", "V100S"].iter().all(|name| screen.contains(name))
    });
    asked.press("28").wait("one of each architecture").wait("B200");
    asked.leave();
    let mut asked = ask(3, fresh(), &[]);
    asked.wait("Predictions").press("\r").wait("Explanation").press("e").wait("export to: ");
    asked.press("\r").wait("wrote ");
    let home = asked.leave();
    let pictures = std::fs::read_dir(home.path()).unwrap().flatten();
    assert!(pictures.filter(|file| file.path().extension().is_some_and(|end| end == "svg")).count() == 1);
}
