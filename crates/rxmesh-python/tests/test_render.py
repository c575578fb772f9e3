"""Pictures are those of the program."""

import numpy as np
import pytest

import rxmesh
from conftest import DATA, tetrahedron


def test_pictures_are_those_of_the_program(program, tmp_path):
    for words, options in [
        (["--size", "300x200", "--edges"], {"size": "300x200", "edges": True}),
        (["--size", "300x200", "--view", "front", "--parts"], {"size": "300x200", "view": "front", "parts": True}),
        (["--size", "200x200", "--color", "#8fb3b0"], {"size": "200x200", "color": "#8fb3b0"}),
    ]:
        out = tmp_path / "out.png"
        program.run("render", DATA / "bunny.obj", "-o", out, "-q", *words)
        picture = rxmesh.read(DATA / "bunny.obj", engine="cpu").render(**options)
        assert picture.png == out.read_bytes()
        assert f"{picture.width}x{picture.height}" == options["size"]


def test_values_and_several(arrays, tmp_path):
    v, f = arrays
    heat = rxmesh.render(v, f, vertex_attributes={"heat": v[:, 0]}, color="heat", size="200x150")
    plain = rxmesh.render(v, f, size="200x150")
    assert heat.png != plain.png and plain.png[:8] == b"\x89PNG\r\n\x1a\n"
    assert plain._repr_png_() == plain.png and repr(plain) == "Picture(200 x 150)"
    small = rxmesh.simplify(v, f, faces=500, engine="cpu")
    both = rxmesh.render([(v, f), small], size="400x200", edges=True)
    both.write(tmp_path / "both.png")
    assert (tmp_path / "both.png").read_bytes() == both.png
    film = rxmesh.render([(v, f), small], animate=2, size="100x100")
    assert b"acTL" in film.png
    points, _ = tetrahedron()
    volume = rxmesh.Mesh(points, cells=np.array([[0, 1, 2, 3]]))
    assert volume.render(size="100x100", cut="z,0.9").width == 100


QUAD = """mtllib m.mtl
usemtl a
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
f 1/1 2/2 3/3
f 1/1 3/3 4/4
"""


def test_textures_are_those_of_the_program(program, tmp_path, arrays):
    image = tmp_path / "image.png"
    rxmesh.render(*arrays, size="64x64").write(image)
    (tmp_path / "quad.obj").write_text(QUAD)
    (tmp_path / "m.mtl").write_text("newmtl a\nmap_Kd image.png\n")
    mesh = rxmesh.read(tmp_path / "quad.obj", engine="cpu")
    picture = mesh.render(size="80x60")
    program.run("render", tmp_path / "quad.obj", "-o", tmp_path / "out.png", "-q", "--size", "80x60")
    assert picture.png == (tmp_path / "out.png").read_bytes()
    # Texture coordinates may be columns of arrays as well.
    v = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    f = np.array([[0, 1, 2], [0, 2, 3]], np.uint32)
    given = {"s": v[:, 0].copy(), "t": v[:, 1].copy()}
    assert rxmesh.render(v, f, vertex_attributes=given, texture=image, size="80x60").png == picture.png
    image.unlink()
    with pytest.warns(RuntimeWarning, match="image.png"):
        plain = mesh.render(size="80x60")
    assert plain.png != picture.png
    with pytest.raises(ValueError, match="image.png"):
        rxmesh.render(v, f, vertex_attributes=given, texture=image)


@pytest.mark.parametrize(
    "given, error, text",
    [
        ({"size": "big"}, ValueError, "^size: 'big'"),
        ({"zoom": 100}, ValueError, "zoom is 100"),
        ({"color": "heat"}, ValueError, "heat"),
        ({"map": "jet", "color": "heat"}, ValueError, "^map: 'jet' is none of viridis, coolwarm"),
        ({"colour": "red"}, TypeError, "unexpected keyword argument 'colour'; did you mean color"),
        ({"edges": True, "parts": True, "checker": True}, TypeError, "checker"),
    ],
)
def test_wrong_options(given, error, text):
    v, f = tetrahedron()
    with pytest.raises(error, match=text):
        rxmesh.render(v, f, **given)
