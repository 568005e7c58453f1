//! Prices of an hour on a GPU: only from a file of the user's, each with its provider, region and day.
//!
//! Three forms are read, told apart by their header: `gpu,usd_per_hour,provider,region,date`; gpuhunt's catalogues (`gpu_name`,
//! `gpu_count`, `gpu_memory`, `price`, `spot`, `location`); SkyPilot's (`AcceleratorName`, `AcceleratorCount`, `Price`, `Region`).
//! Prices of an instance are divided by its GPUs; spot prices are left out.

use crate::calendar::days_between;
use crate::catalogue::{Catalogue, FileError, NameError, read_limited};
use crate::gpu::{Gpu, GpuId, board_place};
use crate::text::comma_hint;
use crate::units::{Seconds, typed_number};
use std::collections::BTreeMap;
use std::path::Path;

/// A price this many days old is marked.
const OLD_DAYS: i64 = 90;

/// The day is a later one in places than in UTC.
const DAYS_AHEAD: i64 = 1;

/// Refused rows and unknown names that are listed.
const LISTED: usize = 5;

/// No GPU costs more than this by the hour: a price for a year, or in another currency.
const MOST_USD: f64 = 10_000.0;

/// What an hour on one GPU costs.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceQuote {
    /// US dollars for one GPU and hour.
    pub usd_per_hour: f64,
    /// Who asks it; empty where the file does not say.
    pub provider: String,
    /// Where; empty where the file does not say.
    pub region: String,
    /// The day it was seen, `2026-11-21`; `None` where the file does not say.
    pub date: Option<String>,
    /// Whether the file's name of the GPU fits several of the catalogue, such as an SXM and a PCIe board.
    pub fits_several: bool,
}

/// The lowest price of every GPU that a file names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PriceBook {
    quotes: BTreeMap<GpuId, PriceQuote>,
    /// The file that they were read from.
    pub file: Option<String>,
    /// Prices that were typed and are in no file, in the place of those that are.
    pub typed: BTreeMap<GpuId, PriceQuote>,
    /// What was left out, and why: one line each.
    pub remarks: Vec<String>,
}

/// Why a file of prices was refused.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its header is none of the three.
    #[error(
        "{file}: no prices in it: expected the columns gpu,usd_per_hour,provider,region,date, or a catalogue of gpuhunt or \
         SkyPilot; it has {found}{parted}"
    )]
    Header {
        /// The file.
        file: String,
        /// Its columns.
        found: String,
        /// What parts columns, where something else does.
        parted: &'static str,
    },
    /// A line that is wrong.
    #[error("{file}:{line}: {column}: {why}")]
    Line {
        /// The file.
        file: String,
        /// The first is 1.
        line: u64,
        /// The column to blame.
        column: &'static str,
        /// The value and what was expected.
        why: String,
    },
    /// No line names a GPU of the catalogue.
    #[error("{0}: names no GPU of the catalogue; `roofswap gpus` lists them")]
    NoGpu(String),
}

/// Where the columns of a form stand.
struct PriceForm {
    gpu: usize,
    price: usize,
    /// The column that the price is named by.
    price_name: &'static str,
    count: Option<usize>,
    memory_gb: Option<usize>,
    provider: Option<usize>,
    region: Option<usize>,
    date: Option<usize>,
    spot: Option<usize>,
    /// Whether every line must name a GPU: the user's own file, not a provider's catalogue of everything.
    is_strict: bool,
}

impl PriceForm {
    fn find(header: &csv::StringRecord) -> Option<Self> {
        let names: Vec<&str> = header.iter().map(|h| h.trim().trim_start_matches('\u{feff}')).collect();
        let at = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));
        let own = at("gpu").zip(at("usd_per_hour"));
        let hunted = at("gpu_name").zip(at("price"));
        let sky = at("AcceleratorName").zip(at("Price"));
        let (gpu, price) = own.or(hunted).or(sky)?;
        let is_strict = own.is_some();
        Some(Self {
            gpu,
            price,
            price_name: if is_strict { "usd_per_hour" } else { "price" },
            count: at("gpu_count").or_else(|| at("AcceleratorCount")),
            memory_gb: at("gpu_memory"),
            provider: at("provider"),
            region: at("region").or_else(|| at("location")),
            date: at("date"),
            spot: at("spot"),
            is_strict,
        })
    }
}

