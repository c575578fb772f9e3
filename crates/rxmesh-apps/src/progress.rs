//! Progress of a stage and its time so far: a spinner on a terminal, a line every few seconds elsewhere.

use crate::live::LivePage;
use indicatif::{ProgressBar, ProgressStyle};
use rxmesh_host::engine::Engine;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, park_timeout};
use std::time::{Duration, Instant};

/// Time after which a stage is shown on a terminal.
const SPIN_AFTER: Duration = Duration::from_secs(1);

/// Time between two lines without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows the name of the stage, its time so far and the progress that the engine reports.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    display: Option<(Arc<Mutex<State>>, JoinHandle<()>)>,
    /// Page that shows the same.
    live: Option<Arc<LivePage>>,
}

#[derive(Debug, Default)]
struct State {
    stage: Option<Stage>,
    engine: Option<Engine>,
    bar: Option<ProgressBar>,
    terminal: bool,
    over: bool,
}

#[derive(Debug)]
struct Stage {
    name: &'static str,
    since: Instant,
    /// Lines that were printed.
    lines: u32,
}

impl Progress {
    /// Starts the display; silent when `quiet`.
    pub(crate) fn new(quiet: bool, live: Option<Arc<LivePage>>) -> Progress {
        if quiet {
            return Progress {
                display: None,
                live,
            };
        }
        let state = Arc::new(Mutex::new(State {
            terminal: std::io::stderr().is_terminal(),
            ..State::default()
        }));
        let shared = Arc::clone(&state);
        let thread = std::thread::Builder::new().spawn(move || {
            loop {
                let mut state = lock(&shared);
                if state.over {
                    return;
                }
                state.show();
                drop(state);
                park_timeout(Duration::from_millis(100));
            }
        });
        Progress {
            display: thread.ok().map(|t| (state, t)),
            live,
        }
    }

    /// Sets the engine whose work is shown from now on.
    pub(crate) fn watch(&self, engine: &Engine) {
        if let Some((state, _)) = &self.display {
            lock(state).engine = Some(engine.clone());
        }
        if let Some(live) = &self.live {
            live.watch(engine);
        }
    }

    /// Begins a stage, or ends the current one. The line is clear when this returns.
    pub(crate) fn stage(&self, name: Option<&'static str>) {
        if let Some(live) = &self.live {
            live.stage(name);
        }
        if let Some((state, _)) = &self.display {
            let mut state = lock(state);
            state.stage = name.map(|name| Stage {
                name,
                since: Instant::now(),
                lines: 0,
            });
            if let Some(engine) = &state.engine {
                engine.clear_note();
            }
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
        }
    }
}

impl State {
    fn show(&mut self) {
        let Some(stage) = &mut self.stage else {
            return;
        };
        let lasted = stage.since.elapsed();
        if self.terminal {
            if lasted > SPIN_AFTER {
                let bar = self.bar.get_or_insert_with(spinner);
                bar.set_message(format!("{}{}", stage.name, done(self.engine.as_ref())));
            }
        } else if lasted > LINE_EVERY * (stage.lines + 1) {
            stage.lines += 1;
            // A closed stderr is no reason to fail.
            let _ = writeln!(
                std::io::stderr(),
                "{}: {} s{}",
                stage.name,
                lasted.as_secs(),
                done(self.engine.as_ref())
            );
        }
    }
}

/// Returns the progress that the engine reports, as the end of a line.
pub(crate) fn done(engine: Option<&Engine>) -> String {
    let Some(engine) = engine else {
        return String::new();
    };
    if let Some(note) = engine.last_note() {
        return format!(", {} {}", note.what, note.done);
    }
    match engine.patches_done() {
        Some((done, of)) if done < of => format!(", {done} of {of} patches"),
        _ => String::new(),
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stage(None);
        if let Some((state, thread)) = self.display.take() {
            lock(&state).over = true;
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
