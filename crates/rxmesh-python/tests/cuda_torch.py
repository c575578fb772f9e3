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

    for function in (
        torch_tensors, torch_types, torch_side_stream, torch_device_is_kept, torch_gradients_are_told,
        torch_no_growth, torch_equals_numpy_producer, torch_results_in_place,
    ):
        test(function)
