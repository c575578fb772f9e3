"""Compares the error of simplification with other programs', mesh by mesh.

usage: simplify.py PROGRAM MESH... [--ratios 0.5,0.1,0.02] [--rxmesh-only] [--options=...] [--json RECORD]

PROGRAM is `rxmesh`. Each mesh is brought to each part of its faces by this program, by PyMeshLab's quadric edge
collapse (as it is by default, and with the boundary preserved), by meshoptimizer and by fast-simplification. The error
is the Hausdorff distance that PyMeshLab measures, sampled both ways: the root mean square and the largest, in percent
of the diagonal of the input's bounding box; of the two ways the larger. Prints a Markdown table; `--json` keeps a
record. Needs numpy and pymeshlab; other programs that are not installed are left out.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pymeshlab
from meshes import distances, keep, load, versions, volume

SAMPLES = 100_000


def save(path, vertices, faces):
    meshes = pymeshlab.MeshSet(verbose=False)
    meshes.add_mesh(pymeshlab.Mesh(vertices, faces))
    meshes.save_current_mesh(str(path), save_vertex_color=False)


def topology(faces):
    """Edges with more than two faces, the Euler number, components through vertices."""
    ends = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    edges, count = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0, return_counts=True)
    used = np.unique(faces)
    parent = {int(v): int(v) for v in used}

    def root(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for a, b in edges.tolist():
        parent[root(a)] = root(b)
    components = sum(1 for v in parent if parent[v] == v)
    return int((count > 2).sum()), len(used) - len(edges) + len(faces), components


def error(reference, vertices, faces):
    """Root mean square and largest distance over the diagonal, in percent."""
    if len(faces) == 0 or not np.isfinite(vertices).all():
        return None
    ways = distances(reference, (vertices, faces), SAMPLES)
    return [max(way[key] for way in ways) for key in ("RMS", "max")]


def by_rxmesh(program, options):
    def run(path, _mesh, goal):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out.ply")
            command = [program, "simplify", path, "--faces", str(goal), "-o", out, "--engine", "cpu"]
            done = subprocess.run([*map(str, command), *options], capture_output=True, text=True)
            if not out.exists():
                raise RuntimeError(done.stderr.strip())
            vertices, faces = load(out)
            return vertices, faces, done.returncode

    return run


def by_pymeshlab(**options):
    def run(_path, mesh, goal):
        meshes = pymeshlab.MeshSet(verbose=False)
        meshes.add_mesh(pymeshlab.Mesh(*mesh))
        meshes.meshing_decimation_quadric_edge_collapse(targetfacenum=goal, **options)
        out = meshes.current_mesh()
        return out.vertex_matrix(), out.face_matrix(), 0

    return run


def by_meshoptimizer(_path, mesh, goal):
    import meshoptimizer

    vertices = np.ascontiguousarray(mesh[0], np.float32)
    indices = np.ascontiguousarray(mesh[1].ravel(), np.uint32)
    out = np.zeros_like(indices)
    count = meshoptimizer.simplify(
        out, indices, vertices, target_index_count=3 * goal, target_error=1e9
    )
    return mesh[0], out[:count].reshape(-1, 3).astype(np.int64), 0


def by_fast_simplification(_path, mesh, goal):
    import fast_simplification

    vertices, faces = fast_simplification.simplify(
        mesh[0].astype(np.float32), mesh[1].astype(np.int32), target_count=goal
    )
    return vertices.astype(np.float64), faces.astype(np.int64), 0


def systems(args):
    yield "rxmesh", None, by_rxmesh(args.program, args.options)
    if args.rxmesh_only:
        return
    yield "PyMeshLab", "pymeshlab", by_pymeshlab()
    kept = by_pymeshlab(preserveboundary=True, boundaryweight=1.0, optimalplacement=True)
    yield "PyMeshLab, boundary", "pymeshlab", kept
    yield "meshoptimizer", "meshoptimizer", by_meshoptimizer
    yield "fast-simplification", "fast-simplification", by_fast_simplification


def measure(path, mesh, goal, call):
    start = time.perf_counter()
    try:
        vertices, faces, code = call(path, mesh, goal)
    except Exception as problem:  # A program that refuses a mesh is a result too.
        return {"error": str(problem)[:200]}
    seconds = time.perf_counter() - start
    distance = error(mesh, vertices, faces)
    if distance is None:
        return {"error": "no finite mesh"}
    broken, euler, components = topology(faces)
    before = volume(*mesh)
    return {
        "faces": len(faces),
        "rms": distance[0],
        "max": distance[1],
        "volume_percent": 100 * volume(vertices, faces) / before if before else None,
        "non_manifold_edges": broken,
        "euler": euler,
        "components": components,
        "exit_code": code,
        "seconds": seconds,
    }


def cell(result):
    if "error" in result:
        return "-"
    missed = f" ({result['faces']} faces)" if result["missed"] else ""
    return f"{result['rms']:.3f} / {result['max']:.2f}{missed}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("meshes", nargs="+", type=pathlib.Path)
    parser.add_argument("--ratios", default="0.5,0.1,0.02")
    parser.add_argument("--rxmesh-only", action="store_true")
    parser.add_argument("--options", default="", type=str.split)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    rows, names = [], [name for name, _, _ in systems(args)]
    print("| mesh | faces |", " | ".join(names), "|")
    print("| --- " * (2 + len(names)) + "|")
    for path in args.meshes:
        mesh = load(path)
        broken, euler, components = topology(mesh[1])
        for ratio in map(float, args.ratios.split(",")):
            goal = max(1, round(ratio * len(mesh[1])))
            row = {"mesh": path.name, "faces": len(mesh[1]), "goal": goal, "results": {}}
            row |= {"non_manifold_edges": broken, "euler": euler, "components": components}
            for name, _, call in systems(args):
                result = measure(path, mesh, goal, call)
                result["missed"] = result.get("faces", 0) > goal * 1.02 + 2
                row["results"][name] = result
            rows.append(row)
            cells = [cell(row["results"][name]) for name in names]
            print(f"| {path.name} | {len(mesh[1])} to {goal} |", " | ".join(cells), "|", flush=True)
    if args.json:
        keep(
            args.json,
            "simplification",
            rows,
            unit="percent of the diagonal: root mean square / largest",
            samples=SAMPLES,
            versions=versions(p for _, p, _ in systems(args) if p),
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
