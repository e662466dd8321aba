//! A sign of life on standard error, only when it is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// Shows that reading goes on.
#[derive(Debug)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins to show it.
    pub fn start(quiet: bool, inputs: &[String]) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        let what = match inputs {
            [one] => crate::report::safe::terminal(one).into_owned(),
            many => format!("{} inputs", many.len()),
        };
        bar.set_message(format!("reading {what}"));
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(Some(bar))
    }

    /// Takes it away.
    pub fn end(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}
