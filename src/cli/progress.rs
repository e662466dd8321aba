//! How far reading is, on standard error, only when it is a terminal.

use crate::ingest::pace::Pace;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Shows that reading goes on.
#[derive(Debug)]
pub struct Progress {
    /// What an ingest is to tell how far it is.
    pub pace: Option<Arc<Pace>>,
    shown: Option<(ProgressBar, Arc<AtomicBool>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins to show it.
    pub fn start(quiet: bool, inputs: &[String]) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self { pace: None, shown: None };
        }
        let what = match inputs {
            [one] => crate::report::safe::terminal(one).into_owned(),
            many => format!("{} inputs", many.len()),
        };
        let bar = ProgressBar::new_spinner().with_message(format!("reading {what}"));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        let pace = Arc::new(Pace::default());
        let done = Arc::new(AtomicBool::new(false));
        let thread = {
            let (bar, pace, done) = (bar.clone(), Arc::clone(&pace), Arc::clone(&done));
            thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    show(&bar, &pace, &what);
                    thread::park_timeout(Duration::from_millis(200));
                }
            })
        };
        Self { pace: Some(pace), shown: Some((bar, done, thread)) }
    }

    /// Takes it away.
    pub fn end(self) {
        if let Some((bar, done, thread)) = self.shown {
            done.store(true, Ordering::Relaxed);
            thread.thread().unpark();
            // It only draws: that it fails does not matter.
            let _ = thread.join();
            bar.finish_and_clear();
        }
    }
}

/// Bytes of all bytes with the time left; of a pipe only the bytes.
fn show(bar: &ProgressBar, pace: &Pace, what: &str) {
    let at = pace.standing();
    let files = match at.sources {
        0 | 1 => String::new(),
        all => format!(", {} of {all} sources", at.sources_done),
    };
    if at.bytes == 0 {
        bar.set_message(format!("reading {what}: {}{files}", HumanBytes(at.bytes_read)));
        return;
    }
    if bar.length() != Some(at.bytes) {
        bar.set_length(at.bytes);
        let template = "{spinner} {bar:24} {bytes} of {total_bytes} {msg}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
    }
    bar.set_message(format!("of {what}{files}"));
    bar.set_position(at.bytes_read.min(at.bytes));
}
