"""Times operations of other mesh libraries on one mesh, for `rxmesh-bench peers`.

usage: peers.py VERTICES FACES REPEAT BUDGET

VERTICES holds x, y, z of each vertex as little-endian 32-bit floats, FACES three 32-bit vertex indices a face. Prints
one JSON object a line: {"operation", "system", "version", "ms": [...], "note"} for what was timed, {"operation",
"system", "error"} for what could not be. An operation is timed once to warm up, then up to REPEAT times within BUDGET
seconds, three times at least unless the warm-up alone took longer than the budget. Input in the library's own
containers is made before the clock starts unless making it is the operation.
"""

import importlib.metadata
import json
import sys
import time

import numpy as np

VERTICES, FACES = sys.argv[1], sys.argv[2]
REPEAT, BUDGET = int(sys.argv[3]), float(sys.argv[4])
X = np.fromfile(VERTICES, dtype="<f4").reshape(-1, 3).astype(np.float64)
F = np.fromfile(FACES, dtype="<u4").reshape(-1, 3).astype(np.int64)
F32 = F.astype(np.int32)

JOBS = []


def job(operation, system, package, most_faces=None, note=""):
    """Registers a function that prepares its input and returns the call to time."""

    def register(prepare):
        JOBS.append((operation, system, package, most_faces, note, prepare))
        return prepare

    return register


def milliseconds(call):
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def samples(call):
    first = milliseconds(call)
    if first > BUDGET * 1e3:
        return [first]
    start, all_ms = time.perf_counter(), []
    while len(all_ms) < REPEAT and (
        len(all_ms) < 3 or time.perf_counter() - start < BUDGET
    ):
        all_ms.append(milliseconds(call))
    return all_ms


# Construction.


@job("build", "libigl, edge_topology", "libigl")
def _():
    import igl

    return lambda: igl.edge_topology(X, F)


@job("build", "Open3D, half-edges", "open3d")
def _():
    import open3d as o3d

    mesh = o3d_mesh(o3d)
    make = o3d.geometry.HalfEdgeTriangleMesh.create_from_triangle_mesh
    return lambda: make(mesh)


# Normals.


@job("normals", "libigl, by angle", "libigl")
def _():
    import igl

    weighting = igl.PER_VERTEX_NORMALS_WEIGHTING_TYPE_ANGLE
    return lambda: igl.per_vertex_normals(X, F, weighting)


@job("normals", "PyMeshLab", "pymeshlab")
def _():
    mesh = meshlab()
    return mesh.compute_normal_per_vertex


@job("normals", "Open3D", "open3d")
def _():
    import open3d as o3d

    mesh = o3d_mesh(o3d)

    def normals():
        mesh.triangle_normals = o3d.utility.Vector3dVector()
        mesh.compute_vertex_normals()

    return normals


# One-rings.


@job("vv", "libigl, adjacency_matrix", "libigl")
def _():
    import igl

    return lambda: igl.adjacency_matrix(F)


@job("vv", "Open3D, adjacency lists", "open3d")
def _():
    import open3d as o3d

    mesh = o3d_mesh(o3d)
    return mesh.compute_adjacency_list


@job("vv", "SciPy, CSR of the edges", "scipy")
def _():
    import scipy.sparse as sparse

    def rings():
        rows = F32[:, [0, 1, 2]].ravel()
        columns = F32[:, [1, 2, 0]].ravel()
        ones = np.ones(rows.size, dtype=np.int8)
        half = sparse.csr_matrix((ones, (rows, columns)), shape=(len(X), len(X)))
        return half + half.T

    return rings


# Matrices.


@job("mcf-setup", "libigl, cotangents", "libigl", note="the Laplacian alone")
def _():
    import igl

    return lambda: igl.cotmatrix(X, F)


@job(
    "mcf-setup",
    "geometry-central, cotangents",
    "potpourri3d",
    note="the Laplacian alone",
)
def _():
    import potpourri3d as pp

    return lambda: pp.cotan_laplacian(X, F)


@job(
    "mcf-iteration-assembled",
    "SciPy, product only",
    "scipy",
    note="matrix times three columns, without the rest of the iteration",
)
def _():
    import igl

    matrix = igl.cotmatrix(X, F).tocsr()
    return lambda: matrix @ X


def implicit_step():
    """The matrix and right-hand side of one implicit step of ten squared mean edge lengths, the library's default."""
    import igl

    sides = np.linalg.norm(X[F] - X[np.roll(F, 1, axis=1)], axis=2)
    mass = igl.massmatrix(X, F, igl.MASSMATRIX_TYPE_VORONOI)
    matrix = (mass - 10.0 * sides.mean() ** 2 * igl.cotmatrix(X, F)).tocsc()
    return matrix, mass @ X


@job("mcf", "libigl, SciPy SuperLU", "scipy", most_faces=25_000)
def _():
    from scipy.sparse.linalg import splu

    def solve():
        matrix, right = implicit_step()
        return splu(matrix).solve(right)

    return solve


