//! Runs the program and measures it.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::commands::Command;

/// Factor on the time limit for a run that has announced that it will be long.
const ANNOUNCED: u32 = 4;

/// Measurements and output of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ran {
    /// Exit code; `None` after a signal, or when nothing was run.
    pub(crate) code: Option<i32>,
    /// `true` if it was stopped because it took too long.
    pub(crate) stopped: bool,
    pub(crate) seconds: f64,
    /// Peak resident memory in megabytes, where the system reports it.
    pub(crate) megabytes: f64,
    /// Output on stderr.
    pub(crate) said: String,
}

/// Runs a command.
pub(crate) fn run(
    program: &Path,
    command: &Command,
    input: &Path,
    output: &Path,
    record: &Path,
    limit: Duration,
) -> Result<Ran, String> {
    let mut process = Process::new(program);
    for &argument in command.arguments {
        match argument {
            "IN" => process.arg(input),
            "OUT" => process.arg(output),
            other => process.arg(other),
        };
    }
    process.arg("--json").arg(record);
    // A machine with a GPU must give the same verdicts as one without.
    process.env("CUDA_VISIBLE_DEVICES", "");
    let begin = Instant::now();
    let mut child = process
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    let stderr = child.stderr.take();
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stderr) = stderr {
            stderr.read_to_end(&mut bytes).ok();
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let mut ran = Ran::default();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(now) = resident(child.id()) {
            ran.megabytes = ran.megabytes.max(now);
        }
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if begin.elapsed() > limit * ANNOUNCED {
            child.kill().map_err(|e| e.to_string())?;
            ran.stopped = true;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    ran.seconds = begin.elapsed().as_secs_f64();
    ran.code = status.code();
    ran.said = reader.join().map_err(|_| "reading stderr failed")?;
    Ok(ran)
}

/// Returns the peak memory of a process so far, in megabytes.
fn resident(id: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
