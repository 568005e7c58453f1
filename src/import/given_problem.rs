//! The size of a kernel, given by the user for a report that states it in keys of its own, such as the grid.

use super::Imported;
use crate::catalogue::Catalogue;
use crate::kernel::{Kernel, KernelId, Problem, ProblemError};
use crate::measurement::{CanonicalRow, PackedRows};
use crate::text::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// `n=2^20` for every kernel that takes it, or `saxpy:n=2^20` for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenProblem {
    kernel: Option<String>,
    size: String,
}

impl FromStr for GivenProblem {
    type Err = ProblemError;
    fn from_str(text: &str) -> Result<Self, ProblemError> {
        // A name of C++ has colons of its own; the last one before the first key ends it.
        let keys = text.find('=').unwrap_or(text.len());
        let (kernel, size) = match text[..keys].rsplit_once(':') {
            Some((kernel, _)) => (Some(kernel.trim().to_string()), &text[kernel.len() + 1..]),
            None => (None, text),
        };
        // A bare number can only be read together with a kernel.
        if size.contains('=') || kernel.is_none() {
            // Which keys may be 0 is the kernel's to say.
            Problem::typed(size, |_| true)?;
        }
        Ok(Self { kernel, size: size.to_string() })
    }
}

impl std::fmt::Display for GivenProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kernel = self.kernel.as_ref().map(|k| format!("{k}:")).unwrap_or_default();
        write!(f, "{kernel}{}", self.size)
    }
}

impl Imported {
    /// Gives the rows of a kernel this size, and says where several sizes of the report became one. Returns how many rows
    /// have it.
    ///
    /// # Errors
    /// [`ProblemError`] where the kernel that is named does not take it.
    pub fn give_problem(
        &mut self,
        given: &GivenProblem,
        kernels: &Catalogue<Kernel>,
    ) -> Result<usize, ProblemError> {
        let known = |name: &str| kernels.id_named(kernels.nickname_of(name).unwrap_or(name));
        let only = given.kernel.as_deref().map(|name| (name, known(name)));
        let mut before: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut meant = 0;
        let mut rows = PackedRows::default();
        for mut row in std::mem::take(&mut self.rows) {
            let of = known(&row.kernel);
            let is_meant = match only {
                Some((name, None)) => row.kernel == name,
                Some((_, place)) => of == place,
                None => of.is_some_and(|at| kernels[at].has_formulas()),
            };
            if !is_meant {
                rows.push(&row);
                continue;
            }
            let size = of.map_or_else(|| given.size.parse(), |at| kernels[at].typed(&given.size));
            let size = match (size, only) {
                (Ok(size), _) => size.to_string(),
                (Err(why), Some(_)) => return Err(why),
                // This kernel has other keys; it was not meant.
                (Err(_), None) => {
                    rows.push(&row);
                    continue;
                }
            };
            if let Some(there) = of.and_then(|at| refuted_grid(&kernels[at], &size, &row)) {
                let shape = |grid: [u64; 3]| grid.map(|n| n.to_string()).join("x");
                self.remark(format!(
                    "--problem {given} ignored for a row of {}: its grid is {}, expected {} at this size and block",
                    row.kernel,
                    row.grid.map(shape).unwrap_or_default(),
                    shape(there)
                ));
                rows.push(&row);
                meant += 1;
                continue;
            }
            let sizes = before.entry(row.kernel.clone()).or_default();
            sizes.insert(std::mem::replace(&mut row.problem, size));
            rows.push(&row);
            meant += 1;
        }
        self.rows = rows;
        for (kernel, sizes) in before.into_iter().filter(|(_, sizes)| sizes.len() > 1) {
            self.remark(format!(
                "--problem {given}: {} sizes of {kernel} in the report become one; of several rows on one GPU the last is used",
                sizes.len()
            ));
        }
        Ok(meant)
    }