@job("mcf", "libigl, SciPy CG, Jacobi", "scipy", most_faces=1_500_000)
def _():
    import scipy.sparse as sparse
    from scipy.sparse.linalg import cg

    def solve():
        matrix, right = implicit_step()
        matrix = matrix.tocsr()
        jacobi = sparse.diags(1.0 / matrix.diagonal())
        for k in range(3):
            _, info = cg(matrix, right[:, k], x0=X[:, k], rtol=1e-6, M=jacobi)
            assert info == 0

    return solve


# Geodesic distances from the first vertex.


@job("geodesic", "geometry-central, heat", "potpourri3d", most_faces=1_500_000)
def _():
    import potpourri3d as pp

    return lambda: pp.MeshHeatMethodDistanceSolver(X, F).compute_distance(0)


@job("geodesic", "geometry-central, fast marching", "potpourri3d")
def _():
    import potpourri3d as pp

    return lambda: pp.MeshFastMarchingDistanceSolver(X, F).compute_distance([[(0, [])]])


@job("geodesic", "libigl, heat", "libigl", most_faces=400_000)
def _():
    import igl

    def heat():
        data = igl.HeatGeodesicsData()
        igl.heat_geodesics_precompute(X, F, data)
        return igl.heat_geodesics_solve(data, np.array([0]))

    return heat


# Curvature and smoothing.


@job("curvature", "libigl, Gaussian only", "libigl")
def _():
    import igl

    return lambda: igl.gaussian_curvature(X, F)


@job("smooth-step", "Open3D, Laplacian", "open3d", note="ten steps over ten")
def _():
    import open3d as o3d

    mesh = o3d_mesh(o3d)
    return Tenth(lambda: mesh.filter_smooth_laplacian(number_of_iterations=10))


@job("smooth-step", "PyMeshLab, Laplacian", "pymeshlab", note="ten steps over ten")
def _():
    mesh = meshlab()
    return Tenth(lambda: mesh.apply_coord_laplacian_smoothing(stepsmoothnum=10))


# Changing the connectivity.


@job("simplify", "fast-simplification", "fast-simplification", note="to 10 %")
def _():
    import fast_simplification

    points = X.astype(np.float32)
    return lambda: fast_simplification.simplify(points, F32, 0.9)


@job("simplify", "meshoptimizer", "meshoptimizer", note="to 10 %")
def _():
    import meshoptimizer

    points = np.ascontiguousarray(X, dtype=np.float32)
    indices = np.ascontiguousarray(F.ravel(), dtype=np.uint32)
    out = np.zeros_like(indices)
    target = 3 * (len(F) // 10)
    return lambda: meshoptimizer.simplify(
        out, indices, points, target_index_count=target, target_error=1.0
    )


@job("simplify", "PyMeshLab, quadrics", "pymeshlab", most_faces=400_000, note="to 10 %")
def _():
    return Fresh(
        meshlab,
        lambda m: m.meshing_decimation_quadric_edge_collapse(targetfacenum=len(F) // 10),
    )


@job("remesh", "PyMeshLab", "pymeshlab", most_faces=25_000, note="3 iterations")
def _():
    import pymeshlab

    length = pymeshlab.PureValue(float(np.linalg.norm(X[F[:, 0]] - X[F[:, 1]], axis=1).mean()))
    return Fresh(
        meshlab,
        lambda m: m.meshing_isotropic_explicit_remeshing(iterations=3, targetlen=length),
    )


class Tenth:
    """A call that does ten steps."""

    def __init__(self, call):
        self.call = call


class Fresh:
    """A call that uses up its input, which is made before the clock starts."""

    def __init__(self, make, call):
        self.make, self.call = make, call


def o3d_mesh(o3d):
    mesh = o3d.geometry.TriangleMesh()
    mesh.vertices = o3d.utility.Vector3dVector(X)
    mesh.triangles = o3d.utility.Vector3iVector(F32)
    return mesh


def meshlab():
    import pymeshlab

    mesh = pymeshlab.MeshSet()
    mesh.add_mesh(pymeshlab.Mesh(X, F32))
    return mesh


def timed(call):
    if isinstance(call, Tenth):
        return [ms / 10 for ms in samples(call.call)]
    if isinstance(call, Fresh):
        all_ms, spent = [], 0.0
        while len(all_ms) < REPEAT and (not all_ms or spent < BUDGET * 1e3):
            value = call.make()
            all_ms.append(milliseconds(lambda: call.call(value)))
            spent += all_ms[-1]
        return all_ms
    return samples(call)


for operation, system, package, most_faces, note, prepare in JOBS:
    line = {"operation": operation, "system": system, "note": note}
    try:
        line["version"] = importlib.metadata.version(package)
        if most_faces is not None and len(F) > most_faces:
            line["error"] = f"not tried above {most_faces} faces: it takes too long"
        else:
            line["ms"] = timed(prepare())
    except BaseException as e:  # one peer that fails does not stop the others
        if isinstance(e, KeyboardInterrupt):
            raise
        line["error"] = f"{type(e).__name__}: {e}"[:300]
    print(json.dumps(line), flush=True)
