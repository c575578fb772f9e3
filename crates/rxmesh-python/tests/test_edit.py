"""Flips, splits and contractions of chosen edges, beside a plain version of each."""

import numpy as np
import pytest

import rxmesh
from conftest import tetrahedron


def canonical(v, f):
    """Faces by the positions of their corners, each from its least corner on, sorted."""
    rows = []
    for face in np.asarray(f):
        corners = [tuple(v[c]) for c in face]
        first = corners.index(min(corners))
        rows.append(tuple(corners[first:] + corners[:first]))
    return sorted(rows)


def neighbourhood(f, e):
    """Faces of each edge: pairs of the face and the corner opposite."""
    of = {}
    for i, face in enumerate(f):
        for k in range(3):
            a, b, c = face[k], face[(k + 1) % 3], face[(k + 2) % 3]
            of.setdefault((min(a, b), max(a, b)), []).append((i, c, (a, b)))
    return [of[min(a, b), max(a, b)] for a, b in e]


def independent(f, e, wide):
    """Edges without a common face; with `wide`, without a common face at their ends."""
    around = neighbourhood(f, e)
    at = [np.flatnonzero((f == v).any(axis=1)) for v in range(f.max() + 1)] if wide else None
    taken, chosen = set(), []
    for i in np.random.default_rng(1).permutation(len(e)):
        faces = {face for face, *_ in around[i]}
        if wide:
            faces = set(at[e[i, 0]]) | set(at[e[i, 1]])
        if taken.isdisjoint(faces):
            taken |= faces
            chosen.append(i)
    return np.array(sorted(chosen)), around


def plain_flip(v, f, chosen, around):
    f = f.copy()
    for i in chosen:
        (p, c, (a, b)), (q, d, _) = around[i]
        f[p], f[q] = (a, d, c), (b, c, d)
    return v, f


def plain_split(v, f, chosen, around):
    v, faces, more = list(v), {i: [tuple(face)] for i, face in enumerate(f)}, len(v)
    for i in chosen:
        a, b = around[i][0][2]
        v.append((v[a] + v[b]) * np.float32(0.5))
        for face, apex, (s, t) in around[i]:
            faces[face] = [(s, more, apex), (more, t, apex)]
        more += 1
    return np.array(v), np.array([face for all in faces.values() for face in all])


def plain_collapse(v, f, chosen, around):
    v, to, gone = v.copy(), np.arange(len(v)), set()
    for i in chosen:
        a, b = around[i][0][2]
        v[a] = (v[a] + v[b]) * np.float32(0.5)
        to[b] = a
        gone |= {face for face, *_ in around[i]}
    return v, to[np.delete(f, sorted(gone), axis=0)]


