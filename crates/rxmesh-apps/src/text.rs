//! Lines that several commands print.

use crate::record::{InputRecord, Record};
use rxmesh_host::engine::EngineKind;

pub(crate) use rxmesh::text::{duration, number};

/// Returns the line of the input file and its counts.
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

/// Returns the line that names the input and its format.
pub(crate) fn input_name(r: &Record) -> String {
    let line = |i: &InputRecord| format!("{} ({})\n", named(&i.path, "stdin"), i.format);
    r.input.as_ref().map_or(String::new(), line)
}

/// Returns the line that names the engine and its device.
pub(crate) fn engine(r: &Record) -> String {
    let Some(e) = &r.engine else {
        return String::new();
    };
    let kind = EngineKind::named(&e.engine);
    let name = kind.map_or(e.engine.as_str(), |kind| kind.title());
    let units = kind.unwrap_or(EngineKind::Cpu).units();
    format!("engine: {name}, {}, {} {units}\n", e.device, e.units)
}

/// Returns the line of the written file.
pub(crate) fn output(r: &Record) -> String {
    let Some(o) = &r.output else {
        return String::new();
    };
    let because = o.format_because.iter().map(|why| format!("; {why}"));
    let because: String = because.collect();
    let path = named(&o.path, "stdout");
    format!("wrote {path} ({}, {} bytes{because})\n", o.format, o.bytes)
}

/// Returns the line of the picture.
pub(crate) fn picture(r: &Record) -> String {
    let Some(p) = &r.picture else {
        return String::new();
    };
    let path = named(&p.path, "stdout");
    format!(
        "drew {path} ({} x {} pixels, {} bytes)\n",
        p.width, p.height, p.bytes
    )
}

/// Returns the line of the page.
pub(crate) fn page(r: &Record) -> String {
    let Some(p) = &r.page else {
        return String::new();
    };
    let opened = match p.opened {
        None => "",
        Some(true) => "; opened",
        Some(false) => "; no program here opens it, so open it in a browser",
    };
    format!("wrote {} (HTML, {} bytes){opened}\n", p.path, p.bytes)
}

/// Returns a path of the record as people read it: `-` is a stream.
pub(crate) fn named<'a>(path: &'a str, stream: &'a str) -> &'a str {
    if path == "-" { stream } else { path }
}
