//! Docstrings of functions, made of the help of the command line.

use crate::forms::Takes;
use crate::functions::OperationFunction;
use crate::keywords::{name_of, shown, with_keywords};
use crate::outputs;
use crate::render::RENDER;
use clap::{Arg, ArgAction, Command};
use rxmesh::{OutputKind, schema};
use std::fmt::Write as _;

/// Positional arguments with their default values, as Python writes them.
pub fn positional(takes: Takes) -> &'static str {
    match takes {
        Takes::Surface | Takes::Polygons => "v, f=None",
        Takes::Any => "v, f=None, cells=None",
        Takes::Volume => "v, cells=None",
        Takes::Pair => "v, f=None, reference=None",
        Takes::List => "meshes",
        Takes::Scene => "scene",
        Takes::Grid => "values, origin=None, spacing=None",
    }
}

/// Keyword argument that is not an option of a command: its name, its type and its line of help.
pub type BesideArgument = (&'static str, &'static str, &'static str);

/// Keyword arguments that are not options of a command, with their types and lines of help.
pub fn beside(function: &OperationFunction) -> Vec<BesideArgument> {
    const PROGRESS: BesideArgument = (
        "progress",
        "Progress | None",
        "called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception \
        that it raises ends the work",
    );
    const ATTRIBUTES: BesideArgument = (
        "attributes",
        "Mapping[str, Any] | None",
        "values that are carried along: arrays with a row for each vertex or each face",
    );
    const OF_VERTICES: BesideArgument = (
        "vertex_attributes",
        "Mapping[str, Any] | None",
        "the same, with a row for each vertex",
    );
    const OF_FACES: BesideArgument = (
        "face_attributes",
        "Mapping[str, Any] | None",
        "the same, with a row for each face",
    );
    const OUT: BesideArgument = (
        "out",
        "Array | Mapping[str, Array] | None",
        "array that the result is written into: float32 or float64, contiguous, with a row for each vertex",
    );
    const OUTS: BesideArgument = (
        "out",
        "Mapping[str, Array] | None",
        "arrays that results are written into, by name: float32 or float64, contiguous, with a row for each vertex",
    );
    const DEVICES: BesideArgument = (
        "devices",
        "Sequence[int] | Literal['all'] | None",
        "numbers of GPUs, or \"all\", which share a list of meshes in place of one engine",
    );
    let mut all = match function.takes {
        Takes::Scene | Takes::List | Takes::Grid => vec![],
        _ => vec![ATTRIBUTES, OF_VERTICES, OF_FACES],
    };
    match outputs::columns(function.name) {
        [] => {}
        [_] => all.push(OUT),
        _ => all.push(OUTS),
    }
    if takes_devices(function) {
        all.push(DEVICES);
    }
    all.push(PROGRESS);
    all
}

/// Returns `true` if several GPUs can share the meshes of a function.
pub fn takes_devices(function: &OperationFunction) -> bool {
    function.several && function.takes == Takes::Surface
}

/// Returns the docstring of a function, with its signature in the form that `inspect` reads.
pub fn docstring(function: &OperationFunction) -> String {
    format!("{}\n--\n\n{}", signature(function), text(function))
}

/// Returns the signature of a function.
fn signature(function: &OperationFunction) -> String {
    let command = (function.command)();
    let mut parts = vec![positional(function.takes).to_owned(), "*".into()];
    parts.extend(
        shown(&command)
            .filter_map(name_of)
            .map(|name| format!("{name}=None")),
    );
    let beside = beside(function).into_iter();
    parts.extend(beside.map(|(name, ..)| format!("{name}=None")));
    format!("{}({})", function.name, parts.join(", "))
}

/// Returns the text of a function's docstring.
pub fn text(function: &OperationFunction) -> String {
    let mut out = format!(
        "{}.\n\n{}\n\nArguments:\n",
        function.summary,
        subject(function)
    );
    let command = (function.command)();
    for arg in shown(&command) {
        let name = name_of(arg).unwrap_or_default();
        let _ = writeln!(out, "    {name}: {}", meaning(arg));
    }
    for (name, _, help) in beside(function) {
        let _ = writeln!(out, "    {name}: {help}");
    }
    let _ = match function.name == RENDER.name {
        true => write!(out, "\nReturns a `Picture`, a PNG file in memory."),
        false => write!(out, "\nReturns a `Result`: {}.", result(function)),
    };
    let keys = schema::of(function.name).map_or(Vec::new(), |report| schema::keys(&report));
    if !keys.is_empty() {
        out += " Keys of its report:\n";
        for key in keys {
            let unit = key.unit.map_or(String::new(), |unit| format!(", {unit}"));
            let text = format!("{} ({}{unit}): {}", key.path, key.kind, key.holds);
            let _ = writeln!(out, "    {}", with_keywords(&text));
        }
    } else {
        out += "\n";
    }
    let about = about(function.help);
    if !about.is_empty() {
        let _ = write!(out, "\n{about}\n");
    }
    out
}

/// Describes the positional arguments.
fn subject(function: &OperationFunction) -> &'static str {
    match function.takes {
        Takes::Surface if function.several => {
            "Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, \
            which are processed together and give a list of results."
        }
        Takes::Surface => "Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.",
        Takes::Polygons => {
            "Takes positions `v` (n, 3) and faces `f` (m, k) of k corners, or a pair `(corners, offsets)` for faces \
            of different sizes; or a `Mesh`."
        }
        Takes::Any if function.several => {
            "Takes positions `v` (n, 3) and faces `f` (m, k), or `cells` (m, 4) of a volume; or a `Mesh`; or a list \
            of meshes and pairs `(v, f)`, which stand beside each other."
        }
        Takes::Any => {
            "Takes positions `v` (n, 3) and faces `f` (m, k), or `cells` (m, 4) of a volume; or a `Mesh`."
        }
        Takes::Volume => {
            "Takes positions `v` (n, 3) and tetrahedra `cells` (m, 4); or a `Mesh` of a volume."
        }
        Takes::Pair => {
            "Takes positions `v` (n, 3) and triangles `f` (m, 3), or a `Mesh`; and the `reference`, a pair `(v, f)` or \
            a `Mesh`."
        }
        Takes::List => "Takes a list of meshes and pairs `(v, f)`.",
        Takes::Scene => "Takes the path of a scene, or its text.",
        Takes::Grid => {
            "Takes `values` of the points of a grid, an array (x, y, z); the place of the first point, `origin`, else \
            zero; and the distance of points along the axes, `spacing`: one number or three, else one."
        }
    }
}

