//! Attributes: round trips of values, the current copy, and launches that are refused.

use glam::{Vec2, Vec3};
use rxmesh_host::Error;
use rxmesh_host::algo::{boundary, normals};
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::algo::frame::Affine;
use rxmesh_host::kernels::algo::lengths::EdgeLengths;
use rxmesh_host::kernels::algo::spring::{SpringEnd, SpringHeights};
use rxmesh_host::kernels::attr::Value;
use rxmesh_host::kernels::parallel::scan::ScanAdd;
use rxmesh_host::kernels::topo::{Edge, Element, Face, Kind, Vertex};
use rxmesh_host::store::reduce;
use rxmesh_host::store::{AttributeError, RxMesh};
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::{self, Fixture, each_mesh};
use rxmesh_tests::launch::Launch;

conformance! {
    round_trips, new_ones_are_zero, wrong_lengths, freshness, other_meshes, copies, aliased_arguments, dead_arguments,
    arguments_of_another_engine, edge_lengths, buffers
}

fn round_trip<K: Element, T: Value>(rx: &RxMesh, what: &str, value: impl Fn(u32) -> T) {
    let n = rx.count(K::KIND);
    let values: Vec<T> = (0..n).map(value).collect();
    let mut a = rx.attribute_from::<K, T>(&values).unwrap();
    assert_eq!(a.len(), rx.linear_len(K::KIND) as usize);
    assert_eq!(a.to_input(rx).unwrap(), values, "{what}, host's copy");
    // Through the engine's copy: into another attribute there, and back to the host.
    let mut b = rx.attribute::<K, T>().unwrap();
    b.copy_from(&a).unwrap();
    assert_eq!(b.to_input(rx).unwrap(), values, "{what}, engine's copy");
}

fn round_trips(engine: &Engine) {
    each_mesh(engine, |what, _, rx| {
        round_trip::<Vertex, f32>(rx, what, |i| i as f32 + 0.5);
        round_trip::<Vertex, Vec3>(rx, what, |i| Vec3::new(i as f32, -1.0, 1e-30));
        round_trip::<Edge, u8>(rx, what, |i| i as u8);
        round_trip::<Face, u64>(rx, what, |i| u64::from(i) << 40 | 3);
        round_trip::<Face, [f32; 5]>(rx, what, |i| [1.0, i as f32, 3.0, 4.0, f32::MIN]);
        round_trip::<Vertex, [u16; 3]>(rx, what, |i| [i as u16; 3]);
    });
}

fn new_ones_are_zero(engine: &Engine) {
    let rx = Fixture::new("grid", fixtures::with_boundary(4, 4)).on_with_slack(engine, 8);
    let mut a = rx.attribute::<Edge, [f32; 5]>().unwrap();
    a.download().unwrap();
    assert_eq!(a.host().unwrap(), vec![[0.0; 5]; a.len()]);
    assert!(!a.is_empty());
}

fn wrong_lengths(engine: &Engine) {
    let rx = Fixture::new("grid", fixtures::with_boundary(4, 4)).on_with_slack(engine, 8);
    assert!(
        rx.linear_len(Kind::Vertex) > rx.count(Kind::Vertex),
        "there is slack"
    );
    for (n, kind) in [(25usize, "vertices"), (56, "edges"), (32, "faces")] {
        for got in [0, n - 1, n + 1] {
            let values = vec![0u32; got];
            let error = match kind {
                "vertices" => rx.attribute_from::<Vertex, u32>(&values).map(|_| ()),
                "edges" => rx.attribute_from::<Edge, u32>(&values).map(|_| ()),
                _ => rx.attribute_from::<Face, u32>(&values).map(|_| ()),
            };
            assert_eq!(
                error,
                Err(Error::Attribute(AttributeError::Length {
                    got,
                    want: n,
                    kind
                }))
            );
        }
    }
}

