//! The program: the command line, and the dashboard when no command is given. The only place that knows both.

use anyhow::{Context, Result};
use roofswap::calendar::utc_date;
use roofswap::catalogue::read_limited;
use roofswap::catalogue::user_folder;
use roofswap::cli::{self, DashboardArgs};
use roofswap::config::{Saved, ThemeBook, state_file, user_prices};
use roofswap::gpu::GpuId;
use roofswap::predict::model_position;
use roofswap::rank::PriceBook;
use roofswap::session::Session;
use roofswap::tui::{self, DashboardOptions};
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

fn main() -> ExitCode {
    cli::run_command_line(open_dashboard)
}

/// Loads, checks what was typed, and runs the dashboard; a mistake is said before the terminal is touched.
fn open_dashboard(args: DashboardArgs) -> Result<()> {
    let folder = user_folder();
    let mut session = Session::load(folder.as_deref()).context("a table inside the program is damaged")?;
    let themes = ThemeBook::load(folder.as_deref())?;
    let mut notices = Vec::new();
    let keymap_file = folder.map(|f| f.join("keymap.toml")).filter(|f| f.exists());
    let keymap = keymap_file.and_then(|file| {
        let text = read_limited(&file).map_err(|why| notices.push(why.to_string())).ok()?;
        Some((file.display().to_string(), text))
    });
    let prices = price_book(args.prices.as_deref(), &session, &mut notices)?;
    // The selection and the kernels typed in earlier runs stay in the file: `Saved::beside`.
    let remembered =
        if args.fresh { Saved { keeps_selection: true, ..Saved::default() } } else { remembered() };
    // What is remembered may be of another catalogue.
    for remembered in remembered.source.iter().chain(&remembered.targets) {
        let _ = session.add_derived_gpus([remembered.as_str()]);
    }
    session.add_derived_gpus(args.from.iter().chain(&args.to).map(String::as_str))?;
    let saved = typed_over(remembered, &args, &session)?;
    let (kernel_asked, source_asked) = (args.kernel.is_some(), args.from.is_some());
    let targets_asked = !args.to.is_empty();
    let targets: Vec<GpuId> = tui::first_targets(&session, &saved);
    args.clocks.lay(&mut session, &targets)?;
    let theme = args.theme.or_else(no_color);
    let (data, ascii) = (args.data, args.ascii || has_plain_locale());
    let (all_colours, light_background) = (shows_all_colours(), has_light_background());
    let options = DashboardOptions {
        saved,
        kernel_asked,
        source_asked,
        targets_asked,
        themes: Some(themes),
        theme,
        data,
        ascii,
        all_colours,
        light_background,
        keymap,
        notices,
        prices,
    };
    tui::run_dashboard(session, options)?;
    Ok(())
}

/// The prices that were asked for, else those of the user's folder: of the latter a mistake is a notice.
fn price_book(asked: Option<&Path>, session: &Session, notices: &mut Vec<String>) -> Result<PriceBook> {
    let today = utc_date(SystemTime::now());
    let read = |file: &Path| PriceBook::read(file, &session.gpus, today.as_deref());
    let book = match (asked, user_prices()) {
        (Some(file), _) => read(file)?,
        (None, None) => PriceBook::default(),
        (None, Some(file)) => read(&file).unwrap_or_else(|why| {
            notices.push(why.to_string());
            PriceBook::default()
        }),
    };
    notices.extend(book.remarks.iter().cloned());
    Ok(book)
}

/// What the state file remembers; nothing where there is none or it is damaged.
fn remembered() -> Saved {
    let text = state_file().and_then(|f| read_limited(&f).ok());
    text.map(|t| Saved::parse(&t)).unwrap_or_default()
}

/// What was typed goes before what is remembered; unknown names are errors here, not surprises later.
fn typed_over(mut saved: Saved, args: &DashboardArgs, session: &Session) -> Result<Saved> {
    if let Some(from) = &args.from {
        saved.source = Some(session.gpus.entry_named(from)?.id.clone());
    }
    if !args.to.is_empty() {
        let ids = args.to.iter().map(|t| session.gpus.entry_named(t).map(|g| g.id.clone()));
        saved.targets = ids.collect::<Result<_, _>>()?;
    }
    if let Some(kernel) = &args.kernel {
        let known = session.kernels.entry_named(kernel).map(|k| k.id.clone());
        // A kernel may come with the data, which load behind the first screen.
        let id = if args.data.is_empty() { known? } else { known.unwrap_or_else(|_| kernel.clone()) };
        (saved.kernel, saved.problem) = (Some(id), None);
    }
    if let Some(size) = &args.size {
        saved.problem =
            Some(match session.kernels.entry_named(saved.kernel.as_deref().unwrap_or(tui::FIRST_KERNEL)) {
                Ok(kernel) => kernel.typed(size)?.to_string(),
                Err(unknown) if args.data.is_empty() => return Err(unknown.into()),
                Err(_) => size.clone(),
            });
    }
    if let Some(model) = &args.model {
        model_position(model)?;
        saved.model = Some(model.clone());
    }
    saved.ceilings = args.ceilings.map(|c| c.as_str().to_string()).or(saved.ceilings);
    saved.rules = args.rules.map(|r| r.as_str().to_string()).or(saved.rules);
    Ok(saved)
}

/// Whether the locale is `C` or `POSIX`: its terminals are not known to show more than ASCII.
fn has_plain_locale() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    locale.is_some_and(|locale| locale == "C" || locale == "POSIX")
}

/// Whether the terminal says that it shows 24-bit colours.
fn shows_all_colours() -> bool {
    std::env::var("COLORTERM").is_ok_and(|value| value == "truecolor" || value == "24bit")
}

/// Whether `COLORFGBG`, as rxvt, Konsole and others set it, names a light background: `0;15`; `None` where nobody set it.
fn has_light_background() -> Option<bool> {
    let colours = std::env::var("COLORFGBG").ok()?;
    let background = colours.rsplit(';').next()?.parse::<u8>().ok()?;
    Some(matches!(background, 7 | 9..=15))
}

/// `NO_COLOR` (no-color.org) goes before what is remembered.
fn no_color() -> Option<String> {
    std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()).then(|| "mono".to_string())
}
