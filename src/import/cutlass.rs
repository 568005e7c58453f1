//! The CUTLASS profiler's table (`--output=…`, or its printed `CSV Results`): one row per operation and problem.
//!
//! FLOPs and bytes are the profiler's own formulas for the operation (operands once; C again where beta is not 0), the
//! runtime is in milliseconds. The table names no GPU. Block sizes follow from the warps of a CUTLASS 2.x kernel; grids
//! depend on a swizzle that is not in the table.

use super::lines::{Lines, TableHeader, TableRow, attribute, clipped_cell, has_all, refusal};
use super::{ImportJob, ImportRefusal, Imported, Importer};
use crate::measurement::{CanonicalRow, Number, ReadError};
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const IMPORTER: Importer =
    Importer { name: "CUTLASS profiler CSV", recognises: is_own_format, read: read_rows };

/// The columns every table of the profiler has; tags of the user's may stand before them.
const START: &str = "Problem,Provider,OperationKind,Operation,Disposition,Status";

/// Sizes of a convolution, in the order of the table.
const CONVOLUTION: [&str; 9] = ["n", "h", "w", "c", "k", "r", "s", "p", "q"];

/// Arguments that select other code or another launch, and what they are unless asked for.
const CHOICES: [(&str, &str); 10] = [
    ("split_k_slices", "1"),
    ("raster_order", "heuristic"),
    ("swizzle_size", "1"),
    ("conv_kind", ""),
    ("pad_h", ""),
    ("pad_w", ""),
    ("stride_h", "1"),
    ("stride_w", "1"),
    ("dilation_h", "1"),
    ("dilation_w", "1"),
];

fn is_own_format(head: &[u8]) -> bool {
    has_all(head, &[START])
}

fn read_rows(reader: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut lines = Lines::new(reader, job);
    let mut out = Imported::default();
    let mut table: Option<CutlassTable> = None;
    let mut tables = 0;
    let mut not_run: BTreeMap<String, usize> = BTreeMap::new();
    while let Some((number, text)) = lines.next()? {
        if text.contains(START) {
            table = Some(CutlassTable::from_header(TableHeader::cut(text), job)?);
            tables += 1;
        } else if text.trim().is_empty() {
            table = None;
        } else if let Some(table) = &table {
            match table.row_outcome(text) {
                Ok(RowOutcome::Timed(row)) => {
                    out.rows.push(&CanonicalRow { source: format!("{}:{number}", job.file), ..*row });
                }
                Ok(RowOutcome::NotRun(why)) => *not_run.entry(why).or_default() += 1,
                Err(why) => out.add_refusal(job, number, why),
            }
        }
    }
    if tables == 0 {
        return Err(job.read_error(format!("no table of the CUTLASS profiler; expected a line `{START},…`")));
    }
    out.remarks.extend(not_run.iter().take(10).map(|(why, n)| format!("{n} operations did not run: {why}")));
    Ok(out)
}

enum RowOutcome {
    Timed(Box<CanonicalRow>),
    NotRun(String),
}

struct CutlassTable {
    header: TableHeader,
    operation: usize,
    disposition: usize,
    status: usize,
    runtime: usize,
}

