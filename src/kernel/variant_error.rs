//! Why a variant has no number for a formula.

/// Why a variant has no number for a formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariantError {
    /// A key without a value and without a default.
    #[error("its formulas need the variant key `{key}`; give all of {keys}, as in --variant '{example}'")]
    Missing {
        /// The key.
        key: String,
        /// The kernel's variant keys.
        keys: String,
        /// A whole variant.
        example: String,
    },
    /// A word, a negative number or an absurd one.
    #[error(
        "variant key {key}={value}: expected a number from 0 to 2^53, as the formulas of the kernel's file need"
    )]
    NotANumber {
        /// The key.
        key: String,
        /// As it was given.
        value: String,
    },
    /// A key stands twice.
    #[error("variant key `{0}` stands twice; give it once")]
    Twice(String),
    /// A key that the kernel's file does not declare; only said of what a person typed.
    #[error("there is no variant key `{key}`; the keys are {keys}")]
    Unknown {
        /// As typed.
        key: String,
        /// The kernel's variant keys.
        keys: String,
    },
}
