//! The one integration test binary: each module is one subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::format_collect,
    clippy::format_push_string,
    reason = "a test may panic"
)]

mod again;
mod audit;
mod binary;
mod bounds;
mod broken_disk;
mod browser;
mod cases;
mod catalogue;
mod cli;
mod command;
mod compare;
mod digests;
mod extended_cards;
mod format_samples;
mod har_golden;
mod har_truth;
mod harmless;
mod hostile;
mod html;
mod joined_lines;
mod joined_recorders;
mod journal_form;
mod killed;
mod log_shapes;
mod nights;
mod one_scenario;
mod operations;
mod planted;
mod public_files;
mod reading;
mod readme;
mod recorded;
mod reports;
mod rooms;
mod rotation_truth;
mod secrets;
mod service_levels;
mod simulated;
mod skew;
mod wire;
