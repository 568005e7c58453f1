//! A trained model as bytes: a cache beside its recipe, never a thing to be trusted.
//!
//! The first line is JSON that a person can read: what it is, which recipe, which data (as a hash), which seed, which version
//! of this program, and a checksum. Behind it stands the model in postcard's binary form: floats survive to the last bit,
//! which they do not in JSON unless one asks for it, and a forest takes a third of the room.

use super::error::LearnError;
use super::recipe::Recipe;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The form of the file; it changes whenever a model's fields do.
const FORM: u32 = 2;
/// What the refusal of a sound file of another origin starts with.
const STALE: &str = "stale: ";
/// What the first line starts with.
const MARK: &str = "{\"roofswap_model\":";

/// What a model is made from: a saved one counts only where all of this is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelOrigin {
    /// What it is for, such as `paper3 speedup`.
    pub purpose: String,
    /// How it was made; several where there are several models.
    pub recipes: Vec<Recipe>,
    /// Hash of everything it was trained on ([`DataHash`]).
    pub data: String,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct SavedHeader {
    roofswap_model: u32,
    version: String,
    #[serde(flatten)]
    origin: ModelOrigin,
    length: usize,
    checksum: String,
}

/// The bytes of a model file.
///
/// # Errors
/// [`LearnError::File`] where the model cannot be written in this form.
pub fn encode<T: Serialize>(origin: &ModelOrigin, model: &T) -> Result<Vec<u8>, LearnError> {
    let whole = || "a model".to_owned();
    let refuse = |what: String| LearnError::File { file: whole(), what };
    let body = postcard::to_allocvec(model).map_err(|e| refuse(format!("cannot be written: {e}")))?;
    let mut bytes = first_line(origin, &body).map_err(|e| refuse(format!("cannot be written: {e}")))?;
    bytes.push(b'\n');
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

/// The header of this model.
fn first_line(origin: &ModelOrigin, body: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&SavedHeader {
        roofswap_model: FORM,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        origin: origin.clone(),
        length: body.len(),
        checksum: DataHash::default().with_bytes(body).hex_digest(),
    })
}

/// The model in these bytes, if it is whole and was made from `origin` by this version; `file` is what messages call it.
///
/// # Errors
/// [`LearnError::File`]: foreign (no model file), damaged (cut off, changed), or stale (another version, recipe or data).
pub fn decode<T: DeserializeOwned>(bytes: &[u8], origin: &ModelOrigin, file: &str) -> Result<T, LearnError> {
    let refuse = |what: String| LearnError::File { file: file.to_owned(), what };
    let (line, body) = split(bytes, file)?;
    // What is whole and fresh has this very line; only what has not is looked at to say why.
    let wanted = first_line(origin, body).map_err(|e| refuse(format!("cannot be compared: {e}")))?;
    if line != wanted {
        return Err(refuse(differs(line, body, origin)));
    }
    postcard::from_bytes(body).map_err(|e| refuse(format!("no model behind the first line: {e}")))
}

/// The first line, and what stands behind it.
fn split<'b>(bytes: &'b [u8], file: &str) -> Result<(&'b [u8], &'b [u8]), LearnError> {
    let refuse = |what: String| LearnError::File { file: file.to_owned(), what };
    if !bytes.starts_with(MARK.as_bytes()) {
        return Err(refuse(format!("byte 0: no model of this program (expected `{MARK}`)")));
    }
    let Some(end) = bytes.iter().position(|b| *b == b'\n') else {
        return Err(refuse(format!("byte {}: ends within the first line", bytes.len())));
    };
    Ok((&bytes[..end], &bytes[end + 1..]))
}

/// What a model file says it was made from, whatever version wrote it; the model behind it may still be damaged.
///
/// # Errors
/// [`LearnError::File`]: foreign, or damaged in the first line.
pub fn origin(bytes: &[u8], file: &str) -> Result<ModelOrigin, LearnError> {
    let (line, _) = split(bytes, file)?;
    let header: SavedHeader = serde_json::from_slice(line).map_err(|e| LearnError::File {
        file: file.to_owned(),
        what: format!("first line, column {}: {e}", e.column()),
    })?;
    Ok(header.origin)
}

/// Whether a refusal of [`decode`] means a sound file of another version, recipe or data.
#[must_use]
pub fn is_stale(why: &LearnError) -> bool {
    matches!(why, LearnError::File { what, .. } if what.starts_with(STALE))
}

/// Why a first line is not the one wanted.
fn differs(line: &[u8], body: &[u8], origin: &ModelOrigin) -> String {
    let header: SavedHeader = match serde_json::from_slice(line) {
        Ok(header) => header,
        Err(e) => return format!("first line, column {}: {e}", e.column()),
    };
    if let Some(what) = stale(&header, origin) {
        return what;
    }
    if body.len() != header.length {
        return format!("cut off or grown: {} bytes of the model, not {}", body.len(), header.length);
    }
    let sum = DataHash::default().with_bytes(body).hex_digest();
    if sum == header.checksum {
        "stale or damaged: its first line says the recipe in other words".to_owned()
    } else {
        format!("damaged: checksum {sum}, not {}", header.checksum)
    }
}

/// What of a header differs from what is wanted.
fn stale(header: &SavedHeader, origin: &ModelOrigin) -> Option<String> {
    let version = env!("CARGO_PKG_VERSION");
    let differs = |what: &str, there: &dyn std::fmt::Debug, wanted: &dyn std::fmt::Debug| {
        Some(format!("stale: its {what} is {there:?}, wanted is {wanted:?}"))
    };
    if header.roofswap_model != FORM {
        return differs("form", &header.roofswap_model, &FORM);
    }
    if header.version != version {
        return differs("version", &header.version, &version);
    }
    if header.origin.purpose != origin.purpose {
        return differs("purpose", &header.origin.purpose, &origin.purpose);
    }
    if header.origin.data != origin.data {
        return differs("data", &header.origin.data, &origin.data);
    }
    (header.origin.recipes != origin.recipes)
        .then(|| "stale: it was made by another recipe (parameters or seed)".to_owned())
}

/// A hash of training data: FNV-1a of 64 bits over the bytes. It tells data apart; it is no defence against anyone.
#[derive(Debug, Clone)]
pub struct DataHash(u64);

impl Default for DataHash {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl DataHash {
    /// With these bytes.
    #[must_use]
    pub fn with_bytes(mut self, bytes: &[u8]) -> Self {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
        self
    }

    /// With these numbers, and how many they are.
    #[must_use]
    pub fn with_numbers(self, numbers: &[f64]) -> Self {
        let hash = self.with_bytes(&(numbers.len() as u64).to_le_bytes());
        numbers.iter().fold(hash, |hash, number| hash.with_bytes(&number.to_bits().to_le_bytes()))
    }

    /// As text.
    #[must_use]
    pub fn hex_digest(&self) -> String {
        format!("{:016x}", self.0)
    }
}