fn freshness(engine: &Engine) {
    let f = Fixture::new("grid", fixtures::with_boundary(4, 4));
    let rx = f.on(engine, 8);
    let mut x = rx
        .attribute_from::<Vertex, Vec3>(&f.mesh.positions)
        .unwrap();
    // Both copies are current.
    assert!(x.host().is_ok() && x.read().is_ok() && x.staged().is_ok() && x.global().is_ok());
    // Changed on the host: the engine's copy is stale until an upload.
    x.host_mut().unwrap()[0] = Vec3::ONE;
    assert!(x.host().is_ok());
    let stale = AttributeError::DeviceStale;
    assert_eq!(x.read().map(|_| ()), Err(stale.clone()));
    assert_eq!(x.staged().map(|_| ()), Err(stale.clone()));
    assert_eq!(x.global().map(|_| ()), Err(stale.clone()));
    assert_eq!(x.write().map(|_| ()), Err(stale.clone()));
    assert_eq!(x.global_mut().map(|_| ()), Err(stale.clone()));
    assert_eq!(x.accumulate().map(|_| ()), Err(stale.clone()));
    assert_eq!(reduce::sum(&rx, &x), Err(Error::Attribute(stale.clone())));
    let mut other = rx.attribute::<Vertex, Vec3>().unwrap();
    assert_eq!(other.copy_from(&x), Err(Error::Attribute(stale)));
    x.upload().unwrap();
    assert!(x.read().is_ok() && x.host().is_ok());
    assert_eq!(x.engine_values().unwrap()[0], Vec3::ONE);
    // Passed to a kernel that writes: the host's copy is stale until a download.
    let affine = Affine {
        x: x.write().unwrap(),
        origin: Vec3::ZERO,
        scale: 2.0,
        shift: Vec3::X,
    };
    assert_eq!(x.host(), Err(AttributeError::HostStale));
    rx.run(affine).unwrap();
    assert_eq!(x.host(), Err(AttributeError::HostStale));
    assert_eq!(x.host_mut().map(|_| ()), Err(AttributeError::HostStale));
    // An upload does not bring the host's old values back.
    x.upload().unwrap();
    assert_eq!(x.host(), Err(AttributeError::HostStale));
    assert!(x.read().is_ok());
    x.download().unwrap();
    assert_eq!(x.host().unwrap()[0], Vec3::new(3.0, 2.0, 2.0));
    // Nothing is stale: nothing happens.
    x.upload().unwrap();
    assert_eq!(x.engine_values().unwrap()[0], Vec3::new(3.0, 2.0, 2.0));
    // A new attribute has no copy on the host.
    assert_eq!(
        rx.attribute::<Face, u8>().unwrap().host(),
        Err(AttributeError::HostStale)
    );
}

fn other_meshes(engine: &Engine) {
    let f = Fixture::new("grid", fixtures::with_boundary(4, 4));
    let (a, b) = (f.on(engine, 8), f.on(engine, 8));
    let mut x = a.attribute_from::<Vertex, Vec3>(&f.mesh.positions).unwrap();
    assert_eq!(
        x.to_input(&b),
        Err(Error::Attribute(AttributeError::OtherMesh))
    );
    let mut y = b.attribute::<Vertex, Vec3>().unwrap();
    assert_eq!(
        y.copy_from(&x),
        Err(Error::Attribute(AttributeError::OtherMesh))
    );
    // A launch on a mesh refuses attributes of another one, even of the same size.
    assert_eq!(
        normals::vertex_normals_unscaled(&b, &x, &mut y),
        Err(Error::Engine(EngineError::OtherMesh {
            kernel: "rx_vertex_normals"
        }))
    );
    let big = Fixture::new("grid", fixtures::with_boundary(9, 9)).on(engine, 8);
    assert_eq!(
        reduce::sum(&big, &x),
        Err(Error::Engine(EngineError::OtherMesh {
            kernel: "rx_reduce_ranges"
        })),
        "would read beyond the end"
    );
    // Moving a mesh does not change its identity.
    let moved = Box::new(a);
    assert_eq!(x.to_input(&moved).unwrap(), f.mesh.positions);
    assert!(reduce::sum(&moved, &x).is_ok());
}

