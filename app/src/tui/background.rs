//! Whether the terminal's background is light: asked before the first frame (OSC 11), and hardly waited for.
//!
//! Behind the question stands another one that nearly every terminal answers (its device attributes): once that answer is there, an
//! answer to the first will not come any more. What comes after the first frame, as over a slow line, is kept out of the keys and
//! followed then ([`LateAnswer`]).

use super::state::DashboardState;
#[cfg(unix)]
use super::terminal::write_at_once;
use ratatui::crossterm::event::{Event, KeyCode, KeyModifiers};
use std::time::{Duration, Instant};

/// The two questions: the background, then the device attributes.
#[cfg(unix)]
const QUESTIONS: &[u8] = b"\x1b]11;?\x1b\\\x1b[c";

/// How long the first frame waits for an answer: a terminal of the same machine needs a millisecond.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_millis(5);

/// How long after that an answer is still expected among the keys.
const LATE: Duration = Duration::from_secs(3);

/// An answer is no longer than this.
const LONGEST: usize = 64;

/// From this luminance on a background is light.
const LIGHT: f64 = 0.5;

/// What a terminal said of its background.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BackgroundAnswer {
    /// Whether it is light; `None` where it did not say.
    pub(super) is_light: Option<bool>,
    /// Whether an answer, or the rest of it, may still come.
    pub(super) is_open: bool,
    /// What came of it so far.
    read: Vec<u8>,
}

/// Asks the terminal, which must be in raw mode. Nothing is asked where keys are waiting already, or of a terminal that is known
/// not to answer.
#[cfg(unix)]
pub(super) fn ask_background() -> BackgroundAnswer {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut answer = BackgroundAnswer::default();
    let input = std::io::stdin();
    let is_ready = |patience: Duration| {
        let patience = Timespec::try_from(patience).unwrap_or_default();
        poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&patience)).is_ok_and(|ready| ready > 0)
    };
    let is_console = std::env::var_os("TERM").is_some_and(|term| term == "linux");
    if is_console || is_ready(Duration::ZERO) || write_at_once(QUESTIONS).is_err() {
        return answer;
    }
    let (until, mut read) = (Instant::now() + PATIENCE, Vec::new());
    while !has_attributes(&read) && read.len() < 4 * LONGEST {
        let left = until.saturating_duration_since(Instant::now());
        let mut bytes = [0; LONGEST];
        if left.is_zero() || !is_ready(left) {
            answer.is_open = true;
            break;
        }
        match rustix::io::read(&input, &mut bytes) {
            Ok(count) if count > 0 => read.extend_from_slice(&bytes[..count]),
            _ => break,
        }
    }
    answer.is_light = is_light_answer(&read);
    BackgroundAnswer { read, ..answer }
}

/// Elsewhere only the environment is asked.
#[cfg(not(unix))]
pub(super) fn ask_background() -> BackgroundAnswer {
    BackgroundAnswer::default()
}

/// Whether the device attributes stand in it whole: `ESC [ ? 62 ; 22 c`.
#[cfg(any(unix, test))]
fn has_attributes(read: &[u8]) -> bool {
    let start = read.windows(3).position(|bytes| bytes == b"\x1b[?");
    start.is_some_and(|start| read[start + 3..].iter().find(|byte| byte.is_ascii_alphabetic()) == Some(&b'c'))
}

/// Whether the colour of an answer such as `ESC ] 11 ; rgb:ffff/ffff/dddd ESC \` is light.
fn is_light_answer(read: &[u8]) -> Option<bool> {
    let text = String::from_utf8_lossy(read);
    let colour = text.split("]11;rgb").nth(1)?.trim_start_matches('a').strip_prefix(':')?;
    let colour = colour.split(['\u{1b}', '\u{7}']).next()?;
    let share = |digits: &str| {
        let most = 16_f64.powi(i32::try_from(digits.len()).ok()?) - 1.0;
        let is_hex = (1..=4).contains(&digits.len());
        is_hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten().map(|value| f64::from(value) / most)
    };
    let parts: Vec<f64> = colour.split('/').map(share).collect::<Option<_>>()?;
    let [red, green, blue, ..] = parts[..] else { return None };
    Some(0.2126 * red + 0.7152 * green + 0.0722 * blue > LIGHT)
}

/// Takes the light theme, unless another one than the first was taken already: the terminal's background is light.
pub(super) fn follow_light_background(state: &mut DashboardState) {
    let light = state.themes.0.iter().position(|theme| theme.name == "light");
    if let Some(place) = light.filter(|_| state.themes.1 == 0) {
        state.themes.1 = place;
    }
}

