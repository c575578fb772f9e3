//! Order and layout of attributes, and staged fields that do not fit: kernels give the same results.

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::normals::{
    gather_vertex_normals, vertex_normals_unscaled as vertex_normals,
};
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::algo::laplacian::SmoothUniform;
use rxmesh_host::kernels::algo::normals::VertexNormals;
use rxmesh_host::kernels::topo::{Edge, Face, Vertex};
use rxmesh_host::store::{Attribute, AttributeError, Layout, RxMesh, ValueOrder, WordOrder};
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::{self, Fixture, each_mesh};

conformance! { the_host_sees_linear_ids, kernels_do_not_notice, without_room, what_cannot_be }

const LAYOUTS: [Layout; 4] = [
    Layout {
        order: ValueOrder::Patch,
        words: WordOrder::Together,
    },
    Layout {
        order: ValueOrder::Input,
        words: WordOrder::Together,
    },
    Layout {
        order: ValueOrder::Patch,
        words: WordOrder::Apart,
    },
    Layout {
        order: ValueOrder::Input,
        words: WordOrder::Apart,
    },
];

fn the_host_sees_linear_ids(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let plain: Attribute<Vertex, Vec3> = rx.attribute_from(&fixture.mesh.positions).unwrap();
        let n = fixture.mesh.face_count() as u32;
        let faces: Vec<u32> = (0..n).collect();
        for layout in LAYOUTS {
            let mut a = rx
                .attribute_from_with::<Vertex, Vec3>(&fixture.mesh.positions, layout)
                .unwrap();
            assert_eq!(
                a.host().unwrap(),
                plain.host().unwrap(),
                "{what}, {layout:?}"
            );
            assert_eq!(
                a.to_input(rx).unwrap(),
                fixture.mesh.positions,
                "{what}, {layout:?}"
            );
            // Through the engine and back: a copy's host values come from there.
            let mut copy = rx.attribute_with::<Vertex, Vec3>(layout).unwrap();
            copy.copy_from(&a).unwrap();
            assert_eq!(
                copy.to_input(rx).unwrap(),
                fixture.mesh.positions,
                "{what}, {layout:?}"
            );
            let mut f = rx.attribute_from_with::<Face, u32>(&faces, layout).unwrap();
            assert_eq!(f.to_input(rx).unwrap(), faces, "{what}, {layout:?}");
            // The data on the engine in the input's order is the input, word for word or plane by plane.
            let raw = a.engine_values().unwrap();
            match layout {
                Layout {
                    order: ValueOrder::Input,
                    words: WordOrder::Together,
                } => {
                    assert_eq!(raw, fixture.mesh.positions, "{what}");
                }
                Layout {
                    order: ValueOrder::Input,
                    words: WordOrder::Apart,
                } => {
                    let words: Vec<f32> = raw.iter().flat_map(|v| v.to_array()).collect();
                    let v = raw.len();
                    for (i, p) in fixture.mesh.positions.iter().enumerate() {
                        assert_eq!(
                            [words[i], words[v + i], words[2 * v + i]],
                            p.to_array(),
                            "{what}"
                        );
                    }
                }
                _ => {}
            }
        }
    });
}

fn smoothed(rx: &RxMesh, mesh: &[Vec3], layouts: [Layout; 3]) -> Vec<Vec3> {
    let x = rx
        .attribute_from_with::<Vertex, Vec3>(mesh, layouts[0])
        .unwrap();
    let fixed: Vec<u32> = (0..mesh.len() as u32)
        .map(|i| u32::from(i % 5 == 0))
        .collect();
    let fixed = rx
        .attribute_from_with::<Vertex, u32>(&fixed, layouts[1])
        .unwrap();
    let mut y = rx.attribute_with::<Vertex, Vec3>(layouts[2]).unwrap();
    rx.run(SmoothUniform {
        x: x.staged().unwrap(),
        fixed: fixed.read().unwrap(),
        y: y.write().unwrap(),
        factor: 0.5,
    })
    .unwrap();
    y.to_input(rx).unwrap()
}

/// Read, staged and written attributes give the same bits.
fn kernels_do_not_notice(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let p = &fixture.mesh.positions;
        let want = smoothed(rx, p, [Layout::default(); 3]);
        for k in 0..4 {
            let layouts = [LAYOUTS[k], LAYOUTS[(k + 1) % 4], LAYOUTS[(k + 2) % 4]];
            assert_eq!(smoothed(rx, p, layouts), want, "{what}, {layouts:?}");
        }
        let normals = |layout| {
            let x = rx.attribute_from_with::<Vertex, Vec3>(p, layout).unwrap();
            let mut n = rx.attribute_with::<Vertex, Vec3>(layout).unwrap();
            gather_vertex_normals(rx, &x, &mut n).unwrap();
            n.to_input(rx).unwrap()
        };
        let want = normals(Layout::default());
        for layout in LAYOUTS {
            assert_eq!(normals(layout), want, "{what}, {layout:?}");
        }
    });
}