impl CutlassTable {
    fn from_header(header: TableHeader, job: &ImportJob<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            operation: header.need("Operation", job)?,
            disposition: header.need("Disposition", job)?,
            status: header.need("Status", job)?,
            runtime: header.need("Runtime", job)?,
            header,
        })
    }

    fn row_outcome(&self, text: &str) -> Result<RowOutcome, ImportRefusal> {
        let row = TableRow::cut(&self.header, text)?;
        match (row.word_at(self.disposition)?, row.word_at(self.status)?) {
            ("incorrect" | "failed", _) => {
                return Err(refusal("Disposition", "the result was wrong; its time measures nothing"));
            }
            (_, "success") => {}
            (disposition, status) => {
                return Ok(RowOutcome::NotRun(format!(
                    "{}, {}",
                    clipped_cell(disposition),
                    clipped_cell(status)
                )));
            }
        }
        let ms = row.time_ms(self.runtime, 1.0)?;
        let ms = ms.ok_or_else(|| refusal("Runtime", "is blank; expected milliseconds"))?;
        let operation = row.word_at(self.operation)?;
        let (kernel, layout) = split_layout(operation);
        let operand = ["A", "Activation"].map(|name| self.cell_text(&row, name)).concat();
        let operand = operand.as_str();
        let mut out = CanonicalRow {
            kernel: kernel.to_string(),
            problem: self.problem_text(&row)?,
            variant: self.variant(&row, layout),
            dtype: dtype(operation, operand, self.cell_text(&row, "op_class")).to_string(),
            block: self.block(&row, operation)?,
            ..CanonicalRow::default()
        };
        let flops = self.header.column_named("Flops").map(|at| row.number_at(at)).transpose()?.flatten();
        self.check_rate(&row, flops, ms)?;
        out.set(Number::Time, Some(ms));
        out.set(Number::Flops, flops);
        out.set(
            Number::DramBytes,
            self.header.column_named("Bytes").map(|at| row.number_at(at)).transpose()?.flatten(),
        );
        for name in ["Provider", "Disposition", "op_class", "A", "B", "C", "accum", "stages"] {
            let value = self.cell_text(&row, name);
            if !value.is_empty() {
                out.attributes.insert(attribute(name), value.to_string());
            }
        }
        Ok(RowOutcome::Timed(Box::new(out)))
    }

    fn cell_text<'l>(&self, row: &TableRow<'l>, name: &str) -> &'l str {
        row.text_at(self.header.column_named(name))
    }

    /// GFLOPs = FLOPs / time, or a number of the row is damaged.
    fn check_rate(&self, row: &TableRow<'_>, flops: Option<f64>, ms: f64) -> Result<(), ImportRefusal> {
        let printed = self.header.column_named("GFLOPs").map(|at| row.number_at(at)).transpose()?.flatten();
        let Some((printed, flops)) = printed.zip(flops) else { return Ok(()) };
        let expected = flops / ms / 1e6;
        if (printed - expected).abs() <= 0.01 * expected {
            return Ok(());
        }
        Err(refusal(
            "GFLOPs",
            format!("{printed:?}: expected {expected:?} (Flops / Runtime); a number is damaged"),
        ))
    }

    fn problem_text(&self, row: &TableRow<'_>) -> Result<String, ImportRefusal> {
        let known = |names: &[&str]| -> Option<Vec<usize>> {
            names.iter().map(|n| self.header.column_named(n)).collect()
        };
        let write = |names: &[&str], at: Vec<usize>| -> Result<String, ImportRefusal> {
            let sizes: Result<Vec<String>, ImportRefusal> =
                names.iter().zip(at).map(|(n, at)| Ok(format!("{n}={}", row.size(at)?))).collect();
            Ok(sizes?.join(";"))
        };
        if let Some(at) = known(&CONVOLUTION) {
            return write(&CONVOLUTION, at);
        }
        let gemm = ["m", "n", "k"];
        let Some(at) = known(&gemm) else {
            let kind = clipped_cell(self.cell_text(row, "OperationKind"));
            return Err(refusal(
                "OperationKind",
                format!("`{kind}`: expected an operation with m, n, k, or conv2d"),
            ));
        };
        let batch = self.cell_text(row, "batch_count");
        let batch = if matches!(batch, "" | "1") { String::new() } else { format!(";batch={batch}") };
        Ok(write(&gemm, at)? + &batch)
    }

    /// Layout, scalars, and whatever else was not left as it is by default.
    fn variant(&self, row: &TableRow<'_>, layout: Option<(&str, &str)>) -> String {
        let mut parts = Vec::new();
        if let Some((layout, alignment)) = layout {
            parts.push(format!("layout={layout}"));
            if alignment != "1" {
                parts.push(format!("align={alignment}"));
            }
        }
        let scalars = ["alpha", "beta"].map(|name| (name, ""));
        for (name, usual) in scalars.into_iter().chain(CHOICES) {
            let value = self.cell_text(row, name);
            if !value.is_empty() && value != usual {
                parts.push(format!("{name}={value}"));
            }
        }
        parts.join(";")
    }

    /// 32 threads for each warp of the block; kernels of CUTLASS 3.x have warps that the table does not count.
    fn block(&self, row: &TableRow<'_>, operation: &str) -> Result<Option<[u64; 3]>, ImportRefusal> {
        let warps = ["warps_m", "warps_n", "warps_k"].map(|name| self.header.column_named(name));
        let [Some(m), Some(n), Some(k)] = warps else { return Ok(None) };
        if operation.contains("cutlass3x")
            || [m, n, k].iter().any(|at| matches!(row.text_at(Some(*at)), "" | "0"))
        {
            return Ok(None);
        }
        let threads =
            32_u64.saturating_mul(row.size(m)?).saturating_mul(row.size(n)?).saturating_mul(row.size(k)?);
        if threads > 1024 {
            return Err(refusal("warps_m", format!("{threads} threads per block: expected at most 1024")));
        }
        Ok(Some([threads, 1, 1]))
    }
}