/// Keeps an answer that comes after the first frame out of the keys: a terminal sends it as Alt-], then letters, up to Alt-\ or
/// Ctrl-G.
#[derive(Debug, Default)]
pub(super) struct LateAnswer {
    until: Option<Instant>,
    /// What came of it; none while it has not begun.
    read: Option<String>,
    is_light: Option<bool>,
}

impl LateAnswer {
    /// Watches for what may still come of this answer.
    pub(super) fn expected(answer: &BackgroundAnswer) -> Self {
        let has_begun = answer.is_open && answer.read.starts_with(b"\x1b]") && answer.is_light.is_none();
        let read = has_begun.then(|| String::from_utf8_lossy(&answer.read[1..]).into_owned());
        Self { until: answer.is_open.then(|| Instant::now() + LATE), read, is_light: None }
    }

    /// Whether it said that the background is light, once it is whole; to be asked once.
    pub(super) fn take_is_light(&mut self) -> bool {
        self.is_light.take() == Some(true)
    }

    /// Whether this event is a part of it, and no key of a person's.
    pub(super) fn takes(&mut self, event: &Event) -> bool {
        let Some(until) = self.until else { return false };
        let Event::Key(key) = event else { return false };
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let Some(read) = &mut self.read else {
            if Instant::now() > until {
                self.until = None;
            } else if alt && key.code == KeyCode::Char(']') {
                self.read = Some("]".into());
                return true;
            }
            return false;
        };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let ends = (alt && key.code == KeyCode::Char('\\')) || (control && key.code == KeyCode::Char('g'));
        if ends || read.len() > LONGEST {
            self.is_light = is_light_answer(read.as_bytes());
            (self.until, self.read) = (None, None);
        } else if let KeyCode::Char(letter) = key.code {
            read.push(letter);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::crossterm::event::KeyEvent;

    #[test]
    fn answers_of_terminals_are_read_whatever_stands_around_them() {
        for (answer, is_light) in [
            (&b"\x1b]11;rgb:ffff/ffff/dddd\x1b\\\x1b[?62;22c"[..], Some(true)),
            (b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07\x1b[?1;2c", Some(false)),
            (b"\x1b]11;rgba:ff/ff/ff/ff\x1b\\\x1b[?6c", Some(true)),
            (b"\x1b]11;rgb:f/f/f\x07", Some(true)),
            (b"\x1b[?62;c", None),
            (b"\x1b]11;rgb:zz/zz/zz\x07", None),
            (b"\x1b]11;rgb:", None),
            (b"", None),
            (b"\xff\xfe\x1b]11;?", None),
        ] {
            assert_eq!(is_light_answer(answer), is_light, "{answer:?}");
        }
        assert!(has_attributes(b"\x1b]11;rgb:0/0/0\x07\x1b[?62;22c"));
        assert!(!has_attributes(b"\x1b]11;rgb:c/c/c\x07\x1b[?62;22"));
    }

    #[test]
    fn an_answer_that_comes_late_is_no_key_and_the_next_key_is_one() {
        let event = |code, modifiers| Event::Key(KeyEvent::new(code, modifiers));
        let open = BackgroundAnswer { is_open: true, ..BackgroundAnswer::default() };
        let mut late = LateAnswer::expected(&open);
        assert!(!late.takes(&event(KeyCode::Char('x'), KeyModifiers::NONE)), "a key before it is a key");
        assert!(late.takes(&event(KeyCode::Char(']'), KeyModifiers::ALT)));
        for letter in "11;rgb:ffff/ffff/ffff".chars() {
            assert!(late.takes(&event(KeyCode::Char(letter), KeyModifiers::NONE)));
        }
        assert!(!late.take_is_light(), "it is not whole");
        assert!(late.takes(&event(KeyCode::Char('\\'), KeyModifiers::ALT)));
        assert!(late.take_is_light() && !late.take_is_light(), "followed once");
        assert!(!late.takes(&event(KeyCode::Char('q'), KeyModifiers::NONE)));
        // One of which a part came in time.
        let mut rest =
            LateAnswer::expected(&BackgroundAnswer { read: b"\x1b]11;rgb:ffff/ff".to_vec(), ..open });
        for letter in "ff/ffff".chars() {
            assert!(rest.takes(&event(KeyCode::Char(letter), KeyModifiers::NONE)));
        }
        assert!(rest.takes(&event(KeyCode::Char('g'), KeyModifiers::CONTROL)) && rest.take_is_light());
        let mut none = LateAnswer::default();
        assert!(!none.takes(&event(KeyCode::Char(']'), KeyModifiers::ALT)));
    }
}
