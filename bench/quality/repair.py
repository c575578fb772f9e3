"""Compares repair with other programs', mesh by mesh.

usage: repair.py PROGRAM MESH... [--rxmesh-only] [--limit SECONDS] [--json RECORD]

PROGRAM is `rxmesh`. Each mesh is repaired by this program as it is by default and with `--watertight`, by
PyMeshLab (duplicate vertices and faces, null faces, non-manifold edges and vertices, holes, orientation), by
pymeshfix and by trimesh (as it is processed on loading, with holes filled and normals fixed). For each result:
whether it is closed (no edge with one face), the places that are left where it is not manifold or not oriented alike,
faces without area or there twice, the volume over that of the input, and the distance that PyMeshLab samples, in
percent of the input's diagonal: from the input to the result (what got lost) and back (what came in), the mean and
the largest. Volumes count where the input is closed when vertices at one place are one. Prints a Markdown table and
what is worse than elsewhere; `--json` keeps a record. Needs numpy and pymeshlab; other programs that are not
installed are left out.
"""

import argparse
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pymeshlab
from meshes import distances, keep, load, versions, volume

SAMPLES = 50_000
# Differences of volume and distance, in percent, that do not count.
EQUAL = 0.01


def edges(faces):
    """Both ends of each half-edge, ascending, and whether it runs upwards; faces that name a vertex twice have none."""
    proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    f = faces[proper]
    half = np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]])
    return np.sort(half, axis=1), half[:, 0] < half[:, 1]


