//! Copies of one body, against as many separate bodies: the same patches, so the same bits.

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::spring::{SpringForces, SpringOptions, Springs};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::kernel::{Entry, PreparedEntry};
use rxmesh_host::kernels::query::{CC, CV, EC, EE, EV, FC, FF, Relation, VC, VF, VV};
use rxmesh_host::kernels::topo::{Cell, Element, Kind, Vertex};
use rxmesh_host::kernels::volume::gather::Gather;
use rxmesh_host::mesh::Rng;
use rxmesh_host::patch::{PatchError, Ribbon, VolumeKinds, VolumeOptions};
use rxmesh_host::store::reduce;
use rxmesh_host::store::{Attribute, RelationChoice, RxMesh, Volume};
use rxmesh_host::volume::{Distributor, boundary, gather};
use rxmesh_test_kernels::volumes::{CellEdgeVertices, GiveCorners};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::volumes::{VolumeFixture, kuhn, shuffled, soup};

type Values<K> = Attribute<K, [f32; 3]>;

conformance! { sums, given, rows, springs, shared, refused }

const COPIES: u32 = 3;

/// Body with copies of it.
struct CopiesCase {
    fixture: VolumeFixture,
    one: RxMesh<Volume>,
    many: RxMesh<Volume>,
}

fn cases(engine: &Engine) -> Vec<CopiesCase> {
    let side = suited(engine, [4, 3, 2]);
    let two = vec![[0, 1, 2, 3], [4, 6, 5, 8]];
    let all = vec![
        shuffled(kuhn([side, side, side + 1]), 7),
        soup(200, suited(engine, [60, 40, 20]), 2),
        VolumeFixture::new("two cells and a vertex", 9, two),
        VolumeFixture::new("nothing", 0, Vec::new()),
    ];
    let options = options();
    let case = |fixture: VolumeFixture| {
        let (n, cells) = (fixture.vertices, &fixture.cells);
        let one = RxMesh::from_cells(engine, n, cells, &options).unwrap();
        let many = RxMesh::from_copies(engine, n, cells, &options, COPIES).unwrap();
        CopiesCase { fixture, one, many }
    };
    all.into_iter().map(case).collect()
}

fn options() -> VolumeOptions {
    VolumeOptions {
        patch_size: Some(16),
        kinds: VolumeKinds::Faces,
        ribbon: Ribbon::Ring,
        ..VolumeOptions::default()
    }
}

/// Returns pseudo-random numbers, other ones for each copy.
fn numbers<const N: usize>(n: usize, seed: u64) -> Vec<[f32; N]> {
    let mut rng = Rng::new(seed);
    let value = |_| [(); N].map(|()| rng.signed_unit() as f32);
    (0..n).map(value).collect()
}

impl CopiesCase {
    /// Returns values of all copies, and of each by itself; in linear order.
    fn attributes<K: Element>(&self) -> (Values<K>, Vec<Values<K>>) {
        let n = self.one.linear_len(K::KIND) as usize;
        assert_eq!(self.many.linear_len(K::KIND) as usize, n * COPIES as usize);
        let values: Vec<[f32; 3]> = numbers(n * COPIES as usize, 5);
        let on = |rx: &RxMesh<Volume>, values: &[[f32; 3]]| {
            let mut x: Attribute<K, [f32; 3]> = rx.attribute().unwrap();
            x.download().unwrap();
            x.host_mut().unwrap().copy_from_slice(values);
            x.upload().unwrap();
            x
        };
        let each = (0..COPIES as usize).map(|c| on(&self.one, &values[c * n..(c + 1) * n]));
        (on(&self.many, &values), each.collect())
    }

    /// Checks that the results of all copies equal those of each by itself, to the last bit.
    #[track_caller]
    fn same<K: Element, T>(&self, what: &str, many: &mut Attribute<K, T>, each: Vec<Vec<T>>)
    where
        T: rxmesh_host::kernels::attr::Value,
    {
        many.download().unwrap();
        assert_eq!(
            many.host().unwrap(),
            each.concat(),
            "{what} of {}",
            self.fixture.name
        );
        // In the input's order one copy comes after the other.
        let n = self.one.linear_len(K::KIND) as usize;
        let inputs = many.to_input(&self.many).unwrap();
        for (copy, linear) in each.iter().enumerate() {
            let mut alone: Attribute<K, T> = self.one.attribute().unwrap();
            alone.download().unwrap();
            alone.host_mut().unwrap().copy_from_slice(linear);
            alone.upload().unwrap();
            let input = alone.to_input(&self.one).unwrap();
            assert_eq!(
                inputs[copy * n..(copy + 1) * n],
                input,
                "{what}, copy {copy}"
            );
        }
    }

