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
Relation = Literal["VV", "VE", "VF", "EV", "EE", "EF", "FV", "FE", "FF"]

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
        scheme: Literal["catmull-clark", "loop", "sqrt3"] = ...,
        levels: int = 2,
        boundary: Literal["none", "edge-only", "edge-and-corner"] = ...,
        creasing: Literal["uniform", "chaikin"] = ...,
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
    def mcf(
        self,
        *,
        time_step: Value | None = None,
        tol: Value | None = None,
        max_iter: Value | None = None,
        matrix_free: bool = False,
        no_preconditioner: bool = False,
        multigrid: Literal["auto", "always", "never"] | None = None,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        out: Array | Mapping[str, Array] | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def normals(
        self,
        *,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        out: Array | Mapping[str, Array] | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def filter(
        self,
        *,
        scheme: Literal["normals", "vertices"] | None = None,
        iterations: Value | None = None,
        noise: Value | None = None,
        sigma_c: Value | None = None,
        sigma_s: Value | None = None,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        out: Array | Mapping[str, Array] | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def geodesic(
        self,
        *,
        source: Value | Sequence[Value] | None = None,
        source_point: Value | Sequence[Value] | None = None,
        threshold: Value | None = None,
        max_iter: Value | None = None,
        quality: Literal["distance", "none"] | None = None,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        out: Array | Mapping[str, Array] | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def curvature(
        self,
        *,
        quality: Literal["mean", "gaussian", "defect", "none"] | None = None,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        out: Mapping[str, Array] | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def quality(
        self,
        *,
        worst: Value | None = None,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def components(
        self,
        *,
        through: Literal["edges", "vertices"] | None = None,
        keep: Value | None = None,
        largest: bool = False,
        min_faces: Value | None = None,
        labels: bool = False,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def smooth(
        self,
        *,
        iterations: Value | None = None,
        lambda_: Value | None = None,
        mu: Value | None = None,
        weights: Literal["uniform", "cotangent"] | None = None,
        move_boundary: bool = False,
        taubin: bool = False,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        out: Array | Mapping[str, Array] | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def spring(
        self,
        *,
        steps: Value | None = None,
        method: Literal["explicit", "scatter", "implicit"] | None = None,
        time_step: Value | None = None,
        stiffness: Value | None = None,
        mass: Value | None = None,
        damping: Value | None = None,
        gravity: Value | None = None,
        max_iter: Value | None = None,
        tol: Value | None = None,
        pin: Value | Sequence[Value] | None = None,
        pin_boundary: bool = False,
        pin_top: Value | None = None,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        out: Array | Mapping[str, Array] | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def delaunay(
        self,
        *,
        max_rounds: Value | None = None,
        validate: bool = False,
        keep_groups: bool = False,
        groups_from: Value | Sequence[Value] | None = None,
        no_keep_seams: bool = False,
        map: bool = False,
        conflicts: Literal["claims", "speculative"] | None = None,
        repair: bool = False,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def simplify(
        self,
        *,
        faces: Value | None = None,
        ratio: Value | None = None,
        error: Value | None = None,
        cost: Literal["quadric", "length"] | None = None,
        boundary: Literal["keep", "hold", "free"] | None = None,
        boundary_weight: Value | None = None,
        group_weight: Value | None = None,
        quantile: Value | None = None,
        max_rounds: Value | None = None,
        validate: bool = False,
        keep_groups: bool = False,
        groups_from: Value | Sequence[Value] | None = None,
        no_keep_seams: bool = False,
        map: bool = False,
        repair: bool = False,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def remesh(
        self,
        *,
        target_length: Value | None = None,
        faces: Value | None = None,
        adaptive: Value | None = None,
        min_length: Value | None = None,
        max_length: Value | None = None,
        iterations: Value | None = None,
        smoothing_steps: Value | None = None,
        keep_features: Value | None = None,
        no_project: bool = False,
        max_deviation: Value | None = None,
        max_faces: Value | None = None,
        max_rounds: Value | None = None,
        no_features: bool = False,
        validate: bool = False,
        keep_groups: bool = False,
        groups_from: Value | Sequence[Value] | None = None,
        no_keep_seams: bool = False,
        map: bool = False,
        conflicts: Literal["claims", "speculative"] | None = None,
        repair: bool = False,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def track(
        self,
        *,
        frames: Value | None = None,
        time_step: Value | None = None,
        speed: Value | None = None,
        noise_scale: Value | None = None,
        target_length: Value | None = None,
        shortest: Value | None = None,
        longest: Value | None = None,
        widest_angle: Value | None = None,
        smoothing_steps: Value | None = None,
        max_faces: Value | None = None,
        max_rounds: Value | None = None,
        sequence: bool = False,
        validate: bool = False,
        keep_groups: bool = False,
        groups_from: Value | Sequence[Value] | None = None,
        no_keep_seams: bool = False,
        map: bool = False,
        conflicts: Literal["claims", "speculative"] | None = None,
        repair: bool = False,
        engine: str | None = None,
        patch_size: Value | None = None,
        patches_on: Literal["auto", "host", "engine"] | None = None,
        seed: Value | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def cloth(
        self,
        *,
        steps: Value | None = None,
        every: Value | None = None,
        frames: bool = False,
        engine: str | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def soft(
        self,
        *,
        steps: Value | None = None,
        every: Value | None = None,
        solver: Literal["implicit", "springs", "projective", "xpbd", "vbd"] | None = None,
        pin_top: bool = False,
        frames: bool = False,
        engine: str | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def subdivide(
        self,
        *,
        scheme: Literal["catmull-clark", "loop", "sqrt3"] | None = None,
        levels: Value | None = None,
        boundary: Literal["none", "edge-only", "edge-and-corner"] | None = None,
        creasing: Literal["uniform", "chaikin"] | None = None,
        uv: Literal["none", "corners-only", "corners-plus1", "corners-plus2", "boundaries", "all"] | None = None,
        limit: bool = False,
        normals: bool = False,
        split_normals: bool = False,
        adaptive: bool = False,
        creases: Value | None = None,
        sharpen_non_manifold: bool = False,
        triangles: bool = False,
        engine: str | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def check(
        self,
        cells: Array | None = None,
        *,
        no_self_intersections: bool = False,
        strict: bool = False,
        progress: Progress | None = None,
    ) -> Result: ...
    def distance(
        self,
        reference: Mesh | Result | tuple[Array, Faces] | None = None,
        *,
        quality: bool = False,
        signed: bool = False,
        samples: Value | None = None,
        seed: Value | None = None,
        engine: str | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def repair(
        self,
        *,
        weld: Value | bool | None = None,
        only: Literal["weld", "degenerate", "duplicates", "split", "orient", "outward", "unused"] | Sequence[Literal["weld", "degenerate", "duplicates", "split", "orient", "outward", "unused"]] | None = None,
        skip: Literal["weld", "degenerate", "duplicates", "split", "orient", "outward", "unused"] | Sequence[Literal["weld", "degenerate", "duplicates", "split", "orient", "outward", "unused"]] | None = None,
        min_component: Value | None = None,
        min_size: Value | None = None,
        close_gaps: bool = False,
        gap: Value | None = None,
        fill_holes: bool = False,
        max_hole_edges: Value | None = None,
        max_hole_size: Value | None = None,
        fill: Literal["flat", "refined", "fair"] | None = None,
        fill_outer: bool = False,
        watertight: bool = False,
        progress: Progress | None = None,
    ) -> Result: ...
    def transform(
        self,
        *,
        matrix: Value | None = None,
        up_axis: Value | None = None,
        rotate: Value | None = None,
        scale: Value | None = None,
        center: bool = False,
        normalize: bool = False,
        translate: Value | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def sample(
        self,
        *,
        points: Value | None = None,
        seed: Value | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def wrap(
        self,
        *,
        resolution: Value | None = None,
        cell: Value | None = None,
        offset: Value | None = None,
        gap: Value | None = None,
        keep_cavities: bool = False,
        faces: Value | None = None,
        engine: str | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def sdf(
        self,
        *,
        resolution: Value | None = None,
        cell: Value | None = None,
        margin: Value | None = None,
        band: Value | None = None,
        unsigned: bool = False,
        engine: str | None = None,
        progress: Progress | None = None,
    ) -> Result: ...
    def render(
        self,
        cells: Array | None = None,
        *,
        size: Value | None = None,
        view: Value | None = None,
        up: Literal["y", "z"] | None = None,
        zoom: Value | None = None,
        background: Value | None = None,
        color: Value | None = None,
        patches: bool = False,
        groups: bool = False,
        parts: bool = False,
        checker: bool = False,
        texture: Value | None = None,
        map: Literal["viridis", "coolwarm"] | None = None,
        range: Value | None = None,
        isolines: Value | None = None,
        flat: bool = False,
        edges: bool = False,
        creases: bool = False,
        crease_angle: Value | None = None,
        cut: Value | None = None,
        animate: Value | None = None,
        no_shadow: bool = False,
        progress: Progress | None = None,
    ) -> Picture: ...

@overload
def mcf(
    v: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    f: None = None,
    *,
    time_step: Value | None = None,
    tol: Value | None = None,
    max_iter: Value | None = None,
    matrix_free: bool = False,
    no_preconditioner: bool = False,
    multigrid: Literal["auto", "always", "never"] | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> list[Result]: ...
@overload
def mcf(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    time_step: Value | None = None,
    tol: Value | None = None,
    max_iter: Value | None = None,
    matrix_free: bool = False,
    no_preconditioner: bool = False,
    multigrid: Literal["auto", "always", "never"] | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Smooth a mesh by mean curvature flow.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, which are processed together and give a list of results.

    Arguments:
        time_step: Time step in squared length units of the mesh [default: a tenth of the squared mean edge length, which smooths and takes about a percent of the volume; 10 times it melts]
        tol: The solver stops when the residual's norm has shrunk by this factor [default: 0.000001]
        max_iter: Most iterations of the solver [default: 1000]
        matrix_free: Recompute the cotangent weights in each iteration, in shared memory, instead of keeping a matrix: less memory, more time
        no_preconditioner: Plain conjugate gradients, without Jacobi's preconditioner
        multigrid: Precondition by multigrid instead, which takes fewer iterations if triangles are needles, of more work each. Needs the matrix: "auto" (After many iterations without it; never without a matrix), "always" (From the beginning), "never" (Not at all) [default: "auto"]
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        out: array that the result is written into: float32 or float64, contiguous, with a row for each vertex
        devices: numbers of GPUs, or "all", which share a list of meshes in place of one engine
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        time_step (number, length²): Time step, given or default, in squared length units of the mesh. Of several meshes the longest
        iterations (integer): Iterations done
        residual (number): `sqrt(r . r / r0 . r0)` at the end; 0 if there was nothing to do. With multigrid recomputed from the solution, before that is rounded to 32 bits; without by the iterations' recurrence
        converged (boolean): `true` if the tolerance was reached
        cycles (integer): Number of iterations that were preconditioned by a cycle of multigrid
        volume_before (number, length³): Signed volume of the input; for an open mesh that of the cones from its middle
        volume_after (number, length³): The same of the output
        meshes[] (list of object): Report of each mesh, if there are several
        meshes[].path (text): Name of the mesh
        meshes[].time_step (number, length²): Time step, given or default, in squared length units of the mesh. Of several meshes the longest
        meshes[].iterations (integer): Iterations done
        meshes[].residual (number): `sqrt(r . r / r0 . r0)` at the end; 0 if there was nothing to do. With multigrid recomputed from the solution, before that is rounded to 32 bits; without by the iterations' recurrence
        meshes[].converged (boolean): `true` if the tolerance was reached
        meshes[].cycles (integer): Number of iterations that were preconditioned by a cycle of multigrid

    Solves (2 A + DT L) x = 2 A x0 by conjugate gradients, with cotangent weights and mixed areas of the input
    (RXMesh 2021, listing 4); meshes of needles continue with multigrid. Each step reduces the volume; longer steps
    reduce it more. The report gives the change.
    Normals of the input are recomputed; all its other data is written unchanged.

    With several meshes each has a separate default time step. All are solved together, each until its own
    residual is below the tolerance.
    """

@overload
def normals(
    v: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    f: None = None,
    *,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> list[Result]: ...
@overload
def normals(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Compute vertex normals (weighted as in Max 1999).

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, which are processed together and give a list of results.

    Arguments:
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        out: array that the result is written into: float32 or float64, contiguous, with a row for each vertex
        devices: numbers of GPUs, or "all", which share a list of meshes in place of one engine
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, and `attributes["normal"]`. Keys of its report:
        normals (object): Vertices by their normal
        normals.zero (integer): Vertices whose normal is zero: without a face of positive area, or with faces that cancel
    """

@overload
def filter(
    v: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    f: None = None,
    *,
    scheme: Literal["normals", "vertices"] | None = None,
    iterations: Value | None = None,
    noise: Value | None = None,
    sigma_c: Value | None = None,
    sigma_s: Value | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> list[Result]: ...
@overload
def filter(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    scheme: Literal["normals", "vertices"] | None = None,
    iterations: Value | None = None,
    noise: Value | None = None,
    sigma_c: Value | None = None,
    sigma_s: Value | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Remove noise and keep features, by bilateral filtering.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, which are processed together and give a list of results.

    Arguments:
        scheme: Quantity that is filtered: normals of faces, which vertices then follow, or heights of vertices [default: normals, and vertices where sigma_c or sigma_s is given]: "normals" (Normals of faces, which vertices then follow (Zheng, Fu, Au, Tai 2011)), "vertices" (Heights of vertices over each other's tangent planes (Fleishman, Drori, Cohen-Or 2003))
        iterations: Most iterations; those of normals end when the noise is gone [default: 20 of normals, 5 of vertices]
        noise: Standard deviation of the noise across the surface, a length in the mesh's unit [default: estimated]
        sigma_c: Standard deviation of closeness, for vertices: a length in the mesh's unit, or one of mean-edge (each vertex's), shortest-edge (each vertex's), mesh-mean-edge (one for all); the ball around a vertex has twice this radius [default: mean-edge]
        sigma_s: Standard deviation of similarity, for vertices: steps across the surface much higher than this are kept; a length in the mesh's unit, or one of noise (that of the whole mesh), ball (the standard deviation of the heights in each vertex's ball) [default: noise]
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        out: array that the result is written into: float32 or float64, contiguous, with a row for each vertex
        devices: numbers of GPUs, or "all", which share a list of meshes in place of one engine
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        scheme (text): Quantity that was filtered; `normals`: Normals of faces, which vertices then follow (Zheng, Fu, Au, Tai 2011); `vertices`: Heights of vertices over each other's tangent planes (Fleishman, Drori, Cohen-Or 2003)
        iterations (integer): Iterations done
        noise (number, length): Standard deviation of the noise across the surface, given or estimated, in the mesh's unit. 0 if the rule for sigma_s needs none. Of several meshes the largest
        noise_over_edge (number): The same over the mean length of the edges. Of several meshes the largest
        large_balls (integer): Balls over all iterations that did not fit shared memory and took longer. Results do not depend on it. 0 for the scheme of normals
        volume_before (number, length³): Signed volume of the input; for an open mesh that of the cones from its middle
        volume_after (number, length³): The same of the output
        meshes[] (list of object): Report of each mesh, if there are several
        meshes[].path (text): Name of the mesh
        meshes[].iterations (integer): Iterations done
        meshes[].noise (number, length): Standard deviation of the noise across the surface, given or estimated, in the mesh's unit
        meshes[].noise_over_edge (number): The same over the mean length of the edges

    Normals of faces are filtered, by area, closeness and similarity, and vertices follow them (Zheng, Fu,
    Au, Tai 2011), until the change is as large as the estimated noise: sharp edges and volume are kept,
    and a mesh without noise hardly changes. With scheme vertices each vertex moves along its normal
    by the weighted mean height of its neighbours over its tangent plane (Fleishman, Drori, Cohen-Or 2003).
    Normals of the input are recomputed.

    With several meshes each has its own noise, and ends separately.
    """

def geodesic(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    source: Value | Sequence[Value] | None = None,
    source_point: Value | Sequence[Value] | None = None,
    threshold: Value | None = None,
    max_iter: Value | None = None,
    quality: Literal["distance", "none"] | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Compute the distance along the surface from vertices or points.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        source: A source vertex, counted from 0 in the order of the file; may be given several times: the nearest one counts
        source_point: A source point, in the file's coordinates, projected to the surface; may be given several times: the nearest one counts
        threshold: A distance that falls by less than this part of the shortest edge around is not passed on: about the part by which distances may be longer than the scheme's [default: 0.004]
        max_iter: Limit of rounds over the patches [default: twice the number of vertices, many times the usual number]
        quality: Value for other programs to show: written once more as the column 'quality': "distance" (The distance; the largest one where no source reaches), "none" (No such column) [default: "distance"]
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        out: array that the result is written into: float32 or float64, contiguous, with a row for each vertex
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, and values of vertices in `attributes`, by name. Keys of its report:
        iterations (integer): Rounds over the patches, the one that found nothing to do included
        converged (boolean): `true` if all distances are final
        max_distance (number, length): Largest finite distance, in the mesh's unit of length
        reached (integer): Vertices that a source reaches, the sources included; those reached so far if it did not converge
        unreached (integer): Vertices that no source reaches
        off_surface (number, length): Largest distance of a source point from the surface, in the mesh's unit

    Writes the column 'distance', in the mesh's unit of length: infinite where no source reaches; and
    'quality', which MeshLab and others show as colour.
    In a plane distances from one source are exact to a thousandth part (threshold), for any
    triangles. On curved surfaces the mean error is below 0.5 % and the largest below 5 % on meshes
    of some thousand faces, against exact geodesics; less on finer ones. Circular waves (Novotni and
    Klein 2002), propagated as by Romero Calla, Fuentes Perez and Montenegro 2019.
    """

@overload
def curvature(
    v: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    f: None = None,
    *,
    quality: Literal["mean", "gaussian", "defect", "none"] | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> list[Result]: ...
@overload
def curvature(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    quality: Literal["mean", "gaussian", "defect", "none"] | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Compute Gaussian and mean curvature of the vertices.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, which are processed together and give a list of results.

    Arguments:
        quality: Value for other programs to show: written once more as the column 'quality': "mean" (The mean curvature), "gaussian" (The Gaussian curvature), "defect" (The angle defect), "none" (No such column) [default: "mean"]
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        out: arrays that results are written into, by name: float32 or float64, contiguous, with a row for each vertex
        devices: numbers of GPUs, or "all", which share a list of meshes in place of one engine
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, and values of vertices in `attributes`, by name. Keys of its report:
        total_gaussian_curvature (number): Sum of the angle defects, in radians, boundary included: `2 pi` times the Euler characteristic on every manifold mesh, closed or not (Gauss-Bonnet: the boundary's angle defects are its geodesic curvature)
        euler_characteristic (integer): Vertices less edges plus faces; vertices of no face do not count
        gaussian_range (list of number, 1/length²): Smallest and largest Gaussian curvature, in one over squared length; zeroes when there is no vertex
        mean_range (list of number, 1/length): Smallest and largest mean curvature, in one over length; zeroes when there is no vertex
        total_area (number, length²): Area of the surface, in squared length
        gauss_bonnet_difference (number): Total Gaussian curvature less `2 pi` times the Euler characteristic: rounding on manifold meshes, multiples of pi on others (with a warning)

    Writes the columns 'gaussian_curvature' (in one over squared length), 'mean_curvature' (in one over
    length, positive where the surface bends away from the faces' normals) and 'angle_defect' (in
    radians), as Meyer et al. 2003 define them; and 'quality', which MeshLab and others show as colour.
    """

@overload
def quality(
    v: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    f: None = None,
    *,
    worst: Value | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> list[Result]: ...
@overload
def quality(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    worst: Value | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Measure the shape of the faces: radius ratio, aspect, angle, area.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, which are processed together and give a list of results.

    Arguments:
        worst: List this many faces, those with the smallest radius ratio first [default: 0]
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        devices: numbers of GPUs, or "all", which share a list of meshes in place of one engine
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, and values of faces in `attributes`, by name. Keys of its report:
        faces (integer): Number of faces
        least_radius_ratio (number): Smallest radius ratio; 1 without faces
        mean_radius_ratio (number): Mean radius ratio; 1 without faces
        largest_aspect_ratio (number or null): Largest aspect ratio; infinite (`null` in records) if a face has no area, 1 without faces
        least_angle (number): Smallest angle of all faces, in degrees; 60 without faces
        mean_angle (number): Mean over the faces of their smallest angle, in degrees; 60 without faces
        least_area (number, length²): Area of the smallest face, in squared length; 0 without faces
        largest_area (number, length²): Area of the largest face, in squared length; 0 without faces
        total_area (number, length²): Area of all faces, in squared length
        radius_ratios (list of integer): Number of faces by radius ratio: from 0 to 0.1, and so on
        angles (list of integer): Number of faces by smallest angle: from 0 to 6 degrees, and so on
        worst[] (list of object): Faces with the smallest radius ratio, if some were asked for
        worst[].face (integer): Number of the face, in the order of the file
        worst[].radius_ratio (number): Radius ratio
        worst[].smallest_angle (number): Smallest angle, in degrees
        worst[].area (number, length²): Area, in squared length

    Writes columns of the faces: 'radius_ratio' (twice the inscribed over the circumscribed radius, 1 if
    equilateral, 0 without area), 'aspect_ratio' (longest side over the inscribed diameter, 1 if
    equilateral, infinite without area), 'smallest_angle' (degrees) and 'area'; and 'quality', the radius
    ratio, which MeshLab and others show as colour. The record has histograms with ten bars each. The
    measures are those of the Verdict library (Stimpson et al. 2007).
    """

def components(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    through: Literal["edges", "vertices"] | None = None,
    keep: Value | None = None,
    largest: bool = False,
    min_faces: Value | None = None,
    labels: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Find connected components, and keep the large ones.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        through: Element through which two faces are joined: "edges" (An edge that they share), "vertices" (A vertex that they share) [default: "edges"]
        keep: Keep the N components with the most faces, of equals the first ones in the file [default: all]
        largest: Keep the component with the most faces, as keep 1
        min_faces: Keep components of at least N faces [default: 0]
        labels: Write each face's component as the column 'component' (in PLY, for example)
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        components (integer): Number of components of the input
        kept (integer): Number of kept components
        listed[] (list of object): The ten components with the most faces
        listed[].label (integer): Label of the component
        listed[].faces (integer): Number of its faces
        listed[].vertices (integer): Vertices of its faces; one that several components share counts in each
        listed[].area (number, length²): Area of its faces, in squared length
        faces_left_out (integer): Faces of the input that are not in the result
        vertices_left_out (integer): Vertices of the input that are not in the result

    Components are numbered from 0 in the order of their first faces in the file. Kept components keep
    all their data and their order. Isolated vertices are in no component, and are removed when any
    component is.
    """

@overload
def smooth(
    v: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    f: None = None,
    *,
    iterations: Value | None = None,
    lambda_: Value | None = None,
    mu: Value | None = None,
    weights: Literal["uniform", "cotangent"] | None = None,
    move_boundary: bool = False,
    taubin: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> list[Result]: ...
@overload
def smooth(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    iterations: Value | None = None,
    lambda_: Value | None = None,
    mu: Value | None = None,
    weights: Literal["uniform", "cotangent"] | None = None,
    move_boundary: bool = False,
    taubin: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Smooth a mesh by Laplacian or Taubin smoothing.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, which are processed together and give a list of results.

    Arguments:
        iterations: Iterations: a step towards the neighbours' mean, and one away from it if mu or taubin is given [default: 10]
        lambda_: Part of the way to the neighbours' mean that a vertex goes in a step; above 0, at most 1 (with taubin 0.33) [default: 0.5]
        mu: Taubin's second step, away from the mean so that the mesh does not shrink: below 0, at least -2 [default: none, with taubin -0.34]
        weights: Weights of neighbours: "uniform" (All the same), "cotangent" (By the cotangents of the angles opposite the edge, never negative, of the positions at each step) [default: "uniform"]
        move_boundary: Let boundary vertices move as well
        taubin: Taubin's smoothing, with his factors where lambda_ and mu are not given
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        out: array that the result is written into: float32 or float64, contiguous, with a row for each vertex
        devices: numbers of GPUs, or "all", which share a list of meshes in place of one engine
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        steps (integer): Steps of either kind
        weights (text): Weights of neighbours; `uniform`: All the same; `cotangent`: By the cotangents of the angles opposite the edge, never negative, of the positions at each step
        volume_before (number, length³): Signed volume of the input; for an open mesh that of the cones from its middle
        volume_after (number, length³): The same of the output

    Each step moves a vertex by a part of the way to the mean of its neighbours (Taubin 1995). Normals of
    the input are recomputed.
    """

def spring(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    steps: Value | None = None,
    method: Literal["explicit", "scatter", "implicit"] | None = None,
    time_step: Value | None = None,
    stiffness: Value | None = None,
    mass: Value | None = None,
    damping: Value | None = None,
    gravity: Value | None = None,
    max_iter: Value | None = None,
    tol: Value | None = None,
    pin: Value | Sequence[Value] | None = None,
    pin_boundary: bool = False,
    pin_top: Value | None = None,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    out: Array | Mapping[str, Array] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Simulate a mesh as a mass-spring system.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        steps: Time steps [default: 100]
        method: Method of a time step: "explicit" (Semi-implicit Euler steps, forces gathered by vertices), "scatter" (The same, forces scattered by edges), "implicit" (Implicit Euler steps, stable for long time steps) [default: "explicit"]
        time_step: Length of a time step, in seconds; explicit steps are stable only well below sqrt(mass / (valence * stiffness)) [default: 0.001]
        stiffness: Force of a spring over its elongation, in newtons a metre; the same for every edge [default: 100]
        mass: Mass of a vertex, in kilograms [default: 0.01]
        damping: Drag: deceleration over velocity, in one over seconds [default: 0.1]
        gravity: Acceleration of free vertices, in metres over squared seconds [default: "[0, 0, -9.81]"]
        max_iter: Implicit steps: most iterations of the solver [default: 10]
        tol: Implicit steps: the solver stops when the residual's norm has shrunk by this factor; 0 for all iterations [default: 0.0001]
        pin: A fixed vertex, counted from 0 in the order of the file; may be given several times
        pin_boundary: All vertices of the boundary stay
        pin_top: The vertices in the top PERCENT of the mesh's height (against gravity) stay
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        out: array that the result is written into: float32 or float64, contiguous, with a row for each vertex
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        pinned (integer): Number of fixed vertices
        time_step (number): Time step in seconds, given or from the size of the mesh
        stiffness (number): Stiffness of the springs in newtons a metre, given or from the size of the mesh
        damping (number): Damping in one over seconds, given or from the size of the mesh
        energy_before (object): Energy at rest, in joules
        energy_before.kinetic (number, mass·length²/time²): Energy of the motion
        energy_before.elastic (number, mass·length²/time²): Energy of the springs
        energy_before.gravity (number, mass·length²/time²): Energy of the heights, relative to the positions at rest
        energy_before.total (number, mass·length²/time²): Sum of all three
        energy (object): Energy at the end, in joules
        last_solve (object or null): Results of the solver in the last implicit step; `None` for the other methods
        last_solve.iterations (integer): Iterations done
        last_solve.residual (number): `sqrt(r . r / r0 . r0)` at the end; 0 when there was nothing to do

    Every edge is a spring that is at rest in the input; coordinates are metres. Explicit steps stay
    stable only well below sqrt(M / (K valence)) seconds. Without gravity, the defaults of step, stiffness
    and damping follow the longest side L: they are those of 1 m, times sqrt(L) for the step, 1 / L for the
    stiffness and 1 / sqrt(L) for the damping, so that meshes of any size move alike.
    Normals of the input are recomputed.
    """

@overload
def delaunay(
    v: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    f: None = None,
    *,
    max_rounds: Value | None = None,
    validate: bool = False,
    keep_groups: bool = False,
    groups_from: Value | Sequence[Value] | None = None,
    no_keep_seams: bool = False,
    map: bool = False,
    conflicts: Literal["claims", "speculative"] | None = None,
    repair: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> list[Result]: ...
@overload
def delaunay(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    max_rounds: Value | None = None,
    validate: bool = False,
    keep_groups: bool = False,
    groups_from: Value | Sequence[Value] | None = None,
    no_keep_seams: bool = False,
    map: bool = False,
    conflicts: Literal["claims", "speculative"] | None = None,
    repair: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Flip edges until the mesh is Delaunay.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, which are processed together and give a list of results.

    Arguments:
        max_rounds: Most rounds [default: 10000]
        validate: Check every invariant of the result (track: of every frame)
        keep_groups: Keep the borders between objects, groups and materials as the boundary is kept (simplify: done by default)
        groups_from: Keep the borders between faces with different values in these columns of whole numbers, too
        no_keep_seams: Do not keep seams, where texture coordinates or normals of corners differ between faces and where vertices are split (simplify: nor borders between groups)
        map: Give the place of each vertex and face of the input in the result as `vertex_map` and `face_map`, -1 for those that are gone
        conflicts: Scheduler that decides between changes that overlap: "claims" (Claims on flat arrays, in rounds over the whole mesh: the same result on every run), "speculative" (Patches in shared memory that lock their neighbours (Mahmoud et al. 2024): the first to lock wins) [default: "claims"]
        repair: Repair the mesh first, as the function `repair` does
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        devices: numbers of GPUs, or "all", which share a list of meshes in place of one engine
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        run (object): Counts of the rounds; `done` is the number of flips
        run.rounds (integer): Number of rounds
        run.candidates (integer): Candidates for a change, over all rounds
        run.conflicts (integer): Candidates that lost against another and tried again, over all rounds
        run.refused (integer): Candidates that were refused, over all rounds
        run.done (integer): Changes that were made
        run.finished (boolean): `true` if nothing was left to do
        left (integer): Interior edges that violate the criterion still, 0 unless counted: their flip would fold the surface or make an edge that exists
        frozen (integer): Interior edges that violate the criterion and are frozen, 0 unless counted
    """

@overload
def simplify(
    v: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    f: None = None,
    *,
    faces: Value | None = None,
    ratio: Value | None = None,
    error: Value | None = None,
    cost: Literal["quadric", "length"] | None = None,
    boundary: Literal["keep", "hold", "free"] | None = None,
    boundary_weight: Value | None = None,
    group_weight: Value | None = None,
    quantile: Value | None = None,
    max_rounds: Value | None = None,
    validate: bool = False,
    keep_groups: bool = False,
    groups_from: Value | Sequence[Value] | None = None,
    no_keep_seams: bool = False,
    map: bool = False,
    repair: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> list[Result]: ...
@overload
def simplify(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    faces: Value | None = None,
    ratio: Value | None = None,
    error: Value | None = None,
    cost: Literal["quadric", "length"] | None = None,
    boundary: Literal["keep", "hold", "free"] | None = None,
    boundary_weight: Value | None = None,
    group_weight: Value | None = None,
    quantile: Value | None = None,
    max_rounds: Value | None = None,
    validate: bool = False,
    keep_groups: bool = False,
    groups_from: Value | Sequence[Value] | None = None,
    no_keep_seams: bool = False,
    map: bool = False,
    repair: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Simplify meshes to a number of faces, or an error, by collapsing edges.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, which are processed together and give a list of results.

    Arguments:
        faces: Stop at this number of faces
        ratio: Stop at this part of the faces, above 0 and at most 1
        error: Largest deviation from the input: a length, or with '%' a part of the diagonal of the bounding box. It bounds the distance of a new vertex from the planes of the faces that it stands for, as the root of the mean square
        cost: Cost by which edges are ordered: the cheapest go first: "quadric" (Least quadric error at the best position for the new vertex (Garland and Heckbert 1997)), "length" (The shortest; the new vertex is placed in the middle, or on the boundary) [default: "quadric"]
        boundary: Treatment of the boundary: "keep" (Keeps its vertices and edges unchanged), "hold" (Holds its shape: vertices move along it, and are removed where that hardly changes its course), "free" (Treats it like the interior) [default: "hold"]
        boundary_weight: Weight of a held boundary: that of the planes perpendicular to its faces, times the edge's squared length, against that of the faces, times their area [default: 10]
        group_weight: Weight of held edges, borders between objects, groups and materials: that of their perpendicular planes, as for the boundary. Only if quadrics are the cost [default: 0]
        quantile: Part of the edges, the cheapest, that one round considers, above 0 and at most 1: a smaller part is closer to serial simplification, and slower [default: 0.15]
        max_rounds: Most rounds [default: 100000]
        validate: Check every invariant of the result (track: of every frame)
        keep_groups: Keep the borders between objects, groups and materials as the boundary is kept (simplify: done by default)
        groups_from: Keep the borders between faces with different values in these columns of whole numbers, too
        no_keep_seams: Do not keep seams, where texture coordinates or normals of corners differ between faces and where vertices are split (simplify: nor borders between groups)
        map: Give the place of each vertex and face of the input in the result as `vertex_map` and `face_map`, -1 for those that are gone
        repair: Repair the mesh first, as the function `repair` does
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        devices: numbers of GPUs, or "all", which share a list of meshes in place of one engine
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        run (object): Counts of the rounds; `done` is the number of collapses
        run.rounds (integer): Number of rounds
        run.candidates (integer): Candidates for a change, over all rounds
        run.conflicts (integer): Candidates that lost against another and tried again, over all rounds
        run.refused (integer): Candidates that were refused, over all rounds
        run.done (integer): Changes that were made
        run.finished (boolean): `true` if nothing was left to do
        faces_before (integer): Faces at the beginning
        target (integer): Faces that were wanted; 0 when as few as the deviation allows
        faces (integer): Faces at the end
        end (text): Reason for the end; `reached`: The number of faces is reached; `deviation`: Every edge that is left is refused, some because the surface would come too far from where it was; `stuck`: Every edge that is left is refused, for other reasons; `rounds`: The number of rounds was used up
        deviation (number or null, length): Distance of the surface from the input: the largest distance of a vertex from the planes of the faces that it stands for, as the root of the mean square, in the unit of positions. Only if quadrics are the cost
        refused (object): Edges that are left and cannot go, when it ended before the number was reached
        refused.frozen (integer): Both ends stay where they are: on a boundary that is kept, on a line that is kept, at a place that is not manifold; or a frozen face is near
        refused.link (integer): The surface would become another one, or a component vanish
        refused.fold (integer): A face would turn over or lose its area
        refused.not_finite (integer): Positions that are not finite
        refused.bend (integer): A boundary that is held would take another course
        refused.deviation (integer): The surface would come too far from where it was
        meshes[] (list of object): Report of each mesh, if there are several
        meshes[].path (text): Name of the mesh
        meshes[].faces_before (integer): Faces at the beginning
        meshes[].target (integer): Faces that were wanted
        meshes[].faces (integer): Faces at the end
        meshes[].end (text): Reason for the end; `reached`: The number of faces is reached; `deviation`: Every edge that is left is refused, some because the surface would come too far from where it was; `stuck`: Every edge that is left is refused, for other reasons; `rounds`: The number of rounds was used up
        meshes[].deviation (number or null, length): Largest distance of a vertex from the planes that it stands for, in the user's unit

    Edges collapse to the point of least quadric error (Garland and Heckbert 1997); boundaries are held.
    Vertices on borders between groups and materials and on seams of the texture move only along them.
    Collapses that would change the topology or flip a face are refused, and non-manifold vertices stay. If
    that leaves more faces than were asked for, `converged` is `False` and the reasons are listed. error bounds
    the distance from the input; together with ratio or faces the first limit that is reached ends it.

    With several meshes each is simplified to a separate target, all in the same rounds.
    """

@overload
def remesh(
    v: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    f: None = None,
    *,
    target_length: Value | None = None,
    faces: Value | None = None,
    adaptive: Value | None = None,
    min_length: Value | None = None,
    max_length: Value | None = None,
    iterations: Value | None = None,
    smoothing_steps: Value | None = None,
    keep_features: Value | None = None,
    no_project: bool = False,
    max_deviation: Value | None = None,
    max_faces: Value | None = None,
    max_rounds: Value | None = None,
    no_features: bool = False,
    validate: bool = False,
    keep_groups: bool = False,
    groups_from: Value | Sequence[Value] | None = None,
    no_keep_seams: bool = False,
    map: bool = False,
    conflicts: Literal["claims", "speculative"] | None = None,
    repair: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> list[Result]: ...
@overload
def remesh(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    target_length: Value | None = None,
    faces: Value | None = None,
    adaptive: Value | None = None,
    min_length: Value | None = None,
    max_length: Value | None = None,
    iterations: Value | None = None,
    smoothing_steps: Value | None = None,
    keep_features: Value | None = None,
    no_project: bool = False,
    max_deviation: Value | None = None,
    max_faces: Value | None = None,
    max_rounds: Value | None = None,
    no_features: bool = False,
    validate: bool = False,
    keep_groups: bool = False,
    groups_from: Value | Sequence[Value] | None = None,
    no_keep_seams: bool = False,
    map: bool = False,
    conflicts: Literal["claims", "speculative"] | None = None,
    repair: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Make triangles of one size, close to equilateral.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`; or a list of meshes and pairs `(v, f)`, which are processed together and give a list of results.

    Arguments:
        target_length: Target length of edges [default: the mean length of the input's edges]
        faces: Approximate number of faces of the result, in place of a length
        adaptive: Make edges shorter where the surface is curved, so that they deviate from it by about this distance
        min_length: Smallest length by curvature [default: a quarter of the target length]
        max_length: Largest length by curvature [default: four target lengths]
        iterations: Number of times to split, contract, flip and smooth; a few more if that brings lengths nearer to the target [default: 3]
        smoothing_steps: Smoothing steps per iteration [default: 5]
        keep_features: Keep edges whose faces meet at this angle in degrees or more (0 is flat), as the boundary is kept [default: 30]
        no_project: Leave vertices where smoothing puts them: do not move them back to the closest points of the input
        max_deviation: Refuse contractions that move the surface farther than this part of the target length (or of a twelfth of the square root of its area, if that is less), where its curvature is too large for edges of that length [default: 0.12]
        max_faces: Most faces: refuses to begin if more are expected, and stops if more are made [default: three times those of the input, or 20 million if that is more]
        max_rounds: Most rounds of each operator in an iteration [default: 1000]
        no_features: Keep no sharp edges
        validate: Check every invariant of the result (track: of every frame)
        keep_groups: Keep the borders between objects, groups and materials as the boundary is kept (simplify: done by default)
        groups_from: Keep the borders between faces with different values in these columns of whole numbers, too
        no_keep_seams: Do not keep seams, where texture coordinates or normals of corners differ between faces and where vertices are split (simplify: nor borders between groups)
        map: Give the place of each vertex and face of the input in the result as `vertex_map` and `face_map`, -1 for those that are gone
        conflicts: Scheduler that decides between changes that overlap: "claims" (Claims on flat arrays, in rounds over the whole mesh: the same result on every run), "speculative" (Patches in shared memory that lock their neighbours (Mahmoud et al. 2024): the first to lock wins) [default: "claims"]
        repair: Repair the mesh first, as the function `repair` does
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        devices: numbers of GPUs, or "all", which share a list of meshes in place of one engine
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        target_length (number, length): Target length of edges; with lengths by curvature, the one between whose quarter and fourfold they are unless told otherwise. Of several meshes the longest
        features (integer): Sharp edges kept at the beginning: those of lines that are long enough for the target length
        area_before (number, length²): Area of the input, in squared length
        area_after (number, length²): Area of the result, in squared length
        volume_before (number, length³): Volume of the input by the divergence theorem, in cubed length: below 0 if the mesh is inside out, without meaning if it has a boundary
        volume_after (number, length³): The same of the result
        iterations (integer): Iterations done
        faces (integer): Faces of the result
        expected_faces (number): Requested number of faces, or how many equilateral triangles of the target length have the area of the result, which counts as half of the input's area at least and 1.1 of it at most: a whole number
        length_over_target (number): Mean length of edges, each over the length that it should have
        on_target (boolean): `true` if the mean length is within 15 % of the target and the number of faces within 25 % of the expected, or if the number of faces is within 10 % of the requested one
        split (object): Counts of the splits
        split.rounds (integer): Number of rounds
        split.candidates (integer): Candidates for a change, over all rounds
        split.conflicts (integer): Candidates that lost against another and tried again, over all rounds
        split.refused (integer): Candidates that were refused, over all rounds
        split.done (integer): Changes that were made
        split.finished (boolean): `true` if nothing was left to do
        collapse (object): Counts of the contractions
        flip (object): Counts of the flips
        meshes[] (list of object): Report of each mesh, if there are several
        meshes[].path (text): Name of the mesh
        meshes[].target_length (number, length): Length that edges should have
        meshes[].iterations (integer): Iterations done
        meshes[].faces (integer): Faces of the result
        meshes[].expected_faces (number): Number of faces that was requested, or that follows from the area of the result and the target length
        meshes[].length_over_target (number): Mean length of edges over the target
        meshes[].on_target (boolean): `true` if lengths and faces are near the requested ones
        meshes[].area_before (number, length²): Area of the input
        meshes[].area_after (number, length²): Area of the result
        meshes[].volume_before (number, length³): Volume of the input
        meshes[].volume_after (number, length³): Volume of the result

    Repeatedly splits edges above 4/3 of the target, contracts those below 4/5, flips towards valence 6 (4 on
    the boundary), smooths in the tangent planes and moves vertices back to the input (Botsch and Kobbelt
    2004). The boundary is kept, and so are sharp edges whose lines extend over at least a target length, or
    four if they end on a smooth surface. With adaptive edges are shorter where the surface is curved
    (Dunyach et al. 2013). Faces at non-manifold places, and where neighbours are not oriented alike, stay
    as they are, and the rest is remeshed up to them; the mesh is refused if their edges are longer than
    the target.

    Where the curvature is too large for edges of the target length, as on a rod that is thinner than the
    length or on a small part, contractions are refused that would move the surface by more than
    max_deviation lengths or along its normals: such regions keep finer edges. With faces they may move
    it farther, up to 0.35 lengths, while there are too many faces.

    With several meshes the default target of each is the mean length of its own edges; a given length or
    number of faces holds for each. A finished mesh stays as it is while others get more iterations.
    """

def track(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    frames: Value | None = None,
    time_step: Value | None = None,
    speed: Value | None = None,
    noise_scale: Value | None = None,
    target_length: Value | None = None,
    shortest: Value | None = None,
    longest: Value | None = None,
    widest_angle: Value | None = None,
    smoothing_steps: Value | None = None,
    max_faces: Value | None = None,
    max_rounds: Value | None = None,
    sequence: bool = False,
    validate: bool = False,
    keep_groups: bool = False,
    groups_from: Value | Sequence[Value] | None = None,
    no_keep_seams: bool = False,
    map: bool = False,
    conflicts: Literal["claims", "speculative"] | None = None,
    repair: bool = False,
    engine: str | None = None,
    patch_size: Value | None = None,
    patches_on: Literal["auto", "host", "engine"] | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Move a surface with a velocity field, and improve its mesh.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        frames: Number of times to move the surface and improve its mesh [default: 100]
        time_step: Time of a frame [default: 0.01]
        speed: Approximate velocity of the field [default: 1]
        noise_scale: Approximate size of the field's eddies [default: 1]
        target_length: Approximate length of edges [default: the mean length of the input's edges]
        shortest: Contract edges shorter than this many target lengths [default: 0.5]
        longest: Split edges longer than this many target lengths [default: 1.5]
        widest_angle: Split edges opposite a wider angle, in degrees [default: 135]
        smoothing_steps: Smoothing steps per frame [default: 1]
        max_faces: Most faces: refuses to begin if more are expected, and stops if more are made [default: three times those of the input, or 20 million if that is more]
        max_rounds: Most rounds of each operator in a frame [default: 1000]
        sequence: Write every frame, numbered, beside the last one
        validate: Check every invariant of the result (track: of every frame)
        keep_groups: Keep the borders between objects, groups and materials as the boundary is kept (simplify: done by default)
        groups_from: Keep the borders between faces with different values in these columns of whole numbers, too
        no_keep_seams: Do not keep seams, where texture coordinates or normals of corners differ between faces and where vertices are split (simplify: nor borders between groups)
        map: Give the place of each vertex and face of the input in the result as `vertex_map` and `face_map`, -1 for those that are gone
        conflicts: Scheduler that decides between changes that overlap: "claims" (Claims on flat arrays, in rounds over the whole mesh: the same result on every run), "speculative" (Patches in shared memory that lock their neighbours (Mahmoud et al. 2024): the first to lock wins) [default: "claims"]
        repair: Repair the mesh first, as the function `repair` does
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        patch_size: Most faces per patch [default: 512, with conflicts="speculative" 256]
        patches_on: Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places differ: "auto" (The engine if it is a GPU, else the host), "host" (The host, from any number of threads: the same patches for every engine), "engine" (The engine, by kernels: the same patches on every engine, fast on a GPU only) [default: "auto"]
        seed: Seed of random choices: the same seed gives the same result [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        frames (integer): Frames done
        target_length (number, length): Approximate length of edges
        split (object): Counts of the splits
        split.rounds (integer): Number of rounds
        split.candidates (integer): Candidates for a change, over all rounds
        split.conflicts (integer): Candidates that lost against another and tried again, over all rounds
        split.refused (integer): Candidates that were refused, over all rounds
        split.done (integer): Changes that were made
        split.finished (boolean): `true` if nothing was left to do
        collapse (object): Counts of the contractions
        flip (object): Counts of the flips

    The field is curl noise (Bridson et al. 2007), which keeps volumes. After each frame long edges and
    those opposite wide angles are split, short ones contracted, edges flipped towards equal valences and
    vertices smoothed, much as El Topo does with collisions off (Brochu and Bridson 2009). Non-manifold
    meshes are refused.
    """

def simulate(
    scene: Path,
    *,
    steps: Value | None = None,
    checkpoint: Value | None = None,
    resume: Value | None = None,
    frames: bool = False,
    engine: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """Simulate the deformable bodies of a scene.

    Takes the path of a scene, or its text.

    Arguments:
        steps: Stop after N steps, counted from the scene's start, in place of the scene's number
        checkpoint: Write the final state to a file, from which `resume` continues
        resume: Continue from the state in a file
        frames: Give the bodies at every frame as `frames`
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `bodies` has a `Mesh` for each name. Keys of its report:
        scene (object): Scene, with all defaults (docs/library/simulation.md describes its keys)
        bodies[] (list of object): Bodies in the order of the scene
        bodies[].name (text): Name of the body
        bodies[].vertices (integer): Number of vertices
        bodies[].cells (integer or null): Number of cells of a volume; `None` for cloth
        bodies[].faces (integer or null): Number of faces of cloth; `None` for a volume
        energies[] (list of object): Energies at the start, at each frame and at the end
        energies[].step (integer): Number of steps
        energies[].time (number): Time in seconds
        energies[].kinetic (number): Kinetic energy
        energies[].elastic (number): Elastic energy of the cells. That of cloth is not included: its constraints may have no compliance
        energies[].gravity (number): Potential energy of gravity, relative to the rest shapes
        energies[].contact (number): Energy of contact, without friction
        energies[].total (number): Sum of all
        frames (integer): Number of frames that were written, or passed to a receiver

    A scene has bodies of tetrahedra (neo-Hookean, corotated, linear, ARAP, springs; explicit, implicit,
    projective, XPBD, VBD, on a grid), cloth (XPBD), pins and colliders; units are SI.
    docs/library/simulation.md describes its keys.
    """

def cloth(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    steps: Value | None = None,
    every: Value | None = None,
    frames: bool = False,
    engine: str | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Simulate a surface as hanging cloth.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        steps: Number of steps [default: 250]
        every: Steps from frame to frame [default: 10]
        frames: Give the bodies at every frame as `frames`
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        scene (object): Scene, with all defaults (docs/library/simulation.md describes its keys)
        bodies[] (list of object): Bodies in the order of the scene
        bodies[].name (text): Name of the body
        bodies[].vertices (integer): Number of vertices
        bodies[].cells (integer or null): Number of cells of a volume; `None` for cloth
        bodies[].faces (integer or null): Number of faces of cloth; `None` for a volume
        energies[] (list of object): Energies at the start, at each frame and at the end
        energies[].step (integer): Number of steps
        energies[].time (number): Time in seconds
        energies[].kinetic (number): Kinetic energy
        energies[].elastic (number): Elastic energy of the cells. That of cloth is not included: its constraints may have no compliance
        energies[].gravity (number): Potential energy of gravity, relative to the rest shapes
        energies[].contact (number): Energy of contact, without friction
        energies[].total (number): Sum of all
        frames (integer): Number of frames that were written, or passed to a receiver

    The highest hundredth of the mesh is fixed; of a level mesh, that of its longest side. The ground lies one
    mesh size below it. Lengths of edges and angles between faces are constraints of XPBD, by patch colours.
    Step, compliances and contact follow the size, so that sheets of any size move alike; print_scene shows them.
    """

def soft(
    v: Mesh | Result | Array,
    cells: Array | None = None,
    *,
    steps: Value | None = None,
    every: Value | None = None,
    solver: Literal["implicit", "springs", "projective", "xpbd", "vbd"] | None = None,
    pin_top: bool = False,
    frames: bool = False,
    engine: str | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Simulate a volume as a falling or hanging soft body.

    Takes positions `v` (n, 3) and tetrahedra `cells` (m, 4); or a `Mesh` of a volume.

    Arguments:
        steps: Number of steps [default: 250]
        every: Steps from frame to frame [default: 10]
        solver: Solver of the motion: "implicit" (Implicit Euler by Newton's method), "springs" (Masses and springs along the edges, by implicit Euler), "projective" (Projective dynamics), "xpbd" (XPBD), "vbd" (Vertex block descent) [default: "implicit"]
        pin_top: Fix the highest hundredth, in place of letting the body fall
        frames: Give the bodies at every frame as `frames`
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `cells`, `attributes`. Keys of its report:
        scene (object): Scene, with all defaults (docs/library/simulation.md describes its keys)
        bodies[] (list of object): Bodies in the order of the scene
        bodies[].name (text): Name of the body
        bodies[].vertices (integer): Number of vertices
        bodies[].cells (integer or null): Number of cells of a volume; `None` for cloth
        bodies[].faces (integer or null): Number of faces of cloth; `None` for a volume
        energies[] (list of object): Energies at the start, at each frame and at the end
        energies[].step (integer): Number of steps
        energies[].time (number): Time in seconds
        energies[].kinetic (number): Kinetic energy
        energies[].elastic (number): Elastic energy of the cells. That of cloth is not included: its constraints may have no compliance
        energies[].gravity (number): Potential energy of gravity, relative to the rest shapes
        energies[].contact (number): Energy of contact, without friction
        energies[].total (number): Sum of all
        frames (integer): Number of frames that were written, or passed to a receiver

    The body falls onto ground that lies half its size below it, and sinks into it by at most a hundredth of its
    size. Cells are neo-Hookean (as rigid as possible with projective dynamics) with the density of water.
    Young's modulus (50 kPa per metre of the longest side; 3 times that for springs, 6 times for projective
    dynamics, which has no Poisson's ratio), step and contact follow the size, so that bodies of any size
    move alike; print_scene shows them.
    """

def subdivide(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    scheme: Literal["catmull-clark", "loop", "sqrt3"] | None = None,
    levels: Value | None = None,
    boundary: Literal["none", "edge-only", "edge-and-corner"] | None = None,
    creasing: Literal["uniform", "chaikin"] | None = None,
    uv: Literal["none", "corners-only", "corners-plus1", "corners-plus2", "boundaries", "all"] | None = None,
    limit: bool = False,
    normals: bool = False,
    split_normals: bool = False,
    adaptive: bool = False,
    creases: Value | None = None,
    sharpen_non_manifold: bool = False,
    triangles: bool = False,
    engine: str | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Refine a polygon mesh by a subdivision scheme.

    Takes positions `v` (n, 3) and faces `f` (m, k) of k corners, or a pair `(corners, offsets)` for faces of different sizes; or a `Mesh`.

    Arguments:
        scheme: Subdivision scheme: "catmull-clark" (Catmull and Clark 1978: any polygons, each into quads), "loop" (Loop 1987: triangles, each into four), "sqrt3" (Kobbelt 2000: triangles, each into three) [default: "catmull-clark"]
        levels: Number of levels, 0 to 10 [default: 2]
        boundary: Rule at boundaries: "none" (Faces with a vertex at a boundary shape the surface but are not part of it), "edge-only" (Boundary edges are sharp, and their corners are smooth), "edge-and-corner" (Boundary edges are sharp, and vertices of one face stay where they are) [default: "edge-and-corner"]
        creasing: Rule by which sharpness decreases: "uniform" (By one per level), "chaikin" (By one per level, and evened out along a crease by Chaikin's rule (DeRose et al. 1998, section 3.3)) [default: "uniform"]
        uv: Parts of the corners' texture coordinates that are interpolated linearly: "none" (Nothing: seams are smooth curves, and their corners are rounded), "corners-only" (Corners stay; seams are smooth curves), "corners-plus1" (As `corners-only`; vertices stay, too, where more than two regions meet, and where a sharp edge ends at a seam), "corners-plus2" (As `corners-plus1`; so do both sides of a seam where one of them has a corner, and ends of seams), "boundaries" (Vertices at seams stay), "all" (Everything: values are bilinear in each face) [default: "corners-only"]
        limit: Move the vertices to their limit positions
        normals: Give each vertex the normal of the limit surface
        split_normals: Give each corner of a face the normal of the limit surface on its side of infinitely sharp edges
        adaptive: Write the limit surface with a face per bicubic patch, by Catmull-Clark: faces stay whole where the mesh is regular, and are divided at most levels times towards irregular vertices and elements of finite sharpness
        creases: Sharp edges: a file with lines of two vertices (counted from 0) and a sharpness, or an angle in degrees; edges with a larger angle between their faces are infinitely sharp
        sharpen_non_manifold: Cut edges of three or more faces open and make them sharp, and those of two faces with the same direction
        triangles: Write triangles: quads are cut along a diagonal
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        sharp_edges (integer): Number of edges of the mesh with a sharpness
        sharp_vertices (integer): Number of vertices of the mesh with a sharpness
        holes (integer): Number of faces of the mesh that are holes
        patches[] (list of object or null): Numbers of patches of each level, with `adaptive`
        patches[].level (integer): Number of divisions of the faces
        patches[].regular (integer): Number of regular patches (`PatchKind::Regular`)
        patches[].border (integer): Number of patches on a boundary or a crease (`PatchKind::Border`)
        patches[].irregular (integer): Number of patches at an irregular vertex (`PatchKind::Irregular`)

    Catmull-Clark (1978) takes polygons and gives quads, Loop (1987) and sqrt(3) (Kobbelt 2000) take triangles and give
    triangles. Creases, corners and holes of OBJ (`t crease`, `t corner`, `t hole`) and PLY are used, by the rules of
    OpenSubdiv. docs/library/surfaces.md has the details.
    """

def check(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    cells: Array | None = None,
    *,
    no_self_intersections: bool = False,
    strict: bool = False,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Find defects: non-manifold edges and vertices, degenerate faces, ....

    Takes positions `v` (n, 3) and faces `f` (m, k), or `cells` (m, 4) of a volume; or a `Mesh`.

    Arguments:
        no_self_intersections: Do not search intersecting faces
        strict: Exit with 1 when there are defects (a boundary is not one)
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: its `report` alone. Keys of its report:
        check (object): Counts, properties and defects of a surface of triangles or polygons, or of a volume
        check.vertices (integer): Number of vertices, isolated ones included
        check.edges (integer): Number of edges
        check.faces (integer): Number of faces, degenerate ones included
        check.closed (boolean): `true` if there are faces, and every edge has two or more
        check.manifold (boolean): `true` if there is no non-manifold edge or vertex and no degenerate face
        check.orientable (boolean): `true` if the faces can be turned so that every edge with two faces is run along in both directions
        check.consistently_oriented (boolean): `true` if they are turned so already
        check.euler_characteristic (integer): Vertices that a proper face uses, minus edges, plus proper faces
        check.genus (integer or null): Number of handles over all components; only for manifold orientable meshes
        check.face_components (integer): Sets of faces connected through shared edges
        check.vertex_components (integer): Sets of faces connected through shared vertices
        check.boundary_loops (integer): Number of boundary loops
        check.boundary_edges (object): Edges with one face
        check.boundary_edges.count (integer): Number of offenders in all
        check.boundary_edges.first (list of list of integer): First ten at most, numbered from 0
        check.boundary_edges.at_least (boolean): `true` if there may be more: the search ended early, because it would have taken too long
        check.non_manifold_edges (object): Edges with more than two faces
        check.non_manifold_vertices (object): Vertices whose faces are not one fan, open or closed. The ends of non-manifold edges are among them
        check.non_manifold_vertices.count (integer): Number of offenders in all
        check.non_manifold_vertices.first (list of integer): First ten at most, numbered from 0
        check.non_manifold_vertices.at_least (boolean): `true` if there may be more: the search ended early, because it would have taken too long
        check.inconsistent_edges (object): Edges whose two faces run along them in the same direction
        check.degenerate_faces (object): Faces that name a vertex twice
        check.zero_area_faces (object): Faces whose area is exactly 0 (cross product of two edges, for polygons their sum over the fan around the first corner, in double precision), degenerate ones included. There is no tolerance: "nearly 0" depends on the size of the mesh
        check.duplicate_faces (object): Faces with the same vertices as an earlier face, in any order
        check.isolated_faces (object): Faces that share no edge with another
        check.isolated_vertices (object): Vertices that no face names
        check.only_degenerate_vertices (integer): Vertices that only degenerate faces name
        check.duplicate_vertices (object): Vertices at exactly the place of an earlier vertex
        check.max_valence (object or null): Largest valence
        check.max_valence.valence (integer): Number of edges that end at the vertex
        check.max_valence.vertex (integer): First vertex that has it
        check.min_valence (object or null): Smallest valence of a vertex that has an edge
        check.bounding_box (list of list of number or null, length): Lowest and highest corner of the box around all faces
        check.edge_length (object or null): Lengths of the edges
        check.edge_length.min (number, length): Shortest
        check.edge_length.mean (number, length): Mean over all edges
        check.edge_length.max (number, length): Longest
        check.polygons (object or null): Findings about polygons; `None` for triangles without sharpness and holes
        check.polygons.triangles (integer): Faces of three corners
        check.polygons.quads (integer): Faces of four corners
        check.polygons.larger (integer): Faces of more corners
        check.polygons.largest (integer): Corners of the largest face; 0 without faces
        check.polygons.sharp_edges (integer): Edges of a sharpness above 0
        check.polygons.sharp_vertices (integer): Vertices of a sharpness above 0
        check.polygons.holes (integer): Faces that shape the surface but are not part of it
        check.polygons.least_flat (object or null): Face that is farthest from flat, where one is not flat
        check.polygons.least_flat.face (integer): First face with that deviation
        check.polygons.least_flat.distance (number, length): Largest distance of a corner from the plane through the middle of the corners, along the Newell normal; in the world
        check.polygons.crossing_faces (object): Faces that seen along their Newell normal have two sides that cross. Faces of more than `PolygonReport::MOST_CORNERS` corners that are not convex are not examined
        check.polygons.loose_sharp_edges (object): Sharp edges whose ends no edge joins
        check.self_intersections (object or null): Pairs of faces that intersect (`self_intersections`): they have more points in common than shared corners and sides. `None` without a search; `check`) does none
        check.cells (integer): Number of cells, degenerate ones included
        check.boundary_faces (integer): Faces that belong to one cell
        check.inverted_cells (object): Cells of negative volume
        check.degenerate_cells (object): Cells that name a vertex twice
        check.flat_cells (object): Cells whose volume is exactly 0 (in double precision), degenerate ones included
        check.slivers (object): Cells that are neither inverted nor flat, and have a dihedral angle below `SLIVER_DEGREES`
        check.repeated_cells (object): Cells with the same vertices as an earlier cell, in any order
        check.crowded_faces (object): Faces of more than two cells
        check.crowded_faces.count (integer): Number of offenders in all
        check.crowded_faces.first (list of list of integer): First ten at most, numbered from 0
        check.crowded_faces.at_least (boolean): `true` if there may be more: the search ended early, because it would have taken too long
        check.pinched_edges (object): Edges at which the boundary faces are not one closed ring: more than two of them
        check.unused_vertices (object): Vertices that no cell names
        check.volume (number, length³): Sum of the cells' signed volumes, in the world, in cubed length
        check.cell_volume (object or null, length³): Signed volumes of the cells that are not degenerate, in the world
        check.cell_volume.min (number): Smallest
        check.cell_volume.mean (number): Mean
        check.cell_volume.max (number): Largest
        check.dihedral_angle (object or null): Smallest dihedral angles of the cells that are neither degenerate nor flat, in degrees: 70.5 of a regular one
        check.least_angle (object or null): Cell with the smallest dihedral angle
        check.least_angle.cell (integer): First cell that has it
        check.least_angle.value (number): Value of the measure there
        check.radius_ratio (object or null): Three times the radius of the inscribed over that of the circumscribed sphere, of the same cells: 1 of a regular one (Liu and Joe 1994)
        check.least_ratio (object or null): Cell with the smallest radius ratio

    Two faces intersect if they have more points in common than shared corners and sides; faces
    that touch count too.

    Defects are findings, not failures: no exception is raised unless strict is given.
    """

def distance(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    reference: Mesh | Result | tuple[Array, Faces] | None = None,
    *,
    quality: bool = False,
    signed: bool = False,
    samples: Value | None = None,
    seed: Value | None = None,
    engine: str | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Measure the distance between two surfaces.

    Takes positions `v` (n, 3) and triangles `f` (m, 3), or a `Mesh`; and the `reference`, a pair `(v, f)` or a `Mesh`.

    Arguments:
        quality: With output: write the column once more as 'quality', which MeshLab, PyVista and others show as colour
        signed: With output: distances of vertices inside REFERENCE are negative (its winding number is at least one half)
        samples: Points on the faces of each mesh, beside its vertices [default: 10 a face, at least 100000, at most 1 million]
        seed: Seed of random choices: the same seed gives the same points [default: 1]
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, and distances of vertices in `attributes`, by name. Keys of its report:
        reference (object): Second mesh, which the first is compared with
        reference.path (text): Name of the mesh
        reference.vertices (integer): Number of vertices
        reference.faces (integer): Number of faces
        distance (object): Distances in both directions
        distance.forward (object): Distances from the first mesh to the second
        distance.forward.surface (object): Distances of points on its faces, uniformly by area; of its vertices if it has no area
        distance.forward.surface.points (integer): Number of points
        distance.forward.surface.max (number, length): Largest distance
        distance.forward.surface.mean (number, length): Mean distance
        distance.forward.surface.rms (number, length): Root of the mean square
        distance.forward.vertices (object): Distances of its vertices
        distance.backward (object): Distances from the second mesh to the first
        distance.hausdorff (number, length): Larger of the two largest distances (the Hausdorff distance)
        distance.mean (number, length): Larger of the two mean distances of the surfaces
        distance.rms (number, length): Larger of the two root mean squares of the surfaces
        distance.diagonal (number, length): Diagonal of the second mesh's bounding box, which percentages refer to

    Distances go from the vertices and from uniform points on the faces of each mesh to the other
    surface, not to its vertices (Cignoni, Rocchini, Scopigno 1998, Metro). Mean and RMS are over the
    points on the faces, the largest over all.
    """

def repair(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    weld: Value | bool | None = None,
    only: Literal["weld", "degenerate", "duplicates", "split", "orient", "outward", "unused"] | Sequence[Literal["weld", "degenerate", "duplicates", "split", "orient", "outward", "unused"]] | None = None,
    skip: Literal["weld", "degenerate", "duplicates", "split", "orient", "outward", "unused"] | Sequence[Literal["weld", "degenerate", "duplicates", "split", "orient", "outward", "unused"]] | None = None,
    min_component: Value | None = None,
    min_size: Value | None = None,
    close_gaps: bool = False,
    gap: Value | None = None,
    fill_holes: bool = False,
    max_hole_edges: Value | None = None,
    max_hole_size: Value | None = None,
    fill: Literal["flat", "refined", "fair"] | None = None,
    fill_outer: bool = False,
    watertight: bool = False,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Make a mesh manifold and consistently oriented, close gaps and fill holes.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        weld: Unite vertices no farther apart than this, a length in the mesh's unit or a percentage of its diagonal ('0.01%') [default: only those at one place]
        only: Run only these passes, and those of other flags: "weld" (Unite vertices at one place), "degenerate" (Drop faces without area, without tearing holes), "duplicates" (Drop repeated faces, and walls between solids), "split" (Split non-manifold edges and vertices, and orient faces like their neighbours), "orient" (Orient faces like their neighbours, without splitting), "outward" (Turn the normals of closed components outwards, and those of cavities inwards), "unused" (Drop isolated vertices)
        skip: Leave these passes out: "weld" (Unite vertices at one place), "degenerate" (Drop faces without area, without tearing holes), "duplicates" (Drop repeated faces, and walls between solids), "split" (Split non-manifold edges and vertices, and orient faces like their neighbours), "orient" (Orient faces like their neighbours, without splitting), "outward" (Turn the normals of closed components outwards, and those of cavities inwards), "unused" (Drop isolated vertices)
        min_component: Drop components of fewer faces; the largest one stays
        min_size: Drop components whose diagonal is less than this part of the mesh's; the largest one stays
        close_gaps: Close tiny gaps between boundaries
        gap: The widest gap, a length in the mesh's unit or a percentage of its diagonal ('0.01%') [default: "0.001%"]
        fill_holes: Fill holes
        max_hole_edges: Leave holes of more edges
        max_hole_size: Leave holes the diagonal of whose bounding box is longer, a length in the mesh's unit or a percentage of the mesh's diagonal ('5%')
        fill: Kind of surface that fills holes: "flat" (Faces between the existing vertices), "refined" (New vertices as dense as around the hole, on the flat faces), "fair" (New vertices as dense as around the hole, on a surface of least bending that continues the old one smoothly) [default: "fair"]
        fill_outer: Close outer borders too: loops around a sheet, where the new faces would lie folded onto the old ones
        watertight: Close gaps and fill holes, outer borders too, and fail if a boundary is left
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        repair (object): Counts before and after, and the report of each pass; `None` for a pass that was not done
        repair.before (object): Elements and defects before
        repair.before.vertices (integer): Vertices
        repair.before.faces (integer): Faces
        repair.before.components (integer): Sets of faces connected through edges
        repair.before.boundary_loops (integer): Closed rings of boundary edges
        repair.before.boundary_edges (integer): Edges with one face
        repair.before.non_manifold_edges (integer): Edges with more than two faces
        repair.before.non_manifold_vertices (integer): Vertices whose faces are not one fan
        repair.before.inconsistent_edges (integer): Edges whose faces are not oriented alike
        repair.before.degenerate_faces (integer): Faces that name a vertex twice
        repair.before.zero_area_faces (integer): Faces without area, degenerate ones included
        repair.before.duplicate_faces (integer): Faces with the vertices of an earlier one
        repair.before.isolated_vertices (integer): Vertices of no face
        repair.before.duplicate_vertices (integer): Vertices at the place of an earlier one
        repair.weld (object or null): Vertices that were united
        repair.weld.tolerance (number, length): Largest distance between vertices that were united, in the mesh's unit
        repair.weld.vertices (integer): Vertices that were removed, because an earlier one is at their place
        repair.weld.other_values (integer): Removed vertices whose values in columns (other than normals) were not those of the vertex that stays
        repair.weld.collapsed (integer): Faces that then named a vertex twice and were dropped
        repair.weld.duplicates (object): Faces that then were there more than once, and were dropped
        repair.weld.duplicates.faces (integer): Faces that were there once more
        repair.weld.duplicates.walls (integer): Walls between two solids, and fins: faces that lay back to back, of which neither is left
        repair.degenerate (object or null): Faces without area that were dropped
        repair.degenerate.repeated (integer): Faces that named a vertex twice
        repair.degenerate.needles (integer): Faces with two corners at one place: the two vertices were united
        repair.degenerate.caps (integer): Faces with three corners on a line: the faces across the longest side now meet in the corner between its ends
        repair.duplicates (object or null): Faces that were there more than once and were dropped
        repair.split (object or null): Edges and vertices that were split
        repair.split.copies (integer): Copies of vertices: one for each fan of faces beyond the first
        repair.split.turned (integer): Faces that were turned over
        repair.split.cuts (integer): Edges cut open because no turning of faces makes their two faces agree: the mesh is not orientable
        repair.split.on_edges (integer): New vertices on edges, where several sheets have an edge between the same two vertices
        repair.split.dropped (integer): Faces dropped at such edges, where these are too short for a vertex on them
        repair.orient (object or null): Faces that were turned to agree with their neighbours, where nothing was to be split
        repair.orient.turned (integer): Faces that were turned over
        repair.orient.conflicts (integer): Edges with two faces that no turning makes agree: the mesh is not orientable
        repair.small (object or null): Small components that were dropped
        repair.small.components (integer): Components of the mesh
        repair.small.dropped (integer): Components that were dropped
        repair.small.faces (integer): Faces of the components that were dropped
        repair.gaps (object or null): Gaps that were closed
        repair.gaps.merged (integer): Vertices that became one with another one
        repair.gaps.divided (integer): Edges that were divided at a vertex beside them
        repair.gaps.edges_before (integer): Boundary edges before
        repair.gaps.edges_after (integer): Boundary edges that are left
        repair.holes (object or null): Holes that were filled
        repair.holes.found (integer): Boundary loops that were there
        repair.holes.filled (integer): Number of them that are filled
        repair.holes.left[] (list of object): Holes that are left, by their smallest vertex
        repair.holes.left[].edges (integer): Number of its edges
        repair.holes.left[].vertex (integer): A vertex of it, counted from 0: the smallest
        repair.holes.left[].why (text): Why it was left; `too-large`: Hole with more edges, or a larger one, than the options allow; `outer`: Outer border: new faces would lie folded back upon the old ones; `open`: Open boundary: it ends at edges of more than two faces, or at faces that are turned over; `no-triangulation`: No triangulation exists, or none was found, whose faces have an area and whose edges are not in the mesh yet
        repair.holes.faces_added (integer): Number of new faces
        repair.holes.vertices_added (integer): Number of new vertices
        repair.outward (object or null): Components that were turned outwards
        repair.outward.closed (integer): Components without a boundary
        repair.outward.turned (integer): Closed components that were turned over as a whole
        repair.outward.cavities (integer): Closed components that are cavities: inside an odd number of others
        repair.outward.open (integer): Components with a boundary, which stay as they are
        repair.unused (integer or null): Vertices of no face that were dropped
        repair.after (object): Elements and defects afterwards
        undone (list of text): Requests that could not be met
        self_intersections (object): Pairs of faces of the result that intersect
        self_intersections.count (integer): Number of offenders in all
        self_intersections.first (list of list of integer): First ten at most, numbered from 0
        self_intersections.at_least (boolean): `true` if there may be more: the search ended early, because it would have taken too long

    The passes, unless skipped: vertices at one place are united; faces without area are removed without
    leaving a hole; of equal faces one is kept, of walls between two solids none; at edges of more than two
    faces, and vertices of several fans, each sheet gets separate vertices; faces are oriented like their
    neighbours, closed components outwards, those inside another one inwards; isolated vertices are
    removed. The data of the mesh is carried. Gaps and holes are closed on request only, and intersecting
    faces are counted, not changed.

    If a request could not be met, the result is written and `converged` is `False`.
    """

def transform(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    matrix: Value | None = None,
    up_axis: Value | None = None,
    rotate: Value | None = None,
    scale: Value | None = None,
    center: bool = False,
    normalize: bool = False,
    translate: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Scale, rotate and move a mesh.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        matrix: Map by a matrix of 12 or 16 numbers, row by row; the fourth of each row moves
        up_axis: Turn one axis into another, such as y,z for meshes whose y axis points up
        rotate: Turn about an axis through the origin, by degrees: z,90 or 1,1,0,45
        scale: Scale about the origin, by one number or one for each axis
        center: Move the middle of the bounding box to the origin
        normalize: As center, and scale the longest side of the bounding box to 1
        translate: Move
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        map (text): Map of positions: 12 numbers with commas between them, row by row; the fourth of each row moves

    For any order of the flags, the matrix comes first, then the rotations, the scale, the centre and
    the translation. Normals are transformed; a reflection reverses the faces.
    """

def merge(
    meshes: list[Mesh] | list[Result] | list[tuple[Array, Faces]] | list[Mesh | Result | tuple[Array, Faces]],
    *,
    progress: Progress | None = None,
) -> Result:
    """Append several meshes in one file.

    Takes a list of meshes and pairs `(v, f)`.

    Arguments:
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        parts[] (list of object): Meshes in their order; `input` of the record is the last one
        parts[].path (text): Name of the mesh
        parts[].vertices (integer): Number of vertices
        parts[].faces (integer): Number of faces
        left_out (list of text): Columns that some meshes lack

    Vertices are not joined where meshes touch. Columns that all meshes have (the same name, width and
    type) are kept; the others are named and left out. Texture coordinates and normals of corners,
    groups and materials are kept.
    """

def sample(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    points: Value | None = None,
    seed: Value | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Take points on the surface, uniformly by area.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        points: Number of points [default: 100000]
        seed: Seed of random choices: the same seed gives the same points [default: 1]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, without faces, and `attributes`.

    Each point has the normal of its face. Sampling is stratified: one point in each of equal parts of
    the area.
    """

def wrap(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    resolution: Value | None = None,
    cell: Value | None = None,
    offset: Value | None = None,
    gap: Value | None = None,
    keep_cavities: bool = False,
    faces: Value | None = None,
    engine: str | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Make a closed, manifold surface around any triangles.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        resolution: Number of cells of the grid along the longest side of the mesh's box [default: 256]
        cell: Side of a cell, in place of a number of them
        offset: Distance of the result from the mesh; a quarter of a cell unless given, and at least a hundredth
        gap: Width up to which gaps and holes are closed; one and a half cells unless given, and at least
        keep_cavities: Keep enclosed spaces hollow that the triangles do not go around, by their winding numbers
        faces: Simplify the surface to at most this number of faces
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        cells (list of integer): Cells of the grid along each axis
        cell (number, length): Side of a cell
        offset (number, length): Distance of the result from the mesh
        gap (number, length): Width up to which gaps and holes are closed
        hollow (number or null, length³): Volume of the enclosed spaces that stay hollow, in whole cells; none unless they are kept
        bricks (integer): Number of bricks of 8 x 8 x 8 cells near the mesh
        vertices (integer): Number of vertices of the result
        faces (integer): Number of faces of the result
        intersecting (integer): Number of vertices of faces of the result that intersect
        simplified_faces (integer or null): Faces of the result, if it was simplified
        simplified_intersections (integer or null): Number of pairs of faces of the simplified result that intersect
        reached (boolean): `true` unless more faces are left than were asked for

    Takes triangles of any kind: soups, open, crossing and doubled sheets, non-manifold edges, any orientation.
    The result is closed, manifold and oriented, and has one skin: all that cannot be reached from outside is
    enclosed, gaps narrower than gap are closed, and sheets become thin solids. It lies at the distance
    offset from the triangles; details smaller than a cell of the grid are lost. With keep_cavities hollows
    of solids stay, each with a skin of its own: enclosed spaces that the triangles do not go around.

    Distances are computed on a sparse grid near the triangles; a flood from the border finds the outside;
    dual contouring (Ju et al. 2002), with a vertex for each piece of surface in a cell, keeps sharp edges.
    Columns of vertices and faces, texture coordinates, groups and materials come from the closest point of the
    input; normals are dropped.
    """

def sdf(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    *,
    resolution: Value | None = None,
    cell: Value | None = None,
    margin: Value | None = None,
    band: Value | None = None,
    unsigned: bool = False,
    engine: str | None = None,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Compute signed distances on a grid.

    Takes positions `v` (n, 3) and triangles `f` (m, 3); or a `Mesh`.

    Arguments:
        resolution: Number of cells of the grid along the longest side of the mesh's box [default: 128]
        cell: Side of a cell, in place of a number of them
        margin: Width of the border around the mesh's box; three cells unless given
        band: Limit of distances: points that are farther get it, with their sign
        unsigned: Compute distances without a sign, for surfaces that have no inside
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `values` with the axes x, y and z, `origin`, the place of the first one, and `spacing`. Keys of its report:
        counts (list of integer): Number of points along each axis
        cell (number, length): Distance of neighbouring points along each axis
        points (integer): Number of points
        inside (integer or null): Number of points inside; none without signs
        boundary_edges (integer or null): Number of edges of the surface's boundary, near which signs are those of winding numbers; none without signs
        least (number, length): Least distance
        greatest (number, length): Greatest distance
        origin (list of number, length): Place of the first point

    Distances from the triangles are computed at the points of a grid of cubes around them. They are
    negative inside: where the winding number is at least one half, so open surfaces, soups and crossing
    parts have an inside as well (Jacobson, Kavan and Sorkine-Hornung 2013). Faces must look outwards;
    `repair` turns them.

    The extension of the output gives its format: .vti (VTK's images, which ParaView shows), .nrrd, or
    .npy (NumPy's arrays, with the axes x, y and z, without the place of the grid: the first point and the
    cell are printed and in the record).
    """

def isosurface(
    values: Array,
    origin: Sequence[float] | None = None,
    spacing: float | Sequence[float] | None = None,
    *,
    level: Value | None = None,
    inside: Literal["below", "above"] | None = None,
    open: bool = False,
    values: Value | None = None,
    engine: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """Make the surface at a level of a grid's values.

    Takes `values` of the points of a grid, an array (x, y, z); the place of the first point, `origin`, else zero; and the distance of points along the axes, `spacing`: one number or three, else one.

    Arguments:
        level: Value that the surface goes through [default: 0]
        inside: Side of the level that is inside: normals of faces point to the other one: "below" (Values below the level are inside, as those of signed distances), "above" (Values above the level are inside, as those of densities) [default: "below"]
        open: Leave the surface open where it meets the border of the grid
        values: Name of the values, if the grid has several; the first column of single numbers unless given
        engine: Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N (the GPU with number N) [default: "auto"]
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Result`: `vertices`, `faces`, `attributes`. Keys of its report:
        points (list of integer): Number of points of the grid along each axis
        name (text): Name of the values
        range (list of number or null): Least and greatest value of the grid; null if it has none that is a number, or the values are on a GPU
        missing (integer or null): Number of points without a value; null if the values are on a GPU
        result_vertices (integer): Number of vertices of the result
        result_faces (integer): Number of faces of the result

    Takes a grid of values (VTI, NRRD, NPY): signed distances, as `sdf` writes them, densities, voxels of a
    scan. The surface goes through the places where values that are interpolated between the points have the
    level. It is closed, unless open, manifold and oriented: normals point away from the inside.

    Marching cubes (Lorensen and Cline 1987) with the topology of the trilinear interpolant in each cell
    (Nielson and Hamann 1991, Chernyaev 1995). Further columns of the grid become columns of vertices.
    """

def render(
    v: Mesh | Result | Array,
    f: Faces | None = None,
    cells: Array | None = None,
    *,
    size: Value | None = None,
    view: Value | None = None,
    up: Literal["y", "z"] | None = None,
    zoom: Value | None = None,
    background: Value | None = None,
    color: Value | None = None,
    patches: bool = False,
    groups: bool = False,
    parts: bool = False,
    checker: bool = False,
    texture: Value | None = None,
    map: Literal["viridis", "coolwarm"] | None = None,
    range: Value | None = None,
    isolines: Value | None = None,
    flat: bool = False,
    edges: bool = False,
    creases: bool = False,
    crease_angle: Value | None = None,
    cut: Value | None = None,
    animate: Value | None = None,
    no_shadow: bool = False,
    attributes: Mapping[str, Any] | None = None,
    vertex_attributes: Mapping[str, Any] | None = None,
    face_attributes: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Picture:
    """Draw a mesh into a picture, or several beside each other.

    Takes positions `v` (n, 3) and faces `f` (m, k), or `cells` (m, 4) of a volume; or a `Mesh`; or a list of meshes and pairs `(v, f)`, which stand beside each other.

    Arguments:
        size: Width and height in pixels [default: 1600x1200; of several meshes 800x800 each]
        view: Side that is seen: front, back, left, right, top, bottom, or two angles in degrees, round the vertical axis and above the horizon [default: "30,20"]
        up: Axis of the mesh that points upwards: "y", "z" [default: "y"]
        zoom: Magnification: at 1 the mesh fills the picture [default: 1]
        background: Background: white, transparent, or a colour such as #202428 [default: "white"]
        color: Column whose values are drawn as colours, with a legend; or a colour, such as #8fb3b0 [default: images and colours of the mesh, if it has any]
        patches: Colour each patch, as the patcher cuts the mesh
        groups: Colour each group, object or material of the file
        parts: Colour each connected part
        checker: Draw checkers of the texture coordinates
        texture: Draw an image, a PNG or JPEG file, by the texture coordinates [default: the images of the mesh's materials]
        map: Colours of a column's values [default: coolwarm for values of both signs, else viridis]: "viridis", "coolwarm"
        range: Values at the ends of the colours [default: those of the column, without outliers]
        isolines: Number of lines of equal value, of a column of vertices [default: 0]
        flat: Light each face by its own normal
        edges: Draw the edges of the faces
        creases: Draw creases and the boundary
        crease_angle: Degrees between the normals of two faces from which on they meet in a crease [default: 60]
        cut: Leave out what lies beyond a plane across an axis, at a place from 0 to 1 along the mesh's box: z,0.5, or -z,0.5 for what lies before it; of a volume whole cells
        animate: Draw the meshes after each other, N a second, as an animated PNG file [default size: 800x600]
        no_shadow: Draw no shadow on the ground
        attributes: values that are carried along: arrays with a row for each vertex or each face
        vertex_attributes: the same, with a row for each vertex
        face_attributes: the same, with a row for each face
        progress: called with the name of each stage when it begins, and with its milliseconds when it has ended; an exception that it raises ends the work

    Returns a `Picture`, a PNG file in memory.

    The picture is the same on every machine: no GPU or display is used. Polygons are drawn with their own
    edges, a volume as its boundary, a mesh without faces as points. docs/use/pictures.md shows the options.
    """