def fans(faces, vertices):
    """Vertices with faces in more than one fan."""
    ends, _ = edges(faces)
    proper = np.arange(len(faces))[
        (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    ]
    face = np.concatenate([proper] * 3)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    parent = np.arange(3 * len(faces))

    def root(c):
        while parent[c] != c:
            parent[c] = parent[parent[c]]
            c = parent[c]
        return c

    where = {}
    for h in order.tolist():
        key = (ends[h, 0], ends[h, 1])
        f = face[h]
        other = where.setdefault(key, f)
        if other != f:
            for v in key:
                a = 3 * f + faces[f].tolist().index(v)
                b = 3 * other + faces[other].tolist().index(v)
                parent[root(a)] = root(b)
    roots = {}
    for f in proper.tolist():
        for k in range(3):
            roots.setdefault(faces[f, k], set()).add(root(3 * f + k))
    return sum(len(r) > 1 for r in roots.values())


def defects(vertices, faces):
    ends, up = edges(faces)
    _, of, count = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    ups = np.bincount(of.ravel(), weights=up, minlength=len(count))
    sides = np.cross(vertices[faces[:, 1]] - vertices[faces[:, 0]], vertices[faces[:, 2]] - vertices[faces[:, 0]])
    _, same = np.unique(np.sort(faces, axis=1), axis=0, return_counts=True)
    return {
        "boundary_edges": int((count == 1).sum()),
        "non_manifold_edges": int((count > 2).sum()),
        "inconsistent_edges": int(((count == 2) & (ups != 1)).sum()),
        "non_manifold_vertices": int(fans(faces, vertices)),
        "zero_area_faces": int((sides == 0).all(axis=1).sum()),
        "duplicate_faces": int((same - 1).sum()),
    }


def is_closed(vertices, faces):
    """Whether every edge has an even number of faces when vertices at one place are one."""
    _, one = np.unique(vertices, axis=0, return_inverse=True)
    ends, _ = edges(one.ravel()[faces])
    _, count = np.unique(ends, axis=0, return_counts=True)
    return len(count) > 0 and bool((count % 2 == 0).all())


def by_rxmesh(program, *options):
    def run(_path, mesh):
        with tempfile.TemporaryDirectory() as folder:
            # The mesh as the others get it: its polygons are cut already.
            given, out = pathlib.Path(folder, "in.obj"), pathlib.Path(folder, "out.ply")
            lines = ["v " + " ".join(map(repr, v)) for v in mesh[0].tolist()]
            lines += ["f " + " ".join(str(k + 1) for k in f) for f in mesh[1].tolist()]
            given.write_text("\n".join(lines) + "\n")
            done = subprocess.run(
                [program, "repair", str(given), "-o", str(out), *options], capture_output=True, text=True
            )
            if not out.exists():
                raise RuntimeError(done.stderr.strip())
            vertices, faces = load(out)
            return vertices, faces, done.returncode

    return run


def by_pymeshlab(_path, mesh):
    meshes = pymeshlab.MeshSet(verbose=False)
    meshes.add_mesh(pymeshlab.Mesh(*mesh))
    meshes.meshing_remove_duplicate_vertices()
    meshes.meshing_remove_duplicate_faces()
    meshes.meshing_remove_null_faces()
    meshes.meshing_repair_non_manifold_edges()
    meshes.meshing_repair_non_manifold_vertices()
    meshes.meshing_close_holes(maxholesize=1_000_000)
    try:
        meshes.meshing_re_orient_faces_coherently()
        meshes.meshing_re_orient_faces_by_geometry()
    except Exception:  # Refused on surfaces of one side; the rest is a result still.
        pass
    meshes.meshing_remove_unreferenced_vertices()
    out = meshes.current_mesh()
    return out.vertex_matrix(), out.face_matrix(), 0


def by_pymeshfix(_path, mesh):
    import pymeshfix

    fixer = pymeshfix.MeshFix(np.ascontiguousarray(mesh[0]), np.ascontiguousarray(mesh[1], np.int32))
    fixer.repair()
    if hasattr(fixer, "points"):
        return np.asarray(fixer.points), np.asarray(fixer.faces), 0
    return np.asarray(fixer.v), np.asarray(fixer.f), 0


def by_trimesh(_path, mesh):
    import trimesh

    out = trimesh.Trimesh(*mesh, process=True, validate=True)
    out.fill_holes()
    out.fix_normals()
    return np.asarray(out.vertices), np.asarray(out.faces), 0


def systems(args):
    yield "rxmesh", by_rxmesh(args.program)
    yield "rxmesh, watertight", by_rxmesh(args.program, "--watertight")
    if not args.rxmesh_only:
        yield "PyMeshLab", by_pymeshlab
        yield "pymeshfix", by_pymeshfix
        yield "trimesh", by_trimesh


def work(path, mesh, call, pipe):
    try:
        start = time.perf_counter()
        vertices, faces, code = call(path, mesh)
        seconds = time.perf_counter() - start
        faces = np.asarray(faces, np.int64)
        if len(faces) == 0:
            raise RuntimeError("no face is left")
        result = {"faces": len(faces), "vertices": len(vertices), "exit_code": code, "seconds": seconds}
        result |= defects(vertices, faces)
        before = volume(*mesh)
        result["volume_percent"] = 100 * volume(vertices, faces) / before if before else None
        ways = distances(mesh, (vertices, faces), SAMPLES)
        result["lost"], result["added"] = ([way["mean"], way["max"]] for way in ways)
    except Exception as problem:  # A program that refuses a mesh is a result too.
        result = {"error": str(problem)[:200]}
    pipe.send(result)


def measure(path, mesh, call, limit):
    """In a process of its own: programs may crash, or never end."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=work, args=(path, mesh, call, there))
    process.start()
    there.close()
    try:
        result = here.recv() if here.poll(limit) else {"error": f"not done in {limit} s"}
    except EOFError:
        result = {"error": "crashed"}
    process.kill()
    process.join()
    return result


SOUND = ["non_manifold_edges", "non_manifold_vertices", "inconsistent_edges", "zero_area_faces", "duplicate_faces"]


def cell(result, closed):
    if "error" in result:
        return "-"
    broken = sum(result[key] for key in SOUND)
    words = ["closed" if result["boundary_edges"] == 0 else f"{result['boundary_edges']} open"]
    words += [f"{broken} bad"] * (broken > 0)
    if closed and result["volume_percent"] is not None:
        words.append(f"{result['volume_percent']:.2f} %")
    return ", ".join(words) + f"; {result['lost'][1]:.3f} / {result['added'][1]:.3f}"


def worse(row):
    """Where this program is worse than another one: not closed, though that one is closed and sound; farther from the
    volume of a closed input; more of the input lost."""
    results = row["results"]
    own = results["rxmesh, watertight"]
    for name, other in results.items():
        if name.startswith("rxmesh") or "error" in other:
            continue
        if "error" in own:
            yield f"{name} has a result: {own['error']}"
            continue
        sound = other["boundary_edges"] + sum(other[key] for key in SOUND) == 0
        if not sound:
            continue
        if own["boundary_edges"] > 0:
            yield f"{name} is closed"
        if row["closed"] and None not in (own["volume_percent"], other["volume_percent"]):
            off = [abs(abs(r["volume_percent"]) - 100) for r in (own, other)]
            if off[0] > off[1] + EQUAL:
                yield f"volume {own['volume_percent']:.3f} %, {name} {other['volume_percent']:.3f} %"
        for k, what in enumerate(["mean", "largest"]):
            if own["lost"][k] > other["lost"][k] + EQUAL:
                yield f"{what} distance {own['lost'][k]:.3f} %, {name} {other['lost'][k]:.3f} %"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("meshes", nargs="+", type=pathlib.Path)
    parser.add_argument("--rxmesh-only", action="store_true")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    names = [name for name, _ in systems(args)]
    rows, losses = [], []
    print("| mesh | faces |", " | ".join(names), "|")
    print("| --- " * (2 + len(names)) + "|")
    for path in args.meshes:
        try:
            mesh = load(path)
        except Exception as problem:
            print(f"{path.name}: {problem}", file=sys.stderr)
            continue
        if len(mesh[1]) == 0:
            continue
        row = {"mesh": path.name, "faces": len(mesh[1]), "closed": is_closed(*mesh), "results": {}}
        row |= defects(*mesh)
        for name, call in systems(args):
            row["results"][name] = measure(path, mesh, call, args.limit)
        rows.append(row)
        losses += [f"{path.name}: {loss}" for loss in worse(row)]
        cells = [cell(row["results"][name], row["closed"]) for name in names]
        print(f"| {path.name} | {len(mesh[1])} |", " | ".join(cells), "|", flush=True)
    print(f"\n{len(rows)} meshes; worse than another program that closes the mesh and leaves it sound: {len(losses)}")
    for loss in losses:
        print(f"- {loss}")
    if args.json:
        found = versions(["pymeshlab", "pymeshfix", "trimesh"])
        keep(args.json, "repair", rows, samples=SAMPLES, versions=found, worse=losses)


if __name__ == "__main__":
    main()