    fn sum<R: Relation>(&self)
    where
        Gather<R>: Entry + PreparedEntry,
    {
        let (x, alone) = self.attributes::<R::Target>();
        for choice in [RelationChoice::OnTheFly, RelationChoice::Prepared] {
            let on = |rx: &RxMesh<Volume>, x: &Attribute<R::Target, [f32; 3]>| {
                rx.set_relation_choice(choice);
                let mut y: Attribute<R::Source, [f32; 3]> = rx.attribute().unwrap();
                gather::<R, _, _>(rx, x, &mut y).unwrap();
                y.download().unwrap();
                y
            };
            let each = alone
                .iter()
                .map(|x| on(&self.one, x).host().unwrap().to_vec());
            self.same(R::NAME, &mut on(&self.many, &x), each.collect());
        }
    }
}

fn sums(engine: &Engine) {
    for case in cases(engine) {
        case.sum::<VV>();
        case.sum::<VC>();
        case.sum::<VF>();
        case.sum::<EV>();
        case.sum::<EC>();
        case.sum::<EE>();
        case.sum::<FC>();
        case.sum::<FF>();
        case.sum::<CV>();
        case.sum::<CC>();
        let (x, alone) = case.attributes::<Cell>();
        let each = alone.iter().map(|x| reduce::sum(&case.one, x).unwrap());
        let (all, each) = (reduce::sum(&case.many, &x).unwrap(), each.sum::<f64>());
        assert!((all - each).abs() < 1e-9, "{all} and {each}");
    }
}

/// Values of corners, staged, with parts of several patches.
fn given(engine: &Engine) {
    for case in cases(engine) {
        let (x, alone) = case.attributes::<Vertex>();
        let on = |rx: &RxMesh<Volume>, x: &Attribute<Vertex, [f32; 3]>| {
            let mut at: Attribute<Vertex, Vec3> = rx.attribute().unwrap();
            at.download().unwrap();
            let values = x.host().unwrap().iter().map(|&v| Vec3::from_array(v));
            at.host_mut()
                .unwrap()
                .copy_from_slice(&values.collect::<Vec<_>>());
            at.upload().unwrap();
            let sums = Distributor::<CV, Vec3>::new(rx).unwrap();
            let mut y = rx.attribute().unwrap();
            let kernel = GiveCorners {
                x: at.staged().unwrap(),
            };
            sums.run(rx, kernel, &mut y).unwrap();
            y.download().unwrap();
            y
        };
        let each = alone
            .iter()
            .map(|x| on(&case.one, x).host().unwrap().to_vec());
        let each: Vec<Vec<Vec3>> = each.collect();
        case.same("corners", &mut on(&case.many, &x), each);
    }
}

/// Rows written out, relations of relations and the boundary: ids continue from copy to copy.
fn rows(engine: &Engine) {
    for case in cases(engine) {
        let (one, many) = (
            case.one.query::<VC>().unwrap().read().unwrap(),
            case.many.query::<VC>().unwrap().read().unwrap(),
        );
        let (v, c) = (case.one.count(Kind::Vertex), case.one.count(Kind::Cell));
        for copy in 0..COPIES {
            for vertex in 0..v {
                let want: Vec<u32> = (one.row(vertex as usize).iter())
                    .map(|cell| cell + copy * c)
                    .collect();
                assert_eq!(many.row((copy * v + vertex) as usize), want);
            }
        }
        let met = |rx: &RxMesh<Volume>| {
            let mut sum: Attribute<Cell, u32> = rx.attribute().unwrap();
            let kernel = CellEdgeVertices {
                sum: sum.write().unwrap(),
            };
            rx.run_for_each(kernel).unwrap();
            sum.to_input(rx).unwrap()
        };
        let one = met(&case.one);
        let want = (0..COPIES).flat_map(|copy| one.iter().map(move |sum| sum + 12 * copy * v));
        assert_eq!(met(&case.many), want.collect::<Vec<_>>());
        let one = boundary::triangles(&case.one).unwrap();
        let shift = |copy: u32| {
            let n = case.fixture.vertices as u32;
            one.iter().map(move |t| t.map(|v| v + copy * n))
        };
        let want: Vec<[u32; 3]> = (0..COPIES).flat_map(shift).collect();
        assert_eq!(boundary::triangles(&case.many).unwrap(), want);
    }
}