/// Describes the result.
fn result(function: &OperationFunction) -> String {
    match (function.takes, function.output) {
        (Takes::Scene, _) => "`bodies` has a `Mesh` for each name".into(),
        (Takes::Any, _) => "its `report` alone".into(),
        (_, OutputKind::Mesh) => "`vertices`, `faces`, `attributes`".into(),
        (_, OutputKind::Normals) => "`vertices`, `faces`, and `attributes[\"normal\"]`".into(),
        (_, OutputKind::Columns(values)) => {
            format!("`vertices`, `faces`, and {values} in `attributes`, by name")
        }
        (_, OutputKind::Volume) => "`vertices`, `cells`, `attributes`".into(),
        (_, OutputKind::Grid) => {
            "`values` with the axes x, y and z, `origin`, the place of the first one, and `spacing`"
                .into()
        }
        (_, OutputKind::Points) => "`vertices`, without faces, and `attributes`".into(),
    }
}

/// Returns the text of a help without its examples of the command line.
fn about(help: &str) -> String {
    let rest = help.split_once("\n\n").map_or("", |(_, rest)| rest);
    let rest = rest.replace("the exit code is 3", "`converged` is `False`");
    let rest = rest.replace("the exit code is 0 unless", "no exception is raised unless");
    // A result is a list, not a folder.
    let rest = rest.replace(", and -o names the\nfolder of the results", "");
    with_keywords(&rest)
}

/// Returns the help of an argument on one line, with its possible values and its default.
pub fn meaning(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut out = with_keywords(help.trim_end_matches('.'));
    let values = arg.get_possible_values();
    let takes_values = arg.get_action().takes_values() && arg.get_id() != "engine";
    if takes_values && !values.is_empty() {
        let describe = |value: &clap::builder::PossibleValue| match value.get_help() {
            Some(help) => {
                let help = with_keywords(help.to_string().trim_end_matches('.'));
                format!("\"{}\" ({help})", value.get_name())
            }
            None => format!("\"{}\"", value.get_name()),
        };
        let values: Vec<String> = values.iter().map(describe).collect();
        let _ = write!(out, ": {}", values.join(", "));
    }
    match default_of(arg) {
        Some(default) if !out.contains("[default") => out + &format!(" [default: {default}]"),
        _ => out,
    }
}

/// Returns the default of an argument, as Python writes it.
fn default_of(arg: &Arg) -> Option<String> {
    if !arg.get_action().takes_values() {
        return None;
    }
    let values = arg.get_default_values();
    let text = values.first()?.to_string_lossy().into_owned();
    Some(match text.parse::<f64>() {
        Ok(_) => text,
        Err(_) => format!("\"{text}\""),
    })
}

/// Returns the type of an argument, as stubs have it.
pub fn type_of(arg: &Arg) -> String {
    let optional = arg.get_num_args().is_some_and(|n| n.min_values() == 0);
    if !arg.get_action().takes_values() {
        return "bool".into();
    }
    if arg.get_id() == "engine" {
        return "str | None".into();
    }
    let values = arg.get_possible_values();
    let one = if values.is_empty() {
        "Value".to_owned()
    } else {
        let names: Vec<String> = values
            .iter()
            .map(|v| format!("\"{}\"", v.get_name()))
            .collect();
        format!("Literal[{}]", names.join(", "))
    };
    match arg.get_action() {
        ArgAction::Append => format!("{one} | Sequence[{one}] | None"),
        _ if optional => format!("{one} | bool | None"),
        _ => format!("{one} | None"),
    }
}

/// Returns the arguments of a function for stubs: names with types.
pub fn typed(command: &Command) -> Vec<(String, String)> {
    let named = |arg: &Arg| Some((name_of(arg)?, type_of(arg)));
    shown(command).filter_map(named).collect()
}
