//! Reductions against sums in `f64`, and the same bits on every run.

use glam::{Vec2, Vec3, Vec4};
use rxmesh_host::algo::reduce::{dot, max, min, norm, sum};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::attr::Sum;
use rxmesh_host::kernels::math::hash;
use rxmesh_host::kernels::topo::{Edge, Element, Face, Vertex};
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::{each_mesh, suited};

conformance! { of_vertices, of_edges, of_faces, of_nothing, the_same_bits_on_every_run }

fn number(i: u32) -> f32 {
    (hash(i) as f32 / u32::MAX as f32 - 0.3) * 10.0
}

fn make<T: Sum>(n: u32, seed: u32, of: impl Fn(&dyn Fn(u32) -> f32) -> T) -> Vec<T> {
    (0..n)
        .map(|i| of(&|c| number(seed ^ (i * 4 + c))))
        .collect()
}

fn components<T: Sum>(values: &[T]) -> Vec<f64> {
    values
        .iter()
        .flat_map(|&v| (0..T::COMPONENTS).map(move |c| f64::from(v.component(c))))
        .collect()
}

fn check<K: Element, T: Sum>(rx: &RxMesh, what: &str, of: impl Fn(&dyn Fn(u32) -> f32) -> T) {
    let n = rx.count(K::KIND);
    let (a, b) = (make(n, 1, &of), make(n, 2, &of));
    let (x, y) = (
        rx.attribute_from::<K, T>(&a).unwrap(),
        rx.attribute_from::<K, T>(&b).unwrap(),
    );
    let (a, b) = (components(&a), components(&b));
    let scale = 1e-12 * (1.0 + 10.0 * a.len() as f64);
    let near = |got: f64, want: f64, name: &str| {
        assert!(
            (got - want).abs() <= scale * 100.0,
            "{name} of {what}: {got}, but {want} is expected"
        );
    };
    near(sum(rx, &x).unwrap(), a.iter().sum(), "sum");
    let product: f64 = a.iter().zip(&b).map(|(p, q)| p * q).sum();
    near(dot(rx, &x, &y).unwrap(), product, "dot");
    near(
        norm(rx, &x).unwrap(),
        a.iter().map(|p| p * p).sum::<f64>().sqrt(),
        "norm",
    );
    assert_eq!(
        min(rx, &x).unwrap(),
        a.iter().copied().fold(f64::INFINITY, f64::min),
        "min of {what}"
    );
    assert_eq!(
        max(rx, &x).unwrap(),
        a.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        "max of {what}"
    );
}

fn of_vertices(engine: &Engine) {
    each_mesh(engine, |what, _, rx| {
        check::<Vertex, f32>(rx, what, |c| c(0));
        check::<Vertex, Vec3>(rx, what, |c| Vec3::new(c(0), c(1), c(2)));
    });
}

fn of_edges(engine: &Engine) {
    each_mesh(engine, |what, _, rx| {
        check::<Edge, Vec2>(rx, what, |c| Vec2::new(c(0), c(1)))
    });
}

fn of_faces(engine: &Engine) {
    each_mesh(engine, |what, _, rx| {
        check::<Face, Vec4>(rx, what, |c| Vec4::new(c(0), c(1), c(2), c(3)))
    });
}

fn of_nothing(engine: &Engine) {
    let rx = suited(engine)
        .find(|f| f.name == "empty")
        .unwrap()
        .on(engine, 16);
    let x = rx.attribute::<Vertex, f32>().unwrap();
    assert_eq!(sum(&rx, &x).unwrap(), 0.0);
    assert_eq!(min(&rx, &x).unwrap(), f64::INFINITY);
    assert_eq!(max(&rx, &x).unwrap(), f64::NEG_INFINITY);
}

fn bits(rx: &RxMesh) -> [u64; 3] {
    let a = make(rx.count(rxmesh_host::kernels::topo::Kind::Vertex), 3, |c| {
        Vec3::new(c(0), 1e6 * c(1), 1e-6 * c(2))
    });
    let x = rx.attribute_from::<Vertex, Vec3>(&a).unwrap();
    [
        sum(rx, &x).unwrap(),
        dot(rx, &x, &x).unwrap(),
        norm(rx, &x).unwrap(),
    ]
    .map(f64::to_bits)
}

fn the_same_bits_on_every_run(engine: &Engine) {
    each_mesh(engine, |what, _, rx| {
        assert_eq!(bits(rx), bits(rx), "{what}")
    });
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let engines = [1, 2, 5].map(|n| Engine::cpu_with_threads(n).unwrap());
    for fixture in rxmesh_tests::fixtures::all() {
        for size in fixture.patch_sizes() {
            let [a, b, c] = [0, 1, 2].map(|i: usize| bits(&fixture.on(&engines[i], size)));
            assert_eq!((a, a), (b, c), "{} in patches of {size}", fixture.name);
        }
    }
}