/// Explicit steps of springs: each copy moves as it would alone.
fn springs(engine: &Engine) {
    let case = &cases(engine)[0];
    let rest: Vec<Vec3> = (numbers::<3>(case.fixture.vertices, 3).into_iter())
        .map(Vec3::from_array)
        .collect();
    let body = rest.len();
    let moved = |copy: u32| -> Vec<Vec3> {
        let stretch = Vec3::new(1.0, 1.0 + 0.1 * copy as f32, 1.1);
        rest.iter().map(|p| *p * stretch).collect()
    };
    let run = |rx: &RxMesh<Volume>, rest: &[Vec3], from: &[Vec3], forces| {
        // The first vertex of each copy.
        let pins: Vec<u32> = (0..rest.len()).map(|v| u32::from(v % body == 0)).collect();
        let (at, pins) = (
            rx.attribute_from::<Vertex, Vec3>(rest).unwrap(),
            rx.attribute_from(&pins).unwrap(),
        );
        let mut springs = Springs::new(rx, &at, &pins, &SpringOptions::default()).unwrap();
        *springs.positions() = rx.attribute_from(from).unwrap();
        for _ in 0..4 {
            springs.step_explicit(forces).unwrap();
        }
        springs.positions().to_input(rx).unwrap()
    };
    for forces in [SpringForces::Gather, SpringForces::Scatter] {
        let all_rest: Vec<Vec3> = (0..COPIES).flat_map(|_| rest.clone()).collect();
        let all_from: Vec<Vec3> = (0..COPIES).flat_map(moved).collect();
        let got = run(&case.many, &all_rest, &all_from, forces);
        for (copy, got) in (0..COPIES).zip(got.chunks(body)) {
            let alone = run(&case.one, &rest, &moved(copy), forces);
            assert_eq!(got, alone, "copy {copy}");
        }
    }
}

/// Topology and prepared tables are stored once, and the patches are those of the bodies side by side.
fn shared(engine: &Engine) {
    for case in cases(engine) {
        let (one, many) = (case.one.volume_set(), case.many.volume_set());
        assert_eq!((case.one.copies(), case.many.copies()), (1, COPIES));
        assert_eq!(many.topology, one.topology);
        let n = case.fixture.vertices;
        let cells: Vec<[u32; 4]> = (0..COPIES)
            .flat_map(|copy| {
                let shift = copy * n as u32;
                case.fixture.cells.iter().map(move |c| c.map(|v| v + shift))
            })
            .collect();
        assert_eq!(many.validate(n * COPIES as usize, &cells), []);
        for rx in [&case.one, &case.many] {
            rx.prepare::<VC>().unwrap();
        }
        let bytes = |rx: &RxMesh<Volume>| rx.prepared_sizes()[0].bytes;
        let starts = 4 * (many.headers.len() - one.headers.len());
        assert_eq!(bytes(&case.many), bytes(&case.one) + starts);
    }
}

fn refused(engine: &Engine) {
    let cells = [[0, 1, 2, 3]];
    let make = |copies| RxMesh::from_copies(engine, 4, &cells, &options(), copies).map(drop);
    assert_eq!(make(0), Err(Error::Patch(PatchError::Copies(0))));
    assert!(matches!(
        make(u32::MAX),
        Err(Error::Patch(PatchError::TooManyElements { .. }))
    ));
    let rx = RxMesh::from_copies(engine, 4, &cells, &options(), 2).unwrap();
    let again = rx.volume_set().repeated(2).map(drop);
    assert_eq!(again, Err(PatchError::Copies(2)));
}
