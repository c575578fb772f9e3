//! Lines that several commands print.

use crate::record::Record;

/// Milliseconds or seconds, with three digits.
pub(super) fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 10.0 => format!("{ms:.2} ms"),
        ms if ms < 100.0 => format!("{ms:.1} ms"),
        ms if ms < 1e3 => format!("{ms:.0} ms"),
        ms => format!("{:.2} s", ms / 1e3),
    }
}

/// The file and its counts.
pub(super) fn input(r: &Record) -> String {
    let Some(i) = &r.input else {
        return String::new();
    };
    let edges = i.edges.map_or(String::new(), |e| format!("{e} edges, "));
    let (path, format) = (&i.path, &i.format);
    format!(
        "{path} ({format}): {} vertices, {edges}{} faces\n",
        i.vertices, i.faces
    )
}

/// Who computed, on what.
pub(super) fn engine(r: &Record) -> String {
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
pub(super) fn output(r: &Record) -> String {
    let Some(o) = &r.output else {
        return String::new();
    };
    format!("wrote {} ({}, {} bytes)\n", o.path, o.format, o.bytes)
}