impl PriceBook {
    /// Reads a file of prices; none was seen after `today`, where that is known.
    ///
    /// # Errors
    /// [`PriceError`] with file, line, column, value and what was expected, where no row is left. Other rows that are wrong are left out
    /// and said among the remarks.
    pub fn read(path: &Path, gpus: &Catalogue<Gpu>, today: Option<&str>) -> Result<Self, PriceError> {
        let text = read_limited(path)?;
        let provider = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        Self::parse(&text, &path.display().to_string(), &provider, gpus, today)
    }

    /// Reads the text of such a file; `provider` stands in where no column names one.
    ///
    /// # Errors
    /// As [`PriceBook::read`].
    pub fn parse(
        text: &str,
        file: &str,
        provider: &str,
        gpus: &Catalogue<Gpu>,
        today: Option<&str>,
    ) -> Result<Self, PriceError> {
        let mut lines = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let header = lines.headers().cloned().unwrap_or_default();
        let found = || crate::text::clipped_text(header.iter().collect::<Vec<_>>().join(","), 120);
        let form = PriceForm::find(&header).ok_or_else(|| PriceError::Header {
            file: file.into(),
            found: match found() {
                none if none.trim().is_empty() => "none".into(),
                found => crate::text::harmless_line(&found),
            },
            parted: if header.len() == 1 && found().contains(';') {
                "; columns are parted by commas"
            } else {
                ""
            },
        })?;
        let mut book = Self { file: Some(file.into()), ..Self::default() };
        let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
        let mut refused = Vec::new();
        for record in lines.records() {
            let record = record.map_err(|e| PriceError::Line {
                file: file.into(),
                line: e.position().map_or(0, csv::Position::line),
                column: "line",
                why: "is no CSV".into(),
            })?;
            let line = PriceLine { file, provider, today, form: &form, record: &record };
            refused.extend(line.add_to(&mut book, gpus, &mut unknown).err());
        }
        book.remarks.extend(refused.iter().take(LISTED).map(|why| format!("{why}; row left out")));
        if refused.len() > LISTED {
            book.remarks.push(format!("{file}: {} more rows left out", refused.len() - LISTED));
        }
        if book.quotes.is_empty() {
            let none = PriceError::NoGpu(file.into());
            return Err(refused.into_iter().next().unwrap_or(none));
        }
        let left_out: usize = unknown.values().sum();
        if left_out > 0 {
            let names: Vec<&str> = unknown.keys().take(LISTED).map(String::as_str).collect();
            let text = format!(
                "{} left out, of GPUs that are not in the catalogue: {}",
                crate::text::counted(left_out, "price"),
                names.join(", ")
            );
            book.remarks.push(crate::text::harmless_line(&text));
        }
        Ok(book)
    }

    /// The price of this GPU, where one was typed or the file has one; of a board at other settings that of the board.
    #[must_use]
    pub fn quote(&self, gpus: &Catalogue<Gpu>, gpu: GpuId) -> Option<&PriceQuote> {
        let own = |gpu: GpuId| self.typed.get(&gpu).or_else(|| self.quotes.get(&gpu));
        let board = || gpus[gpu].is_board_at_settings().then(|| board_place(gpus, gpu));
        own(gpu).or_else(|| own(board()?))
    }

    /// How many GPUs have a price.
    #[must_use]
    pub fn gpu_count(&self) -> usize {
        self.quotes.len() + self.typed.keys().filter(|gpu| !self.quotes.contains_key(gpu)).count()
    }

