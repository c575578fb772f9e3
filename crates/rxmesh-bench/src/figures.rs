//! Single figures in the prose of documents: `<!--= what -->figure<!--=-->`.
//!
//! `what` is `ENGINE ROW MESH`: a row's median (in milliseconds, or in the row's unit); `ENGINE ROW MESH .name`: one of
//! its other figures; `ref RECORD MESH ROW`: the smallest value of a row of a reference record on a mesh; or two of
//! these with ` / ` between them. `#3` at the end requests three digits instead of two.

use anyhow::{Context as _, Result, ensure};

use crate::record::BenchRecord;
use crate::reference;

const BEGIN: &str = "<!--= ";
const END: &str = "<!--=-->";

/// Source of the figures.
pub(crate) struct Figures {
    records: Vec<BenchRecord>,
}

impl Figures {
    /// Makes the source from the newest record of each engine and device; the first that has a figure counts.
    pub(crate) fn new(records: Vec<BenchRecord>) -> Self {
        Self { records }
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
        let value = match terms.split_once(" / ") {
            Some((a, b)) => self.value(a)? / self.value(b)?,
            None => self.value(terms)?,
        };
        ensure!(value.is_finite(), "{what} is {value}");
        Ok(rounded(value, digits))
    }

    fn value(&self, term: &str) -> Result<f64> {
        let words: Vec<&str> = term.split_whitespace().collect();
        let found = match words[..] {
            ["ref", file, mesh, ..] => of_reference(file, mesh, &words[3..].join(" ")),
            [engine, row, mesh] => self.of_row(engine, row, mesh, None),
            [engine, row, mesh, name] => {
                self.of_row(engine, row, mesh, Some(name.trim_start_matches('.')))
            }
            _ => None,
        };
        found.with_context(|| format!("the records have no figure {term}"))
    }

    fn of_row(&self, engine: &str, row: &str, mesh: &str, name: Option<&str>) -> Option<f64> {
        let of = |r: &BenchRecord| {
            let run = r.find(row, mesh)?;
            name.map_or_else(|| Some(run.median()), |name| number(&run.figures, name))
        };
        self.records
            .iter()
            .filter(|r| r.engine.name == engine)
            .find_map(of)
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
        let figures = Figures::new(vec![one]);
        for (what, figure) in [
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
        for what in ["cuda vv 20k", "cpu vv 80k", "ref none a b", "x"] {
            assert!(figures.fill(&format!("{BEGIN}{what} -->1{END}")).is_err());
        }
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
