"""Meshes of other libraries: trimesh, pyvista, meshio, open3d.

None of them is needed: objects are recognised by their attributes, and a library is imported when a mesh is made for
it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _rxmesh

__all__ = ["from_other", "to_meshio", "to_open3d", "to_pyvista", "to_trimesh"]

# Types of cells in VTK.
_TRIANGLE, _QUAD, _POLYGON, _TETRA = 5, 9, 7, 10


def from_other(mesh: Any, *, engine: str | None = None) -> _rxmesh.Mesh:
    """Returns a mesh of trimesh, pyvista, meshio or open3d as a `Mesh`, with its values of vertices and faces.

    Polygons and tetrahedra are kept. `engine` is that of `Mesh`.
    """
    found = _arrays(mesh)
    if found is None:
        raise TypeError(f"mesh: {type(mesh).__name__} is no mesh of trimesh, pyvista, meshio or open3d")
    return _rxmesh.Mesh(**found, engine=engine)


def _arrays(mesh: Any) -> dict[str, Any] | None:
    """Returns the arguments of `Mesh` for a mesh of another library; `None` of an object that is no mesh."""
    for read in (_of_pyvista, _of_meshio, _of_trimesh, _of_open3d, _of_open3d_tensors):
        found = read(mesh)
        if found is not None:
            return found
    return None


def _values(columns: Any, rows: int) -> dict[str, np.ndarray]:
    """Returns the columns that a mesh can carry: numbers, one or several for each element."""
    kept = {}
    for name, values in dict(columns).items():
        values = np.asarray(values)
        if values.ndim in (1, 2) and len(values) == rows and values.dtype.kind in "biuf" and values.size:
            kept[str(name)] = values.astype(np.float32) if values.dtype == np.float16 else values
    return kept


def _of_trimesh(mesh: Any) -> dict[str, Any] | None:
    if not (hasattr(mesh, "vertices") and hasattr(mesh, "faces")):
        return None
    v, f = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    found = {"v": v.astype(np.float64), "f": f}
    found["vertex_attributes"] = _values(getattr(mesh, "vertex_attributes", {}), len(v))
    found["face_attributes"] = _values(getattr(mesh, "face_attributes", {}), len(f))
    return found


def _of_pyvista(mesh: Any) -> dict[str, Any] | None:
    if not (hasattr(mesh, "points") and hasattr(mesh, "point_data") and hasattr(mesh, "cell_data")):
        return None
    if hasattr(mesh, "celltypes"):
        kinds = np.asarray(mesh.celltypes)
        cells = np.asarray(mesh.cells)
        if len(kinds) and (kinds == _TETRA).all():
            elements = {"cells": cells.reshape(-1, 5)[:, 1:]}
        elif np.isin(kinds, (_TRIANGLE, _QUAD, _POLYGON)).all():
            elements = {"f": _polygons(cells)}
        else:
            raise ValueError("mesh: cells have to be all tetrahedra, or all polygons")
    elif hasattr(mesh, "faces"):
        elements = {"f": _polygons(np.asarray(mesh.faces))}
    else:
        return None
    v = np.asarray(mesh.points)
    v = v.astype(np.float64 if v.dtype == np.float64 else np.float32)
    return {
        "v": v,
        **elements,
        "vertex_attributes": _values(mesh.point_data, len(v)),
        "face_attributes": _values(mesh.cell_data, int(mesh.n_cells)),
    }


def _polygons(cells: np.ndarray) -> Any:
    """Returns faces of a list with the number of corners before those of each face."""
    if len(cells) == 0:
        return np.zeros((0, 3), np.int64)
    size = int(cells[0])
    if len(cells) % (size + 1) == 0 and (cells[:: size + 1] == size).all():
        return cells.reshape(-1, size + 1)[:, 1:]
    starts = []
    at = 0
    while at < len(cells):
        starts.append(at)
        at += int(cells[at]) + 1
    sizes = cells[starts]
    corners = np.delete(cells, starts)
    return corners, np.concatenate([[0], np.cumsum(sizes)])


def _of_meshio(mesh: Any) -> dict[str, Any] | None:
    if not (hasattr(mesh, "points") and hasattr(mesh, "cells_dict") and hasattr(mesh, "cell_data_dict")):
        return None
    cells = {kind: np.asarray(values) for kind, values in mesh.cells_dict.items()}
    if "tetra" in cells:
        kind = "tetra"
    elif "triangle" in cells or "quad" in cells:
        kind = "triangle" if "triangle" in cells else "quad"
        if "triangle" in cells and "quad" in cells:
            kind = "both"
    else:
        raise ValueError(f"mesh: cells {', '.join(cells) or 'of no kind'} are none of triangle, quad, tetra")
    v = np.asarray(mesh.points)
    if v.shape[1] == 2:
        v = np.concatenate([v, np.zeros((len(v), 1), v.dtype)], axis=1)
    found: dict[str, Any] = {"v": v, "vertex_attributes": _values(mesh.point_data, len(v))}
    if kind == "both":
        three, four = cells["triangle"], cells["quad"]
        sizes = np.concatenate([np.full(len(three), 3), np.full(len(four), 4)])
        corners = np.concatenate([three.ravel(), four.ravel()])
        found["f"] = corners, np.concatenate([[0], np.cumsum(sizes)])
        return found
    found["cells" if kind == "tetra" else "f"] = cells[kind]
    columns = {name: by_kind[kind] for name, by_kind in mesh.cell_data_dict.items() if kind in by_kind}
    found["face_attributes"] = _values(columns, len(cells[kind]))
    return found


def _of_open3d(mesh: Any) -> dict[str, Any] | None:
    if not (hasattr(mesh, "vertices") and hasattr(mesh, "triangles")):
        return None
    v = np.asarray(mesh.vertices)
    found = {"v": v, "f": np.asarray(mesh.triangles)}
    colors = np.asarray(getattr(mesh, "vertex_colors", ()))
    if len(v) and colors.shape == v.shape:
        found["vertex_attributes"] = {"color": colors}
    return found


def _of_open3d_tensors(mesh: Any) -> dict[str, Any] | None:
    vertex, triangle = getattr(mesh, "vertex", None), getattr(mesh, "triangle", None)
    if vertex is None or triangle is None:
        return None
    if not ("positions" in vertex and "indices" in triangle):
        return None
    return {"v": _host(vertex["positions"]), "f": _host(triangle["indices"])}


def _host(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.cpu().numpy() if hasattr(tensor, "cpu") else tensor)


def _parts(mesh: Any) -> tuple[np.ndarray, Any, Any, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Returns positions, faces, cells and values of a `Mesh` or a `Result`, in main memory."""
    if not isinstance(mesh, (_rxmesh.Mesh, _rxmesh.Result)):
        raise TypeError(f"mesh: a Mesh or a Result is needed, not {type(mesh).__name__}")

    def host(array: Any) -> Any:
        if array is None or isinstance(array, np.ndarray):
            return array
        if isinstance(array, tuple):
            return tuple(host(part) for part in array)
        if isinstance(array, _rxmesh.Buffer):
            return np.asarray(array)
        for method in ("cpu", "get"):
            if hasattr(array, method):
                array = getattr(array, method)()
        return np.asarray(array)

    if mesh.vertices is None:
        raise ValueError("mesh: the result is no mesh")
    values = ({name: host(v) for name, v in of.items()} for of in (mesh.vertex_attributes, mesh.face_attributes))
    return host(mesh.vertices), host(mesh.faces), host(mesh.cells), *values


