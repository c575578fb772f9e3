//! Values for each neighbour over relations of any length, against naive sums on the host; `Scatter` over several
//! relations.

use glam::{DMat3, DVec3, Mat3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, StagingChoice};
use rxmesh_host::kernels::attr::{Read, Staged};
use rxmesh_host::kernels::kernel::{AnyArguments, Entry, OverRelations, PreparedEntry};
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{
    CC, CE, CF, CV, EC, EE, EF, EV, FC, FE, FF, FV, Relation, VC, VE, VF, VV,
};
use rxmesh_host::kernels::topo::{Cell, Edge, Element, Kind, Vertex};
use rxmesh_host::kernels::volume::entries::WriteEntries;
use rxmesh_host::mesh::Rng;
use rxmesh_host::store::{Attribute, AttributeError, Dimension, RelationChoice, RxMesh, Volume};
use rxmesh_host::volume::{Distributor, EntryValues};
use rxmesh_test_kernels::entries::{
    GiveCc, GiveCe, GiveCf, GiveCv, GiveEc, GiveEe, GiveEf, GiveEv, GiveFc, GiveFe, GiveFf, GiveFv,
    GiveProducts, GiveVc, GiveVe, GiveVf, GiveVv, ScatterNested, ShareCv, ShareEe, ShareVc,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::fixtures;
use rxmesh_tests::oracle::Sets;
use rxmesh_tests::volume_oracle::{VolumeOracle, names};
use rxmesh_tests::volumes::{kuhn, shuffled, volumes};

conformance! {
    values_for_each_neighbour,
    values_for_each_neighbour_of_surfaces,
    entry_sums_repeat,
    wide_values,
    products_of_corners,
    scattered_over_several,
    entries_of_other_meshes_are_refused,
}

fn sizes(engine: &Engine) -> &'static [u32] {
    suited(engine, [&[16, 64, 512], &[16, 64], &[16]])
}

/// Returns small integers for an element, so that sums of products are exact.
fn small(kind: Kind, id: u32) -> Vec3 {
    Vec3::from_array([0, 1, 2].map(|c| ((id * 7 + 5 * c + kind as u32) % 13) as f32 - 6.0))
}

/// Returns a value for each linear id of a kind, by the name of the element.
fn by_name<K: Element, D: Dimension>(rx: &RxMesh<D>, names: &[u32]) -> Attribute<K, Vec3> {
    let mut x: Attribute<K, Vec3> = rx.attribute().unwrap();
    x.download().unwrap();
    for (value, &id) in x.host_mut().unwrap().iter_mut().zip(names) {
        *value = small(K::KIND, id);
    }
    x.upload().unwrap();
    x
}

/// Returns the sum at each target of the products of its value and those of the elements that have it as a neighbour.
fn products(rows: &Sets, targets: usize, from: Kind, to: Kind) -> Vec<DMat3> {
    let mut sums = vec![DMat3::ZERO; targets];
    for (e, row) in (0..).zip(rows) {
        let x = small(from, e).as_dvec3();
        for &t in row {
            let y = small(to, t).as_dvec3();
            sums[t as usize] += DMat3::from_cols(x * y.x, x * y.y, x * y.z);
        }
    }
    sums
}

