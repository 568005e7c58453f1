//! What a power limit that is not its board's makes of a target.

use super::answered::Answer;
use crate::gpu::{Clocks, Gpu};
use crate::kernel::{Instance, Kernel, Work};
use crate::power::{Load, gpu_at_limit};
use crate::predict::{Caution, Interval, operator_clock};
use crate::units::Seconds;

/// The answer on this GPU, `at` which one is found: at the clock that its limit leaves it under the kernel's load, as its board where the limit
/// does nothing to the kernel.
pub(super) fn under_its_limit(
    kernel: &Kernel,
    instance: &Instance,
    asked: &Gpu,
    stock: &Gpu,
    at: impl Fn(&Gpu) -> Answer,
) -> Answer {
    let slower = gpu_at_limit(asked, |gpu| {
        let answer = at(gpu);
        let blocks = answer.launch.target.map(|l| l.block_count() as f64);
        Some(load_at_limit(kernel, instance, &answer.work, blocks, gpu, answer.predicted_time()?))
    });
    let Some(slower) = slower else {
        let free = at(asked);
        // A higher limit does nothing to what that of the board does not slow.
        let on_board = raised_from(asked, stock).map(at).filter(|board| !is_slower(board, &free));
        return on_board.map_or(free, |board| with_caution(board, Caution::unused_limit(asked)));
    };
    let mut answer = at(&slower);
    let board = asked.at_own_limit().map(|board| at(&board));
    answer.interval = answer.interval.map(|found| no_narrower(found, &answer, board.as_ref()));
    with_caution(answer, Caution::of_limit(asked, &slower))
}

/// The interval of an answer under a lower limit, no narrower than that of its board, whose time may be modelled as well, and no sooner.
fn no_narrower(found: Interval, answer: &Answer, board: Option<&Answer>) -> Interval {
    let of_board = board.and_then(|board| Some((board.interval?, board.predicted_time()?)));
    let of_both = answer.predicted_time().zip(of_board);
    of_both.map_or(found, |(time, (interval, on_board))| found.under_limit(time, interval, on_board))
}

/// What a kernel at this size asks of a GPU in this time, by its work and the blocks of its launch where they are known: of an operator at the SM clock that its
/// model says.
#[must_use]
pub fn load_at_limit(
    kernel: &Kernel,
    instance: &Instance,
    work: &Work,
    blocks: Option<f64>,
    gpu: &Gpu,
    time: Seconds,
) -> Load {
    Load::from_work(kernel, work, blocks, gpu, time).with_tensor_clock(operator_clock(gpu, instance))
}

/// The board that this GPU is under a higher power limit; `None` where anything else of it was changed as well, or the limit is not higher.
fn raised_from<'a>(asked: &Gpu, stock: &'a Gpu) -> Option<&'a Gpu> {
    let at_limit_of_board = Clocks { power_limit: stock.power_limit.value, ..asked.clocks() };
    let is_raised = asked.power_limit.value > stock.power_limit.value;
    (is_raised && at_limit_of_board.is_same_setting(&stock.clocks())).then_some(stock)
}

/// Whether the first answer is a longer time than the second, by more than rounding.
fn is_slower(first: &Answer, second: &Answer) -> bool {
    let times = [first, second].map(Answer::predicted_time);
    matches!(times, [Some(first), Some(second)] if first.0 > second.0 * (1.0 + 1e-9))
}

fn with_caution(mut answer: Answer, caution: Caution) -> Answer {
    if let Ok(prediction) = &mut answer.prediction {
        prediction.cautions.push(caution);
    }
    answer
}
