//! The words of the palette that take an argument.

/// A word that takes an argument.
pub(super) struct Noun {
    pub(super) words: &'static [&'static str],
    pub(super) example: &'static str,
    pub(super) about: &'static str,
}

impl Noun {
    /// `size 2^20: set the problem size`.
    pub(super) fn form(&self) -> String {
        format!("{} {}: {}", self.words[0], self.example, self.about)
    }
}

/// All of them, in the order of the palette.
pub(super) const NOUNS: [Noun; 21] = [
    Noun { words: &["size"], example: "2^20", about: "set the problem size" },
    Noun { words: &["kernel"], example: "saxpy", about: "select a kernel" },
    Noun { words: &["gpu", "target", "to"], example: "h100", about: "set the target" },
    Noun { words: &["source", "from"], example: "v100", about: "set the source, or all" },
    Noun { words: &["add"], example: "l40s", about: "add or drop a further target" },
    Noun { words: &["set"], example: "mem=+20%,l2=72MiB", about: "change numbers of the target" },
    Noun { words: &["launch"], example: "block=128,regs=32", about: "change the launch on the target" },
    Noun { words: &["block", "threads"], example: "256", about: "set threads per block" },
    Noun { words: &["theme"], example: "light", about: "set the theme" },
    Noun { words: &["power"], example: "150W", about: "set the target's power limit" },
    Noun { words: &["clocks"], example: "sm=1200MHz mem=5000MHz", about: "set the target's clocks" },
    Noun { words: &["source-clocks"], example: "sm=942MHz", about: "set the source's clocks" },
    Noun { words: &["model"], example: "components", about: "predict with a model" },
    Noun {
        words: &["export"],
        example: "roofline",
        about: "export a chart as SVG, or the typed kernels as CSV",
    },
    Noun { words: &["range"], example: "step", about: "cut a range out of the trace" },
    Noun { words: &["device"], example: "1", about: "show another GPU of the trace" },
    Noun { words: &["host"], example: "1.3x", about: "scale the application's time on the host" },
    Noun { words: &["prices"], example: "prices.csv", about: "read prices by the hour" },
    Noun { words: &["mix"], example: "mix.toml", about: "rank GPUs for a mix of kernels" },
    Noun { words: &["forget"], example: "my_kernel", about: "drop a typed kernel" },
    Noun { words: &["import", "open"], example: "profile.ncu-rep", about: "read a file" },
];
