"""Grids of distances, compared with queries and with files read by numpy."""

import numpy as np
import pytest

import rxmesh
from conftest import tetrahedron


def ball(levels=3):
    mesh = rxmesh.subdivide(*tetrahedron(), levels=levels, triangles=True, engine="cpu")
    v = np.array(mesh.vertices, dtype=np.float64)
    v -= v.mean(axis=0)
    v /= np.linalg.norm(v, axis=1)[:, None]
    return v.astype(np.float32), np.array(mesh.faces)


def places(result):
    axes = [o + s * np.arange(n) for o, s, n in zip(result.origin, result.spacing, result.values.shape)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def test_values_are_signed_distances():
    v, f = ball()
    result = rxmesh.sdf(v, f, resolution=12, engine="cpu")
    assert result.values.dtype == np.float32 and result.values.ndim == 3
    assert result.values.shape == tuple(result.report["counts"])
    assert result.origin == tuple(result.report["origin"])
    points = places(result).reshape(-1, 3)
    tree = rxmesh.SurfaceTree((v, f), engine="cpu")
    want = tree.closest(points, signed=True).distances
    assert np.abs(result.values.reshape(-1) - want).max() < 1e-5
    assert result.report["inside"] == (result.values < 0).sum()
    assert result.vertices is None and result.faces is None
    assert repr(result) == "Result(sdf, grid of {} x {} x {} points)".format(*result.values.shape)
    with pytest.raises(ValueError, match="no mesh"):
        _ = result.mesh


def test_options():
    v, f = ball()
    v[:, 0] *= 2
    result = rxmesh.sdf(v, f, cell=0.25, margin=0.5, band=0.3, unsigned=True, engine="cpu")
    assert result.spacing == (0.25, 0.25, 0.25)
    assert result.values.shape[0] > result.values.shape[1]
    assert result.values.min() >= 0 and result.values.max() == np.float32(0.3)
    assert result.report["inside"] is None
    with pytest.raises(ValueError, match="from 1 to 4096"):
        rxmesh.sdf(v, f, resolution=0)


def test_files(tmp_path):
    v, f = ball()
    result = rxmesh.sdf(v, f, resolution=8, engine="cpu")
    for name in ["a.npy", "a.vti", "a.nrrd"]:
        result.write(tmp_path / name)
    assert np.array_equal(np.load(tmp_path / "a.npy"), result.values)
    header, data = (tmp_path / "a.nrrd").read_bytes().split(b"\n\n", 1)
    sizes = [int(n) for n in header.split(b"sizes: ")[1].split(b"\n")[0].split()]
    assert np.array_equal(np.frombuffer(data, "<f4").reshape(sizes, order="F"), result.values)
    with pytest.raises(OSError, match="vti, npy and nrrd"):
        result.write(tmp_path / "a.obj")
    with pytest.raises(ValueError, match="formats of grids"):
        result.write(tmp_path / "a", format="obj")
