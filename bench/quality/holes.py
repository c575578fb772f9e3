"""Compares the filling of holes with other programs': on files with holes, and on closed meshes with holes cut in.

usage: holes.py PROGRAM MESH... [--radius 0.06,0.15] [--count 3] [--json RECORD]

PROGRAM is `rxmesh`; it fills with `repair --only unused --fill-holes`, in each of its three ways, beside
PyMeshLab's `meshing_close_holes` (holes of any size, as it is by default and with new vertices), PyMeshFix and trimesh.
A file with boundary edges is filled as it is: edges without a second face and edges of more than two, before and after,
the volume. A closed one has COUNT holes cut into it for each radius (parts of its diagonal; all faces with a vertex
nearer than that to a vertex that is picked by number), is filled, and compared with what was cut away: the distance of
points on the cut piece to the result and of points on new faces to the whole mesh, root mean square and largest, in
percent of the diagonal, of the two ways the larger; the volume, in percent of the whole. Prints Markdown tables;
`--json` keeps a record. Needs numpy, pymeshlab, pymeshfix and trimesh.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pymeshfix
import pymeshlab
import trimesh
from meshes import keep, load, volume

SAMPLES = 20_000
WAYS = ["flat", "refined", "fair"]


def save(path, mesh):
    trimesh.Trimesh(*mesh, process=False).export(path)


def by_program(program, way):
    def fill(mesh):
        with tempfile.TemporaryDirectory() as folder:
            before, after = pathlib.Path(folder, "in.ply"), pathlib.Path(folder, "out.ply")
            save(before, mesh)
            start = time.perf_counter()
            command = [program, "repair", before, "--only", "unused", "--fill-holes", "--fill", way, "-o", after]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            ms = (time.perf_counter() - start) * 1e3
            # 3: something could not be done, the result is there.
            if done.returncode not in (0, 3):
                raise RuntimeError(done.stderr)
            result = trimesh.load(after, process=False)
            return (np.asarray(result.vertices), np.asarray(result.faces)), ms

    return fill


def timed(fill):
    def run(mesh):
        start = time.perf_counter()
        result = fill(mesh)
        return result, (time.perf_counter() - start) * 1e3

    return run


def pymeshlab_fill(refine):
    def fill(mesh):
        meshes = pymeshlab.MeshSet(verbose=False)
        meshes.add_mesh(pymeshlab.Mesh(*mesh))
        meshes.meshing_close_holes(maxholesize=1_000_000, refinehole=refine)
        mesh = meshes.current_mesh()
        return mesh.vertex_matrix(), mesh.face_matrix().astype(np.int64)

    return timed(fill)


@timed
def pymeshfix_fill(mesh):
    fix = pymeshfix.MeshFix(mesh[0], mesh[1].astype(np.int32))
    fix.repair(remove_smallest_components=False)
    return np.asarray(fix.points), np.asarray(fix.faces).astype(np.int64)


@timed
def trimesh_fill(mesh):
    filled = trimesh.Trimesh(*mesh, process=False)
    trimesh.repair.fill_holes(filled)
    return np.asarray(filled.vertices), np.asarray(filled.faces)


def edges(faces):
    """Edges of one face, and of more than two."""
    ends = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    count = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0, return_counts=True)[1]
    return int((count == 1).sum()), int((count > 2).sum())


def distances(mesh, target):
    """Root mean square and largest distance of points on a mesh to another one."""
    meshes = pymeshlab.MeshSet(verbose=False)
    meshes.add_mesh(pymeshlab.Mesh(*compact(mesh)))
    meshes.add_mesh(pymeshlab.Mesh(*target))
    box = float(np.linalg.norm(np.ptp(target[0], axis=0)))
    found = meshes.get_hausdorff_distance(
        sampledmesh=0,
        targetmesh=1,
        samplenum=SAMPLES,
        samplevert=True,
        sampleface=True,
        maxdist=pymeshlab.PureValue(box),
    )
    return found["RMS"], found["max"]


def added(mesh, old):
    """The faces of a mesh that another one does not have, by the places of their corners."""

    def keys(mesh):
        x = np.ascontiguousarray(mesh[0].astype(np.float32) + 0.0)
        corners = x.view(np.dtype((np.void, x.dtype.itemsize * 3))).ravel()[mesh[1]]
        return [tuple(sorted(bytes(c) for c in face)) for face in corners]

    there = set(keys(old))
    new = np.array([key not in there for key in keys(mesh)], bool)
    return mesh[0], mesh[1][new]


def without(mesh, radius, count):
    """The mesh with holes, and the pieces that were cut away."""
    x, faces = mesh
    gone = np.zeros(len(x), bool)
    for v in np.random.default_rng(1).choice(len(x), count, replace=False):
        gone |= np.linalg.norm(x - x[v], axis=1) < radius
    cut = gone[faces].any(axis=1)
    return (x, faces[~cut]), (x, faces[cut])


def compact(mesh):
    used, faces = np.unique(mesh[1], return_inverse=True)
    return mesh[0][used], faces.reshape(-1, 3)


def compare(whole, open_mesh, piece, result):
    """Root mean square and largest distance, volume, in percent."""
    diagonal = np.linalg.norm(np.ptp(whole[0], axis=0))
    ways = [distances(piece, result)]
    new = added(result, open_mesh)
    if len(new[1]):
        ways.append(distances(new, whole))
    rms, largest = (100 * max(way[k] for way in ways) / diagonal for k in range(2))
    return rms, largest, 100 * (volume(*result) / volume(*whole) - 1)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("meshes", nargs="+")
    parser.add_argument("--radius", default="0.06,0.15")
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    programs = {f"rxmesh, {way}": by_program(arguments.program, way) for way in WAYS}
    programs |= {
        "PyMeshLab": pymeshlab_fill(False),
        "PyMeshLab, refined": pymeshlab_fill(True),
        "PyMeshFix": pymeshfix_fill,
        "trimesh": trimesh_fill,
    }
    rows = []
    for path in map(pathlib.Path, arguments.meshes):
        mesh = compact(load(path))
        cases = [(None, mesh, None)]
        if edges(mesh[1])[0] == 0:
            diagonal = np.linalg.norm(np.ptp(mesh[0], axis=0))
            radii = [float(r) for r in arguments.radius.split(",")]
            cut = [(r, *without(mesh, r * diagonal, arguments.count)) for r in radii]
            cases = [(r, compact(o), p) for r, o, p in cut]
        for radius, open_mesh, piece in cases:
            for name, fill in programs.items():
                row = {"mesh": path.name, "radius": radius, "program": name}
                row["open_before"], row["over_before"] = edges(open_mesh[1])
                try:
                    result, row["ms"] = fill(open_mesh)
                    row["open"], row["over"] = edges(result[1])
                    row["faces"] = len(result[1]) - len(open_mesh[1])
                    row["volume"] = volume(*result)
                    if piece is not None:
                        row["rms"], row["largest"], row["volume"] = compare(mesh, open_mesh, piece, result)
                except Exception as e:  # a program that fails is a row
                    row["error"] = str(e).strip().splitlines()[-1][:80]
                rows.append(row)
                print(row, file=sys.stderr, flush=True)
    report(rows)
    if arguments.json:
        keep(pathlib.Path(arguments.json), "holes", rows)


def report(rows):
    print("| mesh | program | edges open before | after | of more than two faces | faces added | volume | ms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in (r for r in rows if r["radius"] is None):
        found = r.get("error") or (
            f"{r['open']} | {r['over']} | {r['faces']} | {r['volume']:.6g} | {r['ms']:.0f}"
        )
        print(f"| {r['mesh']} | {r['program']} | {r['open_before']} | {found} |")
    print()
    print("| mesh | radius | program | edges open | RMS, % | largest, % | volume, % | faces added | ms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in (r for r in rows if r["radius"] is not None):
        found = r.get("error") or (
            f"{r['open']} | {r['rms']:.4f} | {r['largest']:.3f} | {r['volume']:+.3f} | {r['faces']} | {r['ms']:.0f}"
        )
        print(f"| {r['mesh']} | {r['radius']} | {r['program']} | {found} |")


main()
