//! Kernels over volumes: sums over all relations, values given to neighbours, relations of relations, the boundary.

use glam::{DVec3, Mat3, Vec3};
use rxmesh_host::engine::{Engine, StagingChoice};
use rxmesh_host::kernels::attr::Sum;
use rxmesh_host::kernels::kernel::{AnyArguments, Entry, OverRelations, PreparedEntry};
use rxmesh_host::kernels::query::{
    CC, CE, CF, CV, EC, EE, EF, EV, FC, FE, FF, FV, Relation, VC, VE, VF, VV,
};
use rxmesh_host::kernels::topo::{Cell, Edge, Element, Face, Kind, Vertex};
use rxmesh_host::kernels::volume::distribute::{DistributeEntry, ShareCe, ShareCv, ShareEv};
use rxmesh_host::kernels::volume::gather::Gather;
use rxmesh_host::mesh::Rng;
use rxmesh_host::patch::{Ribbon, VolumeKinds, VolumeOptions};
use rxmesh_host::store::reduce;
use rxmesh_host::store::{Attribute, AttributeError, RelationChoice, RxMesh, Volume};
use rxmesh_host::volume::{Distributor, boundary, gather};
use rxmesh_test_kernels::volumes::{
    CellEdgeVertices, GiveCorners, ScatterCe, ScatterCf, ScatterCv, ScatterEv, ScatterFe, ScatterFv,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::volume_oracle::{VolumeOracle, names};
use rxmesh_tests::volumes::{VolumeFixture, kuhn, shuffled, volumes};
use std::collections::BTreeSet;

conformance! {
    sums_over_all_relations,
    reductions,
    shares,
    scattered_sums,
    corners,
    nested,
    the_boundary,
    other_meshes_are_refused,
}

fn sizes(engine: &Engine) -> &'static [u32] {
    suited(engine, [&[16, 64, 512], &[16, 64], &[16]])
}

/// Mesh, expected sums, and small integers for each element, so that sums are exact.
struct SumsCase {
    what: String,
    rx: RxMesh<Volume>,
    oracle: VolumeOracle,
    names: [Vec<u32>; 4],
}

impl SumsCase {
    fn new(engine: &Engine, fixture: &VolumeFixture, size: u32) -> SumsCase {
        let rx = fixture.on(engine, size);
        let oracle = fixture.oracle();
        SumsCase {
            what: format!("{} at {size}", fixture.name),
            names: names(&rx, &oracle),
            rx,
            oracle,
        }
    }

    fn number(kind: Kind, id: u32, c: u32) -> f32 {
        ((id * 7 + 3 * c + kind as u32) % 101) as f32
    }

    /// Returns a value for each element, by linear id.
    fn values<K: Element, T: Sum>(&self) -> Attribute<K, T> {
        let mut x: Attribute<K, T> = self.rx.attribute().unwrap();
        x.download().unwrap();
        let host = x.host_mut().unwrap();
        let words: &mut [f32] = bytemuck::cast_slice_mut(host);
        for (at, word) in words.iter_mut().enumerate() {
            let (id, c) = (at / T::COMPONENTS as usize, at % T::COMPONENTS as usize);
            *word = SumsCase::number(K::KIND, self.names[K::KIND as usize][id], c as u32);
        }
        x.upload().unwrap();
        x
    }

    /// Returns the sums of targets, by the oracle's id of the source.
    fn want(&self, from: Kind, to: Kind, c: u32) -> Vec<f32> {
        let rows = self.oracle.relation(from, to);
        let sum = |row: &Vec<u32>| row.iter().map(|&id| SumsCase::number(to, id, c)).sum();
        rows.iter().map(sum).collect()
    }

    #[track_caller]
    fn same<K: Element, T: Sum>(&self, what: &str, got: &mut Attribute<K, T>, from: Kind) {
        got.download().unwrap();
        for c in 0..T::COMPONENTS {
            let want = self.want(K::KIND, from, c);
            for (linear, value) in got.host().unwrap().iter().enumerate() {
                let id = self.names[K::KIND as usize][linear] as usize;
                assert_eq!(
                    value.component(c),
                    want[id],
                    "{what} of {}: {id}",
                    self.what
                );
            }
        }
    }