    /// Whether there is no price at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.quotes.is_empty() && self.typed.is_empty()
    }

    /// Keeps the lower price; of two equal ones the one seen first.
    fn offer(&mut self, gpu: GpuId, quote: PriceQuote) {
        let is_lower = self.quotes.get(&gpu).is_none_or(|now| quote.usd_per_hour < now.usd_per_hour);
        if is_lower {
            self.quotes.insert(gpu, quote);
        }
    }
}

/// One line of the file.
struct PriceLine<'a> {
    file: &'a str,
    provider: &'a str,
    today: Option<&'a str>,
    form: &'a PriceForm,
    record: &'a csv::StringRecord,
}

impl PriceLine<'_> {
    fn cell(&self, at: Option<usize>) -> &str {
        at.and_then(|at| self.record.get(at)).map_or("", str::trim)
    }

    fn refuse(&self, column: &'static str, why: String) -> PriceError {
        let line = self.record.position().map_or(0, csv::Position::line);
        PriceError::Line { file: self.file.into(), line, column, why: crate::text::harmless_line(&why) }
    }

    fn add_to(
        &self,
        book: &mut PriceBook,
        gpus: &Catalogue<Gpu>,
        unknown: &mut BTreeMap<String, usize>,
    ) -> Result<(), PriceError> {
        let form = self.form;
        let (name, price) = (self.cell(Some(form.gpu)), self.cell(Some(form.price)));
        let is_spot = matches!(self.cell(form.spot).to_lowercase().as_str(), "true" | "1" | "yes");
        // Catalogues list machines without a GPU, and spot prices beside others.
        if !form.is_strict && (name.is_empty() || price.is_empty() || is_spot) {
            return Ok(());
        }
        let meant = match self.gpus_meant(gpus, name) {
            Ok(meant) => meant,
            Err(why) if form.is_strict => return Err(self.refuse("gpu", why.to_string())),
            Err(_) => {
                *unknown.entry(crate::text::clipped_text(name, 30)).or_default() += 1;
                return Ok(());
            }
        };
        let usd_per_hour = self.usd_per_hour(price)?;
        let date = self.date()?;
        let fits_several = meant.len() > 1;
        let provider = Some(self.cell(form.provider)).filter(|p| !p.is_empty()).unwrap_or(self.provider);
        for gpu in meant {
            let quote = PriceQuote {
                usd_per_hour,
                provider: crate::text::harmless_line(provider),
                region: crate::text::harmless_line(self.cell(form.region)),
                date: date.clone(),
                fits_several,
            };
            book.offer(gpu, quote);
        }
        Ok(())
    }

    /// The price of one GPU of the instance.
    fn usd_per_hour(&self, price: &str) -> Result<f64, PriceError> {
        let form = self.form;
        let found = crate::text::clipped_text(price, 30);
        let point = comma_hint(price);
        let expected =
            |what: &str| self.refuse(form.price_name, format!("`{found}`: expected {what}{point}"));
        let number = typed_number(price.trim_start_matches('$')).filter(|p| *p >= 0.0);
        let price = number.ok_or_else(|| expected("US dollars per hour, 0 of a board that is owned"))?;
        let count = match self.cell(form.count) {
            "" => 1.0,
            count => typed_number(count)
                .filter(|n| *n > 0.0)
                .ok_or_else(|| self.refuse("gpu_count", "expected GPUs of the instance, above 0".into()))?,
        };
        Some(price / count)
            .filter(|of_one| *of_one <= MOST_USD)
            .ok_or_else(|| expected(&format!("at most {MOST_USD} US dollars per hour and GPU")))
    }

    fn date(&self) -> Result<Option<String>, PriceError> {
        let date = self.cell(self.form.date);
        if date.is_empty() {
            return Ok(None);
        }
        // The day of a date with a time behind it.
        let day: String = date.chars().take(10).collect();
        let found = crate::text::clipped_text(date, 30);
        let days_ahead = days_between(self.today.unwrap_or(&day), &day);
        match (days_ahead, self.today) {
            (None, _) => Err(self.refuse("date", format!("`{found}`: expected a day such as 2026-11-21"))),
            (Some(days), Some(today)) if days > DAYS_AHEAD => {
                let why =
                    format!("`{found}`: expected the day the price was seen, today ({today}) or earlier");
                Err(self.refuse("date", why))
            }
            _ => Ok(Some(day)),
        }
    }

    /// The GPUs that a name means: one; or of several that it fits those with the memory that is stated.
    fn gpus_meant(&self, gpus: &Catalogue<Gpu>, name: &str) -> Result<Vec<GpuId>, NameError> {
        let candidates = match gpus.position(name) {
            Ok(one) => return Ok(vec![one]),
            Err(NameError::Ambiguous { candidates, .. }) if !self.form.is_strict => candidates,
            Err(why) => return Err(why),
        };
        let places = candidates.iter().filter_map(|id| gpus.id_named(id));
        let stated = number_of(self.cell(self.form.memory_gb));
        let has_memory = |gpu: &GpuId| {
            stated.is_none_or(|gb| (gpus[*gpu].memory_size.value.0 / 1_073_741_824.0 / gb - 1.0).abs() < 0.1)
        };
        Ok(places.filter(has_memory).collect())
    }
}