/// Gives values over a relation, computed on the fly and prepared, from shared memory and from global memory.
fn give<R: Relation, K, D: Dimension>(
    (what, rx): (&str, &RxMesh<D>),
    names: [&[u32]; 2],
    rows: &Sets,
    kernel: impl Fn(Read<R::Source, Vec3>, Staged<R::Target, Vec3>, WriteEntries<R, Mat3>) -> K,
) where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
    K: AnyArguments + OverRelations + Entry + PreparedEntry,
{
    let x = by_name::<R::Source, D>(rx, names[0]);
    let y = by_name::<R::Target, D>(rx, names[1]);
    let targets = rx.linear_len(R::Target::KIND) as usize;
    let want = products(rows, targets, R::Source::KIND, R::Target::KIND);
    let entries = EntryValues::<R, Mat3>::new(rx).unwrap();
    assert_eq!(
        !entries.is_empty(),
        rows.iter().any(|r| !r.is_empty()),
        "{what}"
    );
    for choice in [RelationChoice::OnTheFly, RelationChoice::Prepared] {
        rx.set_relation_choice(choice);
        for staging in [StagingChoice::All, StagingChoice::Never] {
            rx.set_staging_choice(staging);
            let mut sums: Attribute<R::Target, Mat3> = rx.attribute().unwrap();
            let make = |to| Ok(kernel(x.read()?, y.staged()?, to));
            let done = entries.run(rx, make, &mut sums);
            if choice == RelationChoice::Prepared && matches!(done, Err(Error::TooLarge { .. })) {
                // A table of a patch would have more entries than 16 bits count.
                continue;
            }
            done.unwrap();
            sums.download().unwrap();
            for (got, &id) in sums.host().unwrap().iter().zip(names[1]) {
                let want = want[id as usize];
                assert_eq!(got.as_dmat3(), want, "{} of {what}: {id}", R::NAME);
            }
        }
    }
}

fn values_for_each_neighbour(engine: &Engine) {
    for fixture in volumes(engine) {
        for &size in sizes(engine) {
            let rx = fixture.on(engine, size);
            let oracle = fixture.oracle();
            let names = names(&rx, &oracle);
            let what = format!("{} at {size}", fixture.name);
            macro_rules! all {
                ($($relation:ident $kernel:ident,)*) => {$({
                    let kinds = [
                        <<$relation as Relation>::Source as Element>::KIND,
                        <<$relation as Relation>::Target as Element>::KIND,
                    ];
                    let rows = oracle.relation(kinds[0], kinds[1]);
                    let names = kinds.map(|k| &names[k as usize][..]);
                    give::<$relation, _, _>((&what, &rx), names, &rows, |x, y, to| $kernel { x, y, to });
                })*};
            }
            all! {
                VV GiveVv, VE GiveVe, VF GiveVf, VC GiveVc,
                EV GiveEv, EE GiveEe, EF GiveEf, EC GiveEc,
                FV GiveFv, FE GiveFe, FF GiveFf, FC GiveFc,
                CV GiveCv, CE GiveCe, CF GiveCf, CC GiveCc,
            }
        }
    }
}

/// The same kernels on surfaces, boundaries and edges of many faces included; rows as the engine writes them.
fn values_for_each_neighbour_of_surfaces(engine: &Engine) {
    for fixture in fixtures::suited(engine) {
        let size = fixture.patch_sizes()[0];
        give_on_surface(&fixture.name, &fixture.on(engine, size));
        give_on_surface(&fixture.name, &fixture.on_with_slack(engine, size));
    }
}

fn give_on_surface(name: &str, rx: &RxMesh) {
    let linear = |k: Kind| (0..rx.linear_len(k)).collect::<Vec<u32>>();
    macro_rules! all {
        ($($relation:ident $kernel:ident,)*) => {$({
            let rows = rx.query::<$relation>().unwrap().read().unwrap();
            let from = linear(<<$relation as Relation>::Source as Element>::KIND);
            let to = linear(<<$relation as Relation>::Target as Element>::KIND);
            // Rows of elements that are not there have none.
            let there = |row: &[u32]| row.iter().copied().filter(|&t| t != u32::MAX).collect();
            let sets: Sets = from.iter().map(|&e| there(rows.row(e as usize))).collect();
            give::<$relation, _, _>((name, rx), [&from, &to], &sets, |x, y, to| $kernel { x, y, to });
        })*};
    }
    all! { VV GiveVv, VE GiveVe, VF GiveVf, EV GiveEv, EF GiveEf, FV GiveFv, FE GiveFe, FF GiveFf, }
}

