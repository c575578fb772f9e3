//! Single figures in the prose of documents: `<!--= what -->figure<!--=-->`.
//!
//! `what` is `ENGINE ROW MESH`: a row's median (in milliseconds, or in the row's unit) in the newest record;
//! `ENGINE ROW MESH .name`: one of its other figures, or the median of its `.wall_ms`; `in FILE MESH ROW` and
//! `in FILE MESH ROW .name`: the same in one record, by its path below the folder of the records without `.json`;
//! `beside ROW MESH` and `beside ROW MESH .name`: the same in the newest record of a GPU in the folder `rivals`, whose
//! records hold other methods and this library in one run, or `not measured` without one;
//! `ref RECORD MESH ROW`: the smallest value of a row of a reference record on a mesh; a number; or two of these with
//! ` / ` between them. `#3` at the end requests three digits instead of two.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::measure::median;
use crate::record::BenchRecord;
use crate::reference;
use crate::{readme, rows};

const BEGIN: &str = "<!--= ";
const END: &str = "<!--=-->";
/// Figure of a record that is not there yet.
const NOT_MEASURED: &str = "not measured";

/// Source of the figures.
pub(crate) struct Figures {
    newest: Vec<BenchRecord>,
    folder: PathBuf,
    /// Newest records of GPUs with other methods.
    beside: Vec<BenchRecord>,
    /// Records that `in` has named, by their paths.
    named: RefCell<BTreeMap<String, BenchRecord>>,
}

impl Figures {
    /// Makes the source from the newest record of each engine and device, of which the first that has a figure counts,
    /// and the folder of all records.
    pub(crate) fn new(newest: Vec<BenchRecord>, folder: &Path) -> Result<Self> {
        let rivals = folder.join("rivals");
        let mut beside = match rivals.is_dir() {
            true => readme::newest(&rivals)?,
            false => Vec::new(),
        };
        beside.retain(|r| r.engine.name == "cuda");
        Ok(Self {
            newest,
            folder: folder.to_owned(),
            beside,
            named: RefCell::default(),
        })
    }

    /// Returns the text with every figure as in the records.
    pub(crate) fn fill(&self, text: &str) -> Result<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(BEGIN) {
            let (what, after) = after.split_once(" -->").context("a figure without -->")?;
            let (_, after) = after
                .split_once(END)
                .with_context(|| format!("no {END} after the figure {what}"))?;
            let figure = self.figure(what)?;
            out += &format!("{before}{BEGIN}{what} -->{figure}{END}");
            rest = after;
        }
        Ok(out + rest)
    }

    fn figure(&self, what: &str) -> Result<String> {
        let (terms, digits) = match what.rsplit_once(" #") {
            Some((terms, digits)) => (terms, digits.parse().context(what.to_owned())?),
            None => (what, 2),
        };
        let (value, over) = match terms.split_once(" / ") {
            Some((a, b)) => (self.term(a)?, self.term(b)?),
            None => (self.term(terms)?, Some(1.0)),
        };
        let (Some(value), Some(over)) = (value, over) else {
            return Ok(NOT_MEASURED.to_owned());
        };
        let value = value / over;
        ensure!(value.is_finite(), "{what} is {value}");
        Ok(rounded(value, digits))
    }

    /// Returns a figure; `None` for one of the records of other methods that was not measured.
    fn term(&self, term: &str) -> Result<Option<f64>> {
        let words: Vec<&str> = term.split_whitespace().collect();
        let (row, mesh, name) = match words[..] {
            ["beside", row, mesh] => (row, mesh, None),
            ["beside", row, mesh, name] => (row, mesh, Some(name.trim_start_matches('.'))),
            _ => return self.value(term).map(Some),
        };
        ensure!(
            rows::all().any(|r| r.name == row),
            "there is no row {row} of {term}"
        );
        let mut records = self.beside.iter();
        Ok(records.find_map(|r| of_record(r, row, mesh, name)))
    }

    fn value(&self, term: &str) -> Result<f64> {
        let words: Vec<&str> = term.split_whitespace().collect();
        let found = match words[..] {
            [number] => number.parse().ok(),
            ["ref", file, mesh, ..] => of_reference(file, mesh, &words[3..].join(" ")),
            ["in", file, mesh, ..] => {
                let row = &words[3..];
                let named = row.iter().position(|w| w.starts_with('.'));
                let (row, name) = row.split_at(named.unwrap_or(row.len()));
                let name = (!name.is_empty()).then(|| name.join(" "));
                let name = name.as_ref().map(|n| n.trim_start_matches('.'));
                self.of_file(file, mesh, &row.join(" "), name)?
            }
            [engine, row, mesh] => self.of_row(engine, row, mesh, None),
            [engine, row, mesh, name] => {
                self.of_row(engine, row, mesh, Some(name.trim_start_matches('.')))
            }
            _ => None,
        };
        found.with_context(|| format!("the records have no figure {term}"))
    }

    fn of_row(&self, engine: &str, row: &str, mesh: &str, name: Option<&str>) -> Option<f64> {
        self.newest
            .iter()
            .filter(|r| r.engine.name == engine)
            .find_map(|r| of_record(r, row, mesh, name))
    }

    fn of_file(
        &self,
        file: &str,
        mesh: &str,
        row: &str,
        name: Option<&str>,
    ) -> Result<Option<f64>> {
        let mut named = self.named.borrow_mut();
        if !named.contains_key(file) {
            let path = self.folder.join(format!("{file}.json"));
            named.insert(file.to_owned(), BenchRecord::read(&path)?);
        }
        Ok(of_record(&named[file], row, mesh, name))
    }
}