    fn gather<R: Relation, T: Sum>(&self)
    where
        Gather<R>: Entry + PreparedEntry,
    {
        let x = self.values::<R::Target, T>();
        // On the fly and prepared, from shared memory and from global memory.
        for choice in [RelationChoice::OnTheFly, RelationChoice::Prepared] {
            self.rx.set_relation_choice(choice);
            for staging in [StagingChoice::All, StagingChoice::Never] {
                self.rx.set_staging_choice(staging);
                let mut y = self.rx.attribute::<R::Source, T>().unwrap();
                gather::<R, T, _>(&self.rx, &x, &mut y).unwrap();
                self.same(R::NAME, &mut y, R::Target::KIND);
            }
        }
    }

    /// Adds values to neighbours by a `Scatter` kernel.
    fn scatter<R: Relation, K>(
        &self,
        kernel: impl Fn(&Attribute<R::Source, Vec3>, &mut Attribute<R::Target, Vec3>) -> K,
    ) where
        K: AnyArguments + OverRelations + Entry + PreparedEntry,
    {
        let x = self.values::<R::Source, Vec3>();
        for choice in [RelationChoice::OnTheFly, RelationChoice::Prepared] {
            self.rx.set_relation_choice(choice);
            for staging in [StagingChoice::All, StagingChoice::Never] {
                self.rx.set_staging_choice(staging);
                let mut y = self.rx.attribute::<R::Target, Vec3>().unwrap();
                self.rx.run_for_each(kernel(&x, &mut y)).unwrap();
                self.same(R::NAME, &mut y, R::Source::KIND);
            }
        }
    }

    fn reduction<K: Element>(&self) {
        let x = self.values::<K, Vec3>();
        let host: Vec<f64> = (x.host().unwrap().iter())
            .flat_map(|v| v.to_array().map(f64::from))
            .collect();
        let most = host.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let what = format!("{:?} of {}", K::KIND, self.what);
        assert_eq!(
            reduce::sum(&self.rx, &x).unwrap(),
            host.iter().sum::<f64>(),
            "{what}"
        );
        assert_eq!(reduce::max(&self.rx, &x).unwrap(), most, "{what}");
    }

    fn share<R: Relation, K>(&self, kernel: impl FnOnce(&Attribute<R::Source, [f32; 10]>) -> K)
    where
        K: DistributeEntry<Relation = R, Value = [f32; 10]>,
    {
        let x = self.values::<R::Source, [f32; 10]>();
        let mut y = self.rx.attribute::<R::Target, [f32; 10]>().unwrap();
        let sums = Distributor::<R, [f32; 10]>::new(&self.rx).unwrap();
        sums.run(&self.rx, kernel(&x), &mut y).unwrap();
        self.same(R::NAME, &mut y, R::Source::KIND);
    }
}

fn sums_over_all_relations(engine: &Engine) {
    for fixture in volumes(engine) {
        for &size in sizes(engine) {
            let case = SumsCase::new(engine, &fixture, size);
            case.gather::<VV, [f32; 10]>();
            case.gather::<VE, f32>();
            case.gather::<VF, Vec3>();
            case.gather::<VC, f32>();
            case.gather::<VC, Mat3>();
            case.gather::<VC, [f32; 10]>();
            case.gather::<VC, [f32; 7]>();
            case.gather::<EV, [f32; 10]>();
            case.gather::<EE, f32>();
            case.gather::<EF, f32>();
            case.gather::<EC, Vec3>();
            case.gather::<FV, Vec3>();
            case.gather::<FE, f32>();
            case.gather::<FF, f32>();
            case.gather::<FC, [f32; 10]>();
            case.gather::<CV, [f32; 10]>();
            case.gather::<CE, f32>();
            case.gather::<CF, Vec3>();
            case.gather::<CC, [f32; 10]>();
        }
    }
}

