"""What the comparisons of this folder share: reading meshes, measuring them, keeping a record."""

import datetime
import importlib.metadata
import json

import numpy as np
import pymeshlab


def load(path):
    """Vertices and faces of a file; polygons are cut into fans."""
    meshes = pymeshlab.MeshSet(verbose=False)
    meshes.load_new_mesh(str(path))
    mesh = meshes.current_mesh()
    return mesh.vertex_matrix(), mesh.face_matrix()


def volume(vertices, faces):
    a, b, c = (vertices[faces[:, k]] - vertices.mean(0) for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def distances(one, other, samples):
    """What PyMeshLab measures from so many points on a mesh to another, in percent of the first's diagonal.

    Keys are those of its `get_hausdorff_distance`: "mean", "RMS", "max", of the way there and of the way back.
    """
    meshes = pymeshlab.MeshSet(verbose=False)
    for mesh in (one, other):
        meshes.add_mesh(pymeshlab.Mesh(*mesh))
    diagonal = float(np.linalg.norm(np.ptp(one[0], axis=0)))

    def way(start, end):
        found = meshes.get_hausdorff_distance(
            sampledmesh=start,
            targetmesh=end,
            samplenum=samples,
            samplevert=False,
            sampleface=True,
            maxdist=pymeshlab.PercentageValue(100),
        )
        return {key: 100 * found[key] / diagonal for key in ("mean", "RMS", "max")}

    return way(0, 1), way(1, 0)


def versions(packages):
    """The versions of those that are installed."""
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def keep(path, what, rows, **more):
    """Writes a record."""
    record = {"schema": 1, "what": what, "date": datetime.date.today().isoformat(), **more, "rows": rows}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n")