    /// Says which rows are called as kernels of the catalogue, but state their size in other keys, and what to do.
    pub fn remark_other_keys(&mut self, kernels: &Catalogue<Kernel>) {
        let mut found: BTreeMap<KernelId, (usize, String)> = BTreeMap::new();
        let mut rows = self.rows.reader();
        while let Some(row) = rows.next_row() {
            let Some(at) = kernels.id_named(kernels.nickname_of(&row.kernel).unwrap_or(&row.kernel)) else {
                continue;
            };
            let fits = Problem::parse_recorded(&row.problem)
                .is_ok_and(|p| kernels[at].completed_problem(&p).is_ok());
            if !fits {
                found.entry(at).or_insert_with(|| (0, row.problem.clone())).0 += 1;
            }
        }
        for (at, (n, example)) in found {
            let kernel = &kernels[at];
            let sizes = kernel.keys.iter().map(|key| format!("{key}=…")).collect::<Vec<_>>().join(",");
            let example: String = crate::text::clipped_text(example, 60);
            let (has, then) = match example.as_str() {
                "" => ("no size".to_string(), "refused when loaded"),
                _ => (format!("the size `{example}`"), "loaded as a separate kernel"),
            };
            let (rows, have) = (counted(n, "row"), if n == 1 { "has" } else { "have" });
            self.remark(format!(
                "{rows} of {} {have} {has}, expected the keys `{}`: {then}; to set the size, use --problem '{}:{sizes}'",
                kernel.id,
                kernel.keys.join(","),
                kernel.id
            ));
        }
    }
}

/// The grid that a kernel's file has at this size for the block of this row, where the row's is another one.
fn refuted_grid(kernel: &Kernel, size: &str, row: &CanonicalRow) -> Option<[u64; 3]> {
    let size = Problem::typed(size, |key| kernel.may_be_zero(key)).ok()?;
    let launch = kernel.instance(&size, &row.variant).ok()?.launch?;
    let is_of_block = row.block == Some(launch.block.map(u64::from));
    (is_of_block && row.grid.is_some_and(|grid| grid != launch.grid)).then_some(launch.grid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::kernel::load_shipped;

    fn report(rows: &[(&str, &str)]) -> Imported {
        let row = |(kernel, problem): &(&str, &str)| CanonicalRow {
            kernel: (*kernel).into(),
            problem: (*problem).into(),
            ..CanonicalRow::default()
        };
        Imported { rows: rows.iter().map(row).collect(), ..Imported::default() }
    }

    #[test]
    fn a_padding_of_0_is_a_size_where_its_kernel_has_a_use_for_it() {
        let (kernels, _) = load_shipped(&shipped_sources().unwrap());
        let mut all = report(&[("torch_conv", "grid=4")]);
        let size = "b=8;ic=16;oc=32;ks=3;hw=28;stride=1;pad=0";
        let given = format!("torch_conv:{size}").parse().unwrap();
        assert_eq!(all.give_problem(&given, &kernels), Ok(1));
        let given = all.rows.into_iter().next().unwrap().problem;
        assert!(given.contains("pad=0"), "{given}");
    }

    #[test]
    fn a_size_goes_to_the_kernel_that_is_named_or_to_all_that_take_it() {
        let (kernels, _) = load_shipped(&shipped_sources().unwrap());
        let rows =
            [("saxpy", "grid=4"), ("saxpy", "grid=8"), ("conv2d_3x3", "grid=4"), ("ns::mine", "grid=4")];
        let given = |text: &str| {
            let mut all = report(&rows);
            let n = all.give_problem(&text.parse().unwrap(), &kernels);
            (n, all.rows.into_iter().map(|r| r.problem).collect::<Vec<_>>(), all.remarks)
        };
        let (n, problems, remarks) = given("n=1k");
        assert_eq!(
            (n, problems),
            (Ok(2), ["n=1000", "n=1000", "grid=4", "grid=4"].map(String::from).to_vec())
        );
        assert!(remarks[0].contains("2 sizes of saxpy in the report become one"), "{remarks:?}");
        assert_eq!(given("conv2d_3x3:512").1[2], "h=512;w=512");
        assert_eq!(given("ns::mine:n=4").1[3], "n=4");
        assert_eq!(given("reduce_sum:n=4").0, Ok(0));
        assert!(given("saxpy:m=4").0.is_err());
        assert!("2^20".parse::<GivenProblem>().is_err() && "saxpy:n=-1".parse::<GivenProblem>().is_err());
        assert!(given("saxpy:n=0").0.is_err() && given("ns::mine:n=0").0.is_err());
        let mut all = report(&rows);
        all.remark_other_keys(&kernels);
        assert_eq!(all.remarks.len(), 2, "{:?}", all.remarks);
        assert!(
            all.remarks.iter().any(|r| r.starts_with("2 rows of saxpy have the size `grid=4`")),
            "{:?}",
            all.remarks
        );
    }
}
