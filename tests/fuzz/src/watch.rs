//! Ends the process when a case does not end, and leaves behind which one it was.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// No case takes a thousandth of it on a quiet machine; machines are not always quiet.
const LIMIT: Duration = Duration::from_secs(120);

/// No case is running.
const IDLE: u64 = u64::MAX;

/// Knows which case runs and since when.
pub(crate) struct Watch {
    file: Mutex<File>,
    began: Arc<AtomicU64>,
    start: Instant,
}

impl Watch {
    /// Writes the seeds of cases to a file.
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

    /// A case begins.
    pub(crate) fn begin(&self, seed: u64) -> std::io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(0))?;
        // All of the same length: nothing is left of the last one.
        write!(file, "{seed:20}")?;
        self.began
            .store(self.start.elapsed().as_millis() as u64, Relaxed);
        Ok(())
    }

    /// The case has ended.
    pub(crate) fn end(&self) {
        self.began.store(IDLE, Relaxed);
    }
}