fn number_of(text: &str) -> Option<f64> {
    typed_number(text).filter(|n| *n > 0.0)
}

impl PriceQuote {
    /// US dollars for a million runs that take so long each.
    #[must_use]
    pub fn usd_per_million_runs(&self, run: Seconds) -> f64 {
        self.usd_per_hour / 3600.0 * run.0 * 1e6
    }

    /// What must be said of it on this day: that it is old, undated, or of a name that fits several GPUs.
    #[must_use]
    pub fn cautions(&self, today: Option<&str>) -> Vec<String> {
        let mut all = Vec::new();
        match (&self.date, today) {
            (None, _) => all.push("price without a date: check that it still holds".to_string()),
            (Some(date), Some(today)) => {
                if let Some(days) = days_between(date, today).filter(|days| *days > OLD_DAYS) {
                    all.push(format!("price of {date}, {days} days old: check that it still holds"));
                }
            }
            _ => {}
        }
        if self.fits_several {
            all.push("the price list does not say which board of this name it means".into());
        }
        all
    }

    /// `2.50 $/h, lambda us-east 2026-11-21`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let by: Vec<&str> = [self.provider.as_str(), &self.region, self.date.as_deref().unwrap_or("undated")]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect();
        format!("{} $/h, {}", crate::units::significant(self.usd_per_hour), by.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    fn read(text: &str) -> Result<(Session, PriceBook), PriceError> {
        let session = Session::load(None).expect("what ships loads");
        let book = PriceBook::parse(text, "prices.csv", "cloud", &session.gpus, Some("2026-11-21"))?;
        Ok((session, book))
    }

    fn quote(text: &str, gpu: &str) -> Option<PriceQuote> {
        let (session, book) = read(text).unwrap();
        book.quote(&session.gpus, session.gpus.position(gpu).unwrap()).cloned()
    }

    #[test]
    fn the_lowest_price_of_a_gpu_counts() {
        let text = "gpu,usd_per_hour,provider,region,date\n\
            h100-sxm5,2.99,a,us,2026-11-01\nh100-sxm5,$2.49,b,eu,2026-10-01\nl40s,1,c,,\n";
        let found = quote(text, "h100-sxm5").unwrap();
        assert_eq!(
            (found.usd_per_hour, &*found.provider, found.date.as_deref()),
            (2.49, "b", Some("2026-10-01"))
        );
        assert_eq!(found.in_words(), "2.49 $/h, b eu 2026-10-01");
        assert_eq!(
            quote(text, "l40s").unwrap().cautions(None),
            ["price without a date: check that it still holds"]
        );
        assert_eq!(found.cautions(Some("2026-11-21")), Vec::<String>::new());
        assert!(found.cautions(Some("2027-01-01"))[0].contains("92 days old"));
        assert_eq!(quote(text, "rtx-4070"), None);
        let owned = "gpu,usd_per_hour,provider,region,date\nrtx-4090,0,own,,2026-11-01\n";
        assert_eq!(quote(owned, "rtx-4090").unwrap().usd_per_hour, 0.0);
    }

    #[test]
    fn catalogues_of_providers_are_read_per_gpu_and_without_spot_prices() {
        let hunted = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size\n\
            p4,us-east-1,32,96,1152,8,A100,40,False,\np4,us-east-1,8,96,1152,8,A100,40,True,\nt,x,0.1,2,8,0,,,False,\n\
            mi,us,9,1,1,1,MI300X,192,False,\n";
        let found = quote(hunted, "a100-pcie-40gb").unwrap();
        assert_eq!((found.usd_per_hour, &*found.provider, found.fits_several), (4.0, "cloud", true));
        assert_eq!(quote(hunted, "a100-sxm4-80gb"), None, "another memory");
        assert!(
            read(hunted).unwrap().1.remarks[0]
                .starts_with("1 price left out, of GPUs that are not in the catalogue: MI300X")
        );
        let sky = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n\
            g6,L4,1,4,16,x,0.8,0.3,us-west-2\n\
            ,tpu-v5p-12288,1,,,,25804.8,12000,us-east5\ng6-12,L4,2,48,192,x,12000,5000,us-west-2\n";
        assert_eq!(quote(sky, "l4").unwrap().usd_per_hour, 0.8);
    }

    #[test]
    fn a_wrong_line_is_named_with_what_was_expected() {
        let header = "gpu,usd_per_hour,provider,region,date\n";
        for (line, said) in [
            ("h100-sxm5,-1,a,b,2026-11-01", "prices.csv:2: usd_per_hour: `-1`: expected US dollars"),
            ("h100-sxm5,free,a,b,", "expected US dollars"),
            (
                "h100-sxm5,\"2,50\",a,b,",
                "`2,50`: expected US dollars per hour, 0 of a board that is owned; decimals have a point",
            ),
            ("h100-sxm5,20000,a,b,", "expected at most 10000 US dollars"),
            ("h100-sxm5,2,a,b,yesterday", "date: `yesterday`: expected a day"),
            ("h100-sxm5,2,a,b,2026-13-01", "expected a day"),
            (
                "h100-sxm5,2,a,b,2026-11-23",
                "prices.csv:2: date: `2026-11-23`: expected the day the price was seen, today (2026-11-21) or earlier",
            ),
            ("hal-9000,2,a,b,2026-11-01", "unknown GPU `hal-9000`"),
            ("", "names no GPU of the catalogue"),
        ] {
            let why = read(&format!("{header}{line}\n")).unwrap_err().to_string();
            assert!(why.contains(said), "{line}: {why}");
        }
        let mixed = format!("{header}hal-9000,2,a,b,\nH100,2,a,b,\nl4,free,a,b,\nl40s,1,a,b,\n");
        let said = read(&mixed).unwrap().1.remarks;
        for (at, what) in [
            ":2: gpu: unknown GPU `hal-9000`",
            ":3: gpu: GPU `H100` is ambiguous",
            ":4: usd_per_hour: `free`",
        ]
        .iter()
        .enumerate()
        {
            assert!(said[at].contains(what) && said[at].ends_with("; row left out"), "{said:?}");
        }
        assert_eq!(quote(&mixed, "l40s").unwrap().usd_per_hour, 1.0);
        let tomorrow = format!("{header}l4,1,a,b,2026-11-22\n");
        assert_eq!(quote(&tomorrow, "l4").unwrap().usd_per_hour, 1.0, "it is that day in the east");
        assert!(read("a,b\n1,2\n").unwrap_err().to_string().contains("it has a,b"));
        let parted = read("gpu;usd_per_hour\nl40s;1\n").unwrap_err().to_string();
        assert!(parted.contains("columns are parted by commas"), "{parted}");
    }
}
