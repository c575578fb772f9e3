//! A spinner for stages that take more than a second, where somebody can see it.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Shows the name of the stage once it has lasted a second.
#[derive(Debug, Default)]
pub(crate) struct Progress(Option<(Sender<&'static str>, JoinHandle<()>)>);

impl Progress {
    /// Silent when `quiet`, or when stderr is not a terminal.
    pub(crate) fn new(quiet: bool) -> Progress {
        if quiet || !std::io::stderr().is_terminal() {
            return Progress(None);
        }
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().spawn(move || {
            let mut stage = "";
            loop {
                match receiver.recv_timeout(Duration::from_secs(1)) {
                    Ok(next) => stage = next,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) if stage.is_empty() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        let bar = spinner(stage);
                        let next = receiver.recv();
                        bar.finish_and_clear();
                        match next {
                            Ok(next) => stage = next,
                            Err(_) => return,
                        }
                    }
                }
            }
        });
        Progress(thread.ok().map(|t| (sender, t)))
    }

    /// A stage begins; an empty name means that none is under way.
    pub(crate) fn stage(&self, name: &'static str) {
        if let Some((sender, _)) = &self.0 {
            let _ = sender.send(name);
        }
    }
}

impl Drop for Progress {
    /// The line is cleared before anything else is printed.
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.0.take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}

fn spinner(stage: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(stage);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