def euler(f):
    edges = np.sort(f[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return len(np.unique(f)) - len(np.unique(edges, axis=0)) + len(f)


def ball(levels=2):
    v, f = tetrahedron()
    ball = rxmesh.subdivide(v, f, levels=levels, scheme="loop", engine="cpu")
    return np.array(ball.vertices), np.array(ball.faces)


@pytest.fixture(scope="module")
def sphere():
    fine = rxmesh.remesh(*ball(3), target_length=0.03, engine="cpu")
    return np.array(fine.vertices), np.array(fine.faces)


@pytest.mark.parametrize(
    "name, plain, wide",
    [("flip", plain_flip, False), ("split", plain_split, False), ("collapse", plain_collapse, True)],
)
def test_independent_edges_are_those_of_a_plain_version(name, plain, wide, sphere):
    v, f = sphere
    edit = rxmesh.Mesh(v, f, engine="cpu").edit()
    assert edit.vertices.tobytes() == v.tobytes() and np.array_equal(edit.faces, f)
    e = edit.edges
    assert len(np.unique(np.sort(e, axis=1), axis=0)) == len(e) == len(f) * 3 // 2
    chosen, around = independent(f, e, wide)
    if name == "flip":
        joined = {tuple(pair) for pair in np.sort(e, axis=1)}
        chosen = np.array([i for i in chosen if tuple(sorted((around[i][0][1], around[i][1][1]))) not in joined])
    if name == "collapse":
        near = [set(f[(f == x).any(axis=1)].ravel()) for x in range(len(v))]
        chosen = np.array([i for i in chosen if len(near[e[i, 0]] & near[e[i, 1]]) == 4])
    assert len(chosen) > 20
    report = getattr(edit, name)(chosen)
    assert (report.asked, report.done, report.refused, report.conflicts) == (len(chosen), len(chosen), 0, 0)
    assert np.array_equal(np.flatnonzero(report.mask), chosen) and report.rounds >= 1
    assert edit.validate() == []
    expected = plain(v, f, chosen, around)
    assert canonical(edit.vertices, edit.faces) == canonical(*expected)
    mesh = edit.finish()
    assert canonical(mesh.vertices, mesh.faces) == canonical(*expected)
    assert euler(np.array(mesh.faces)) == euler(f)
    assert edit.mesh is mesh


@pytest.mark.parametrize("name", ["flip", "split", "collapse"])
def test_all_edges(name, sphere):
    v, f = sphere
    faces = []
    for _ in range(2):
        edit = rxmesh.Edit((v, f), engine="cpu")
        e = edit.edges
        report = getattr(edit, name)(np.ones(len(e), bool))
        assert report.asked == len(e) == report.done + report.refused + report.conflicts
        assert report.done == report.mask.sum() > 0 and report.rounds > 1
        assert edit.validate() == []
        mesh = edit.finish()
        faces.append(np.array(mesh.faces))
        assert euler(faces[-1]) == euler(f)
        sides = faces[-1][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        assert len(np.unique(sides, axis=0)) == len(sides)
        if name == "split":
            assert report.done == len(e) and len(mesh.vertices) == len(v) + len(e)
            assert len(faces[-1]) == len(f) + 2 * len(e)
        elif name == "flip":
            assert len(faces[-1]) == len(f) and report.conflicts == 0
            assert np.array_equal(mesh.vertices, v)
        else:
            assert len(faces[-1]) == len(f) - 2 * report.done and report.conflicts > 0
    assert np.array_equal(*faces)


def test_one_round_is_an_independent_set(sphere):
    v, f = sphere
    edit = rxmesh.Edit((v, f), engine="cpu")
    e = edit.edges
    around = neighbourhood(f, e)
    report = edit.split(np.ones(len(e), bool), rounds=1)
    assert report.rounds == 1 and 0 < report.done < len(e) and report.conflicts == len(e) - report.done
    faces = [face for i in np.flatnonzero(report.mask) for face, *_ in around[i]]
    assert len(faces) == len(set(faces))
    none = edit.flip([], rounds=0)
    assert (none.asked, none.done, none.rounds) == (0, 0, 0)


def test_several_changes_and_masks_by_positions(sphere):
    v, f = sphere
    with rxmesh.Mesh(v, f, engine="cpu").edit() as edit:
        for _ in range(3):
            e, x = edit.edges, edit.vertices
            length = np.linalg.norm(x[e[:, 0]] - x[e[:, 1]], axis=1)
            if (longest := length > 0.03).any():
                assert edit.split(longest).done == longest.sum()
            e, x = edit.edges, edit.vertices
            length = np.linalg.norm(x[e[:, 0]] - x[e[:, 1]], axis=1)
            edit.collapse(length < 0.012)
        assert edit.validate() == []
        count = len(edit.faces)
    assert len(edit.mesh.faces) == count and euler(np.array(edit.mesh.faces)) == euler(f)
    assert repr(edit) == "Edit(finished)"
    with pytest.raises(ValueError, match="the edit is finished"):
        edit.flip([0])
    with pytest.raises(ZeroDivisionError):
        with edit.mesh.edit() as other:
            1 / 0
    with pytest.raises(ValueError, match="the edit is finished"):
        other.mesh


def grid(n):
    v = np.array([[x, y, 0] for y in range(n + 1) for x in range(n + 1)], np.float32)
    corners = [(n + 1) * y + x for y in range(n) for x in range(n)]
    return v, np.array([t for i in corners for t in ((i, i + 1, i + n + 2), (i, i + n + 2, i + n + 1))], np.int32)


def find(edit, *places):
    """Returns the row of the edge between two places."""
    rows = np.array([np.flatnonzero((edit.vertices[:, :2] == place).all(axis=1))[0] for place in places])
    return np.flatnonzero((np.sort(edit.edges, axis=1) == np.sort(rows)).all(axis=1))


def test_boundaries_and_the_link_condition():
    v, f = grid(3)
    edit = rxmesh.Edit((v, f), engine="cpu")
    assert edit.flip(find(edit, (0, 0), (1, 0))).refused == 1
    diagonal = (1, 1), (2, 2)
    assert edit.flip(find(edit, *diagonal)).done == 1
    assert len(find(edit, *diagonal)) == 0 and len(find(edit, (2, 1), (1, 2))) == 1
    # Between two vertices of the boundary: the surface would be pinched.
    assert edit.collapse(find(edit, (2, 0), (3, 1))).refused == 1
    # To the boundary.
    assert edit.collapse(find(edit, (1, 0), (1, 1))).done == 1
    assert (len(edit.vertices), len(edit.faces)) == (15, 16)
    assert [1, 0, 0] in edit.vertices.tolist() and [1, 1, 0] not in edit.vertices.tolist()
    # Along it.
    assert edit.collapse(find(edit, (1, 3), (2, 3))).done == 1
    assert (len(edit.vertices), len(edit.faces)) == (14, 15)
    assert [1.5, 3, 0] in edit.vertices.tolist()
    assert edit.split(find(edit, (0, 1), (0, 2))).done == 1
    assert (len(edit.vertices), len(edit.faces)) == (15, 16) and [0, 1.5, 0] in edit.vertices.tolist()
    assert edit.validate() == []
    mesh = edit.finish()
    assert euler(np.array(mesh.faces)) == 1
    x = mesh.vertices[mesh.faces].astype(np.float64)
    areas = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])[:, 2] / 2
    assert areas.min() > 0 and abs(areas.sum() - 9) < 1e-6
    v, f = tetrahedron()
    edit = rxmesh.Edit((v, f), engine="cpu")
    assert edit.collapse(np.arange(6)).refused == 6
    assert edit.flip(np.arange(6)).refused == 6
    assert np.array_equal(edit.finish().faces, f)


def test_borders_of_groups_stay_lines(tmp_path):
    v, f = grid(6)
    right = v[f].mean(axis=1)[:, 0] > 3
    lines = [f"v {x} {y} {z}" for x, y, z in v]
    for name, faces in (("left", f[~right]), ("right", f[right])):
        lines += [f"g {name}", *(f"f {a} {b} {c}" for a, b, c in faces + 1)]
    (tmp_path / "groups.obj").write_text("\n".join(lines) + "\n")
    edit = rxmesh.read(tmp_path / "groups.obj", engine="cpu").edit()
    assert edit.flip(find(edit, (3, 2), (3, 3))).refused == 1
    edit.split(np.ones(len(edit.edges), bool))
    assert edit.collapse(np.arange(0, len(edit.edges), 2)).done > 10
    edit.flip(np.arange(0, len(edit.edges), 5))
    edit.mesh.write(tmp_path / "done.obj")
    v, faces, group = [], {"left": [], "right": []}, None
    for words in map(str.split, (tmp_path / "done.obj").read_text().splitlines()):
        if words[:1] == ["v"]:
            v.append([float(x) for x in words[1:4]])
        elif words[:1] == ["g"]:
            group = words[1]
        elif words[:1] == ["f"]:
            faces[group].append([int(word.split("/")[0]) - 1 for word in words[1:]])
    v = np.array(v)
    left, right = v[faces["left"]][..., 0], v[faces["right"]][..., 0]
    assert left.max() == 3 and right.min() == 3 and len(left) > 36 and len(right) > 36


def test_attributes_go_along(sphere):
    v, f = sphere
    attributes = {"height": v[:, 2], "side": (v[f].mean(axis=1)[:, 0] > 0).astype(np.int32)}
    mesh = rxmesh.Mesh(v, f, attributes=attributes, engine="cpu")
    edit = mesh.edit()
    edit.split(np.ones(len(edit.edges), bool))
    edit.collapse(np.arange(0, len(edit.edges), 7))
    done = edit.mesh
    assert np.abs(done.attributes["height"] - done.vertices[:, 2]).max() < 0.02
    side = done.vertices[done.faces].mean(axis=1)[:, 0] > 0
    assert ((done.attributes["side"] == 1) == side).mean() > 0.9
    assert len(mesh.faces) == len(f)


def test_wrong_edges_name_the_argument(sphere):
    v, f = sphere
    edit = rxmesh.Edit((v, f), engine="cpu")
    count = len(edit.edges)
    for edges, error, text in [
        (np.ones(count - 1, bool), ValueError, rf"^edges: a mask has shape \({count},\), not \({count - 1},\)"),
        (np.ones((count, 1), bool), ValueError, "^edges: a mask"),
        ([count], ValueError, f"^edges: row 0 holds {count}, which is not from 0 to {count - 1}"),
        ([0, -1], ValueError, "^edges: row 1 holds -1"),
        ([0.5], TypeError, "^edges: int32"),
        (3, TypeError, "^edges: an array is needed"),
    ]:
        for change in (edit.flip, edit.split, edit.collapse):
            with pytest.raises(error, match=text):
                change(edges)
    assert len(edit.edges) == count
    with pytest.raises(TypeError, match="^engine: the mesh has its own"):
        rxmesh.Edit(rxmesh.Mesh(v, f, engine="cpu"), engine="cpu")
    with pytest.raises(ValueError, match="triangles are needed"):
        rxmesh.Edit((v, f[:, [0, 1, 2, 0]]), engine="cpu")


def test_far_meshes(sphere):
    v, f = sphere
    far = v.astype(np.float64) + [4e6, 0, 0]
    edit = rxmesh.Edit((far, f), engine="cpu")
    assert edit.vertices.dtype == np.float64 and np.abs(edit.vertices - far).max() < 1e-6
    edit.split([0])
    a, b = edit.vertices.min(axis=0), far.min(axis=0)
    assert np.abs(a - b).max() < 1e-6 and len(edit.mesh.vertices) == len(v) + 1
