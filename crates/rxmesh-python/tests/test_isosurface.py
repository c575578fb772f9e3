"""Surfaces of grids of values."""

import numpy as np
import pytest

import rxmesh


def ball(shape=(24, 20, 22), radius=7.0):
    axes = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
    centre = [(n - 1) / 2 for n in shape]
    return np.sqrt(sum((a - c) ** 2 for a, c in zip(axes, centre))) - radius, np.array(centre)


def volume(v, f):
    a, b, c = (v[f[:, k]].astype(np.float64) for k in range(3))
    return (a * np.cross(b, c)).sum() / 6


def is_closed(f):
    sides = np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]])
    return set(map(tuple, sides)) == set(map(tuple, sides[:, ::-1])) and len(np.unique(sides, axis=0)) == len(sides)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_ball(dtype, order):
    values, centre = ball()
    result = rxmesh.isosurface(np.asarray(values, dtype=dtype, order=order), engine="cpu")
    assert result.vertices.dtype == dtype and result.faces.dtype == np.int32
    assert is_closed(result.faces)
    assert np.abs(np.linalg.norm(result.vertices - centre, axis=1) - 7).max() < 0.03
    assert abs(volume(result.vertices, result.faces) / (4 / 3 * np.pi * 343) - 1) < 0.02
    assert result.report["points"] == [24, 20, 22] and result.report["missing"] == 0
    assert result.report["result_faces"] == len(result.faces)


def test_places_and_sides():
    values, centre = ball()
    placed = rxmesh.isosurface(values, origin=(100, -50, 3), spacing=(0.5, 1, 2), level=1, engine="cpu")
    ball_again = (placed.vertices - [100, -50, 3]) / [0.5, 1, 2] - centre
    assert np.abs(np.linalg.norm(ball_again, axis=1) - 8).max() < 0.03
    dense = rxmesh.isosurface(5 - values, spacing=1, level=5, inside="above", engine="cpu")
    assert volume(dense.vertices, dense.faces) > 0
    turned = rxmesh.isosurface(5 - values, level=5, open=True, engine="cpu")
    assert volume(turned.vertices, turned.faces) < 0
    half = values[:, :, :11]
    assert is_closed(rxmesh.isosurface(half, engine="cpu").faces)
    assert not is_closed(rxmesh.isosurface(half, open=True, engine="cpu").faces)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, np.int64])
def test_whole_numbers(dtype):
    values, _ = ball()
    result = rxmesh.isosurface((values < 0).astype(dtype), level=0.5, inside="above", engine="cpu")
    assert result.vertices.dtype == np.float32 and is_closed(result.faces)


def test_missing_values():
    values, _ = ball()
    values[10:12, 10, 10] = np.nan
    result = rxmesh.isosurface(values, engine="cpu")
    assert is_closed(result.faces) and result.report["missing"] == 2
    assert any("2 points have no value" in warning for warning in result.warnings)


def test_refusals():
    values, _ = ball()
    with pytest.raises(ValueError, match=r"values: shape \(x, y, z\) is needed, not \(24, 20\)"):
        rxmesh.isosurface(values[:, :, 0])
    with pytest.raises(ValueError, match="there is no surface at the level 100"):
        rxmesh.isosurface(values, level=100, inside="above", engine="cpu")
    with pytest.raises(ValueError, match="spacing of the grid"):
        rxmesh.isosurface(values, spacing=0, engine="cpu")
    with pytest.raises(TypeError, match="origin: a number or three numbers are needed"):
        rxmesh.isosurface(values, origin=(1, 2))
    with pytest.raises(TypeError, match="spacing"):
        rxmesh.isosurface(values, (0, 0, 0), spacing="wide")
    with pytest.raises(ValueError, match="has none"):
        rxmesh.isosurface(values[:0], engine="cpu")
