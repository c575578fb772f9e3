"""Worlds that step."""

import numpy as np
import pytest

import rxmesh
from scenes import SCENE


def test_steps_are_those_of_simulate(tmp_path):
    whole = rxmesh.simulate(SCENE, engine="cpu")
    world = rxmesh.World(SCENE, engine="cpu")
    start = np.array(world.bodies["block"].vertices)
    assert (world.steps, world.time, repr(world)) == (0, 0.0, "World(1 bodies, 0 steps)")
    world.step()
    world.step(3)
    assert world.steps == 4 and abs(world.time - 0.04) < 1e-9
    world.save(tmp_path / "half")
    world.step(4)
    block, expected = world.bodies["block"], whole.bodies["block"]
    assert block.vertices.tobytes() == expected.vertices.tobytes()
    assert block.attributes["velocity"].tobytes() == expected.attributes["velocity"].tobytes()
    assert (block.vertices[:, 1] < start[:, 1]).all() or (block.vertices[:, 2] < start[:, 2]).all()
    assert world.energies()["kinetic"] == whole.report["energies"][-1]["kinetic"]
    other = rxmesh.World(SCENE, engine="cpu")
    other.restore(tmp_path / "half")
    other.step(4)
    assert other.bodies["block"].vertices.tobytes() == block.vertices.tobytes()


def test_wrong_worlds(tmp_path):
    with pytest.raises(OSError):
        rxmesh.World(tmp_path / "missing.toml", engine="cpu")
    with pytest.raises(ValueError, match="unknown"):
        rxmesh.World(SCENE + "\nunknown = 1\n", engine="cpu")
    with pytest.raises(TypeError, match="^scene:"):
        rxmesh.World(3)
    with pytest.raises(OverflowError):
        rxmesh.World(SCENE, engine="cpu").step(-1)
