//! The occupancy rules against NVIDIA's own calculator, on the configurations that the implemented rules cover:
//! default carveout, no partitioned global caching, barriers that do not bind.
//! The answers live beside the checkout, in ../shared; the test says so when they are absent.

use roofswap::gpu::LimitsTable;
use roofswap::occupancy::{BlockNeeds, Occupancy, Resource, Rules, occupancy};

fn flags(o: &Occupancy) -> String {
    [
        (Resource::Warps, "W"),
        (Resource::Registers, "R"),
        (Resource::SharedMemory, "S"),
        (Resource::Blocks, "B"),
    ]
    .iter()
    .filter(|(r, _)| o.is_limiter(*r))
    .map(|(_, f)| *f)
    .collect::<Vec<_>>()
    .join("|")
}

#[test]
fn no_difference_to_nvidias_calculator_where_the_rules_apply() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/samples/occupancy/vectors.txt");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("SKIPPED: {path} is not here");
        return;
    };
    let table = LimitsTable::shipped().unwrap();
    let (mut checked, mut wrong) = (0, Vec::new());
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (asked, answer) = line.split_once(" => ").unwrap();
        let a: Vec<&str> = asked.split(' ').collect();
        let b: Vec<&str> = answer.split(' ').collect();
        let number = |s: &str| s.parse::<i64>().unwrap();
        // a: cc threads regs static dynamic carveout barriers gc; b: active flags warps regs smem blocks barriers ...
        let barriers_bind = b[6] != "-1" && number(b[6]) <= number(b[0]);
        let fixed_carveout = matches!(&a[0][..2], "5." | "6.");
        if (a[5] != "-1" && !fixed_carveout) || a[7] != "0" || barriers_bind {
            continue;
        }
        let u = |i: usize| a[i].parse::<u32>().unwrap();
        let needs =
            BlockNeeds { threads: u(1), regs_per_thread: u(2), smem_static: u(3), smem_dynamic: u(4) };
        let o = occupancy(&table.get(a[0].parse().unwrap()).unwrap(), needs, Rules::Exact);
        let limit = |r| o.limit(r).map_or("-1".into(), |l| l.to_string());
        let ours = [
            o.active_blocks.to_string(),
            flags(&o),
            limit(Resource::Warps),
            limit(Resource::Registers),
            limit(Resource::SharedMemory),
            limit(Resource::Blocks),
        ];
        checked += 1;
        if ours.iter().zip(&b).any(|(x, y)| x != y) {
            wrong.push(format!("{line}\n   ours {}", ours.join(" ")));
        }
    }
    assert!(checked > 1000, "only {checked} configurations were covered");
    assert!(
        wrong.is_empty(),
        "{} of {checked} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(10)].join("\n")
    );
    println!("{checked} configurations agree");
}
