"""Scenes of tests."""

SCENE = """
[time]
step = 0.01
steps = 8

[[body]]
name = "block"
box = { divisions = [2, 1, 1], size = [1.0, 0.5, 0.5] }
"""
