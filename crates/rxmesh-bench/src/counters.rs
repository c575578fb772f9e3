//! Records of `bench/counters/counters.py`: Nsight Compute's counters of the kernels behind rows.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Counters {
    commit: String,
    device: String,
    kernels: Vec<Kernel>,
}

/// Medians over the profiled launches of a kernel.
#[derive(Deserialize)]
struct Kernel {
    size: String,
    row: String,
    kernel: String,
    us: f64,
    dram_mb: f64,
    l2_mb: f64,
    issue_percent: f64,
    warps_percent: f64,
    registers: f64,
    blocks: f64,
}

/// Returns the newest record of a folder as a table; file names begin with the date.
pub(crate) fn markdown(folder: &Path) -> Result<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        files.push(entry?.path());
    }
    let file = files
        .iter()
        .max()
        .with_context(|| format!("no records in {}", folder.display()))?;
    let place = || file.display().to_string();
    let text = fs::read_to_string(file).with_context(place)?;
    let counters: Counters = serde_json::from_str(&text).with_context(place)?;
    Ok(counters.markdown())
}

impl Counters {
    fn markdown(&self) -> String {
        let mut text = format!(
            "{}, commit {}.\n\n| mesh | row | kernel | us | MB of DRAM, L2 | issue slots, warps, % | registers | \
            blocks |\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
            self.device, self.commit
        );
        for k in &self.kernels {
            text += &format!(
                "| {} | {} | `{}` | {:.1} | {:.1}, {:.1} | {:.0}, {:.0} | {} | {} |\n",
                k.size,
                k.row,
                k.kernel,
                k.us,
                k.dram_mb,
                k.l2_mb,
                k.issue_percent,
                k.warps_percent,
                k.registers,
                k.blocks
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_record_is_a_table() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let write = |name: &str, us: f64| {
            let text = format!(
                r#"{{"commit": "c", "device": "GPU", "kernels": [{{"size": "20k", "row": "vv", "kernel": "rx_vv",
                "launches": 3, "us": {us}, "dram_mb": 1.04, "l2_mb": 2.0, "issue_percent": 71.6, "warps_percent": 7.0,
                "registers": 32.0, "blocks": 48.0}}]}}"#
            );
            fs::write(folder.path().join(name), text)
        };
        write("2026-01-02-a.json", 2.5)?;
        write("2025-12-30-b.json", 9.0)?;
        let text = markdown(folder.path())?;
        assert!(text.starts_with("GPU, commit c.\n"), "{text}");
        assert!(
            text.contains("| 20k | vv | `rx_vv` | 2.5 | 1.0, 2.0 | 72, 7 | 32 | 48 |\n"),
            "{text}"
        );
        fs::write(folder.path().join("2026-02-01-c.json"), "{}")?;
        let error = markdown(folder.path()).map_err(|e| format!("{e:#}"));
        assert!(error.is_err_and(|e| e.contains("2026-02-01-c.json")));
        Ok(())
    }
}