/// Real numbers, whose sums depend on the order: the same bits on every run, close to the sum in double precision.
fn entry_sums_repeat(engine: &Engine) {
    let fixture = shuffled(kuhn(suited(engine, [[6, 5, 6], [3, 3, 3], [2, 2, 2]])), 11);
    let rx = fixture.on(engine, 64);
    let mut rng = Rng::new(5);
    let mut number = || rng.signed_unit() as f32;
    let mut random =
        |n: u32| -> Vec<[f32; 10]> { (0..n).map(|_| [(); 10].map(|()| number())).collect() };
    macro_rules! all {
        ($($share:ident $relation:ident,)*) => {$({
            let host = random(rx.linear_len(<<$relation as Relation>::Source as Element>::KIND));
            let mut x: Attribute<<$relation as Relation>::Source, [f32; 10]> = rx.attribute().unwrap();
            x.download().unwrap();
            x.host_mut().unwrap().copy_from_slice(&host);
            x.upload().unwrap();
            let rows = rx.query::<$relation>().unwrap().read().unwrap();
            let entries = EntryValues::<$relation, [f32; 10]>::new(&rx).unwrap();
            let run = || {
                let mut sums = rx.attribute().unwrap();
                entries.run(&rx, |to| Ok($share { x: x.read()?, to }), &mut sums).unwrap();
                sums.download().unwrap();
                sums.host().unwrap().to_vec()
            };
            let got = run();
            assert_eq!(got, run(), "{} again", $relation::NAME);
            let mut want = vec![[0.0f64; 10]; got.len()];
            for (e, x) in host.iter().enumerate() {
                for &t in rows.row(e) {
                    (0..10).for_each(|c| want[t as usize][c] += f64::from(x[c]));
                }
            }
            for (t, (got, want)) in got.iter().zip(&want).enumerate() {
                for c in 0..10 {
                    // At most 200 terms below 1.
                    let off = (f64::from(got[c]) - want[c]).abs();
                    assert!(off < 1e-4, "{} at {t}: {} instead of {}", $relation::NAME, got[c], want[c]);
                }
            }
        })*};
    }
    all! { ShareVc VC, ShareEe EE, ShareCv CV, }
}

/// Values of an odd number of numbers, and of more than a patch's values could have in shared memory.
fn wide_values(engine: &Engine) {
    let fixture = kuhn([2, 2, 2]);
    let rx = fixture.on(engine, 16);
    let entries = EntryValues::<VC, [f32; 3000]>::new(&rx);
    assert_eq!(entries.unwrap().len(), 4 * fixture.cells.len());
    let scalars = EntryValues::<VV, f32>::new(&rx).unwrap();
    let mut sums: Attribute<Vertex, f32> = rx.attribute_from(&vec![1.0; fixture.vertices]).unwrap();
    // No kernel has set them.
    scalars.sum(&rx, &mut sums).unwrap();
    assert_eq!(sums.to_input(&rx).unwrap(), vec![0.0; fixture.vertices]);
}

/// Matrices in shared memory.
fn products_of_corners(engine: &Engine) {
    for fixture in volumes(engine) {
        for &size in sizes(engine) {
            let rx = fixture.on(engine, size);
            let oracle = fixture.oracle();
            let names = names(&rx, &oracle);
            let [x, y] = [Kind::Cell, Kind::Vertex].map(|k| &names[k as usize]);
            let (x, y) = (by_name::<Cell, _>(&rx, x), by_name::<Vertex, _>(&rx, y));
            let rows = oracle.relation(Kind::Cell, Kind::Vertex);
            let want = products(&rows, fixture.vertices, Kind::Cell, Kind::Vertex);
            let mut sums: Attribute<Vertex, Mat3> = rx.attribute().unwrap();
            let kernel = GiveProducts {
                x: x.read().unwrap(),
                y: y.staged().unwrap(),
            };
            let distributor = Distributor::<CV, Mat3>::new(&rx).unwrap();
            distributor.run(&rx, kernel, &mut sums).unwrap();
            for (v, got) in sums.to_input(&rx).unwrap().iter().enumerate() {
                assert_eq!(
                    got.as_dmat3(),
                    want[v],
                    "vertex {v} of {} at {size}",
                    fixture.name
                );
            }
        }
    }
}

