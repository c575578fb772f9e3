"""Takes a soup of triangles, and writes a small watertight mesh, and a picture of both.

Crossing balls whose triangles have no common vertices, each with a few holes, stand for what generators make: nothing
in it says what is inside. A closed surface is wrapped around it and simplified; closest points then tell how far it is
from the soup, and rays that it has no hole.
"""

import numpy as np

import rxmesh


def soup(balls: int = 12, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Returns positions and faces of triangles without common vertices."""
    rng = np.random.default_rng(seed)
    v = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32)
    f = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    v, f = rxmesh.subdivide(v, np.array(f), levels=4, scheme="loop", triangles=True)
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    corners = []
    for _ in range(balls):
        kept = f[rng.permutation(len(f))[: len(f) - 8]]
        corners.append(v[kept] * rng.uniform(0.3, 0.6) + rng.uniform(-0.7, 0.7, 3))
    v = np.concatenate(corners).reshape(-1, 3).astype(np.float32)
    return v, np.arange(len(v), dtype=np.int32).reshape(-1, 3)


def main() -> None:
    v, f = soup()
    print(f"soup: {len(f)} triangles")

    solid = rxmesh.wrap(v, f, resolution=128, faces=8000)
    found = rxmesh.check(*solid).report["check"]
    print(f"wrapped: {len(solid.faces)} faces, closed {found['closed']}, manifold {found['manifold']}")

    # Distances from the input, at the vertices of the result.
    far = rxmesh.SurfaceTree((v, f)).closest(solid.vertices).distances
    size = np.ptp(v, axis=0).max()
    print(f"farthest from the soup: {100 * far.max() / size:.2f} % of its size")

    tree = solid.mesh.tree()
    points = np.random.default_rng(3).uniform(v.min(axis=0), v.max(axis=0), (10_000, 3))
    away = np.tile([0.3, 0.2, 0.9], (len(points), 1))
    odd = tree.count_hits(points, away) % 2 == 1
    agree = np.array_equal(odd, tree.contains(points))
    print(f"rays and winding numbers agree: {agree}")

    solid.write("watertight.glb")
    picture = rxmesh.render([(v, f), solid], size="1200x600")
    picture.write("watertight.png")
    print("wrote watertight.glb and watertight.png")
    assert found["closed"] and found["manifold"] and agree and far.max() < 0.01 * size


if __name__ == "__main__":
    main()