/// Returns the median of a row on a mesh, or the other figure that `name` gives.
fn of_record(record: &BenchRecord, row: &str, mesh: &str, name: Option<&str>) -> Option<f64> {
    let run = record.find(row, mesh)?;
    match name {
        None => Some(run.median()),
        Some("wall_ms") => (!run.wall_ms.is_empty()).then(|| median(&run.wall_ms)),
        Some(name) => number(&run.figures, name),
    }
}

/// Returns a number by its path of names, separated by `.`.
fn number(figures: &serde_json::Map<String, serde_json::Value>, path: &str) -> Option<f64> {
    let mut names = path.split('.');
    let first = figures.get(names.next()?)?;
    names
        .try_fold(first, |value, name| value.get(name))?
        .as_f64()
}

fn of_reference(file: &str, mesh: &str, row: &str) -> Option<f64> {
    let rows = &reference::find(file)?.rows;
    let row = rows.iter().find(|r| r.name == row)?;
    let values = row.values.iter().filter(|p| p.mesh == mesh);
    values.map(|p| p.value).min_by(f64::total_cmp)
}

/// Formats a number with `digits` significant digits, without trailing zeros.
fn rounded(x: f64, digits: i32) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let after = digits - 1 - x.abs().log10().floor() as i32;
    let scale = 10f64.powi(after);
    let x = (x * scale).round() / scale;
    let text = format!("{x:.*}", after.max(0) as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    #[test]
    fn figures_by_engine_row_and_mesh() -> Result<()> {
        let mut one = record(&[("vv", 1.234), ("ve", 0.5)]);
        one.runs[0].figures.insert("rounds".into(), 31.into());
        let folder = tempfile::tempdir()?;
        let mut two = record(&[("pd frame, 5 x 30 CG", 2000.0)]);
        two.runs[0].figures.insert("bytes".into(), 3_000_000.into());
        two.runs[0].wall_ms = vec![2100.0];
        let tried = serde_json::json!({ "direct, 512 threads": 0.25 });
        two.runs[0].figures.insert("tried".into(), tried);
        std::fs::create_dir(folder.path().join("solvers"))?;
        two.write(&folder.path().join("solvers/a.json"))?;
        let figures = Figures::new(vec![one], folder.path())?;
        for (what, figure) in [
            ("in solvers/a 20k pd frame, 5 x 30 CG / 1000", "2"),
            ("in solvers/a 20k pd frame, 5 x 30 CG .bytes / 1e6", "3"),
            ("in solvers/a 20k pd frame, 5 x 30 CG .wall_ms", "2100"),
            (
                "in solvers/a 20k pd frame, 5 x 30 CG .tried.direct, 512 threads",
                "0.25",
            ),
            ("cpu vv 20k", "1.2"),
            ("cpu vv 20k #3", "1.23"),
            ("cpu vv 20k .rounds", "31"),
            ("cpu vv 20k / cpu ve 20k", "2.5"),
            ("ref rxmesh-h200 dragon_L3 query VV, store #3", "0.205"),
            (
                "ref rxmesh-h200 dragon_L3 query VV, store / cpu ve 20k",
                "0.41",
            ),
        ] {
            let text = format!("a {BEGIN}{what} -->old{END} b {BEGIN}{what} -->{END}");
            let wanted =
                format!("a {BEGIN}{what} -->{figure}{END} b {BEGIN}{what} -->{figure}{END}");
            assert_eq!(figures.fill(&text)?, wanted);
        }
        for what in [
            "cuda vv 20k",
            "cpu vv 80k",
            "ref none a b",
            "x",
            "in solvers/a 20k pd",
            "in solvers/a 80k pd frame, 5 x 30 CG",
            "in solvers/b 20k pd frame, 5 x 30 CG",
        ] {
            assert!(figures.fill(&format!("{BEGIN}{what} -->1{END}")).is_err());
        }
        Ok(())
    }

    #[test]
    fn figures_of_other_methods_are_not_measured_until_there_is_a_record() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let fill = |what: &str| {
            let figures = Figures::new(Vec::new(), folder.path())?;
            figures.fill(&format!("{BEGIN}{what} -->{END}"))
        };
        let ratio = "beside vv-directed 20k / beside vv 20k";
        assert_eq!(fill(ratio)?, format!("{BEGIN}{ratio} -->not measured{END}"));
        // A name that no row has is a mistake, with or without a record.
        assert!(fill("beside vv-undirected 20k").is_err());
        std::fs::create_dir(folder.path().join("rivals"))?;
        let mut made = record(&[("vv", 0.5), ("vv-directed", 2.0)]);
        made.engine.name = "cuda".into();
        made.write(&folder.path().join("rivals/a.json"))?;
        assert_eq!(fill(ratio)?, format!("{BEGIN}{ratio} -->4{END}"));
        let other = "beside ve 20k";
        assert_eq!(fill(other)?, format!("{BEGIN}{other} -->not measured{END}"));
        Ok(())
    }

    #[test]
    fn digits_that_count() {
        let cases = [(356.4, "356"), (1.95, "2"), (0.0213, "0.021"), (0.0, "0")];
        for (x, text) in cases {
            assert_eq!(rounded(x, if x > 100.0 { 3 } else { 2 }), text);
        }
        assert_eq!(rounded(3152.7, 2), "3200");
    }
}