fn copies(engine: &Engine) {
    let f = Fixture::new("grid", fixtures::with_boundary(4, 4));
    let rx = f.on(engine, 8);
    let x = rx
        .attribute_from::<Vertex, Vec3>(&f.mesh.positions)
        .unwrap();
    let mut y = rx.attribute_from(&vec![Vec3::ONE; 25]).unwrap();
    y.copy_from(&x).unwrap();
    assert_eq!(
        y.host(),
        Err(AttributeError::HostStale),
        "the old values must not be seen"
    );
    assert_eq!(y.to_input(&rx).unwrap(), f.mesh.positions);
}

fn aliased_arguments(engine: &Engine) {
    let f = Fixture::new("grid", fixtures::with_boundary(4, 4));
    let rx = f.on(engine, 8);
    let n = rx.linear_len(Kind::Vertex);
    let mut x = rx
        .attribute_from::<Vertex, Vec3>(&f.mesh.positions)
        .unwrap();
    let mut n1 = rx.attribute::<Vertex, Vec3>().unwrap();
    let aliased = |kernel| Err(EngineError::Aliased { kernel });
    let mut y = rx.attribute::<Vertex, Vec3>().unwrap();
    // The same memory, read and written; half of it; written twice.
    let mut end = SpringEnd {
        x: y.global_mut().unwrap(),
        v: n1.global_mut().unwrap(),
        change: n1.global().unwrap(),
        dt: 1.0,
    };
    assert_eq!(engine.launch_flat(1, end), aliased("rx_spring_end"));
    end.change = n1.global().unwrap().from(n - 1);
    assert_eq!(engine.launch_flat(1, end), aliased("rx_spring_end"));
    let z = rx.attribute::<Vertex, Vec3>().unwrap();
    end.change = z.global().unwrap();
    end.x = end.v;
    assert_eq!(engine.launch_flat(1, end), aliased("rx_spring_end"));
    // Reading twice is not aliasing.
    let heights = SpringHeights {
        x: z.global().unwrap(),
        rest: z.global().unwrap(),
        height: engine.zeroed(4).unwrap().global_mut(),
        direction: Vec3::X,
    };
    assert_eq!(
        engine.launch_flat(1, heights),
        Err(EngineError::NotLive {
            kernel: "rx_spring_heights"
        }),
        "the heights were dropped"
    );
    let kept = engine.zeroed(4).unwrap();
    let heights = SpringHeights {
        height: kept.global_mut(),
        ..heights
    };
    assert_eq!(engine.launch_flat(1, heights), Ok(()));
    // Through a library function.
    let x2 = rx
        .attribute_from::<Vertex, Vec3>(&f.mesh.positions)
        .unwrap();
    assert_eq!(normals::vertex_normals_unscaled(&rx, &x2, &mut n1), Ok(()));
    // The launches that were refused did nothing.
    assert_eq!(x.to_input(&rx).unwrap(), f.mesh.positions);
    assert_eq!(engine.synchronize(), Ok(()));
}

fn dead_arguments(engine: &Engine) {
    let f = Fixture::new("grid", fixtures::with_boundary(4, 4));
    let rx = f.on(engine, 8);
    let starts = engine.zeroed::<u32>(4).unwrap();
    let dead = engine.zeroed::<u32>(1000).unwrap().global_mut();
    let launch = |data| {
        engine.launch_flat(
            4,
            ScanAdd {
                data,
                starts: starts.global_mut(),
            },
        )
    };
    assert_eq!(
        launch(dead),
        Err(EngineError::NotLive {
            kernel: "rx_scan_add"
        })
    );
    // The attribute first, so that it does not get the memory of the dropped one.
    let x = rx
        .attribute_from::<Vertex, Vec3>(&f.mesh.positions)
        .unwrap();
    let length = rx.attribute::<Edge, f32>().unwrap().write().unwrap();
    assert_eq!(
        rx.run(EdgeLengths {
            x: x.read().unwrap(),
            length
        }),
        Err(EngineError::NotLive {
            kernel: "rx_edge_lengths"
        })
    );
}

