//! Reductions against sums in `f64`, and the same bits on every run.

use glam::{Vec2, Vec3, Vec4};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::attr::Sum;
use rxmesh_host::kernels::math::hash;
use rxmesh_host::kernels::topo::{Edge, Element, Face, Vertex};
use rxmesh_host::store::reduce::{Reduction, Reductions, Term, by_label, dot, max, min, norm, sum};
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::{each_mesh, suited};

conformance! {
    of_vertices, of_edges, of_faces, of_nothing, by_labels, bad_labels_are_named, the_same_bits_on_every_run,
    several_at_once
}

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

/// Contiguous labels, as those of joined meshes, and arbitrary ones, some of which are unused.
fn by_labels(engine: &Engine) {
    each_mesh(engine, |what, _, rx| {
        let n = rx.count(Vertex::KIND);
        let a = make(n, 5, |c| Vec3::new(c(0), c(1), c(2)));
        let x = rx.attribute_from::<Vertex, Vec3>(&a).unwrap();
        let of = |v: u32, anywhere: bool| match anywhere {
            true => hash(v) % 5 * 2,
            false => v / 40,
        };
        for anywhere in [false, true] {
            let labels: Vec<u32> = (0..n).map(|v| of(v, anywhere)).collect();
            let count = labels.iter().max().map_or(0, |l| l + 1) + 2;
            let marks = rx.attribute_from::<Vertex, u32>(&labels).unwrap();
            let mut want = vec![[0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY]; count as usize];
            for (v, &label) in a.iter().zip(&labels) {
                let to = &mut want[label as usize];
                for c in v.to_array().map(f64::from) {
                    *to = [to[0] + c, to[1] + c * c, to[2].min(c), to[3].max(c)];
                }
            }
            let kinds = [
                Reduction::Sum,
                Reduction::Dot,
                Reduction::Min,
                Reduction::Max,
            ];
            for (k, kind) in kinds.into_iter().enumerate() {
                let got = by_label(rx, &x, &marks, count, kind).unwrap();
                assert_eq!(got.len(), count as usize, "{what}");
                for (label, (got, want)) in got.iter().zip(&want).enumerate() {
                    let near = got == &want[k] || (got - want[k]).abs() <= 1e-9 * f64::from(n + 1);
                    assert!(
                        near,
                        "{what}, {kind:?} of label {label}: {got}, {}",
                        want[k]
                    );
                }
                let again = by_label(rx, &x, &marks, count, kind).unwrap();
                let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&got), bits(&again), "{what}");
            }
        }
    });
}

fn bad_labels_are_named(engine: &Engine) {
    let rx = suited(engine)
        .find(|f| f.name == "tetrahedron")
        .unwrap()
        .on(engine, 16);
    let n = rx.count(Face::KIND) as usize;
    let x = rx.attribute::<Face, f32>().unwrap();
    for (bad, said) in [
        (7, "label 7, but there are 7"),
        (u32::MAX, "but there are 7"),
    ] {
        let mut labels = vec![6; n];
        labels[n / 2] = bad;
        let labels = rx.attribute_from::<Face, u32>(&labels).unwrap();
        let error = by_label(&rx, &x, &labels, 7, Reduction::Sum).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}

/// Several reductions with one read-back equal those read one by one, and may be launched again.
fn several_at_once(engine: &Engine) {
    each_mesh(engine, |what, _, rx| {
        let a = make(rx.count(Vertex::KIND), 7, |c| Vec2::new(c(0), c(1)));
        let mut x = rx.attribute_from::<Vertex, Vec2>(&a).unwrap();
        let terms = [Reduction::Sum, Reduction::Min, Reduction::Max];
        let terms = terms.map(|kind| Term::of(&x, kind).unwrap());
        let all = Reductions::new(rx, terms).unwrap();
        all.launch().unwrap();
        let want = |x: &Attribute<Vertex, Vec2>| {
            [sum(rx, x), min(rx, x), max(rx, x)].map(|r| r.unwrap().to_bits())
        };
        assert_eq!(all.read().unwrap().map(f64::to_bits), want(&x), "{what}");
        let b: Vec<Vec2> = a.iter().map(|v| *v * -2.0).collect();
        let y = rx.attribute_from::<Vertex, Vec2>(&b).unwrap();
        x.copy_from(&y).unwrap();
        all.launch().unwrap();
        assert_eq!(all.read().unwrap().map(f64::to_bits), want(&x), "{what}");
    });
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
