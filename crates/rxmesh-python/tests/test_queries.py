"""Queries of a surface, compared with searches by numpy in 64 bits."""

import numpy as np
import pytest

import rxmesh
from conftest import tetrahedron
from gpu_arrays import shown


def sphere(levels=3):
    mesh = rxmesh.subdivide(*tetrahedron(), levels=levels, triangles=True, engine="cpu")
    v = np.array(mesh.vertices, dtype=np.float64)
    v -= v.mean(axis=0)
    v /= np.linalg.norm(v, axis=1)[:, None]
    return v.astype(np.float32), np.array(mesh.faces)


def random_points(n, scale=1.4):
    return np.random.default_rng(3).uniform(-scale, scale, (n, 3))


def winding(v, f, points):
    a, b, c = (v[f[:, k]][None].astype(np.float64) - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
    dot = lambda x, y: (x * y).sum(axis=2)  # noqa: E731
    whole = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return 2 * np.arctan2(dot(a, np.cross(b, c)), whole).sum(axis=1) / (4 * np.pi)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_closest_points(dtype):
    v, f = sphere()
    points = random_points(500).astype(dtype)
    tree = rxmesh.SurfaceTree((v, f), engine="cpu")
    assert repr(tree) == f"SurfaceTree({len(f)} faces, cpu)" and tree.engine == "cpu"
    found = tree.closest(points)
    assert found.points.dtype == dtype and found.distances.dtype == dtype and found.barycentric.dtype == dtype
    assert found.faces.dtype == np.int32 and found.faces.shape == (500,)
    corners = v[f[found.faces]].astype(np.float64)
    assert np.abs((corners * found.barycentric[:, :, None]).sum(axis=1) - found.points).max() < 1e-5
    assert np.abs(np.linalg.norm(found.points - points, axis=1) - found.distances).max() < 1e-5
    # No sample of any face is closer.
    parts = np.array([[i, j, 6 - i - j] for i in range(7) for j in range(7 - i)]) / 6
    samples = np.einsum("sk,fkd->sfd", parts, v[f].astype(np.float64)).reshape(-1, 3)
    for point, distance in zip(points[:100], found.distances):
        least = np.linalg.norm(samples - point, axis=1).min()
        assert least - 0.06 < distance < least + 1e-5
    inside = winding(v, f, points) > 0.5
    assert inside.any() and not inside.all()
    signed = tree.closest(points, signed=True)
    assert np.array_equal(signed.distances < 0, inside)
    assert np.array_equal(np.abs(signed.distances), found.distances)
    assert np.array_equal(tree.contains(points), inside) and tree.contains(points).dtype == bool
    numbers = tree.winding_numbers(points)
    assert numbers.dtype == dtype and np.array_equal(numbers, inside.astype(dtype))
    assert np.array_equal(rxmesh.Mesh(v, f, engine="cpu").tree().closest(points).faces, found.faces)


def test_winding_numbers_of_open_surfaces():
    v, f = sphere(4)
    points = random_points(200)
    some = np.random.default_rng(5).random(len(f)) > 0.4
    for faces, most in [(f[40:], 1e-4), (f[some], 0.01)]:
        numbers = rxmesh.SurfaceTree((v, faces), engine="cpu").winding_numbers(points)
        assert np.abs(numbers - winding(v, faces, points)).max() < most


def test_rays():
    v, f = sphere()
    tree = rxmesh.SurfaceTree((v, f), engine="cpu")
    origins = random_points(300, 3.0)
    hits = tree.first_hits(origins, -origins)
    assert hits.distances.dtype == np.float64 and hits.faces.dtype == np.int32
    places = origins - hits.distances[:, None] * origins
    corners = v[f[hits.faces]].astype(np.float64)
    assert np.abs((corners * hits.barycentric[:, :, None]).sum(axis=1) - places).max() < 1e-5
    outside = np.linalg.norm(origins, axis=1) > 1
    assert np.array_equal(tree.count_hits(origins, -origins), np.where(outside, 2, 1))
    assert tree.find_blocked(origins, -origins).all()
    assert not tree.find_blocked(origins, origins)[outside].any()
    away = tree.first_hits(origins[outside], origins[outside])
    assert np.all(np.isinf(away.distances)) and np.all(away.faces == -1) and not away.barycentric.any()
    short = tree.find_blocked(origins[outside], -origins[outside], limit=1e-3)
    assert not short.any() or short.sum() < 3


def test_lists():
    v, f = sphere()
    tree = rxmesh.SurfaceTree((v, f), engine="cpu")
    origins = random_points(300, 3.0)
    found, first = tree.all_hits(origins, -origins), tree.first_hits(origins, -origins)
    assert found.starts.dtype == np.int32 and found.faces.dtype == np.int32 and found.distances.dtype == np.float64
    assert np.array_equal(np.diff(found.starts), tree.count_hits(origins, -origins))
    assert np.array_equal(found.distances[found.starts[:-1]], first.distances)
    assert np.array_equal(found.faces[found.starts[:-1]], first.faces)
    points = random_points(60)
    near = tree.faces_within(points, 0.3)
    closest = tree.closest(points).distances
    counts = np.diff(near.starts)
    assert np.array_equal(counts > 0, closest <= 0.3) and 3 < (counts > 0).sum() < 60
    for i, point in enumerate(points):
        faces, distances = (x[near.starts[i] : near.starts[i + 1]] for x in (near.faces, near.distances))
        assert np.all(np.diff(distances) >= 0) and np.all(distances <= 0.3) and len(set(faces)) == len(faces)
        if len(faces):
            assert distances[0] == closest[i]
        # A face with a corner that near is in the list; one whose corners are farther than its sides away is not.
        corners = np.linalg.norm(v[f].astype(np.float64) - point, axis=2).min(axis=1)
        assert set(np.flatnonzero(corners < 0.2999)) <= set(faces) <= set(np.flatnonzero(corners < 0.3 + 0.4))
    moved = rxmesh.SurfaceTree((v * 1000.0 + [4e6, 0, 0], f), engine="cpu")
    far = moved.faces_within(points * 1000.0 + [4e6, 0, 0], 300.0)
    assert abs(len(far.faces) - len(near.faces)) <= len(near.faces) // 100
    assert far.distances.max() <= 300.0 * (1 + 1e-6)
    none = tree.faces_within(np.zeros((0, 3)), 1.0)
    assert none.starts.tolist() == [0] and none.faces.shape == (0,)
    assert len(tree.faces_within([[0.0, 0.0, 0.0]], np.inf).faces) == len(f)
    with pytest.raises(ValueError, match="^radius: 0 or more is needed"):
        tree.faces_within(points, -1.0)


@pytest.mark.parametrize("k", [1, 2, 7, 500])
def test_nearest_vertices(k):
    v, f = sphere()
    v = np.concatenate([v, [[0, 0, 0.1], [0, 0, 0.1]]]).astype(np.float32)
    points = random_points(100).astype(np.float32)
    tree = rxmesh.SurfaceTree((v, f), engine="cpu")
    found = tree.nearest_vertices(points, k)
    assert found.vertices.dtype == np.int32 and found.distances.dtype == np.float32
    assert found.vertices.shape == found.distances.shape == (100, k)
    distances = np.linalg.norm(v[None].astype(np.float64) - points[:, None], axis=2)
    n = min(k, len(v))
    assert np.abs(np.sort(distances, axis=1)[:, :n] - found.distances[:, :n]).max() < 1e-5
    at = np.take_along_axis(distances, found.vertices[:, :n].astype(np.int64), axis=1)
    assert np.abs(at - found.distances[:, :n]).max() < 1e-5
    assert np.all(found.vertices[:, n:] == -1) and np.all(np.isinf(found.distances[:, n:]))
    assert all(len(set(row)) == n for row in found.vertices[:, :n])
    twins = tree.nearest_vertices([[0.0, 0.0, 0.1]], 2)
    assert twins.vertices.tolist() == [[len(v) - 2, len(v) - 1]] and not twins.distances.any()
    with pytest.raises(ValueError, match="^k: 1 or more is needed"):
        tree.nearest_vertices(points, 0)
    moved = rxmesh.SurfaceTree((v * 1000.0 + [4e6, 0, 0], f), engine="cpu")
    far = moved.nearest_vertices(points * 1000.0 + [4e6, 0, 0], min(k, 7))
    assert np.abs(far.distances - 1000 * found.distances[:, : min(k, 7)]).max() < 0.01


def test_far_from_the_origin():
    v, f = sphere()
    moved = v.astype(np.float64) + [4e6, -5e6, 100.0]
    points = random_points(50) + [4e6, -5e6, 100.0]
    found = rxmesh.SurfaceTree((moved, f), engine="cpu").closest(points, signed=True)
    near = rxmesh.SurfaceTree((v, f), engine="cpu").closest(points - [4e6, -5e6, 100.0], signed=True)
    assert np.abs(found.distances - near.distances).max() < 1e-5
    assert np.abs(found.points - (near.points + [4e6, -5e6, 100.0])).max() < 1e-5
    hits = rxmesh.SurfaceTree((moved, f), engine="cpu").first_hits(points, np.tile([0.0, 0.0, -2.0], (50, 1)))
    down = rxmesh.SurfaceTree((v, f), engine="cpu").first_hits(
        points - [4e6, -5e6, 100.0], np.tile([0.0, 0.0, -2.0], (50, 1))
    )
    assert np.array_equal(np.isinf(hits.distances), np.isinf(down.distances))
    finite = ~np.isinf(hits.distances)
    assert np.abs(hits.distances[finite] - down.distances[finite]).max() < 1e-4


def test_few_points_and_faces():
    v, f = tetrahedron()
    tree = rxmesh.SurfaceTree((v, f), engine="cpu")
    none = tree.closest(np.zeros((0, 3), dtype=np.float32))
    assert none.points.shape == (0, 3) and none.faces.shape == (0,)
    assert tree.contains(np.zeros((0, 3))).shape == (0,)
    assert tree.closest([[2.0, 0.0, 0.0]]).distances[0] == 1
    empty = rxmesh.SurfaceTree((v, np.zeros((0, 3), dtype=np.int32)), engine="cpu")
    assert empty.closest([[2.0, 0.0, 0.0]]).faces[0] == -1
    assert empty.first_hits([[2.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]]).faces[0] == -1


def test_wrong_arguments():
    v, f = tetrahedron()
    tree = rxmesh.SurfaceTree((v, f), engine="cpu")
    with pytest.raises(ValueError, match=r"^points: shape \(n, 3\) is needed, not \(3,\)"):
        tree.closest(np.zeros(3))
    with pytest.raises(TypeError, match="^points: float32 or float64 is needed, not int32"):
        tree.closest(np.zeros((1, 3), dtype=np.int32))
    bad = np.zeros((3, 3))
    bad[1, 2] = np.nan
    for call in [tree.closest, tree.contains, tree.winding_numbers, lambda x: tree.first_hits(x, x)]:
        with pytest.raises(ValueError, match=r"row 1 \(counted from 0\) has a coordinate that is not a finite"):
            call(bad)
    with pytest.raises(ValueError, match=r"^directions: shape \(3, 3\) is needed"):
        tree.first_hits(np.zeros((3, 3)), np.ones((2, 3)))
    for limit in [-1.0, float("nan")]:
        with pytest.raises(ValueError, match="^limit: 0 or more is needed"):
            tree.find_blocked(np.zeros((1, 3)), np.ones((1, 3)), limit=limit)
    with pytest.raises(TypeError, match="^engine: the mesh has its own engine"):
        rxmesh.SurfaceTree(rxmesh.Mesh(v, f, engine="cpu"), engine="cpu")
    wrong = v.copy()
    wrong[3] = np.inf
    with pytest.raises(ValueError, match="not finite|finite number"):
        rxmesh.SurfaceTree((wrong, f), engine="cpu")


def test_arrays_of_a_gpu(monkeypatch):
    monkeypatch.setenv("RXMESH_PRETEND_GPU", "1")
    v, f = sphere()
    points = random_points(200).astype(np.float32)
    try:
        tree = rxmesh.SurfaceTree((shown(v), shown(f)))
    except rxmesh.Error:
        pytest.skip("the package is built for users: nothing stands for a GPU")
    here = rxmesh.SurfaceTree((v, f), engine="cpu")
    for there in [points, points.astype(np.float64)]:
        found, wanted = tree.closest(shown(there), signed=True), here.closest(there, signed=True)
        assert isinstance(found.points, rxmesh.Buffer) and found.points.dtype == there.dtype.name
        for name in ["points", "distances", "faces", "barycentric"]:
            assert np.array_equal(np.asarray(getattr(found, name)), getattr(wanted, name)), name
        assert np.array_equal(np.asarray(tree.contains(shown(there))), here.contains(there))
        hits, wanted = tree.first_hits(shown(there), shown(-there)), here.first_hits(there, -there)
        for name in ["distances", "faces", "barycentric"]:
            assert np.array_equal(np.asarray(getattr(hits, name)), getattr(wanted, name)), name
        assert np.array_equal(np.asarray(tree.count_hits(shown(there), shown(-there))), here.count_hits(there, -there))
        lists = [
            (tree.all_hits(shown(there), shown(-there)), here.all_hits(there, -there)),
            (tree.faces_within(shown(there), 0.2), here.faces_within(there, 0.2)),
        ]
        found, wanted = tree.nearest_vertices(shown(there), 3), here.nearest_vertices(there, 3)
        for name in ["vertices", "distances"]:
            assert np.array_equal(np.asarray(getattr(found, name)), getattr(wanted, name)), name
        for found, wanted in lists:
            assert isinstance(found.starts, rxmesh.Buffer)
            for name in ["starts", "distances", "faces"]:
                assert np.array_equal(np.asarray(getattr(found, name)), getattr(wanted, name)), name
    bad = points.copy()
    bad[7, 0] = np.inf
    with pytest.raises(ValueError, match="^points: row 7 "):
        tree.closest(shown(bad))
