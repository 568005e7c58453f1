//! Which GPU is best for a workload: a list of GPUs (or of variants of a kernel) in order, each with its time, interval,
//! limit, power, energy, price and what it costs.
//!
//! ```
//! use roofswap::rank::{RankOrder, RankQuestion, select_targets};
//! use roofswap::{session::Session, workload::Workload};
//!
//! let session = Session::load(None)?;
//! let source = session.gpus.position("titan-v")?;
//! let kernel = session.kernels.position("saxpy")?;
//! let subject = session.subject(kernel, &session.kernels[kernel].typed("n=2^28")?, "")?;
//! let workload = Workload::of_kernel(&session, subject);
//! let targets = select_targets(&session.gpus, &["all".into()])?;
//! let board = RankQuestion::new(&session, &workload, source, targets).answer();
//! assert!(board.rows[0].time <= board.rows[1].time);
//! assert_eq!(RankOrder::default(), RankOrder::Time);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
mod chart;
mod comparisons;
mod distinct;
mod order;
mod part;
mod prices;
mod row;
mod table;
mod table_sums;
mod targets;
mod totals;
mod variants;

pub use board::{Board, RankQuestion, RowSubject};
pub use chart::rank_chart;
pub use order::{RankOrder, fastest_is_separate, mark_pareto, pareto_marks};
pub use prices::{PriceBook, PriceError, PriceQuote};
pub use row::RankedRow;
pub use table::{BOARD_COLUMNS, HYPOTHETICAL, board_records, board_table, marked_name};
pub use table_sums::TableSums;
pub use targets::{
    LimitSign, TargetError, boards_named, each_architecture, each_architecture_among, select_targets,
};
pub use variants::{block_rows, threads_of_label, variant_of_label, variant_rows};
