//! What JAX's profiler says of an activity of a GPU: `jax.profiler.trace` writes `*.trace.json.gz`, whose events have no category, and whose
//! kernels state their launch as one text.

use super::json_event::{Members, number};

/// What an event of a GPU is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum XlaActivity {
    Kernel,
    Copy,
}

/// By the details that an event has.
pub(super) fn activity(event: &[u8]) -> Option<XlaActivity> {
    let has = |word: &str| memchr::memmem::find(event, word.as_bytes()).is_some();
    if has("\"kernel_details\"") {
        return Some(XlaActivity::Kernel);
    }
    (has("emcpy_details\"") || has("emset_details\"")).then_some(XlaActivity::Copy)
}

/// A process and the GPU that it is named after: `{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}}`.
pub(super) fn process_and_gpu(event: &[u8]) -> Option<[u32; 2]> {
    const GPU: &[u8] = b"/device:GPU:";
    let after = &event[memchr::memmem::find(event, GPU)? + GPU.len()..];
    let digits = after.iter().take_while(|b| b.is_ascii_digit()).count();
    let process = Members::new(event).find(|(key, _)| *key == b"pid").map(|(_, value)| value)?;
    Some([number(process), number(&after[..digits])])
}

/// What is known of a launch: `regs:168 static_shared:0 dynamic_shared:213188 grid:2,66,1 block:384,1,1 occ_pct:18.75`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LaunchDetails {
    pub(super) registers: Option<u16>,
    pub(super) shared_bytes: Option<u32>,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
}

impl LaunchDetails {
    /// What of it can be read.
    pub(super) fn from_text(text: &str) -> Self {
        let shared = |which: &str| value(text, which).and_then(|n| n.parse::<u32>().ok());
        let [of_block, asked] = ["static_shared", "dynamic_shared"].map(shared);
        Self {
            registers: value(text, "regs").and_then(|n| n.parse().ok()).filter(|n| *n > 0),
            shared_bytes: of_block.zip(asked).and_then(|(a, b)| a.checked_add(b)),
            grid: value(text, "grid").and_then(three).unwrap_or_default(),
            block: value(text, "block").and_then(three).unwrap_or_default(),
        }
    }
}

/// Bytes of a copy or fill: `kind_src:pageable kind_dst:device size:512 dest:0 async:1`, `kind:unknown num_bytes:4 async:0`.
pub(super) fn bytes_in(text: &str) -> Option<u64> {
    ["size", "num_bytes"].iter().find_map(|name| value(text, name)?.parse().ok())
}

/// The text of `name:…`.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix(':'))
}

fn three(text: &str) -> Option<[u32; 3]> {
    let all: Option<Vec<u32>> = text.split(',').map(|n| n.parse().ok()).collect();
    all?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_read_and_what_is_none_is_not() {
        let text = "regs:168 static_shared:16 dynamic_shared:213188 grid:2,66,1 block:384,1,1 occ_pct:18.75";
        let read = LaunchDetails {
            registers: Some(168),
            shared_bytes: Some(213_204),
            grid: [2, 66, 1],
            block: [384, 1, 1],
        };
        assert_eq!(LaunchDetails::from_text(text), read);
        for text in
            ["", "regs:x grid:1,2", "regs:99999999999 block:-1,1,1 static_shared:4294967295 dynamic_shared:1"]
        {
            assert_eq!(LaunchDetails::from_text(text), LaunchDetails::default(), "{text}");
        }
        assert_eq!(bytes_in("kind_src:pageable kind_dst:device size:512 dest:0 async:1"), Some(512));
        assert_eq!((bytes_in("kind:unknown num_bytes:4 async:0"), bytes_in("kind:unknown")), (Some(4), None));
    }
}
