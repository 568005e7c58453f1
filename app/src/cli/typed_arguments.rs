//! The arguments as they were typed, made ready for `clap`, and what `clap` says of them in the words of the other commands.

use std::ffi::OsString;

/// `--time -3ms` as `--time=-3ms`: a number below 0 behind an option is its value, so that the option says what it expects.
/// Otherwise it would be taken for an option that does not exist.
pub(super) fn with_negative_values(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    // Behind `--` stand files alone.
    let mut are_options = true;
    for argument in arguments {
        let is_value = argument.to_str().is_some_and(is_negative_number);
        match all.last_mut() {
            Some(option) if is_value && are_options && option.to_str().is_some_and(takes_next) => {
                option.push("=");
                option.push(argument);
            }
            _ => {
                are_options &= argument != "--";
                all.push(argument);
            }
        }
    }
    all
}

/// `-3`, `-.5`, `-3ms`, `-1G`.
fn is_negative_number(text: &str) -> bool {
    let after = text.strip_prefix('-').map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    after.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// An option without its value.
fn takes_next(text: &str) -> bool {
    text.strip_prefix("--").is_some_and(|name| !name.is_empty() && !name.contains('='))
}

/// What the standard library says of a number, and what was expected instead.
const EXPECTED: [(&str, &str); 4] = [
    ("invalid digit found in string", "expected a whole number, such as 2"),
    ("cannot parse integer from empty string", "expected a whole number, such as 2"),
    ("number too large to fit in target type", "expected a smaller whole number"),
    ("invalid float literal", "expected a number, such as 1.5"),
];

/// What is wrong with the arguments, in one line as every other error; where to read on goes without saying.
pub(super) fn argument_error(rendered: &str) -> String {
    let lines = rendered.lines().map(str::trim).filter(|line| !line.is_empty());
    // Nobody means an option that does not exist as a file.
    let is_told =
        |line: &&str| !line.starts_with("For more information") && !line.starts_with("tip: to pass");
    let told: Vec<&str> = lines.filter(is_told).collect();
    let line = told.join("; ").replace(":; ", ": ").replace("; Usage: ", "; usage: ");
    let line = EXPECTED.iter().fold(line, |line, (of_library, expected)| {
        line.strip_suffix(of_library).map_or_else(|| line.clone(), |start| format!("{start}{expected}"))
    });
    with_way_on(in_words_of_range(&line).unwrap_or(line))
}

/// `…: 0 is not in 1..=1024` as `…: expected a whole number from 1 to 1024`; `None` for any other line.
fn in_words_of_range(line: &str) -> Option<String> {
    let (told, range) = line.rsplit_once(" is not in ")?;
    let (low, high) = range.split_once("..")?;
    let high = high.trim_start_matches('=');
    let is_number = |text: &str| text.parse::<i64>().is_ok();
    let (told, _) = told.rsplit_once(": ").filter(|_| is_number(low) && is_number(high))?;
    Some(format!("{told}: expected a whole number from {low} to {high}"))
}

/// The same with what helps more than a bare `[OPTIONS]`: where the commands are listed, and that names follow an option.
fn with_way_on(line: String) -> String {
    let Some((told, usage)) = line.split_once("; usage: ") else { return line };
    let command = usage.split(' ').nth(1).filter(|word| !word.starts_with(['[', '<']));
    let is_name =
        told.strip_prefix("error: unexpected argument '").is_some_and(|rest| !rest.starts_with('-'));
    let told = if is_name { told.trim_end_matches(" found") } else { told };
    match command {
        _ if told.starts_with("error: unrecognized subcommand") => {
            format!("{told}; `roofswap help` lists the commands")
        }
        Some(command) if is_name && usage.ends_with("[OPTIONS]") => format!(
            "{told}: name kernels, GPUs and files with an option, e.g. --kernel saxpy; see `roofswap help {command}`"
        ),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_error_is_one_line() {
        let of_two = "error: the following required arguments were not provided:\n  --n <N>\n\nUsage: roofswap gemm\n\n\
                      For more information, try '--help'.\n";
        let line = argument_error(of_two);
        assert_eq!(
            line,
            "error: the following required arguments were not provided: --n <N>; usage: roofswap gemm"
        );
    }

    #[test]
    fn a_range_is_said_in_words() {
        let of_range = "error: invalid value '0' for '--trials <N>': 0 is not in 1..=1000\n";
        assert_eq!(
            argument_error(of_range),
            "error: invalid value '0' for '--trials <N>': expected a whole number from 1 to 1000"
        );
    }

    #[test]
    fn an_error_without_a_hint_says_where_the_names_are() {
        let of_command =
            argument_error("error: unrecognized subcommand 'list'\n\nUsage: roofswap [OPTIONS]\n");
        assert_eq!(of_command, "error: unrecognized subcommand 'list'; `roofswap help` lists the commands");
        let of_name =
            argument_error("error: unexpected argument 'saxpy' found\n\nUsage: roofswap predict [OPTIONS]\n");
        assert_eq!(
            of_name,
            "error: unexpected argument 'saxpy': name kernels, GPUs and files with an option, e.g. --kernel saxpy; \
             see `roofswap help predict`"
        );
        let of_file = "error: unexpected argument '--check' found\n\n  tip: to pass '--check' as a value, use '-- --check'\n\nUsage: roofswap audit <FILE>...";
        let told = "error: unexpected argument '--check' found; usage: roofswap audit <FILE>...";
        assert_eq!(argument_error(of_file), told);
        let of_option = "error: unexpected argument '--sise' found; usage: roofswap predict [OPTIONS]";
        assert_eq!(argument_error(of_option), of_option);
    }

    #[test]
    fn numbers_below_zero_are_values_of_the_option_before_them() {
        let joined = |typed: &str| {
            let all = with_negative_values(typed.split(' ').map(OsString::from));
            all.iter().map(|one| one.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(joined("app t.json --device -1 --top -.5"), "app t.json --device=-1 --top=-.5");
        assert_eq!(joined("predict --time -3ms --flops -1G -v"), "predict --time=-3ms --flops=-1G -v");
        for unchanged in
            ["app - --to l4", "app --to=l4 -3", "app -o -3", "app -- -3", "app --to -x", "app -- --to -3"]
        {
            assert_eq!(joined(unchanged), unchanged);
        }
    }
}
