//! Kernels of elements by themselves, and functions of numbers in kernels.

use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::math::{atan2, cos, ln, log2, pow, sin, tan};
use rxmesh_host::mesh::generate;
use rxmesh_host::{Edge, PatchOptions, RxMesh};
use rxmesh_test_kernels::alone::{Angles, CountActive, Powers};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;

conformance! { each_owned_element_runs_once, functions_are_the_same_on_every_engine }

fn sphere(engine: &Engine) -> RxMesh {
    let mesh = generate::icosphere(suited(engine, [4, 3, 1])).unwrap();
    let options = PatchOptions::default().with(|o| o.patch_size = 64);
    RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap()
}

/// All elements, some, and none; each computed and prepared, where there is nothing to prepare.
fn each_owned_element_runs_once(engine: &Engine) {
    let rx = sphere(engine);
    let n = rx.count(rxmesh_host::kernels::topo::Kind::Edge) as usize;
    for every in [1, 7, n + 1] {
        let asked: Vec<u32> = (1..=n).map(|e| u32::from(e % every == 0)).collect();
        let attribute = rx.attribute_from::<Edge, u32>(&asked).unwrap();
        let mut runs = rx.attribute::<Edge, u32>().unwrap();
        for times in 1..=4 {
            let (asked_view, runs_view) = (attribute.read().unwrap(), runs.write().unwrap());
            let kernel = CountActive {
                asked: asked_view,
                runs: runs_view,
            };
            match times {
                1 => rx.run(kernel).unwrap(),
                // From the third run on a relation is prepared.
                _ => rx.run_for_each(kernel).unwrap(),
            }
            let want: Vec<u32> = asked.iter().map(|&a| a * times).collect();
            assert_eq!(runs.to_input(&rx).unwrap(), want);
        }
    }
}

/// Floats of any bits, those that are no numbers among them, and floats of sizes near one.
fn numbers(n: usize, seed: u32) -> Vec<f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
    ];
    let number = |i: usize| {
        let bits = rxmesh_host::kernels::math::hash(i as u32 ^ seed);
        match i % 3 {
            0 => special[bits as usize % special.len()],
            1 => f32::from_bits(bits),
            _ => f32::from_bits(0x3d00_0000 + bits % 0x0600_0000),
        }
    };
    (0..n).map(number).collect()
}

/// The same bits as on the host; a GPU may differ in the last ones.
fn functions_are_the_same_on_every_engine(engine: &Engine) {
    let rx = sphere(engine);
    let n = rx.count(rxmesh_host::kernels::topo::Kind::Edge) as usize;
    let (x, y) = (numbers(n, 1), numbers(n, 0x5eed_0000));
    let [a, b] = [&x, &y].map(|values| rx.attribute_from::<Edge, f32>(values).unwrap());
    let mut powers = rx.attribute::<Edge, [f32; 3]>().unwrap();
    rx.run(Powers {
        x: a.read().unwrap(),
        y: b.read().unwrap(),
        values: powers.write().unwrap(),
    })
    .unwrap();
    let mut angles = rx.attribute::<Edge, [f32; 4]>().unwrap();
    rx.run(Angles {
        x: a.read().unwrap(),
        y: b.read().unwrap(),
        values: angles.write().unwrap(),
    })
    .unwrap();
    let (powers, angles) = (powers.to_input(&rx).unwrap(), angles.to_input(&rx).unwrap());
    assert_eq!((powers.len(), angles.len()), (n, n));
    let off = if engine.is_cuda() { 4 } else { 0 };
    for (((powers, angles), x), y) in powers.into_iter().zip(angles).zip(x).zip(y) {
        let got = powers.into_iter().chain(angles);
        let want = [
            ln(x),
            log2(x),
            pow(x, y),
            sin(x),
            cos(x),
            tan(x),
            atan2(x, y),
        ];
        for (got, want) in got.zip(want) {
            let apart = (got.to_bits() as i32).abs_diff(want.to_bits() as i32);
            let same = got.is_nan() && want.is_nan() || apart <= off;
            assert!(same, "{x:e} {y:e}: {got:e} {want:e}");
        }
    }
}
