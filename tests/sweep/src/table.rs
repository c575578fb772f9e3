//! Summary of all runs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use serde_json::json;

use crate::CaseResult;

/// Runs of one command.
#[derive(Default)]
struct CommandRuns {
    runs: usize,
    codes: BTreeMap<String, usize>,
    slowest: f64,
    largest: f64,
    faults: usize,
}

/// Results of all runs.
pub(crate) struct Results {
    lines: BTreeMap<&'static str, CommandRuns>,
    faults: usize,
    runs: usize,
    record: Option<File>,
}

impl Results {
    pub(crate) fn new(record: Option<&Path>) -> Result<Results, String> {
        let open = |path: &Path| File::create(path).map_err(|e| format!("{}: {e}", path.display()));
        Ok(Results {
            lines: BTreeMap::new(),
            faults: 0,
            runs: 0,
            record: record.map(open).transpose()?,
        })
    }

    /// Adds a run; reports a fault immediately.
    pub(crate) fn add(&mut self, case: &CaseResult) -> Result<(), String> {
        let ran = &case.ran;
        if ran.code.is_none() && case.fault.is_none() {
            // Nothing was run.
            return Ok(());
        }
        self.runs += 1;
        let line = self.lines.entry(case.command).or_default();
        line.runs += 1;
        let code = ran.code.map_or("signal".to_owned(), |c| c.to_string());
        *line.codes.entry(code).or_default() += 1;
        line.slowest = line.slowest.max(ran.seconds);
        line.largest = line.largest.max(ran.megabytes);
        if let Some(fault) = &case.fault {
            line.faults += 1;
            self.faults += 1;
            println!(
                "{}, {}, {}: {fault}",
                case.file, case.mutation, case.command
            );
        }
        if let Some(file) = &mut self.record {
            let run = json!({
                "file": case.file,
                "mutation": case.mutation,
                "command": case.command,
                "code": ran.code,
                "seconds": (ran.seconds * 1000.0).round() / 1000.0,
                "megabytes": ran.megabytes.round(),
                "fault": case.fault,
                "said": ran.said.lines().last(),
            });
            writeln!(file, "{run}").map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Prints the table; returns the number of faults.
    pub(crate) fn print(&self, all: usize) -> usize {
        println!(
            "{:18} {:>5} {:>7} {:>7} {:>6}  codes",
            "command", "runs", "s", "MB", "faults"
        );
        for (name, line) in &self.lines {
            let codes: Vec<String> = line
                .codes
                .iter()
                .map(|(c, n)| format!("{c}: {n}"))
                .collect();
            println!(
                "{name:18} {:>5} {:>7.2} {:>7.0} {:>6}  {}",
                line.runs,
                line.slowest,
                line.largest,
                line.faults,
                codes.join(", ")
            );
        }
        println!("{} runs of {all} cases, {} faults", self.runs, self.faults);
        self.faults
    }
}
