//! Lines that several commands print.

use crate::record::Record;

/// Milliseconds or seconds, with three digits.
pub(crate) fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 10.0 => format!("{ms:.2} ms"),
        ms if ms < 100.0 => format!("{ms:.1} ms"),
        ms if ms < 1e3 => format!("{ms:.0} ms"),
        ms => format!("{:.2} s", ms / 1e3),
    }
}

/// Six digits at most, in the shorter of the two usual notations.
pub(crate) fn number(x: f64) -> String {
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

/// Which of so many meshes something is said of, before it: the only one by its name; nothing of none.
pub(crate) fn which(of: &[&str], meshes: usize) -> String {
    match of {
        [] => String::new(),
        [only] => format!("{only}: "),
        of => format!("{} of {meshes} meshes: ", of.len()),
    }
}

/// The file and its counts.
pub(crate) fn input(r: &Record) -> String {
    let Some(i) = &r.input else {
        return String::new();
    };
    let edges = i.edges.map_or(String::new(), |e| format!("{e} edges, "));
    let faces = i.faces.map(|n| format!("{n} faces"));
    let cells = i.cells.map(|n| format!("{n} cells"));
    let more: Vec<String> = faces.into_iter().chain(cells).collect();
    let (path, format) = (named(&i.path, "stdin"), &i.format);
    format!(
        "{path} ({format}): {} vertices, {edges}{}\n",
        i.vertices,
        more.join(", ")
    )
}

/// Who computed, on what.
pub(crate) fn engine(r: &Record) -> String {
    let Some(e) = &r.engine else {
        return String::new();
    };
    let units = if e.engine == "cuda" {
        "multiprocessors"
    } else {
        "threads"
    };
    let name = match e.engine.as_str() {
        "cpu" => "CPU",
        "cuda" => "GPU",
        other => other,
    };
    format!("engine: {name}, {}, {} {units}\n", e.device, e.units)
}

/// The file written, and how long everything took.
pub(crate) fn output(r: &Record) -> String {
    let Some(o) = &r.output else {
        return String::new();
    };
    let because = o.format_because.iter().map(|why| format!("; {why}"));
    let because: String = because.collect();
    let path = named(&o.path, "stdout");
    format!("wrote {path} ({}, {} bytes{because})\n", o.format, o.bytes)
}

/// A path of the record as people read it: `-` is a stream.
pub(crate) fn named<'a>(path: &'a str, stream: &'a str) -> &'a str {
    if path == "-" { stream } else { path }
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