/// Cells to vertices, to edges, and over these to vertices, in one kernel.
fn scattered_over_several(engine: &Engine) {
    for fixture in volumes(engine) {
        for &size in sizes(engine) {
            let rx = fixture.on(engine, size);
            let oracle = fixture.oracle();
            let names = names(&rx, &oracle);
            let sum = |rows: &Sets, n: usize| {
                let mut sums = vec![DVec3::ZERO; n];
                for (c, row) in (0..).zip(rows) {
                    row.iter()
                        .for_each(|&t| sums[t as usize] += small(Kind::Cell, c).as_dvec3());
                }
                sums
            };
            let [v, e] = [Kind::Vertex, Kind::Edge]
                .map(|k| sum(&oracle.relation(Kind::Cell, k), oracle.count(k)));
            // Each vertex of a cell is an end of three of its edges.
            let ends: Vec<DVec3> = v.iter().map(|&sum| 3.0 * sum).collect();
            let z = by_name::<Cell, _>(&rx, &names[Kind::Cell as usize]);
            for choice in [RelationChoice::OnTheFly, RelationChoice::Prepared] {
                rx.set_relation_choice(choice);
                for staging in [StagingChoice::All, StagingChoice::Never] {
                    rx.set_staging_choice(staging);
                    nested(&rx, &z, &names, [&v, &ends], &e, &fixture.name, &oracle);
                }
            }
        }
    }
}

fn nested(
    rx: &RxMesh<Volume>,
    z: &Attribute<Cell, Vec3>,
    names: &[Vec<u32>; 4],
    vertices: [&[DVec3]; 2],
    edges: &[DVec3],
    what: &str,
    oracle: &VolumeOracle,
) {
    let mut at_vertices: Attribute<Vertex, Vec3> = rx.attribute().unwrap();
    let mut at_edges: Attribute<Edge, Vec3> = rx.attribute().unwrap();
    let mut at_ends: Attribute<Vertex, Vec3> = rx.attribute().unwrap();
    rx.run_for_each(ScatterNested {
        z: z.read().unwrap(),
        vertices: at_vertices.staged_sum().unwrap(),
        edges: at_edges.staged_sum().unwrap(),
        ends: at_ends.staged_sum().unwrap(),
    })
    .unwrap();
    at_edges.download().unwrap();
    for (got, &id) in at_edges
        .host()
        .unwrap()
        .iter()
        .zip(&names[Kind::Edge as usize])
    {
        let name = oracle.vertices(Kind::Edge, id);
        assert_eq!(
            got.as_dvec3(),
            edges[id as usize],
            "edge {name:?} of {what}"
        );
    }
    for (sums, want) in [&mut at_vertices, &mut at_ends].into_iter().zip(vertices) {
        for (v, got) in sums.to_input(rx).unwrap().iter().enumerate() {
            assert_eq!(got.as_dvec3(), want[v], "vertex {v} of {what}");
        }
    }
}

fn entries_of_other_meshes_are_refused(engine: &Engine) {
    let fixture = kuhn([2, 1, 1]);
    let (here, there) = (fixture.on(engine, 16), fixture.on(engine, 16));
    let entries = EntryValues::<VC, [f32; 10]>::new(&there).unwrap();
    let x: Attribute<Vertex, [f32; 10]> = here.attribute().unwrap();
    let mut sums: Attribute<Cell, [f32; 10]> = here.attribute().unwrap();
    let share = |to| Ok(ShareVc { x: x.read()?, to });
    let other = AttributeError::OtherMesh;
    assert_eq!(
        entries.run(&here, share, &mut sums).unwrap_err(),
        other.clone().into()
    );
    assert_eq!(entries.sum(&there, &mut sums).unwrap_err(), other.into());
    // A launch refuses the field as well.
    let to = entries.write();
    let kernel = ShareVc {
        x: x.read().unwrap(),
        to,
    };
    assert!(here.run_for_each(kernel).is_err());
}
