//! What a model says of a kernel on a changed GPU.

use crate::predict::ends_under_limit;
use crate::roofline::Bound;
use crate::units::Seconds;

/// What a model says of one kernel on one GPU.
#[derive(Clone, Copy)]
pub(super) struct ModelTime {
    pub(super) time: Seconds,
    pub(super) limit: Option<Bound>,
    /// The ends of its interval over the time.
    pub(super) ends: Option<[f64; 2]>,
}

impl ModelTime {
    /// The same under a lower limit than that of its board, which has this time.
    pub(super) fn under_limit(self, board: Option<Self>) -> Self {
        let of_board = board.and_then(|board| Some((board.ends?, board.time / self.time)));
        let ends = self.ends.zip(of_board);
        let ends = ends.map(|(own, (of_board, shorter))| ends_under_limit(own, of_board, shorter));
        Self { ends: ends.or(self.ends), ..self }
    }
}
