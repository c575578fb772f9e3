//! A spinner for stages that take more than a second, where somebody can see it.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, park_timeout};
use std::time::{Duration, Instant};

/// Shows the name of the stage once it has lasted a second.
#[derive(Debug, Default)]
pub(crate) struct Progress(Option<(Arc<Mutex<State>>, JoinHandle<()>)>);

#[derive(Debug, Default)]
struct State {
    stage: Option<(&'static str, Instant)>,
    bar: Option<ProgressBar>,
    over: bool,
}

impl Progress {
    /// Silent when `quiet`, or when stderr is not a terminal.
    pub(crate) fn new(quiet: bool) -> Progress {
        if quiet || !std::io::stderr().is_terminal() {
            return Progress(None);
        }
        let state = Arc::<Mutex<State>>::default();
        let shared = Arc::clone(&state);
        let thread = std::thread::Builder::new().spawn(move || {
            loop {
                let mut state = lock(&shared);
                if state.over {
                    return;
                }
                if let Some((name, since)) = state.stage
                    && state.bar.is_none()
                    && since.elapsed() > Duration::from_secs(1)
                {
                    state.bar = Some(spinner(name));
                }
                drop(state);
                park_timeout(Duration::from_millis(100));
            }
        });
        Progress(thread.ok().map(|t| (state, t)))
    }

    /// A stage begins, or none is under way any more. The line is clear when this returns.
    pub(crate) fn stage(&self, name: Option<&'static str>) {
        if let Some((state, _)) = &self.0 {
            let mut state = lock(state);
            state.stage = name.map(|n| (n, Instant::now()));
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stage(None);
        if let Some((state, thread)) = self.0.take() {
            lock(&state).over = true;
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spinner(stage: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(stage);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
