"""Sections against circles, and between meshes, arrays and directions."""

import numpy as np
import pytest

import rxmesh
from conftest import DATA, tetrahedron


def test_a_tetrahedron():
    v, f = tetrahedron()
    low, high = v.min(axis=0), v.max(axis=0)
    middle = tuple(float(x) for x in (low + high) / 2)
    (curve,) = rxmesh.section((v, f), middle, (0, 0, 1))
    assert curve.dtype == np.float64 and curve.shape[1] == 3
    assert np.array_equal(curve[0], curve[-1])
    assert np.allclose(curve[:, 2], middle[2])
    mesh = rxmesh.Mesh(v, f, engine="cpu")
    (again,) = mesh.section(middle)
    assert np.array_equal(again, curve)
    assert rxmesh.section((v, f), (0, 0, 50)) == []


def test_areas_add_up_to_the_volume():
    mesh = rxmesh.read(DATA / "spot.ply", engine="cpu")
    v = mesh.vertices.astype(np.float64)
    low, high = v.min(axis=0), v.max(axis=0)
    n = 200
    step = (high[2] - low[2]) / n
    volume = 0.0
    for k in range(n):
        for curve in mesh.section((0, 0, low[2] + (k + 0.5) * step)):
            assert np.array_equal(curve[0], curve[-1])
            x, y = curve[:, 0], curve[:, 1]
            volume += step * 0.5 * (x[:-1] * y[1:] - x[1:] * y[:-1]).sum()
    a, b, c = (v[mesh.faces[:, k]] for k in range(3))
    assert volume == pytest.approx((a * np.cross(b, c)).sum() / 6, rel=2e-3)


def test_errors():
    mesh = tetrahedron()
    with pytest.raises(ValueError, match="zero"):
        rxmesh.section(mesh, (0, 0, 0), (0, 0, 0))
    with pytest.raises(ValueError, match="finite"):
        rxmesh.section(mesh, (0, 0, float("nan")))
    with pytest.raises(ValueError, match="length 3"):
        rxmesh.section(mesh, (0, 0))