fn arguments_of_another_engine(engine: &Engine) {
    let other = Engine::cpu();
    let here = engine.zeroed::<u32>(4).unwrap();
    let there = other.zeroed::<u32>(4).unwrap();
    let kernel = ScanAdd {
        data: here.global_mut(),
        starts: there.global_mut(),
    };
    assert_eq!(
        engine.launch_flat(4, kernel),
        Err(EngineError::NotLive {
            kernel: "rx_scan_add"
        })
    );
    assert_eq!(
        other.launch_flat(4, kernel),
        Err(EngineError::NotLive {
            kernel: "rx_scan_add"
        })
    );
    let f = Fixture::new("grid", fixtures::with_boundary(4, 4));
    let (rx, elsewhere) = (f.on(engine, 8), f.on(&other, 8));
    let (x, mut n) = (
        elsewhere.attribute::<Vertex, Vec3>().unwrap(),
        rx.attribute::<Vertex, Vec3>().unwrap(),
    );
    let error = normals::vertex_normals_unscaled(&rx, &x, &mut n);
    assert_eq!(
        error,
        Err(Error::Engine(EngineError::NotLive {
            kernel: "rx_vertex_normals"
        }))
    );
}

/// Edge attributes, written by a kernel, in the documented order of `to_input`.
fn edge_lengths(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let x = rx
            .attribute_from::<Vertex, Vec3>(&fixture.mesh.positions)
            .unwrap();
        let mut length = rx.attribute::<Edge, f32>().unwrap();
        rx.run(EdgeLengths {
            x: x.read().unwrap(),
            length: length.write().unwrap(),
        })
        .unwrap();
        let ids = rxmesh_tests::ids::InputIds::new(rx, fixture.oracle());
        let order = ids.all(Kind::Edge).iter().filter(|&&e| e != u32::MAX);
        let lengths = length.to_input(rx).unwrap();
        assert_eq!(lengths.len(), fixture.oracle().edges.len());
        for (got, &e) in lengths.iter().zip(order) {
            let (a, b) = fixture.oracle().edges[e as usize];
            let want =
                fixture.mesh.positions[a as usize].distance(fixture.mesh.positions[b as usize]);
            assert!(
                (got - want).abs() <= 1e-6 * want,
                "{what}: edge {a} {b} is {got} long, not {want}"
            );
        }
        assert_eq!(
            boundary::edges(rx).unwrap().to_input(rx).unwrap().len(),
            lengths.len()
        );
    });
}

fn buffers(engine: &Engine) {
    let mut a = engine.upload(&[1u16, 2, 3, 4, 5]).unwrap();
    assert_eq!(
        (a.len(), a.is_empty(), a.engine().name()),
        (5, false, engine.name())
    );
    assert_eq!(a.read_range(1, 3).unwrap(), [2, 3, 4]);
    assert_eq!(a.read_range(5, 0).unwrap(), [0; 0]);
    assert_eq!(
        a.read_range(3, 3),
        Err(EngineError::Length { got: 6, want: 5 })
    );
    assert_eq!(
        a.read_range(usize::MAX, 2),
        Err(EngineError::Length {
            got: usize::MAX,
            want: 5
        })
    );
    assert_eq!(
        a.write(&[1, 2]),
        Err(EngineError::Length { got: 2, want: 5 })
    );
    assert_eq!(
        a.read_into(&mut [0; 6]),
        Err(EngineError::Length { got: 6, want: 5 })
    );
    a.write(&[9, 8, 7, 6, 5]).unwrap();
    let mut b = engine.zeroed::<u16>(5).unwrap();
    b.copy_from(&a).unwrap();
    assert_eq!(b.read().unwrap(), [9, 8, 7, 6, 5]);
    // From another engine: through the host.
    b.copy_from(&Engine::shuffled(1).upload(&[1u16, 1, 2, 3, 5]).unwrap())
        .unwrap();
    assert_eq!(b.read().unwrap(), [1, 1, 2, 3, 5]);
    assert_eq!(
        b.copy_from(&engine.zeroed(4).unwrap()),
        Err(EngineError::Length { got: 4, want: 5 })
    );
    b.clear().unwrap();
    assert_eq!(b.read().unwrap(), [0; 5]);
    let none = engine.upload::<Vec2>(&[]).unwrap();
    assert!(none.is_empty() && none.read().unwrap().is_empty());
    // Empty buffers are distinct.
    assert_ne!(
        format!("{:?}", none.global()),
        format!("{:?}", engine.upload::<Vec2>(&[]).unwrap().global())
    );
}