def _triangles(faces: Any, name: str) -> np.ndarray:
    if faces is None or isinstance(faces, tuple) or faces.shape[1] != 3:
        raise ValueError(f"mesh: {name} takes triangles")
    return faces


def to_trimesh(mesh: Any) -> Any:
    """Returns a `Mesh` or a `Result` of triangles as a `trimesh.Trimesh` with its values and normals."""
    import trimesh

    v, f, _, of_vertices, of_faces = _parts(mesh)
    normals = of_vertices.pop("normal", None)
    return trimesh.Trimesh(
        v,
        _triangles(f, "trimesh"),
        vertex_normals=normals,
        vertex_attributes=of_vertices,
        face_attributes=of_faces,
        process=False,
    )


def to_pyvista(mesh: Any) -> Any:
    """Returns a `Mesh` or a `Result` as a `pyvista.PolyData`, or an `UnstructuredGrid` of a volume, with its values."""
    import pyvista

    v, f, cells, of_vertices, of_faces = _parts(mesh)
    if cells is not None:
        made = pyvista.UnstructuredGrid({_TETRA: cells}, v)
    elif f is None:
        made = pyvista.PolyData(v)
    else:
        made = pyvista.PolyData(v, _counted(f))
    for name, values in of_vertices.items():
        made.point_data[name] = values
    for name, values in of_faces.items():
        made.cell_data[name] = values
    return made


def _counted(faces: Any) -> np.ndarray:
    """Returns faces with the number of corners before those of each face."""
    if isinstance(faces, tuple):
        corners, offsets = faces
        return np.insert(corners, offsets[:-1], np.diff(offsets))
    counts = np.full((len(faces), 1), faces.shape[1], faces.dtype)
    return np.concatenate([counts, faces], axis=1).ravel()


def to_meshio(mesh: Any) -> Any:
    """Returns a `Mesh` or a `Result` of triangles, quads or tetrahedra as a `meshio.Mesh` with its values."""
    import meshio

    v, f, cells, of_vertices, of_faces = _parts(mesh)
    if cells is not None:
        kind, elements = "tetra", cells
    elif f is not None and not isinstance(f, tuple) and f.shape[1] in (3, 4):
        kind, elements = ("triangle" if f.shape[1] == 3 else "quad"), f
    else:
        raise ValueError("mesh: meshio takes triangles, quads and tetrahedra")
    columns = {name: [values] for name, values in of_faces.items()}
    return meshio.Mesh(v, [(kind, elements)], point_data=of_vertices, cell_data=columns)


def to_open3d(mesh: Any) -> Any:
    """Returns a `Mesh` or a `Result` of triangles as an `open3d.geometry.TriangleMesh` with its normals and colours."""
    import open3d

    v, f, _, of_vertices, _ = _parts(mesh)
    geometry, utility = open3d.geometry, open3d.utility
    made = geometry.TriangleMesh(
        utility.Vector3dVector(v.astype(np.float64)),
        utility.Vector3iVector(_triangles(f, "open3d").astype(np.int32)),
    )
    for name, column in (("vertex_normals", "normal"), ("vertex_colors", "color")):
        if of_vertices.get(column) is not None and of_vertices[column].shape == v.shape:
            setattr(made, name, utility.Vector3dVector(of_vertices[column].astype(np.float64)))
    return made