/// Sums and extremes of values of each kind.
fn reductions(engine: &Engine) {
    for fixture in volumes(engine) {
        let case = SumsCase::new(engine, &fixture, 16);
        case.reduction::<Vertex>();
        case.reduction::<Edge>();
        case.reduction::<Face>();
        case.reduction::<Cell>();
    }
}

/// With 10 numbers per value the elements of large patches come in several parts.
fn shares(engine: &Engine) {
    for fixture in volumes(engine) {
        for &size in sizes(engine) {
            let case = SumsCase::new(engine, &fixture, size);
            case.share::<CV, ShareCv>(|x| ShareCv {
                x: x.read().unwrap(),
            });
            case.share::<EV, ShareEv>(|x| ShareEv {
                x: x.read().unwrap(),
            });
            case.share::<CE, ShareCe>(|x| ShareCe {
                x: x.read().unwrap(),
            });
        }
    }
    // Values of 204 cells are in shared memory at a time.
    let fixture = kuhn(suited(engine, [[7, 6, 6], [4, 4, 4], [4, 3, 3]]));
    let case = SumsCase::new(engine, &fixture, 2048);
    assert!(
        case.rx
            .headers()
            .iter()
            .any(|h| h.owned_of(Kind::Cell) > 204)
    );
    case.share::<CE, ShareCe>(|x| ShareCe {
        x: x.read().unwrap(),
    });
    case.share::<CV, ShareCv>(|x| ShareCv {
        x: x.read().unwrap(),
    });
}

/// `Scatter` over all relations to smaller elements, added up in shared memory and where the sums are.
fn scattered_sums(engine: &Engine) {
    for fixture in volumes(engine) {
        for &size in sizes(engine) {
            let case = SumsCase::new(engine, &fixture, size);
            case.scatter::<CV, _>(|x, y| ScatterCv {
                x: x.staged().unwrap(),
                sum: y.staged_sum().unwrap(),
            });
            case.scatter::<CE, _>(|x, y| ScatterCe {
                x: x.staged().unwrap(),
                sum: y.staged_sum().unwrap(),
            });
            case.scatter::<EV, _>(|x, y| ScatterEv {
                x: x.staged().unwrap(),
                sum: y.staged_sum().unwrap(),
            });
            case.scatter::<CF, _>(|x, y| ScatterCf {
                x: x.staged().unwrap(),
                sum: y.staged_sum().unwrap(),
            });
            case.scatter::<FE, _>(|x, y| ScatterFe {
                x: x.staged().unwrap(),
                sum: y.staged_sum().unwrap(),
            });
            case.scatter::<FV, _>(|x, y| ScatterFv {
                x: x.staged().unwrap(),
                sum: y.staged_sum().unwrap(),
            });
        }
    }
}

/// Each corner has its own value; the same bits on every run.
fn corners(engine: &Engine) {
    let fixture = shuffled(kuhn(suited(engine, [[6, 5, 6], [3, 3, 3], [2, 2, 2]])), 11);
    let mut rng = Rng::new(3);
    let x: Vec<Vec3> = (0..fixture.vertices)
        .map(|_| Vec3::from_array([(); 3].map(|()| rng.signed_unit() as f32)))
        .collect();
    let mut want = vec![DVec3::ZERO; fixture.vertices];
    for cell in &fixture.cells {
        for (k, &v) in cell.iter().enumerate() {
            want[v as usize] += x[v as usize].as_dvec3() * (k + 1) as f64;
        }
    }
    for &size in sizes(engine) {
        let rx = fixture.on_with(engine, size, VolumeKinds::Cells, Ribbon::Usual);
        let x: Attribute<Vertex, Vec3> = rx.attribute_from(&x).unwrap();
        let sums = Distributor::<CV, Vec3>::new(&rx).unwrap();
        let run = || {
            let mut y = rx.attribute().unwrap();
            sums.run(
                &rx,
                GiveCorners {
                    x: x.staged().unwrap(),
                },
                &mut y,
            )
            .unwrap();
            y.to_input(&rx).unwrap()
        };
        let got = run();
        for (v, (got, want)) in got.iter().zip(&want).enumerate() {
            // Up to 24 terms below 4.
            let off = (got.as_dvec3() - want).length();
            assert!(off < 1e-4, "vertex {v}: {got} instead of {want}");
        }
        assert_eq!(run(), got, "again");
    }
}

