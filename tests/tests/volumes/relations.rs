//! Volumes: all sixteen relations, on the fly and prepared, against naive code.

use proptest::prelude::*;
use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::query::prepare::{PrepareRows, WritePrepared};
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{
    CC, CE, CF, CV, EC, EE, EF, EV, FC, FE, FF, FV, Relation, VC, VE, VF, VV,
};
use rxmesh_host::kernels::topo::{Cell, Element, Kind, Needs};
use rxmesh_host::patch::{Ribbon, VolumeKinds};
use rxmesh_host::store::{Attribute, Dimension, RxMesh, Surface, Volume};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::launch::LaunchPatches;
use rxmesh_tests::volume_oracle::{VolumeOracle, names};
use rxmesh_tests::volumes::{VolumeFixture, kuhn, shuffled, soup, volumes};

conformance! { relations, relations_of_the_usual_ribbon, kinds_are_asked_for, attributes, faces_point_outwards }

/// Volume with its expected relations.
struct RelationsCase<'a> {
    what: &'a str,
    rx: RxMesh<Volume>,
    oracle: VolumeOracle,
    names: [Vec<u32>; 4],
}

impl<'a> RelationsCase<'a> {
    fn new(fixture: &'a VolumeFixture, rx: RxMesh<Volume>) -> RelationsCase<'a> {
        let oracle = fixture.oracle();
        let names = names(&rx, &oracle);
        RelationsCase {
            what: &fixture.name,
            rx,
            oracle,
            names,
        }
    }

    /// Checks that the rows of a relation in the oracle's ids, each sorted, have no duplicates and equal the oracle's.
    #[track_caller]
    fn same(&self, relation: &str, (from, to): (Kind, Kind), starts: &[u32], values: &[u32]) {
        let want = self.oracle.relation(from, to);
        for (linear, &source) in self.names[from as usize].iter().enumerate() {
            let row = &values[starts[linear] as usize..starts[linear + 1] as usize];
            let mut got: Vec<u32> = row
                .iter()
                .map(|&v| self.names[to as usize][v as usize])
                .collect();
            got.sort_unstable();
            assert_eq!(
                got, want[source as usize],
                "{relation} of {}: {from:?} {source}",
                self.what
            );
        }
    }

    /// Checks a relation on the fly, and from tables.
    #[track_caller]
    fn relation<R: Relation>(&self)
    where
        CountRows<R>: Entry,
        WriteRows<R>: Entry,
    {
        let kinds = (R::Source::KIND, R::Target::KIND);
        let rows = self.rx.query::<R>().unwrap().read().unwrap();
        self.same(R::NAME, kinds, &rows.starts, &rows.values);
    }

    #[track_caller]
    fn both<R: Relation>(&self)
    where
        CountRows<R>: Entry,
        WriteRows<R>: Entry,
        WritePrepared<R>: Entry,
        PrepareRows<R>: Entry,
    {
        self.relation::<R>();
        let rows = self.rx.allocate_rows::<R>().unwrap();
        // The starts, and other values.
        self.rx.query_into(&rows).unwrap();
        let starts = rows.read().unwrap().starts;
        let values = self
            .rx
            .engine()
            .upload(&vec![7u32; rows.values().len()])
            .unwrap();
        self.rx
            .launch(WritePrepared::<R> {
                starts: rows.starts().global(),
                values: values.global_mut(),
                relation: self.rx.prepare().unwrap(),
            })
            .unwrap();
        let kinds = (R::Source::KIND, R::Target::KIND);
        self.same(R::NAME, kinds, &starts, &values.read().unwrap());
    }

    /// Checks all relations but EE and FF.
    #[track_caller]
    fn usual(&self) {
        self.both::<VV>();
        self.both::<VE>();
        self.both::<VF>();
        self.both::<VC>();
        self.relation::<EV>();
        self.both::<EF>();
        self.both::<EC>();
        self.both::<FV>();
        self.relation::<FE>();
        self.both::<FC>();
        self.relation::<CV>();
        self.relation::<CE>();
        self.relation::<CF>();
        self.both::<CC>();
    }
}

fn sizes(engine: &Engine) -> &'static [u32] {
    suited(engine, [&[16, 64, 512], &[16, 64], &[16]])
}

fn relations(engine: &Engine) {
    for fixture in volumes(engine) {
        for &size in sizes(engine) {
            let case = RelationsCase::new(&fixture, fixture.on(engine, size));
            case.usual();
            case.both::<EE>();
            case.both::<FF>();
        }
    }
}

fn relations_of_the_usual_ribbon(engine: &Engine) {
    for fixture in volumes(engine) {
        let rx = fixture.on_with(engine, 16, VolumeKinds::Faces, Ribbon::Usual);
        RelationsCase::new(&fixture, rx).usual();
    }
}