/// `cutlass_simt_sgemm_128x128_8x2_nt_align1` -> the kernel, `nt` and `1`.
fn split_layout(operation: &str) -> (&str, Option<(&str, &str)>) {
    let split = || {
        let (rest, alignment) = operation.rsplit_once("_align")?;
        let (kernel, layout) = rest.rsplit_once('_')?;
        let plain = layout.len() == 2 && layout.bytes().all(|b| b == b'n' || b == b't');
        let number = !alignment.is_empty() && alignment.bytes().all(|b| b.is_ascii_digit());
        (plain && number).then_some((kernel, (layout, alignment)))
    };
    split().map_or((operation, None), |(kernel, layout)| (kernel, Some(layout)))
}

/// The type of operand A (`f32:column`); blank where tensor cores multiply floats in a type that the table does not say.
fn dtype(operation: &str, a: &str, op_class: &str) -> &'static str {
    match a.split(':').next().unwrap_or_default() {
        "f32" if op_class != "tensorop" => "fp32",
        "f32" if operation.contains("tf32") => "tf32",
        "tf32" => "tf32",
        "f64" => "fp64",
        "f16" => "fp16",
        "bf16" => "bf16",
        "e4m3" | "e5m2" | "fe4m3" | "fe5m2" => "fp8",
        "s8" => "int8",
        "s32" => "int32",
        _ => "",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::read_text;
    use super::*;

    /// 2 x 512 x 512 x 1024 + 2 x 512 x 512 FLOPs in 0.1 ms.
    pub(in super::super) const TABLE: &str = "\
profiler output

Problem,Provider,OperationKind,Operation,Disposition,Status,gemm_kind,m,n,k,A,B,C,alpha,beta,split_k_slices,batch_count,op_class,accum,cta_m,stages,warps_m,warps_n,warps_k,Bytes,Flops,Flops/Byte,Runtime,GB/s,GFLOPs
1,CUTLASS,gemm,cutlass_simt_sgemm_128x128_8x2_nt_align1,passed,success,universal,512,512,1024,f32:column,f32:row,f32:column,1,0,1,1,simt,f32,128,2,4,2,1,5242880,537395200,102,0.1,48.8,5373.95
1,CUTLASS,gemm,cutlass_tensorop_s1688tf32gemm_256x128_16x3_nn_align4,not_verified,success,universal,512,512,1024,f32:column,f32:column,f32:column,1,0,4,8,tensorop,f32,256,3,4,2,1,5242880,537395200,102,0.05,97.6,10747.9
1,CUTLASS,gemm,cutlass_simt_sgemm_64x64_8x2_nn_align1,not_run,not_supported,universal,512,512,1024,f32:column,f32:column,f32:column,1,0,1,1,simt,f32,64,2,4,2,1,0,0,0,0,0,0
1,CUTLASS,gemm,cutlass_simt_sgemm_64x64_8x2_nn_align1,incorrect,success,universal,512,512,1024,f32:column,f32:column,f32:column,1,0,1,1,simt,f32,64,2,4,2,1,1,1,1,1,1,1

done.
";

    #[test]
    fn an_operation_becomes_kernel_problem_and_variant() {
        let read = read_text(&IMPORTER, TABLE).unwrap();
        let rows = read.rows.to_vec();
        let [simt, tensor] = rows.as_slice() else { panic!("{read:?}") };
        assert_eq!((&*simt.kernel, &*simt.problem), ("cutlass_simt_sgemm_128x128_8x2", "m=512;n=512;k=1024"));
        assert_eq!(
            (&*simt.variant, &*simt.dtype, simt.block),
            ("layout=nt;alpha=1;beta=0", "fp32", Some([256, 1, 1]))
        );
        assert_eq!((simt.get(Number::Time), simt.get(Number::Flops)), (Some(0.1), Some(537_395_200.0)));
        assert_eq!((simt.get(Number::DramBytes), &*simt.gpu), (Some(5_242_880.0), ""));
        assert_eq!((&*tensor.problem, &*tensor.dtype), ("m=512;n=512;k=1024;batch=8", "tf32"));
        assert_eq!(tensor.variant, "layout=nn;align=4;alpha=1;beta=0;split_k_slices=4");
        assert_eq!(simt.source, "test.txt:4");
        assert_eq!((read.refused_count, read.refused[0].line), (1, 7), "a wrong result");
        assert!(
            read.remarks[0].contains("1 operations did not run: not_run, not_supported"),
            "{:?}",
            read.remarks
        );
    }

    #[test]
    fn a_convolution_has_its_own_sizes() {
        let text = "Problem,Provider,OperationKind,Operation,Disposition,Status,conv_kind,n,h,w,c,k,r,s,p,q,pad_h,stride_h,\
                    Activation,alpha,beta,op_class,Runtime\n\
                    1,CUTLASS,conv2d,cutlass_x,passed,success,fprop,8,56,56,64,128,3,3,56,56,1,1,f16:nhwc,1,0,tensorop,2.5\n";
        let read = read_text(&IMPORTER, text).unwrap();
        let row = &read.rows.row(0);
        assert_eq!((&*row.problem, &*row.dtype), ("n=8;h=56;w=56;c=64;k=128;r=3;s=3;p=56;q=56", "fp16"));
        assert_eq!((&*row.variant, row.block), ("alpha=1;beta=0;conv_kind=fprop;pad_h=1", None));
    }

    #[test]
    fn damaged_rows_are_refused() {
        for (from, to, column) in [
            (",0.1,48.8", ",0.2,48.8", "GFLOPs"),
            (",0.1,48.8", ",,48.8", "Runtime"),
            ("universal,512,512,1024,f32:column,f32:row", "universal,0,512,1024,f32:column,f32:row", "m"),
            ("simt,f32,128,2,4,2,1", "simt,f32,128,2,4,20,1", "warps_m"),
            ("1,CUTLASS,gemm,cutlass_simt_sgemm_128", "1,CUTLASS,cutlass_simt_sgemm_128", "row"),
        ] {
            let read = read_text(&IMPORTER, &TABLE.replacen(from, to, 1)).unwrap();
            assert_eq!((read.rows.len(), &*read.refused[0].column), (1, column), "{to}");
        }
        let error = read_text(&IMPORTER, &TABLE.replacen("Runtime", "Runtime,Runtime", 1)).unwrap_err();
        assert!(error.message.contains("`Runtime` stands twice"), "{error}");
    }
}