/// From cells to edges to vertices, on the fly and prepared: each vertex is met three times.
fn nested(engine: &Engine) {
    let fixture = shuffled(kuhn([3, 2, 3]), 5);
    let rx = fixture.on_with(engine, 16, VolumeKinds::Edges, Ribbon::Usual);
    let linear = &rx.volume_set().vertex_linear;
    let want: Vec<u32> = (fixture.cells.iter())
        .map(|c| 3 * c.iter().map(|&v| linear[v as usize]).sum::<u32>())
        .collect();
    for _ in 0..4 {
        let mut sum: Attribute<Cell, u32> = rx.attribute().unwrap();
        rx.run_for_each(CellEdgeVertices {
            sum: sum.write().unwrap(),
        })
        .unwrap();
        assert_eq!(sum.to_input(&rx).unwrap(), want);
    }
}

fn the_boundary(engine: &Engine) {
    for fixture in volumes(engine) {
        for &size in sizes(engine) {
            let rx = fixture.on_with(engine, size, VolumeKinds::Faces, Ribbon::Usual);
            let oracle = fixture.oracle();
            let rows = oracle.relation(Kind::Face, Kind::Cell);
            let on: BTreeSet<&[u32]> = (0..rows.len() as u32)
                .filter(|&f| rows[f as usize].len() == 1)
                .map(|f| oracle.vertices(Kind::Face, f))
                .collect();
            // On the fly, then prepared.
            for _ in 0..3 {
                let mut got: Vec<[u32; 3]> = boundary::triangles(&rx).unwrap();
                got.iter_mut().for_each(|t| t.sort_unstable());
                assert_eq!(got.len(), on.len(), "{} at {size}", fixture.name);
                assert!(got.iter().all(|t| on.contains(&t[..])), "{}", fixture.name);
                let flags = boundary::vertices(&rx).unwrap().to_input(&rx).unwrap();
                let vertices: BTreeSet<u32> = on.iter().copied().flatten().copied().collect();
                for (v, flag) in (0..).zip(flags) {
                    assert_eq!(
                        flag == 1,
                        vertices.contains(&v),
                        "vertex {v} of {}",
                        fixture.name
                    );
                }
            }
        }
    }
}

fn other_meshes_are_refused(engine: &Engine) {
    let options = VolumeOptions::default();
    let make = || RxMesh::from_cells(engine, 4, &[[0, 1, 2, 3]], &options).unwrap();
    let (here, there) = (make(), make());
    let x: Attribute<Cell, f32> = there.attribute().unwrap();
    let mut y: Attribute<Vertex, f32> = here.attribute().unwrap();
    let error = gather::<VC, f32, _>(&here, &x, &mut y).unwrap_err();
    assert_eq!(error, AttributeError::OtherMesh.into());
    let sums = Distributor::<CV, [f32; 10]>::new(&there).unwrap();
    let x: Attribute<Cell, [f32; 10]> = here.attribute().unwrap();
    let mut y: Attribute<Vertex, [f32; 10]> = here.attribute().unwrap();
    let error = sums
        .run(
            &here,
            ShareCv {
                x: x.read().unwrap(),
            },
            &mut y,
        )
        .unwrap_err();
    assert_eq!(error, AttributeError::OtherMesh.into());
    // Edges were not requested.
    assert!(Distributor::<EV, f32>::new(&here).is_err());
    assert_eq!(here.attribute::<Edge, f32>().unwrap().len(), 0);
}
