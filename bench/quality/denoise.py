"""Compares denoising with other programs', mesh by mesh.

usage: denoise.py PROGRAM MESH... [--noise 0.1,0.3] [--seed 1] [--json RECORD]

PROGRAM is `rxmesh`. Each vertex of each mesh is moved by normally distributed noise, of so many mean edge lengths
along each axis. `filter` as it is by default, PyMeshLab's Taubin smoothing as it is by default, and Open3D's (lambda
0.5, mu -0.53, uniform weights, ten iterations) take it away again; where Open3D is not installed numpy does the same
steps, and the record says so. A row without noise shows what each does to a clean mesh. Of each result:

- `rms`: root mean square of the distances of its vertices to the clean surface, in mean edge lengths of the clean
  mesh, as PyMeshLab measures them;
- `normals`: mean angle between the normals of corresponding faces of the clean mesh, in degrees;
- `volume`: change of the volume, in percent.

Prints a Markdown table; `--json` keeps a record. Needs numpy and pymeshlab.
"""

import argparse
import importlib.metadata
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import pymeshlab
from meshes import keep, load, volume


def save(path, vertices, faces):
    meshes = pymeshlab.MeshSet(verbose=False)
    meshes.add_mesh(pymeshlab.Mesh(vertices, faces))
    meshes.save_current_mesh(str(path), binary=True)


def edges(faces):
    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    return np.unique(np.sort(ends, axis=1), axis=0)


def mean_edge(vertices, faces):
    e = edges(faces)
    return float(np.linalg.norm(vertices[e[:, 0]] - vertices[e[:, 1]], axis=1).mean())


def normals(vertices, faces):
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    return n / np.maximum(np.linalg.norm(n, axis=1), 1e-300)[:, None]


def judge(vertices, clean, faces):
    """The figures of one result."""
    meshes = pymeshlab.MeshSet(verbose=False)
    meshes.add_mesh(pymeshlab.Mesh(clean, faces))
    meshes.add_mesh(pymeshlab.Mesh(vertices))
    meshes.compute_scalar_by_distance_from_another_mesh_per_vertex(measuremesh=1, refmesh=0, signeddist=False)
    distances = meshes.mesh(1).vertex_scalar_array()
    used = np.unique(faces)
    cosines = np.einsum("ij,ij->i", normals(vertices, faces), normals(clean, faces))
    return {
        "rms": float(np.sqrt((distances[used] ** 2).mean())) / mean_edge(clean, faces),
        "normals": float(np.degrees(np.arccos(np.clip(cosines, -1, 1))).mean()),
        "volume": 100 * (volume(vertices, faces) / volume(clean, faces) - 1),
    }


def by_program(program, folder, vertices, faces):
    noisy, out, record = (folder / name for name in ("noisy.ply", "out.ply", "record.json"))
    save(noisy, vertices, faces)
    command = [program, "filter", noisy, "-o", out, "--json", record, "--quiet"]
    subprocess.run([str(word) for word in command], check=True)
    told = json.loads(record.read_text())
    return load(out)[0], {key: told[key] for key in ("noise_over_edge", "iterations")}


def by_pymeshlab(vertices, faces):
    meshes = pymeshlab.MeshSet(verbose=False)
    meshes.add_mesh(pymeshlab.Mesh(vertices, faces))
    meshes.apply_coord_taubin_smoothing()
    return meshes.current_mesh().vertex_matrix()


def open3d():
    """Open3D, or None; which of the two it is, for the record."""
    try:
        import open3d

        return open3d, open3d.__version__
    except (ImportError, OSError):
        return None, "its steps in numpy"


def by_open3d(library, vertices, faces):
    if library is not None:
        mesh = library.geometry.TriangleMesh(
            library.utility.Vector3dVector(vertices), library.utility.Vector3iVector(faces)
        )
        return np.asarray(mesh.filter_smooth_taubin(number_of_iterations=10).vertices)
    e = edges(faces)
    count = np.bincount(e.ravel(), minlength=len(vertices))[:, None]
    x = vertices.copy()
    for _ in range(10):
        for factor in (0.5, -0.53):
            total = np.zeros_like(x)
            np.add.at(total, e[:, 0], x[e[:, 1]])
            np.add.at(total, e[:, 1], x[e[:, 0]])
            x = x + factor * np.where(count > 0, total / np.maximum(count, 1) - x, 0)
    return x


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("meshes", nargs="+", type=pathlib.Path)
    parser.add_argument("--noise", default="0.1,0.3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    library, version = open3d()
    amounts = [0.0] + [float(x) for x in args.noise.split(",")]
    rows = []
    print("| mesh | noise | noisy | filter | PyMeshLab, Taubin | Open3D, Taubin |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for path in args.meshes:
        clean, faces = load(path)
        for amount in amounts:
            sigma = amount * mean_edge(clean, faces)
            noisy = clean + np.random.default_rng(args.seed).normal(0, 1, clean.shape) * sigma
            with tempfile.TemporaryDirectory() as folder:
                result, told = by_program(args.program, pathlib.Path(folder), noisy, faces)
            row = {
                "mesh": path.stem,
                "vertices": len(clean),
                "faces": len(faces),
                "noise": amount,
                "noisy": judge(noisy, clean, faces),
                "rxmesh": {**judge(result, clean, faces), **told},
                "pymeshlab": judge(by_pymeshlab(noisy, faces), clean, faces),
                "open3d": judge(by_open3d(library, noisy, faces), clean, faces),
            }
            rows.append(row)
            cells = [f"{r['rms']:.4f}, {r['normals']:.2f}°, {r['volume']:+.2f} %"
                     for r in (row[key] for key in ("noisy", "rxmesh", "pymeshlab", "open3d"))]
            print(f"| {path.stem} | {amount} | {' | '.join(cells)} |", flush=True)
    if args.json:
        told = subprocess.run([str(args.program), "--version"], check=True, capture_output=True, text=True)
        keep(
            args.json,
            "denoising",
            rows,
            program=told.stdout.strip(),
            pymeshlab=importlib.metadata.version("pymeshlab"),
            open3d=version,
            seed=args.seed,
        )


if __name__ == "__main__":
    main()
