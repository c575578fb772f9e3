"""Lists of meshes that several GPUs share. Builds for development have the CPU stand for GPUs."""

import numpy as np
import pytest

import rxmesh


@pytest.fixture(autouse=True)
def pretended(monkeypatch):
    monkeypatch.setenv("RXMESH_PRETEND_GPU", "1")


def torus(n, r):
    a = np.arange(n) * (2 * np.pi / n)
    u, v = np.meshgrid(a, a, indexing="ij")
    x = np.stack([(1 + r * np.cos(v)) * np.cos(u), (1 + r * np.cos(v)) * np.sin(u), r * np.sin(v)], -1)
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    at = lambda di, dj: ((i + di) % n) * n + (j + dj) % n
    f = np.concatenate(
        [np.stack([at(0, 0), at(1, 0), at(1, 1)], -1), np.stack([at(0, 0), at(1, 1), at(0, 1)], -1)]
    )
    return x.reshape(-1, 3).astype(np.float32), f.reshape(-1, 3).astype(np.int32)


@pytest.mark.parametrize("devices", ["all", [0], [1, 0]])
def test_the_results_are_those_of_one_engine(devices):
    # Two batches: the first is alone because it is large.
    meshes = [torus(730, 0.4), torus(20, 0.3), torus(30, 0.2)]
    shared = rxmesh.simplify(meshes, ratio=0.5, devices=devices)
    alone = rxmesh.simplify(meshes[:1], ratio=0.5, engine="cpu")
    rest = rxmesh.simplify(meshes[1:], ratio=0.5, engine="cpu")
    assert len(shared) == 3
    for one, other in zip(shared, alone + rest):
        assert isinstance(one.vertices, np.ndarray)
        np.testing.assert_array_equal(one.vertices, other.vertices)
        np.testing.assert_array_equal(one.faces, other.faces)


def test_meshes_stay_meshes():
    v, f = torus(20, 0.3)
    mesh = rxmesh.Mesh(v, f, engine="cpu")
    results = rxmesh.smooth([mesh, (v, f)], devices=[0, 1])
    np.testing.assert_array_equal(results[0].vertices, results[1].vertices)
    assert isinstance(results[0].mesh, rxmesh.Mesh)
    assert len(rxmesh.simplify([results[0].mesh], faces=100)[0].faces) == 100


def test_errors_name_the_mesh_and_the_argument():
    v, f = torus(10, 0.3)
    bad = (v * np.float32("nan"), f)
    with pytest.raises(ValueError, match=r"v\[1\]|mesh 1"):
        rxmesh.simplify([(v, f), bad], ratio=0.5, devices="all")
    for devices, kind in [("some", ValueError), ([], ValueError), ([0, 0], ValueError), (0.5, TypeError)]:
        with pytest.raises(kind, match="devices"):
            rxmesh.simplify([(v, f)], ratio=0.5, devices=devices)
    with pytest.raises(TypeError, match="devices"):
        rxmesh.simplify(v, f, ratio=0.5, devices="all")
    with pytest.raises(TypeError, match="devices.*engine"):
        rxmesh.simplify([(v, f)], ratio=0.5, devices="all", engine="cpu")
    with pytest.raises(TypeError, match="devices"):
        rxmesh.geodesic(v, f, source=[0], devices=[0])
    with pytest.raises(rxmesh.Error, match="as intended"):
        rxmesh.simplify([(v, f)], ratio=0.5, devices="all", progress=stop)


def stop(*_):
    raise rxmesh.Error("as intended")
