//! What stands beside the axes of a chart in cells.

use crate::chart::{Axis, Scale};
use crate::units::prefixed;

/// Values and texts beside an axis: every decade of a logarithmic one, about `most` even steps of another.
pub(super) fn ticks(axis: &Axis, most: usize) -> Vec<(f64, String)> {
    match axis.scale {
        Scale::Log { min, max } => {
            let decades = (min.log10().ceil() as i32)..=(max.log10().floor() as i32);
            decades.map(|exponent| (10f64.powi(exponent), tick(exponent))).collect()
        }
        _ => axis.ticks(most).into_iter().map(|t| (t.value, short(t.value, t.label))).collect(),
    }
}

/// The unit behind an axis' title: `performance, FLOP/s`.
pub(super) fn axis_unit(axis: &Axis) -> &str {
    axis.label.rsplit([',', ' ']).next().unwrap_or_default().trim()
}

/// Large numbers with a prefix: `1.05M`.
fn short(value: f64, label: String) -> String {
    if value.abs() < 1e5 { label } else { prefixed(value, "").replace(' ', "") }
}

/// `100G`, `1T`, `10`, `0.1`: a decade in five columns.
fn tick(exponent: i32) -> String {
    let text = if exponent < 3 {
        format!("{}", 10f64.powi(exponent))
    } else {
        prefixed(10f64.powi(exponent), "").replace(".00", "").replace(".0", "").replace(' ', "")
    };
    if text.len() > 5 { format!("1e{exponent}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::tick;

    #[test]
    fn decades_fit_their_column() {
        for (exponent, text) in
            [(-2, "0.01"), (0, "1"), (2, "100"), (3, "1k"), (11, "100G"), (13, "10T"), (30, "1e30")]
        {
            assert_eq!(tick(exponent), text);
        }
    }
}
