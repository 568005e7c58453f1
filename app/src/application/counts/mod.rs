//! FLOPs and DRAM bytes of a launch where no profiler counted them: from the shapes of its operator, else from its name and
//! launch. Each count says where it comes from; where neither says enough there is none.
//!
//! Which argument is what stands in `specs/framework-operators.toml`. An operator may launch helpers beside its main kernel
//! (layout changes of a convolution, the last sum of a split product): they get none of its counts.

mod by_name;
mod operators;
mod tensors;

use super::category::KernelCategory;
use super::group::KernelGroup;
use crate::catalogue::FileError;
use by_name::counts_by_name;
use operators::{CountedLaunch, OperatorTable};

/// Gives groups the counts that can be known of them; those that a profiler counted keep theirs.
///
/// # Errors
/// [`FileError`] where the table inside the program is damaged (a test reads it).
pub(super) fn count_groups(groups: &mut [KernelGroup]) -> Result<(), FileError> {
    let table = OperatorTable::shipped()?;
    for group in groups.iter_mut().filter(|g| g.counts.is_none()) {
        let counted = counts_of(&table, group);
        group.shape = counted.as_ref().and_then(|c| c.shape);
        group.counts = counted.map(|c| c.counts);
    }
    Ok(())
}

fn counts_of(table: &OperatorTable, group: &KernelGroup) -> Option<CountedLaunch> {
    if group.category == KernelCategory::Communication {
        return None;
    }
    let by_name = || counts_by_name(group).map(|counts| CountedLaunch { counts, shape: None });
    group.operator.as_ref().and_then(|call| table.counts(call, &group.name, group.grid)).or_else(by_name)
}