/// Kinds that were not requested are refused by name, and relations that do not need them exist.
fn kinds_are_asked_for(engine: &Engine) {
    let fixture = kuhn([2, 2, 2]);
    let refused = |rx: &RxMesh<Volume>, what: &str, missing: &str, got: Result<(), Error>| {
        let want = EngineError::Needs {
            what: "",
            missing: missing.into(),
        };
        match got {
            Err(Error::Engine(EngineError::Needs {
                what: name,
                missing,
            })) => {
                assert_eq!(EngineError::Needs { what: "", missing }, want, "{what}");
                assert!(name.to_lowercase().contains(&what.to_lowercase()), "{name}");
            }
            other => panic!("{what} on {rx:?}: {other:?}"),
        }
    };
    let rx = fixture.on_with(engine, 16, VolumeKinds::Cells, Ribbon::Usual);
    assert_eq!([Kind::Edge, Kind::Face].map(|k| rx.count(k)), [0, 0]);
    refused(&rx, "ve", "edges", rx.query::<VE>().map(drop));
    refused(&rx, "CC", "faces", rx.prepare::<CC>().map(drop));
    let case = RelationsCase::new(&fixture, rx);
    case.both::<VC>();
    case.relation::<CV>();
    let rx = fixture.on_with(engine, 16, VolumeKinds::Edges, Ribbon::Usual);
    refused(&rx, "EE", "the ring", rx.prepare::<EE>().map(drop));
    refused(&rx, "ff", "faces, the ring", rx.query::<FF>().map(drop));
    let case = RelationsCase::new(&fixture, rx);
    case.both::<VV>();
    case.both::<EC>();
    case.relation::<CE>();
    // A surface's relations are those that need no cells: others do not compile.
    assert!(Surface::MAY_HAVE.has(FF::NEEDS) && Volume::MAY_HAVE.has(CC::NEEDS));
    for needs in [
        VC::NEEDS,
        EC::NEEDS,
        FC::NEEDS,
        CV::NEEDS,
        CE::NEEDS,
        CF::NEEDS,
        EE::NEEDS,
    ] {
        assert!(!Surface::MAY_HAVE.has(needs) && needs.has(Needs::CELLS));
    }
}

/// Values of cells and vertices keep the input's order; faces have none.
fn attributes(engine: &Engine) {
    let fixture = shuffled(kuhn([3, 2, 3]), 8);
    let rx = fixture.on(engine, 16);
    let input: Vec<[f32; 10]> = (0..fixture.cells.len()).map(|c| [c as f32; 10]).collect();
    let mut x: Attribute<Cell, [f32; 10]> = rx.attribute_from(&input).unwrap();
    assert_eq!(x.to_input(&rx).unwrap(), input);
    let source = &rx.volume_set().cell_source;
    let linear: Vec<u32> = x.host().unwrap().iter().map(|x| x[0] as u32).collect();
    assert_eq!(&linear, source);
    let short = rx
        .attribute_from::<Cell, f32>(&[0.0])
        .unwrap_err()
        .to_string();
    assert!(short.contains("cells"), "{short}");
}

/// A boundary face's corners are its cell's, in the order that points out of the cell.
fn faces_point_outwards(engine: &Engine) {
    let fixture = shuffled(kuhn([3, 3, 2]), 4);
    let rx = fixture.on(engine, 64);
    let (fv, fc) = (
        rx.query::<FV>().unwrap().read().unwrap(),
        rx.query::<FC>().unwrap().read().unwrap(),
    );
    let set = rx.volume_set();
    let mut boundary = 0;
    for f in 0..rx.count(Kind::Face) as usize {
        let &[cell] = fc.row(f) else { continue };
        boundary += 1;
        let face: Vec<u32> = fv
            .row(f)
            .iter()
            .map(|&v| set.vertex_source[v as usize])
            .collect();
        let [a, b, c, d] = fixture.cells[set.cell_source[cell as usize] as usize];
        let outward = [[b, c, d], [a, d, c], [a, b, d], [a, c, b]];
        let turns = outward
            .iter()
            .flat_map(|&[x, y, z]| [[x, y, z], [y, z, x], [z, x, y]]);
        assert_eq!(turns.filter(|t| t[..] == face[..]).count(), 1, "{face:?}");
    }
    assert_eq!(boundary, 2 * 2 * (3 * 3 + 3 * 2 + 3 * 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Random cells in patches of any size, on the CPU.
    #[test]
    fn soups(n in 4usize..30, cells in 0usize..50, seed in any::<u64>(), size in 1u32..20) {
        let fixture = soup(n, cells, seed);
        let case = RelationsCase::new(&fixture, fixture.on(&Engine::cpu(), size));
        case.usual();
        case.both::<EE>();
        case.both::<FF>();
    }
}
