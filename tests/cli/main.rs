//! Stories of the command line: what is typed, what is answered.

mod app_stories;
mod asked_twice;
mod batch_stories;
mod bombs;
mod check_stories;
mod cli_stories;
#[path = "../desk/mod.rs"]
mod desk;
#[path = "../dice/mod.rs"]
mod dice;
mod docs_commands;
mod docs_figures;
mod docs_samples;
mod estimate_marks;
mod evaluate_stories;
mod feasibility;
mod fleet_stories;
mod gemm;
mod here_stories;
mod import_stories;
mod json_schemas;
mod launch_stories;
mod measured_on_hopper;
mod mock_driver_stories;
#[path = "../mutations/mod.rs"]
mod mutations;
mod narrow_screens;
mod occupancy_stories;
mod one_question;
mod other_sizes;
mod packaging;
mod paper_stories;
mod projection;
mod python_scripts;
mod rank_stories;
mod reliability_stories;
mod said_beside_times;
mod sass;
mod saved_again;
mod second_look;
mod several_sources;
#[path = "../skipping/mod.rs"]
mod skipping;
#[path = "../files/small_sqlite.rs"]
mod small_sqlite;
mod small_steps;
mod tensor_kernels;
mod train_stories;
mod typed_stories;
mod user_files;
mod variant_stories;
mod whatif_power;
mod whatif_stories;
mod within_the_physics;
mod without_source;
