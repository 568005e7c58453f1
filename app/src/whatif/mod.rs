//! What other numbers of a GPU would do to a workload: its time, which numbers matter, and what value is needed.
//!
//! The time on a changed GPU is the prediction for the base times what the model says of the change alone, so that a change by nothing
//! is the base's very time: the same rule as for every hypothetical GPU (`answer`), asked of prepared kernels, because a tornado has
//! forty answers and a held key asks for thirty of them a second.
//!
//! ```
//! use roofswap::gpu::{ChangeAmount, GpuChanges, GpuNumber};
//! use roofswap::{session::Session, whatif::WhatIf, workload::Workload};
//!
//! let session = Session::load(None)?;
//! let [source, base] = ["titan-v", "rtx-4070"].map(|id| session.gpus.id_named(id).expect("it ships"));
//! let kernel = session.kernels.position("saxpy")?;
//! let subject = session.subject(kernel, &session.kernels[kernel].typed("n=2^28")?, "")?;
//! let workload = Workload::of_kernel(&session, subject);
//! let mut asked = WhatIf::new(&session, &workload, source, base);
//! let faster = asked.time(&"mem=+20%".parse()?)?.expect("it runs there");
//! assert!(faster < asked.base_time().expect("it runs there"));
//! let tornado = asked.tornado(&GpuChanges::default())?;
//! assert_eq!(tornado[0].number, GpuNumber::Bandwidth);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answering;
mod application_times;
mod changed_times;
mod chart;
mod contour;
mod everything;
mod kernel_times;
mod model_time;
mod part_answers;
mod question;
mod records;
mod saved_gpu;
mod scenario;
mod solve;
mod step;
mod table;
mod tornado;

pub use answering::{NamedChanges, TooManyScenarios, WhatIfParts, check_scenario_count};
pub use application_times::{ApplicationPair, ApplicationTimes};
pub use changed_times::{ChangedTimes, GoalTime, RunPower, WhatIfTime};
pub use chart::{contour_chart, tornado_chart};
pub use contour::Contour;
pub use everything::{AnswerStream, ManyWorkloads, changed_times_table, tornados_table};
pub use question::WhatIf;
pub use records::whatif_records;
pub use saved_gpu::{GpuToSave, SaveGpuError};
pub use scenario::{
    MOST_SCENARIOS, PageError, Scenario, ScenarioPage, scenario_html, scenario_markdown, scenario_table,
};
pub use solve::Solution;
pub use step::NumberStep;
pub use table::{WhatIfAnswer, speed_words, whatif_json, whatif_table};
pub use tornado::{MovedNumber, TornadoBar, TornadoGpus, moved_numbers};
