"""Tests with torch's tensors on a GPU, which `cuda_arrays.py` calls where torch finds one."""

import gc
import time

import numpy as np
import torch

import rxmesh


def run(test, v, f, calls):
    """Runs the tests on a mesh of positions float32 and faces int32."""
    positions = torch.from_numpy(v).cuda()
    faces = torch.from_numpy(f).cuda()

    def same(a, b):
        assert torch.equal(a.vertices, b.vertices) and torch.equal(a.faces, b.faces)

    def torch_tensors():
        small = rxmesh.simplify(positions, faces, faces=1000)
        assert isinstance(small.vertices, torch.Tensor) and small.vertices.is_cuda
        assert small.vertices.dtype == torch.float32 and small.faces.dtype == torch.int32
        assert int(small.faces.max()) == len(small.vertices) - 1
        same(small, rxmesh.simplify(positions, faces, faces=1000))
        small.vertices.add_(1.0)
        again = rxmesh.simplify(positions, faces, faces=1000)
        assert torch.allclose(small.vertices, again.vertices + 1.0)
        shown = small.mesh.vertices
        assert isinstance(shown, torch.Tensor) and shown.is_cuda

    def torch_types():
        want = rxmesh.smooth(positions, faces)
        for p in (torch.float32, torch.float64):
            for c in (torch.int32, torch.int64):
                got = rxmesh.smooth(positions.to(p), faces.to(c))
                assert got.vertices.dtype == p and got.faces.dtype == c
                assert torch.allclose(got.vertices.float(), want.vertices, atol=1e-4)
        wide = torch.zeros(len(v), 5, device="cuda")
        wide[:, 1:4] = positions
        got = rxmesh.smooth(wide[:, 1:4], faces)
        assert torch.allclose(got.vertices, want.vertices, atol=1e-4)

    def torch_side_stream():
        stream = torch.cuda.Stream()
        want = rxmesh.smooth(positions, faces).vertices
        for _ in range(20):
            with torch.cuda.stream(stream):
                noise = torch.randn(4096, 4096, device="cuda")
                for _ in range(4):
                    noise = noise @ noise
                late = positions + 0 * noise[0, 0].nan_to_num(0, 0, 0)
                got = rxmesh.smooth(late, faces).vertices
                held = got * 2
                del got
            rxmesh.smooth(positions, faces)
            stream.synchronize()
            assert torch.allclose(held, want * 2, atol=1e-5)

    def torch_device_is_kept():
        before = torch.cuda.current_device()
        rxmesh.smooth(positions, faces)
        assert torch.cuda.current_device() == before
        torch.randn(10, device="cuda").sum().item()

    def torch_gradients_are_told():
        try:
            rxmesh.smooth(positions.clone().requires_grad_(), faces)
        except TypeError as e:
            assert str(e).startswith("v: "), e
        else:
            raise AssertionError("no error")

    def torch_no_growth():
        def call():
            result = rxmesh.simplify(positions, faces, faces=1000)
            rxmesh.smooth(result.vertices, result.faces, iterations=1)

        for _ in range(50):
            call()
        gc.collect()
        torch.cuda.synchronize()
        free = torch.cuda.mem_get_info()[0]
        start = time.perf_counter()
        for _ in range(calls):
            call()
        each = (time.perf_counter() - start) / calls
        gc.collect()
        torch.cuda.synchronize()
        grown = free - torch.cuda.mem_get_info()[0]
        assert grown <= 32 << 20, f"{grown} bytes of the GPU"
        return f"{calls} calls, {1e3 * each:.3f} ms each, {grown} bytes more"

    def torch_equals_numpy_producer():
        """The same values in the same order give the same bits, whoever owns the arrays."""
        a = rxmesh.simplify(positions, faces, faces=1000)
        b = rxmesh.simplify(positions, faces.to(torch.uint32), faces=1000)
        assert np.array_equal(a.vertices.cpu().numpy(), b.vertices.cpu().numpy())

    def torch_results_in_place():
        out = torch.empty_like(positions)
        result = rxmesh.smooth(positions, faces, out=out)
        assert result.vertices is out and torch.equal(out, rxmesh.smooth(positions, faces).vertices)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            wide = torch.zeros(len(positions), 3, device="cuda", dtype=torch.float64)
            rxmesh.normals(positions, faces, out=wide)
            lengths = wide.norm(dim=1)
        stream.synchronize()
        assert torch.allclose(lengths, torch.ones_like(lengths), atol=1e-3)
        surface = rxmesh.Subdivision(faces, scheme="loop", levels=1)
        whole = surface(positions)
        assert isinstance(whole, torch.Tensor) and whole.is_cuda and surface.faces.is_cuda
        out = torch.empty_like(whole)
        assert surface(positions, out=out) is out and torch.equal(out, whole)
        for wrong, error in ((out.cpu(), ValueError), (out.int(), TypeError), (out.t(), ValueError)):
            try:
                surface(positions, out=wrong)
            except error as e:
                assert str(e).startswith("out: "), e
            else:
                raise AssertionError("no error")

    def torch_edits_stay():
        """Masks, indices, elements and reports of an edit stay on the GPU."""
        for name in ("flip", "split", "collapse"):
            reports = []
            for form in (lambda mask: mask, lambda mask: mask.nonzero()[:, 0], lambda mask: mask.nonzero()[:, 0].int()):
                edit = rxmesh.Mesh(positions, faces).edit()
                before = rxmesh._rxmesh.traffic()
                edges, x = edit.edges, edit.vertices
                ends = x[edges.long()]
                long = (ends[:, 0] - ends[:, 1]).norm(dim=1)
                report = getattr(edit, name)(form(long > long.median()))
                mask = report.mask
                f = edit.faces
                x = edit.vertices
                moved = [a - b for a, b in zip(rxmesh._rxmesh.traffic(), before)]
                assert max(moved) < len(edges), (name, moved, len(edges))
                assert all(a.is_cuda for a in (edges, mask, f, x)) and mask.dtype == torch.bool
                assert edges.dtype == f.dtype == faces.dtype and x.dtype == torch.float32
                assert int(mask.sum()) == report.done > 0 and not bool(mask[long <= long.median()].any())
                assert int(f.max()) == len(x) - 1 and bool(x.isfinite().all())
                assert edit.validate() == []
                reports.append((repr(report), mask.cpu().numpy().tobytes(), f.cpu().numpy().tobytes()))
            assert reports[0] == reports[1] == reports[2], name
        edit = rxmesh.Mesh(positions, faces.long()).edit()
        assert edit.edges.dtype == edit.faces.dtype == torch.int64
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            noise = torch.randn(4096, 4096, device="cuda")
            for _ in range(8):
                noise = noise @ noise
            late = torch.arange(len(edit.edges), device="cuda") + 0 * noise[0, 0].nan_to_num(0, 0, 0).long()
            report = edit.split(late % 2 == 0)
        stream.synchronize()
        assert report.done == (len(report.mask) + 1) // 2 and bool(report.mask[::2].all())
        for wrong, error in (
            (report.mask, ValueError), (late - 1, ValueError), (late.float(), TypeError), (late[None], ValueError)
        ):
            try:
                edit.flip(wrong)
            except error as e:
                assert str(e).startswith("edges: "), e
            else:
                raise AssertionError("no error")

    def torch_positions_of_worlds():
        scene = """
[time]
step = 0.01
steps = 8
[[body]]
name = "block"
box = { divisions = [20, 20, 20], size = [1.0, 1.0, 1.0] }
"""
        world = rxmesh.World(scene, engine="cuda")
        out = torch.zeros(world.positions("block").shape, device="cuda")
        for kind in (torch.float32, torch.float64):
            there = out.to(kind)
            world.positions("block", out=there)
            world.step(2)
            before = rxmesh._rxmesh.traffic()
            assert world.positions("block", out=there) is there
            assert rxmesh._rxmesh.traffic() == before, "bytes went through main memory"
            assert np.array_equal(there.float().cpu().numpy(), world.positions("block"))

    for function in (
        torch_tensors, torch_types, torch_side_stream, torch_device_is_kept, torch_gradients_are_told,
        torch_no_growth, torch_equals_numpy_producer, torch_results_in_place,
        torch_edits_stay, torch_positions_of_worlds,
    ):
        test(function)
