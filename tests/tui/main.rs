//! The dashboard: screens, keys, and walks in a pseudo-terminal.

mod any_keys;
mod application;
mod board;
mod clipboard;
mod clock_settings;
mod curves;
mod demo;
mod jobs;
mod keymap_contexts;
mod learning;
mod many_rows;
mod models_pane;
mod picture;
mod pictures;
mod screens;
#[path = "../skipping/mod.rs"]
mod skipping;
#[path = "../stage/mod.rs"]
mod stage;
mod ten_questions;
mod terminal_safety;
mod terminal_walk;
mod walk;
mod what_if;
mod workload;
