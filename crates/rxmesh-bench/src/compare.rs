//! Comparison of an old and a new record.

use crate::conflicts::EditScheduler;
use crate::record::BenchRecord;
use crate::table::{align, short};

/// Changes below this are noise.
const NOTEWORTHY: f64 = 0.05;

/// Returns a table of medians, old and new, in which changes of more than five percent are marked.
pub(crate) fn compare(old: &BenchRecord, new: &BenchRecord) -> String {
    let mut lines = vec![
        ["row", "mesh", "old ms", "new ms", "old/new", ""]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut changes = 0;
    for run in &new.runs {
        let Some(before) = old.find(&run.row, &run.mesh) else {
            continue;
        };
        let (was, is) = (before.median(), run.median());
        let mark = match was / is {
            _ if !run.is_time() => run.unit.to_string(),
            r if r > 1.0 + NOTEWORTHY => "faster".to_owned(),
            r if r < 1.0 - NOTEWORTHY => "SLOWER".to_owned(),
            _ => String::new(),
        };
        changes += usize::from(run.is_time() && !mark.is_empty());
        lines.push(vec![
            run.row.clone(),
            run.mesh.clone(),
            short(was),
            short(is),
            short(was / is),
            mark,
        ]);
    }
    let mut text = format!(
        "\nold: commit {}, {}, {} on {}\nnew: commit {}, {}, {} on {}\n",
        old.commit,
        old.date,
        old.engine.name,
        old.engine.device,
        new.commit,
        new.date,
        new.engine.name,
        new.engine.device
    );
    let settings = |r: &BenchRecord| {
        let sizes = [EditScheduler::Claims, EditScheduler::Speculative];
        (r.options.order, sizes.map(|c| r.options.patch_size_of(c)))
    };
    if settings(old) != settings(new) {
        text += "the two were measured with different options\n";
    }
    text += &align(&lines);
    text += &format!(
        "{} rows, {changes} changed by more than 5 %\n",
        lines.len() - 1
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    #[test]
    fn changes_above_five_percent_are_marked() {
        let (old, new) = (
            record(&[("vv", 1.0), ("ve", 1.0), ("ff", 1.0), ("ef", 1.0)]),
            record(&[("vv", 1.04), ("ve", 0.5), ("ff", 2.0), ("dot", 1.0)]),
        );
        let text = compare(&old, &new);
        let line = |row: &str| {
            text.lines()
                .find(|l| l.starts_with(row))
                .unwrap_or_default()
        };
        assert!(line("vv").ends_with("0.9615"), "{text}");
        assert!(line("ve").ends_with("faster") && line("ff").ends_with("SLOWER"));
        assert!(text.ends_with("3 rows, 2 changed by more than 5 %\n"));
    }
}
