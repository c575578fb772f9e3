//! Watchdog: ends the process when a case hangs, and records which one it was.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time limit. No case takes a thousandth of it on a quiet machine, but machines are not always quiet.
const LIMIT: Duration = Duration::from_secs(120);

/// Mark that no case is running.
const IDLE: u64 = u64::MAX;

/// Watchdog that records the running case and its start.
pub(crate) struct Watch {
    file: Mutex<File>,
    began: Arc<AtomicU64>,
    start: Instant,
}

impl Watch {
    /// Opens the file for the seeds of cases.
    pub(crate) fn new(file: &Path) -> std::io::Result<Watch> {
        let watch = Watch {
            file: Mutex::new(File::create(file)?),
            began: Arc::new(AtomicU64::new(IDLE)),
            start: Instant::now(),
        };
        let (began, start) = (watch.began.clone(), watch.start);
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_secs(1));
                let began = began.load(Relaxed);
                let limit = LIMIT.as_millis() as u64;
                if began != IDLE && start.elapsed().as_millis() as u64 > began.saturating_add(limit)
                {
                    eprintln!("error: the case did not end within {} s", LIMIT.as_secs());
                    process::exit(124);
                }
            }
        });
        Ok(watch)
    }

    /// Records the start of a case.
    pub(crate) fn begin(&self, seed: u64) -> std::io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(0))?;
        // All of the same length, so that nothing remains of the previous one.
        write!(file, "{seed:20}")?;
        self.began
            .store(self.start.elapsed().as_millis() as u64, Relaxed);
        Ok(())
    }

    /// Records the end of the case.
    pub(crate) fn end(&self) {
        self.began.store(IDLE, Relaxed);
    }
}
