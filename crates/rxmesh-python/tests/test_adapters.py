"""Meshes of other libraries in and out."""

import numpy as np
import pytest

import rxmesh
from conftest import DATA, tetrahedron


def with_values(arrays):
    v, f = arrays
    return rxmesh.Mesh(
        v, f, engine="cpu", vertex_attributes={"heat": v[:, 0]}, face_attributes={"part": np.arange(len(f)) % 3}
    )


def test_trimesh(arrays):
    trimesh = pytest.importorskip("trimesh")
    v, f = arrays
    made = trimesh.Trimesh(v, f, vertex_attributes={"heat": v[:, 0]}, process=False)
    mesh = rxmesh.from_other(made, engine="cpu")
    assert np.allclose(mesh.vertices, v) and np.array_equal(mesh.faces, f)
    assert np.allclose(mesh.attributes["heat"], v[:, 0])
    small = rxmesh.simplify(made, faces=500, engine="cpu")
    back = rxmesh.to_trimesh(small)
    assert isinstance(back, trimesh.Trimesh) and len(back.faces) == 500
    shaded = rxmesh.to_trimesh(with_values(arrays).normals())
    assert np.allclose(np.linalg.norm(shaded.vertex_normals, axis=1), 1, atol=1e-5)
    assert np.allclose(shaded.vertex_attributes["heat"], v[:, 0])
    assert shaded.face_attributes["part"].tolist() == (np.arange(len(f)) % 3).tolist()


def test_pyvista(arrays):
    pyvista = pytest.importorskip("pyvista")
    v, f = arrays
    made = rxmesh.to_pyvista(with_values(arrays))
    assert isinstance(made, pyvista.PolyData) and made.n_cells == len(f)
    assert np.allclose(made.point_data["heat"], v[:, 0])
    mesh = rxmesh.from_other(made, engine="cpu")
    assert np.array_equal(mesh.vertices, v) and np.array_equal(mesh.faces, f)
    assert mesh.face_attributes["part"].tolist() == (np.arange(len(f)) % 3).tolist()
    small = rxmesh.simplify(made, faces=500, engine="cpu")
    assert len(small.faces) == 500 and len(small["part"]) == 500
    cube = rxmesh.read(DATA / "creased_cube.obj", polygons=True)
    assert rxmesh.from_other(rxmesh.to_pyvista(cube)).faces.shape == (6, 4)
    points, _ = tetrahedron()
    volume = rxmesh.to_pyvista(rxmesh.Mesh(points, cells=np.array([[0, 1, 2, 3]])))
    assert rxmesh.from_other(volume).cells.tolist() == [[0, 1, 2, 3]]


def test_meshio(arrays):
    meshio = pytest.importorskip("meshio")
    v, f = arrays
    made = rxmesh.to_meshio(with_values(arrays))
    assert isinstance(made, meshio.Mesh)
    mesh = rxmesh.from_other(made, engine="cpu")
    assert np.array_equal(mesh.vertices, v) and np.array_equal(mesh.faces, f)
    assert mesh.face_attributes["part"].tolist() == (np.arange(len(f)) % 3).tolist()
    assert len(rxmesh.simplify(made, faces=500, engine="cpu").faces) == 500
    points = np.random.default_rng(1).random((5, 3))
    both = meshio.Mesh(points, [("triangle", [[0, 1, 2]]), ("quad", [[0, 2, 3, 4]])])
    corners, offsets = rxmesh.from_other(both).faces
    assert corners.tolist() == [0, 1, 2, 0, 2, 3, 4] and offsets.tolist() == [0, 3, 7]
    tets = meshio.Mesh(points, [("tetra", [[0, 1, 2, 3]])])
    assert rxmesh.from_other(tets).cells.tolist() == [[0, 1, 2, 3]]
    with pytest.raises(ValueError, match="none of triangle, quad, tetra"):
        rxmesh.from_other(meshio.Mesh(points, [("line", [[0, 1]])]))


def test_open3d(arrays):
    """Objects with the attributes of open3d's meshes, which is too large a package for a test."""

    class Legacy:
        vertices, triangles = arrays[0].astype(np.float64), arrays[1]
        vertex_colors = np.tile([0.5, 0.25, 1.0], (len(arrays[0]), 1))

    class Tensors:
        vertex, triangle = {"positions": arrays[0]}, {"indices": arrays[1]}

    for other in (Legacy(), Tensors()):
        mesh = rxmesh.from_other(other, engine="cpu")
        assert np.allclose(mesh.vertices, arrays[0]) and np.array_equal(mesh.faces, arrays[1])
        assert len(rxmesh.simplify(other, faces=500, engine="cpu").faces) == 500
    assert rxmesh.from_other(Legacy(), engine="cpu").attributes["color"].shape == arrays[0].shape


def test_what_is_no_mesh():
    with pytest.raises(TypeError, match="^mesh: int is no mesh"):
        rxmesh.from_other(3)
    with pytest.raises(TypeError, match="^mesh: a Mesh or a Result"):
        rxmesh.to_trimesh(3)
    with pytest.raises(TypeError, match="^v: a Mesh, or arrays"):
        rxmesh.smooth(object())
