//! The price of an hour on a GPU, typed.

use crate::gpu::GpuId;
use crate::rank::PriceQuote;
use crate::tui::message::Effect;
use crate::tui::state::DashboardState;
use crate::tui::undo::remember;
use crate::units::typed_number;

/// No GPU costs more than this by the hour.
const MOST_USD: f64 = 10_000.0;

/// What may be typed.
pub fn price_words(state: &DashboardState, gpu: GpuId) -> String {
    let name = state.session.gpus[gpu].short_name();
    let is_typed = state.ranked.prices.typed.contains_key(&gpu);
    let empty = if is_typed { "; empty removes the typed one" } else { "" };
    format!("the price of an hour on {name} in US dollars, then the provider: 2.49 lambda{empty}")
}

/// Sets the price of an hour on a GPU: US dollars, then who asks it; nothing takes a typed one away.
///
/// # Errors
/// What was expected.
pub fn set_price(state: &mut DashboardState, gpu: GpuId, text: &str) -> Result<Vec<Effect>, String> {
    if text.is_empty() && state.ranked.prices.typed.contains_key(&gpu) {
        remember(state);
        state.ranked.prices.typed.remove(&gpu);
        state.ranked.changes += 1;
        return Ok(Vec::new());
    }
    let (number, provider) = text.split_once(char::is_whitespace).unwrap_or((text, "typed"));
    let number = number.trim_start_matches('$');
    let usd_per_hour = typed_number(number)
        .filter(|usd| *usd >= 0.0 && *usd <= MOST_USD)
        .ok_or_else(|| format!("`{number}`: expected US dollars per hour, such as 2.49"))?;
    let date = state.ranked.today.clone();
    let (provider, region) = (provider.trim().to_string(), String::new());
    let quote = PriceQuote { usd_per_hour, provider, region, date, fits_several: false };
    remember(state);
    state.ranked.prices.typed.insert(gpu, quote);
    state.ranked.changes += 1;
    Ok(Vec::new())
}
