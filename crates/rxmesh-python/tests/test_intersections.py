"""Pairs of faces that intersect, against a count by hand and between meshes and arrays."""

import numpy as np
import pytest

import rxmesh
from conftest import tetrahedron


def moved(mesh, by):
    v, f = mesh
    return v + np.asarray(by, dtype=v.dtype), f


def test_of_one_mesh():
    v, f = tetrahedron()
    none = rxmesh.intersections((v, f))
    assert none.shape == (0, 2) and none.dtype == f.dtype
    both = np.concatenate([v, v * 0.5 + [0.9, 0, 0]]).astype(v.dtype)
    faces = np.concatenate([f, f + len(v)])
    pairs = rxmesh.intersections((both, faces))
    apart = rxmesh.intersections((v, f), (both[len(v) :], f))
    assert len(apart) > 0
    assert np.array_equal(pairs, apart + [0, len(f)])
    mesh = rxmesh.Mesh(both, faces, engine="cpu")
    assert np.array_equal(mesh.intersections(), pairs)
    assert rxmesh.intersections((v, f.astype(np.int64))).dtype == np.int64


def test_of_two_meshes():
    mesh = tetrahedron()
    a = rxmesh.Mesh(*mesh, engine="cpu")
    b = rxmesh.Mesh(*moved(mesh, [0.2, 0.1, 0.05]), engine="cpu")
    pairs = a.intersections(b)
    assert len(pairs) > 0
    back = rxmesh.intersections(b, a)
    assert sorted(map(tuple, back[:, ::-1].tolist())) == sorted(map(tuple, pairs.tolist()))
    # Equal faces lie upon each other.
    same = a.intersections(a)
    assert {(f, f) for f in range(4)} <= set(map(tuple, same.tolist()))
    far = rxmesh.Mesh(*moved(mesh, [50, 0, 0]), engine="cpu")
    assert len(a.intersections(far)) == 0


def test_many_pairs_are_a_warning():
    n = 3000
    rng = np.random.default_rng(0)
    v = rng.standard_normal((3 * n, 3)).astype(np.float32)
    f = np.arange(3 * n, dtype=np.int32).reshape(n, 3)
    with pytest.warns(RuntimeWarning, match="more pairs"):
        pairs = rxmesh.intersections((v, f))
    assert len(pairs) > n


def test_what_is_no_mesh_is_refused():
    v, f = tetrahedron()
    with pytest.raises(TypeError, match="mesh"):
        rxmesh.intersections(v)
    with pytest.raises(ValueError, match="other: f: row 0 holds 9"):
        rxmesh.intersections((v, f), (v, np.array([[0, 1, 9]], dtype=np.int32)))
