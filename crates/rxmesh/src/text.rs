//! Words that messages of several operations use.

use rxmesh_host::edit::RunReport;

/// Formats milliseconds, or seconds, with three digits.
pub fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 10.0 => format!("{ms:.2} ms"),
        ms if ms < 100.0 => format!("{ms:.1} ms"),
        ms if ms < 1e3 => format!("{ms:.0} ms"),
        ms => format!("{:.2} s", ms / 1e3),
    }
}

/// Formats a number with at most six digits, in the shorter of the two usual notations.
pub fn number(x: f64) -> String {
    let digits = if x == 0.0 {
        0
    } else {
        x.abs().log10().floor() as i32
    };
    if !(-4..=6).contains(&digits) {
        return format!("{x:.5e}");
    }
    let decimals = usize::try_from(5 - digits).unwrap_or(0);
    let text = format!("{x:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Returns the prefix naming the meshes a message is about: the name for one mesh, `k of n meshes` for several, nothing
/// for none.
pub fn which(of: &[&str], meshes: usize) -> String {
    match of {
        [] => String::new(),
        [only] => format!("{only}: "),
        of => format!("{} of {meshes} meshes: ", of.len()),
    }
}

/// Formats rounds and conflicts of edits.
pub fn rounds(run: &RunReport) -> String {
    format!(
        "{} rounds, {} conflicts, {} refused",
        run.rounds, run.conflicts, run.refused
    )
}

#[cfg(test)]
mod tests {
    use super::{duration, number};

    #[test]
    fn numbers_are_short() {
        let shown = [
            0.0,
            0.002,
            1.46465,
            100.0,
            123456.7,
            0.00012345678,
            1e-9,
            2.5e20,
        ]
        .map(number);
        assert_eq!(
            shown,
            [
                "0",
                "0.002",
                "1.46465",
                "100",
                "123457",
                "0.000123457",
                "1.00000e-9",
                "2.50000e20"
            ]
        );
        assert_eq!(
            [1.2345, 12.345, 123.45, 1234.5].map(duration),
            ["1.23 ms", "12.3 ms", "123 ms", "1.23 s"]
        );
    }
}
