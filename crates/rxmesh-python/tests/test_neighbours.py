"""Neighbours, compared with those of the faces."""

import numpy as np
import pytest

import rxmesh
from conftest import tetrahedron


def rows(pair):
    starts, values = pair
    return [set(values[a:b].tolist()) for a, b in zip(starts[:-1], starts[1:])]


def test_relations_agree(arrays):
    v, f = arrays
    mesh = rxmesh.Mesh(v, f, engine="cpu")
    assert np.array_equal(np.sort(mesh.neighbours("FV"), axis=1), np.sort(f, axis=1))
    edges = mesh.neighbours("EV")
    expected = {tuple(sorted(pair)) for face in f.tolist() for pair in zip(face, face[1:] + face[:1])}
    assert {tuple(sorted(edge)) for edge in edges.tolist()} == expected and len(edges) == len(expected)
    around = [set() for _ in v]
    at = [set() for _ in v]
    for number, face in enumerate(f.tolist()):
        for vertex in face:
            around[vertex] |= set(face) - {vertex}
            at[vertex].add(number)
    assert rows(mesh.neighbours("VV")) == around
    assert rows(mesh.neighbours("VF")) == at
    sides = mesh.neighbours("FE")
    for face, three in zip(f.tolist(), sides.tolist()):
        assert set(edges[three].ravel().tolist()) == set(face)
    of_edges = rows(mesh.neighbours("EF"))
    assert all(number in of_edges[edge] for number, three in enumerate(sides.tolist()) for edge in three)
    faces = rows(mesh.neighbours("FF"))
    for number, three in enumerate(sides.tolist()):
        assert faces[number] == set().union(*(of_edges[edge] for edge in three)) - {number}
    ends = rows(mesh.neighbours("VE"))
    assert all(set(edges[list(some)].ravel().tolist()) - {vertex} == around[vertex] for vertex, some in enumerate(ends))
    through = rows(mesh.neighbours("EE"))
    for edge, some in enumerate(through):
        assert some == {other for face in of_edges[edge] for other in sides[face].tolist()} - {edge}
    assert rows(rxmesh.neighbours(v, f.astype(np.int64), "VV", engine="cpu")) == around
    assert rxmesh.neighbours(v, f.astype(np.int64), "FV", engine="cpu").dtype == np.int64


def test_wrong_relations():
    v, f = tetrahedron()
    mesh = rxmesh.Mesh(v, f, engine="cpu")
    with pytest.raises(ValueError, match="^relation: 'AB' is none of VV, VE"):
        mesh.neighbours("AB")
    with pytest.raises(TypeError, match="^relation: is missing"):
        rxmesh.neighbours(v, f)
    with pytest.raises(TypeError, match="^engine: the mesh has its own"):
        rxmesh.neighbours(mesh, "VV", engine="cpu")
    with pytest.raises(ValueError, match="^f: row 0 holds 9"):
        rxmesh.neighbours(v, np.array([[0, 1, 9]]), "VV", engine="cpu")
    with pytest.raises(ValueError, match="triangles are needed"):
        rxmesh.neighbours(v, np.array([[0, 1, 2, 3]]), "VV", engine="cpu")
