//! The bodies of the fuzz targets (`tests/fuzz`), played over seeded mutations on every `cargo test`.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

#[path = "fuzz/bodies/canonical_csv.rs"]
mod canonical_csv;
mod mutations;

use mutations::replay;

#[test]
fn canonical_csv() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/published/measurements.csv");
    let all = "gpu,kernel,problem,variant,dtype,block,grid,regs_per_thread,smem_static_bytes,smem_dynamic_bytes,flops,\
               dram_bytes,time_ms,time_std_ms,trials,power_w,source,stream\n\
               titan-v,\"void k<int, 3>(float*)\",m=512;layout=nt,a,fp32,16x16,4x4x1,32,0,2048,1e6,4096,0.05,0.001,10,\
               201.5,mine:row1,7\n\
               rtx-4070,saxpy,n=1048576,,fp32,256,4096,,,,,,0.02,,,,,\n";
    replay("canonical_csv", &[std::fs::read(shipped).unwrap(), all.as_bytes().to_vec()], canonical_csv::body);
}
