//! Commands of the sweep, and the promise of each.

/// Property that a result must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Promise {
    /// Faces and vertices as in the input, inside (about) its bounding box.
    Same,
    /// The same, anywhere.
    Moved,
    /// The same, rotated.
    Turned,
    /// At most as many vertices, otherwise unchanged.
    Kept,
    /// An edit that does not change the number of faces.
    Flipped,
    /// This share of the faces, connectivity unchanged.
    Share(f64),
    /// Edges of the mean length of the input, connectivity unchanged.
    Even,
    /// Connectivity unchanged.
    Sound,
    /// No defect is left.
    Clean,
    /// A file that can be read.
    Readable,
    /// Only a successful exit.
    Nothing,
}

/// Command of the program.
#[derive(Clone)]
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// Arguments; `IN` and `OUT` are the files.
    pub(crate) arguments: &'static [&'static str],
    /// File name of the output.
    pub(crate) output: &'static str,
    pub(crate) promise: Promise,
}

const fn to_obj(
    name: &'static str,
    arguments: &'static [&'static str],
    promise: Promise,
) -> Command {
    Command {
        name,
        arguments,
        output: "out.obj",
        promise,
    }
}

const fn to_ply(name: &'static str, arguments: &'static [&'static str]) -> Command {
    Command {
        name,
        arguments,
        output: "out.ply",
        promise: Promise::Readable,
    }
}

/// All commands, with the defaults that a user meets first.
const COMMANDS: [Command; 25] = [
    to_obj("mcf", &["mcf", "IN", "-o", "OUT"], Promise::Same),
    to_obj("filter", &["filter", "IN", "-o", "OUT"], Promise::Same),
    to_obj("smooth", &["smooth", "IN", "-o", "OUT"], Promise::Same),
    to_obj("spring", &["spring", "IN", "-o", "OUT"], Promise::Moved),
    to_obj("normals", &["normals", "IN", "-o", "OUT"], Promise::Same),
    to_ply(
        "geodesic",
        &["geodesic", "IN", "--source", "0", "-o", "OUT"],
    ),
    to_ply("curvature", &["curvature", "IN", "-o", "OUT"]),
    to_obj(
        "components",
        &["components", "IN", "--largest", "-o", "OUT"],
        Promise::Kept,
    ),
    to_obj(
        "delaunay",
        &["delaunay", "IN", "-o", "OUT"],
        Promise::Flipped,
    ),
    to_obj(
        "simplify",
        &["simplify", "IN", "--ratio", "0.1", "-o", "OUT"],
        Promise::Share(0.1),
    ),
    to_obj(
        "simplify-length",
        &[
            "simplify", "IN", "--ratio", "0.5", "--cost", "length", "-o", "OUT",
        ],
        Promise::Share(0.5),
    ),
    to_obj("remesh", &["remesh", "IN", "-o", "OUT"], Promise::Even),
    to_obj(
        "remesh-repaired",
        &["remesh", "IN", "--repair", "-o", "OUT"],
        Promise::Readable,
    ),
    to_obj(
        "simplify-repaired",
        &["simplify", "IN", "--repair", "--ratio", "0.2", "-o", "OUT"],
        Promise::Readable,
    ),
    to_obj(
        "track",
        &["track", "IN", "--frames", "2", "-o", "OUT"],
        Promise::Sound,
    ),
    to_obj("repair", &["repair", "IN", "-o", "OUT"], Promise::Clean),
    to_obj("convert", &["convert", "IN", "-o", "OUT"], Promise::Same),
    to_obj(
        "transform",
        &["transform", "IN", "--rotate", "z,30", "-o", "OUT"],
        Promise::Turned,
    ),
    to_obj(
        "merge",
        &["merge", "IN", "IN", "-o", "OUT"],
        Promise::Readable,
    ),
    to_obj("distance", &["distance", "IN", "IN"], Promise::Nothing),
    to_ply("sample", &["sample", "IN", "-o", "OUT"]),
    to_ply("wrap", &["wrap", "IN", "--resolution", "24", "-o", "OUT"]),
    Command {
        name: "sdf",
        arguments: &["sdf", "IN", "--resolution", "16", "-o", "OUT"],
        output: "out.vti",
        promise: Promise::Nothing,
    },
    to_obj("check", &["check", "IN"], Promise::Nothing),
    to_obj("info", &["info", "IN"], Promise::Nothing),
];

macro_rules! names {
    (
        Vertices { $($vertices:ident in $v:ident),* $(,)? }
        Connectivity { $($connectivity:ident in $c:ident),* $(,)? }
        Scene { $($scene:tt)* }
        Body { $($body:tt)* }
        Tool { $($tool:ident in $t:ident),* $(,)? }
    ) => {
        [
            $(<rxmesh::ops::$vertices as rxmesh::Operation>::NAME,)*
            $(<rxmesh::ops::$connectivity as rxmesh::Operation>::NAME,)*
            $(<rxmesh::ops::$tool as rxmesh::Operation>::NAME),*
        ]
    };
}

/// Returns all commands: those above, and operations of the library that are not among them, whose results must be
/// files that can be read.
pub(crate) fn all() -> Vec<Command> {
    let mut all = COMMANDS.to_vec();
    for name in rxmesh::for_each_operation!(names) {
        if all.iter().all(|c| c.arguments[0] != name) {
            let arguments: &'static [&'static str] = vec![name, "IN", "-o", "OUT"].leak();
            all.push(to_ply(name, arguments));
        }
    }
    all
}
