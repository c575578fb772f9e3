//! The active-set predicate, and several relations in one kernel, through kernels of the suite's own. Those are in no
//! PTX: on a GPU the downstream example and the library's kernels test predicate and relations.

use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::attr::{Read, Write};
use rxmesh_host::kernels::kernel::ForEach;
use rxmesh_host::kernels::query::{EF, FE, Neighbours, Table, VE, VV};
use rxmesh_host::kernels::topo::{Owned, Vertex};
use rxmesh_host::kernels::{entries, kernel};
use rxmesh_host::mesh::generate;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_very_slow;

conformance! { only_active_elements_run, three_relations_in_one_kernel }

kernel! {
    /// Counts the neighbours of requested vertices.
    struct Valence: ForEach<VV> {
        /// Not zero where the body is to run.
        asked: Read<Vertex, u32>,
        /// Number of neighbours.
        valence: Write<Vertex, u32>,
    }
}

impl ForEach<VV> for Valence {
    const SELECTIVE: bool = true;

    fn active(&self, v: Owned<Vertex>) -> bool {
        self.asked.get(v.any()) != 0
    }

    fn run(&self, v: Owned<Vertex>, ring: Neighbours<VV>) {
        self.valence.set(v, ring.len());
    }
}

kernel! {
    /// Counts the sides of all faces of all edges of a vertex: VE, then EF, then FE.
    struct CountSides: ForEach<(VE, EF, FE)> {
        /// Number of sides, an edge counted once for each face that leads to it.
        sides: Write<Vertex, u32>,
    }
}

impl ForEach<(VE, EF, FE)> for CountSides {
    fn run(&self, v: Owned<Vertex>, (edges, ef, fe): (Neighbours<VE>, Table<EF>, Table<FE>)) {
        let faces = edges
            .iter()
            .flat_map(|e| ef.of(e).iter().collect::<Vec<_>>());
        self.sides.set(v, faces.map(|f| fe.of(f).len()).sum());
    }
}

entries! {
    KERNELS;
    patch test_valence: Valence;
    patch test_sides: CountSides;
}

fn sphere(engine: &Engine) -> RxMesh {
    let mesh = generate::icosphere(if is_very_slow(engine) { 1 } else { 3 }).unwrap();
    let options = PatchOptions::default().with(|o| {
        o.patch_size = 32;
    });
    RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap()
}

/// No vertex, one vertex, every third, all: the others keep their old values.
fn only_active_elements_run(engine: &Engine) {
    if engine.is_cuda() {
        println!("skipped: the suite's own kernels are in no PTX");
        return;
    }
    let rx = sphere(engine);
    let n = rx.patch_set().unwrap().vertex_source.len();
    let all = rx.query::<VV>().unwrap().read().unwrap();
    let asked: [&dyn Fn(usize) -> bool; 4] =
        [&|_| false, &|i| i == n / 2, &|i| i % 3 == 0, &|_| true];
    for (k, asked) in asked.into_iter().enumerate() {
        // Linear ids: the predicate applies to the kernel's ids.
        let mut flags = rx.attribute_from::<Vertex, u32>(&vec![0; n]).unwrap();
        for (i, flag) in flags.host_mut().unwrap().iter_mut().enumerate() {
            *flag = u32::from(asked(i));
        }
        flags.upload().unwrap();
        let mut valence = rx.attribute_from::<Vertex, u32>(&vec![99; n]).unwrap();
        rx.run(Valence {
            asked: flags.read().unwrap(),
            valence: valence.write().unwrap(),
        })
        .unwrap();
        valence.download().unwrap();
        for (i, &got) in valence.host().unwrap().iter().enumerate() {
            let want = if asked(i) {
                all.row(i).len() as u32
            } else {
                99
            };
            assert_eq!(got, want, "set {k}, vertex {i}");
        }
    }
    assert_eq!(KERNELS.len(), 2);
}

/// On a closed mesh every edge has two faces of three sides.
fn three_relations_in_one_kernel(engine: &Engine) {
    if engine.is_cuda() {
        println!("skipped: the suite's own kernels are in no PTX");
        return;
    }
    let rx = sphere(engine);
    let all = rx.query::<VE>().unwrap().read().unwrap();
    let mut sides = rx.attribute::<Vertex, u32>().unwrap();
    rx.run(CountSides {
        sides: sides.write().unwrap(),
    })
    .unwrap();
    sides.download().unwrap();
    for (i, &got) in sides.host().unwrap().iter().enumerate() {
        assert_eq!(got, 6 * all.row(i).len() as u32, "vertex {i}");
    }
}
