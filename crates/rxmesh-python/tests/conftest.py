"""Meshes and the program that results are compared with."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rxmesh

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "data"


class Program:
    """The program `rxmesh`."""

    def __init__(self, path):
        self.path = path

    def run(self, *words):
        words = [str(word) for word in words]
        done = subprocess.run([self.path, *words], capture_output=True, text=True)
        assert done.returncode in (0, 3), done.stderr
        return done.returncode


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("RXMESH_PROGRAM")
    if not path:
        pytest.skip("RXMESH_PROGRAM does not name the program")
    return Program(path)


@pytest.fixture(scope="session")
def bunny():
    return rxmesh.read(DATA / "bunny.obj", engine="cpu")


@pytest.fixture
def arrays(bunny):
    return np.array(bunny.vertices), np.array(bunny.faces)


def tetrahedron():
    v = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    f = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.int32)
    return v, f