fn close(got: &[Vec3], want: &[Vec3], what: &str) {
    for (v, (got, want)) in got.iter().zip(want).enumerate() {
        // Sums that cancel have no reliable direction.
        let certain = want.length() > 0.5 && got.length() > 0.5;
        assert!(
            !certain || got.distance(*want) < 2e-3,
            "{what}: vertex {v} has {got} instead of {want}"
        );
        assert_eq!(got.is_finite(), want.is_finite(), "{what}: vertex {v}");
    }
}

/// With less and less shared memory, fields that read fall back first, then those that add up; the results stay.
fn without_room(engine: &Engine) {
    let f = Fixture::new("torus", fixtures::torus(12, 12));
    let rx = f.on(engine, 64);
    let x = rx
        .attribute_from::<Vertex, Vec3>(&f.mesh.positions)
        .unwrap();
    let mut n = rx.attribute::<Vertex, Vec3>().unwrap();
    let kernel = VertexNormals {
        x: x.staged().unwrap(),
        n: n.staged_sum().unwrap(),
    };
    let all = rx.patches().shared_bytes(&kernel);
    let mut want = rx.attribute().unwrap();
    vertex_normals(&rx, &x, &mut want).unwrap();
    let want = want.to_input(&rx).unwrap();
    let smooth = smoothed(&rx, &f.mesh.positions, [Layout::default(); 3]);
    for limit in [all, all - 1, all / 2, all / 4, 64] {
        engine.set_shared_limit(Some(limit));
        for layout in LAYOUTS {
            let x = rx
                .attribute_from_with::<Vertex, Vec3>(&f.mesh.positions, layout)
                .unwrap();
            let mut n = rx
                .attribute_from_with::<Vertex, Vec3>(
                    &vec![Vec3::splat(7.0); f.mesh.vertex_count()],
                    layout,
                )
                .unwrap();
            vertex_normals(&rx, &x, &mut n).unwrap();
            close(
                &n.to_input(&rx).unwrap(),
                &want,
                &format!("{limit} bytes, {layout:?}"),
            );
            let mut n = rx.attribute_with::<Vertex, Vec3>(layout).unwrap();
            gather_vertex_normals(&rx, &x, &mut n).unwrap();
            close(
                &n.to_input(&rx).unwrap(),
                &want,
                &format!("gathered, {limit} bytes, {layout:?}"),
            );
            let got = smoothed(&rx, &f.mesh.positions, [layout; 3]);
            assert_eq!(got, smooth, "{limit} bytes, {layout:?}");
        }
        engine.set_shared_limit(None);
    }
}

fn what_cannot_be(engine: &Engine) {
    let f = Fixture::new("torus", fixtures::torus(8, 8));
    let rx = f.on(engine, 16);
    for layout in &LAYOUTS[1..] {
        let edges = rx.attribute_with::<Edge, f32>(*layout);
        let sensible = layout.order == ValueOrder::Patch;
        assert_eq!(edges.is_ok(), sensible, "{layout:?}: {edges:?}");
        let small = rx.attribute_with::<Vertex, u8>(*layout);
        assert_eq!(
            small.is_ok(),
            layout.words == WordOrder::Together,
            "{layout:?}: {small:?}"
        );
        let mut a = rx.attribute_with::<Vertex, Vec3>(*layout).unwrap();
        let refused = AttributeError::Layout(format!("{layout:?}"));
        assert_eq!(a.global().map(drop), Err(refused.clone()));
        assert_eq!(a.global_mut().map(drop), Err(refused.clone()));
        let mut plain = rx.attribute::<Vertex, Vec3>().unwrap();
        assert_eq!(plain.copy_from(&a), Err(Error::Attribute(refused)));
    }
    // Attributes of another mesh are refused whatever their layout.
    let other = f.on(engine, 16);
    let x = rx
        .attribute_from_with::<Vertex, Vec3>(&f.mesh.positions, LAYOUTS[1])
        .unwrap();
    let mut n = other.attribute::<Vertex, Vec3>().unwrap();
    let got = vertex_normals(&other, &x, &mut n);
    assert!(
        matches!(got, Err(Error::Engine(EngineError::OtherMesh { .. }))),
        "{got:?}"
    );
}
