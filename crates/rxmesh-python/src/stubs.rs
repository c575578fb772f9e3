//! Stubs of the package and the list of functions of its document: written by `cargo xtask docs`, compared otherwise.

use crate::forms::Takes;
use crate::functions::{ALL, OperationFunction};
use crate::help::{self, beside, typed};
use crate::render::RENDER;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Beginning of the stubs.
const HEAD: &str = "\
# Written by `cargo xtask docs` from the list of operations.
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, overload

__version__: str

# An array of numpy, or of any library with `__dlpack__`: torch, CuPy, JAX, Warp; or a nested list.
Array = Any
# A number, a text, a path, or numbers that belong together.
Value = int | float | str | PathLike[str] | tuple[Any, ...]
# Called with the name of a stage, and with its milliseconds when it has ended.
Progress = Callable[[str, float | None], Any]
Path = str | PathLike[str]
Faces = Array | tuple[Array, Array]
Relation = Literal[\"VV\", \"VE\", \"VF\", \"EV\", \"EE\", \"EF\", \"FV\", \"FE\", \"FF\"]

class Error(RuntimeError): ...

class Buffer:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class Picture:
    @property
    def png(self) -> bytes: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    def write(self, path: Path) -> None: ...

class Subdivision:
    def __init__(
        self,
        f: Mesh | Result | Faces,
        *,
        scheme: Literal[\"catmull-clark\", \"loop\", \"sqrt3\"] = ...,
        levels: int = 2,
        boundary: Literal[\"none\", \"edge-only\", \"edge-and-corner\"] = ...,
        creasing: Literal[\"uniform\", \"chaikin\"] = ...,
        creases: Array | tuple[Array, Array] | float | Path | None = None,
        sharpen_non_manifold: bool = False,
        vertices: int | None = None,
        engine: str | None = None,
    ) -> None: ...
    @property
    def faces(self) -> Any: ...
    @property
    def parents(self) -> Any: ...
    @property
    def engine(self) -> str: ...
    def __len__(self) -> int: ...
    @overload
    def __call__(
        self, v: Array, *, limit: bool = False, normals: Literal[False] = False, out: Array | None = None
    ) -> Any: ...
    @overload
    def __call__(
        self,
        v: Array,
        *,
        limit: bool = False,
        normals: Literal[True],
        out: tuple[Array | None, Array | None] | None = None,
    ) -> tuple[Any, Any]: ...

class EdgeReport:
    @property
    def asked(self) -> int: ...
    @property
    def done(self) -> int: ...
    @property
    def refused(self) -> int: ...
    @property
    def conflicts(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    @property
    def mask(self) -> Any: ...

class Edit:
    def __init__(self, mesh: Mesh | Result | tuple[Array, Array], *, engine: str | None = None) -> None: ...
    @property
    def vertices(self) -> Any: ...
    @property
    def edges(self) -> Any: ...
    @property
    def faces(self) -> Any: ...
    @property
    def mesh(self) -> Mesh: ...
    def flip(self, edges: Array, *, rounds: int | None = None) -> EdgeReport: ...
    def split(self, edges: Array, *, rounds: int | None = None) -> EdgeReport: ...
    def collapse(self, edges: Array, *, rounds: int | None = None) -> EdgeReport: ...
    def validate(self) -> list[str]: ...
    def finish(self) -> Mesh: ...
    def __enter__(self) -> Edit: ...
    def __exit__(self, *raised: Any) -> bool: ...

class ClosestPoints:
    @property
    def points(self) -> Any: ...
    @property
    def distances(self) -> Any: ...
    @property
    def faces(self) -> Any: ...
    @property
    def barycentric(self) -> Any: ...

class FaceLists:
    @property
    def starts(self) -> Any: ...
    @property
    def distances(self) -> Any: ...
    @property
    def faces(self) -> Any: ...

class NearestVertices:
    @property
    def vertices(self) -> Any: ...
    @property
    def distances(self) -> Any: ...

class RayHits:
    @property
    def distances(self) -> Any: ...
    @property
    def faces(self) -> Any: ...
    @property
    def barycentric(self) -> Any: ...

class SurfaceTree:
    def __init__(self, mesh: Mesh | Result | tuple[Array, Array], *, engine: str | None = None) -> None: ...
    def closest(self, points: Array, *, signed: bool = False) -> ClosestPoints: ...
    def winding_numbers(self, points: Array) -> Any: ...
    def contains(self, points: Array) -> Any: ...
    def first_hits(self, origins: Array, directions: Array, *, limit: float = ...) -> RayHits: ...
    def count_hits(self, origins: Array, directions: Array, *, limit: float = ...) -> Any: ...
    def all_hits(self, origins: Array, directions: Array, *, limit: float = ...) -> FaceLists: ...
    def faces_within(self, points: Array, radius: float) -> FaceLists: ...
    def nearest_vertices(self, points: Array, k: int = 1) -> NearestVertices: ...
    def find_blocked(self, origins: Array, directions: Array, *, limit: float = ...) -> Any: ...
    @property
    def engine(self) -> str: ...

class World:
    def __init__(self, scene: Path, *, engine: str | None = None) -> None: ...
    @property
    def bodies(self) -> dict[str, Mesh]: ...
    @property
    def time(self) -> float: ...
    @property
    def steps(self) -> int: ...
    def step(self, steps: int = 1) -> None: ...
    def positions(self, name: str, *, out: Array | None = None) -> Any: ...
    def energies(self) -> dict[str, float]: ...
    def save(self, path: Path) -> None: ...
    def restore(self, path: Path) -> None: ...

class Result:
    @property
    def vertices(self) -> Any: ...
    @property
    def faces(self) -> Any: ...
    @property
    def cells(self) -> Any: ...
    @property
    def attributes(self) -> dict[str, Any]: ...
    @property
    def vertex_attributes(self) -> dict[str, Any]: ...
    @property
    def face_attributes(self) -> dict[str, Any]: ...
    @property
    def values(self) -> Any: ...
    @property
    def origin(self) -> tuple[float, float, float] | None: ...
    @property
    def spacing(self) -> tuple[float, float, float] | None: ...
    @property
    def report(self) -> dict[str, Any]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def converged(self) -> bool: ...
    @property
    def mesh(self) -> Mesh: ...
    @property
    def vertex_map(self) -> Any: ...
    @property
    def face_map(self) -> Any: ...
    @property
    def bodies(self) -> dict[str, Mesh] | None: ...
    @property
    def frames(self) -> list[tuple[int, dict[str, Mesh]]] | None: ...
    def write(self, path: Path, *, ascii: bool = False, format: str | None = None) -> None: ...
    def __getitem__(self, name: str) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...

def read(
    path: Path,
    *,
    polygons: bool = False,
    format: str | None = None,
    engine: str | None = None,
) -> Mesh: ...
def write(
    path: Path,
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    cells: Array | None = None,
    attributes: Mapping[str, Array] | None = None,
    vertex_attributes: Mapping[str, Array] | None = None,
    face_attributes: Mapping[str, Array] | None = None,
    ascii: bool = False,
    format: str | None = None,
) -> None: ...
def intersections(
    mesh: Mesh | Result | tuple[Array, Array],
    other: Mesh | Result | tuple[Array, Array] | None = None,
) -> Any: ...
def neighbours(
    v: Mesh | Result | Array,
    f: Array | None = None,
    relation: Relation | None = None,
    *,
    engine: str | None = None,
) -> Any: ...
def section(
    mesh: Mesh | Result | tuple[Array, Array],
    origin: tuple[float, float, float] = ...,
    normal: tuple[float, float, float] = ...,
) -> list[Any]: ...
def trim(engine: str | None = None) -> int: ...
def from_other(mesh: Any, *, engine: str | None = None) -> Mesh: ...
def to_meshio(mesh: Mesh | Result) -> Any: ...
def to_open3d(mesh: Mesh | Result) -> Any: ...
def to_pyvista(mesh: Mesh | Result) -> Any: ...
def to_trimesh(mesh: Mesh | Result) -> Any: ...

class Mesh:
    def __init__(
        self,
        v: Array,
        f: Faces | None = None,
        *,
        cells: Array | None = None,
        attributes: Mapping[str, Array] | None = None,
        vertex_attributes: Mapping[str, Array] | None = None,
        face_attributes: Mapping[str, Array] | None = None,
        engine: str | None = None,
    ) -> None: ...
    @property
    def vertices(self) -> Any: ...
    @property
    def faces(self) -> Any: ...
    @property
    def cells(self) -> Any: ...
    @property
    def attributes(self) -> dict[str, Any]: ...
    @property
    def vertex_attributes(self) -> dict[str, Any]: ...
    @property
    def face_attributes(self) -> dict[str, Any]: ...
    @property
    def engine(self) -> str | None: ...
    def edit(self) -> Edit: ...
    def tree(self) -> SurfaceTree: ...
    def intersections(self, other: Mesh | Result | tuple[Array, Array] | None = None) -> Any: ...
    def neighbours(self, relation: Relation) -> Any: ...
    def section(
        self, origin: tuple[float, float, float] = ..., normal: tuple[float, float, float] = ...
    ) -> list[Any]: ...
    def write(self, path: Path, *, ascii: bool = False, format: str | None = None) -> None: ...
";

/// Lists of meshes.
const LISTS: &str = "list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]]";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes a file with `RXMESH_WRITE_DOCS=1`, else compares it with the text that would be written.
fn compare(path: &str, want: &str) {
    let file = root().join(path);
    if std::env::var("RXMESH_WRITE_DOCS").as_deref() == Ok("1") {
        std::fs::write(&file, want).unwrap();
    } else {
        let there = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(there == want, "{path} is not current: cargo xtask docs");
    }
}

#[test]
fn the_stubs_are_current() {
    let mut out = HEAD.to_owned();
    for function in ALL.iter().chain([&RENDER]) {
        if !matches!(function.takes, Takes::List | Takes::Scene | Takes::Grid) {
            let own = positional(function.takes).get(2..).unwrap_or_default();
            out += &definition(
                function,
                "    ",
                &[&[("self", "", false)], own].concat(),
                None,
            );
        }
    }
    for function in ALL.iter().chain([&RENDER]) {
        let all = positional(function.takes);
        out.push('\n');
        if function.several && gives(function) == "Result" {
            let many = [("v", LISTS, false), ("f", "None", true)];
            let listed = definition(function, "", &many, None);
            out += "@overload\n";
            out += &listed.replacen(") -> Result:", ") -> list[Result]:", 1);
            out += "@overload\n";
            out += &definition(function, "", all, Some(function));
        } else {
            out += &definition(function, "", all, Some(function));
        }
    }
    compare("crates/rxmesh-python/python/rxmesh/__init__.pyi", &out);
}

/// Returns positional arguments: names, types, and `true` where they may be left out.
fn positional(takes: Takes) -> &'static [(&'static str, &'static str, bool)] {
    const V: (&str, &str, bool) = ("v", "Mesh | Result | Array", false);
    const F: (&str, &str, bool) = ("f", "Faces | None", true);
    const CELLS: (&str, &str, bool) = ("cells", "Array | None", true);
    match takes {
        Takes::Surface | Takes::Polygons => &[V, F],
        Takes::Any => &[V, F, CELLS],
        Takes::Volume => &[V, CELLS],
        Takes::Pair => &[
            V,
            F,
            (
                "reference",
                "Mesh | Result | tuple[Array, Faces] | None",
                true,
            ),
        ],
        Takes::List => &[("meshes", LISTS, false)],
        Takes::Scene => &[("scene", "Path", false)],
        Takes::Grid => &[
            ("values", "Array", false),
            ("origin", "Sequence[float] | None", true),
            ("spacing", "float | Sequence[float] | None", true),
        ],
    }
}

/// Returns the type of a function's result.
fn gives(function: &OperationFunction) -> &'static str {
    match function.name == RENDER.name {
        true => "Picture",
        false => "Result",
    }
}

/// Returns the definition of a function or of a method, with the docstring of `described`.
fn definition(
    function: &OperationFunction,
    indent: &str,
    positional: &[(&str, &str, bool)],
    described: Option<&OperationFunction>,
) -> String {
    let is_method = !indent.is_empty();
    let mut out = format!("{indent}def {}(\n", function.name);
    for (name, kind, may_miss) in positional {
        let _ = match (kind.is_empty(), may_miss) {
            (true, _) => writeln!(out, "{indent}    {name},"),
            (false, false) => writeln!(out, "{indent}    {name}: {kind},"),
            (false, true) => writeln!(out, "{indent}    {name}: {kind} = None,"),
        };
    }
    let _ = writeln!(out, "{indent}    *,");
    for (name, kind) in typed(&(function.command)()) {
        let default = if kind == "bool" { "False" } else { "None" };
        let _ = writeln!(out, "{indent}    {name}: {kind} = {default},");
    }
    for (name, kind, _) in beside(function) {
        if !is_method || matches!(name, "progress" | "out") {
            let _ = writeln!(out, "{indent}    {name}: {kind} = None,");
        }
    }
    let kind = gives(function);
    let _ = write!(out, "{indent}) -> {kind}:");
    let Some(described) = described else {
        return out + " ...\n";
    };
    let text = help::text(described).replace('\\', "\\\\");
    let _ = write!(out, "\n    \"\"\"");
    for (number, line) in text.trim_end().lines().enumerate() {
        let _ = match (number, line.is_empty()) {
            (0, _) => writeln!(out, "{line}"),
            (_, true) => writeln!(out),
            (_, false) => writeln!(out, "    {line}"),
        };
    }
    out + "    \"\"\"\n"
}

#[test]
fn the_document_is_current() {
    const BEGIN: &str = "<!-- functions:begin, written by `cargo xtask docs` -->\n";
    const END: &str = "<!-- functions:end -->\n";
    let path = "docs/use/python.md";
    let text = std::fs::read_to_string(root().join(path)).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("a place for the functions");
    let (_, after) = rest.split_once(END).expect("an end of the functions");
    compare(path, &[before, BEGIN, &functions(), END, after].concat());
}

/// Returns the table of functions, and their arguments.
fn functions() -> String {
    let mut out =
        "\n| function | purpose | page of the command |\n| --- | --- | --- |\n".to_owned();
    for function in ALL.iter().chain([&RENDER]) {
        let (name, group) = (function.name, function.group.name());
        let call = help::positional(function.takes);
        let _ = writeln!(
            out,
            "| `{name}({call}, …)` | {} | [{group}](commands/{group}.md#{name}) |",
            function.summary
        );
    }
    out + "\n"
}

#[test]
fn texts_are_pythons() {
    for function in ALL.iter().chain([&RENDER]) {
        let text = help::docstring(function);
        assert!(!text.contains(" --"), "{}: {text}", function.name);
        assert!(!text.contains("exit code"), "{}: {text}", function.name);
        let (signature, _) = text.split_once("\n--\n\n").unwrap();
        assert!(signature.starts_with(&format!("{}(", function.name)));
    }
}
