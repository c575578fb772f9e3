//! User-defined operators: every template, cavities that stay open, the 1:4 split, attributes by a user's kernel.
//!
//! These kernels are in no PTX: on a GPU the checks pass without doing anything.

use glam::Vec3;
use rxmesh_host::edit::{Column, Seeds, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::cavity::{
    Births, Cavity, Growth, Hole, Operator, OperatorEntry, Origin, Priority, Seed, Site, Template,
    template,
};
use rxmesh_host::kernels::edit::{HalfEdgeMesh, NO_FACE};
use rxmesh_host::kernels::kernel::FlatKernel;
use rxmesh_host::kernels::math::hash;
use rxmesh_host::kernels::mem::GlobalMut;
use rxmesh_host::kernels::topo::{Element, Kind, Vertex};
use rxmesh_host::kernels::{args, entries, kernel};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::fixtures;
use rxmesh_tests::launch::{Launch, Round};

conformance! { stars_for_every_template, holes_stay_open, one_to_four, a_hook_sees_the_births }

/// Chooses one in `rarity` seeds.
fn chosen(seed: u32, rarity: u32) -> Option<Priority> {
    hash(seed).is_multiple_of(rarity).then_some(Priority::NONE)
}

/// Defines operators that delete a template and fill a closed hole with a star, an open one with a fan.
macro_rules! refill {
    ($($name:ident $template:ident;)*) => {$(
        args! {
            #[doc = "Deletes a template's cavity and makes a star of the hole."]
            pub struct $name {
                /// Positions.
                pub x: GlobalMut<Vec3>,
                /// Chooses one in `rarity` seeds.
                pub rarity: u32,
            }
        }
        // SAFETY: `fill` writes what it adds and the hole's boundary loop, all else only reads; ids are the mesh's
        // (contracts U3, U4).
        unsafe impl Operator for $name {
            type Template = template::$template;
            type Plan = Vec3;
            const GROWTH: Growth = Growth::VERTEX;
            fn template(&self) -> template::$template {
                template::$template
            }
            fn candidate(&self, _: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
                chosen(seed.0, self.rarity)
            }
            fn plan(&self, cavity: &Cavity<impl Site>) -> Vec3 {
                let n = cavity.corners();
                (0..n).map(|i| self.x.get(cavity.corner(i))).sum::<Vec3>() / n as f32
            }
            fn fill(&self, centre: Vec3, hole: &mut Hole<'_, impl Site>) {
                let v = hole.add_vertex();
                self.x.set(v.id(), centre);
                hole.add_star(v);
            }
        }
    )*};
}

refill! {
    RefillV V; RefillVe VE; RefillVf VF; RefillVv VV; RefillE E; RefillEf EF; RefillEv EV; RefillEe EE; RefillF F;
    RefillFe FE; RefillFf FF; RefillFv FV;
}

args! {
    /// Deletes chosen faces and leaves the holes.
    pub struct Punch {
        /// Chooses one in `rarity` faces.
        pub rarity: u32,
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, all else only reads; ids are the mesh's (contracts
// U3, U4).
unsafe impl Operator for Punch {
    type Template = template::F;
    type Plan = ();
    const LEAVES_HOLE: bool = true;
    fn template(&self) -> template::F {
        template::F
    }
    fn candidate(&self, _: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        chosen(seed.0, self.rarity)
    }
    fn plan(&self, _: &Cavity<impl Site>) {}
    fn fill(&self, (): (), _: &mut Hole<'_, impl Site>) {}
}

args! {
    /// Splits a face into four and its neighbours into two.
    pub struct SplitFour {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Chooses one in `rarity` faces.
        pub rarity: u32,
    }
}

impl SplitFour {
    fn is_corner(mesh: &impl HalfEdgeMesh, f: u32, v: u32) -> bool {
        mesh.sides(f).iter().any(|&h| mesh.origin(h) == v)
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, all else only reads; ids are the mesh's (contracts
// U3, U4).
unsafe impl Operator for SplitFour {
    type Template = template::FF;
    /// Rim corner at which the face begins, and the midpoints of its sides.
    type Plan = (u32, [Vec3; 3], [Origin; 3]);
    const GROWTH: Growth = Growth {
        vertices: 3,
        edges: 9,
        faces: 6,
    };
    fn template(&self) -> template::FF {
        template::FF
    }
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let inner = mesh
            .sides(seed.0)
            .iter()
            .all(|&h| mesh.face(h ^ 1) != NO_FACE);
        inner.then(|| chosen(seed.0, self.rarity)).flatten()
    }
    fn plan(&self, cavity: &Cavity<impl Site>) -> Self::Plan {
        let first = u32::from(!SplitFour::is_corner(
            cavity.mesh(),
            cavity.seed(),
            cavity.corner(0),
        ));
        let end = |k: u32| cavity.corner(first + 2 * (k % 3));
        let sides = [0, 1, 2].map(|k| (end(k), end(k + 1)));
        (
            first,
            sides.map(|(a, b)| (self.x.get(a) + self.x.get(b)) * 0.5),
            sides.map(|(a, b)| Origin::between(a, b, 0.5)),
        )
    }
    fn fill(&self, (first, at, origins): Self::Plan, hole: &mut Hole<'_, impl Site>) {
        let middles = [0, 1, 2].map(|k| hole.add_vertex_at(origins[k]));
        for k in 0..3 {
            self.x.set(middles[k].id(), at[k]);
        }
        // Corner 2 k of the boundary loop is the face's corner k, corner 2 k + 1 the tip of the face beyond side k.
        let inner = [0, 1, 2].map(|k| hole.add_edge(middles[k], middles[(k + 1) % 3]));
        let mut halves = [0u32, 1, 2].map(|k| {
            let (a, tip, b) = (first + 2 * k, first + 2 * k + 1, (2 * k + 2) % 6 + first);
            let m = middles[k as usize];
            let from = hole.add_edge(hole.corner(a), m);
            let to = hole.add_edge(m, hole.corner(b));
            let across = hole.add_edge(m, hole.corner(tip));
            hole.add_face(hole.side(a), across.twin(), from.twin());
            hole.add_face(hole.side(tip), to.twin(), across);
            (from, to)
        });
        for k in 0..3 {
            // At corner k + 1, between the sides k and k + 1.
            hole.add_face(halves[k].1, halves[(k + 1) % 3].0, inner[k].twin());
        }
        hole.add_face(inner[0], inner[1], inner[2]);
        halves.reverse();
    }
}

kernel! {
    /// Counts births, and gives each new vertex the larger of its parents' numbers, plus one.
    pub struct Generations: Flat {
        /// Births.
        pub births: Births,
        /// Numbers.
        pub of: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write disjoint elements or atomically; the host launches no more of them than the
// views' capacity (contracts U3, U4).
unsafe impl FlatKernel for Generations {
    fn run(&self, i: u32) {
        if let Some((v, origin)) = self.births.get(i) {
            let of = |k: usize| self.of.get(origin.parents[k]);
            self.of.set(v, 1 + of(0).max(of(1)).max(of(2)));
        }
    }
}

entries! {
    KERNELS;
    operator test_v: RefillV;
    operator test_ve: RefillVe;
    operator test_vf: RefillVf;
    operator test_vv: RefillVv;
    operator test_e: RefillE;
    operator test_ef: RefillEf;
    operator test_ev: RefillEv;
    operator test_ee: RefillEe;
    operator test_f: RefillF;
    operator test_fe: RefillFe;
    operator test_ff: RefillFf;
    operator test_fv: RefillFv;
    operator test_punch: Punch;
    operator test_four: SplitFour;
    flat test_generations: Generations;
}

fn is_here(engine: &Engine) -> bool {
    assert!(KERNELS.len() > 3);
    engine.name() != "cuda"
}

fn open(engine: &Engine, mesh: &TriMesh) -> (Session, Column<Vertex, Vec3>) {
    let options = PatchOptions::default().with(|o| {
        o.patch_size = 64;
    });
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::open(&rx).unwrap();
    let x = session.attach(&x).unwrap();
    (session, x)
}

fn check(session: &Session, what: &str) {
    let wrong = session.validate().unwrap();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
}

/// Runs rounds of an operator on a fresh mesh; returns the number of cavities that were carried out.
fn rounds<O: OperatorEntry>(
    engine: &Engine,
    name: &str,
    mesh: &TriMesh,
    op: impl Fn(GlobalMut<Vec3>, u32) -> O,
) -> u32 {
    let mut done = 0;
    for rarity in [1, 5] {
        let (mut session, x) = open(engine, mesh);
        let euler = session.euler_number().unwrap();
        let kind = <<O::Template as Template>::Seed as Element>::KIND;
        let what = format!("{} on {name}, {kind:?}", std::any::type_name::<O>());
        let report = session
            .round(Seeds::All, |s| Ok(op(s.write(x)?, rarity)))
            .unwrap();
        check(&session, &what);
        assert_eq!(session.euler_number().unwrap(), euler, "{what}");
        done += report.done;
    }
    done
}

fn stars_for_every_template(engine: &Engine) {
    if !is_here(engine) {
        return;
    }
    let n = if is_slow(engine) { 1 } else { 3 };
    let meshes = [
        ("sphere", fixtures::closed(n)),
        ("torus", fixtures::torus(9, 8)),
        ("grid", fixtures::with_boundary(9, 8)),
    ];
    macro_rules! try_all {
        ($($name:ident)*) => {$(
            let mut done = 0;
            for (name, mesh) in &meshes {
                done += rounds(engine, name, mesh, |x, rarity| $name { x, rarity });
            }
            assert!(done > 0, "{} does nothing", stringify!($name));
        )*};
    }
    try_all! { RefillV RefillVe RefillVf RefillVv RefillE RefillEf RefillEv RefillEe
    RefillF RefillFe RefillFf RefillFv }
}

fn holes_stay_open(engine: &Engine) {
    if !is_here(engine) {
        return;
    }
    for (name, mesh) in [
        ("sphere", fixtures::closed(2)),
        ("grid", fixtures::with_boundary(9, 8)),
    ] {
        let (mut session, _) = open(engine, &mesh);
        let mut faces = mesh.face_count() as u32;
        for rarity in [7, 3, 2, 1, 1, 1, 1, 1, 1, 1] {
            let report = session.round(Seeds::All, |_| Ok(Punch { rarity })).unwrap();
            check(&session, name);
            faces -= report.done;
            assert_eq!(session.live().unwrap()[2], faces, "{name}");
        }
        assert!(
            faces < mesh.face_count() as u32 * 9 / 10,
            "{name}: {faces} faces"
        );
    }
}

fn area(mesh: &TriMesh) -> f32 {
    let x = |v: u32| mesh.positions[v as usize];
    let double = |f: &[u32; 3]| (x(f[1]) - x(f[0])).cross(x(f[2]) - x(f[0])).z;
    assert!(
        mesh.faces.iter().all(|f| double(f) > 0.0),
        "a face has turned over"
    );
    mesh.faces.iter().map(double).sum::<f32>() * 0.5
}

fn one_to_four(engine: &Engine) {
    if !is_here(engine) {
        return;
    }
    let mesh = generate::grid(8, 7).unwrap();
    let (mut session, x) = open(engine, &mesh);
    let report = session
        .round(Seeds::All, |s| {
            Ok(SplitFour {
                x: s.write(x)?,
                rarity: 1,
            })
        })
        .unwrap();
    check(&session, "grid");
    assert!(report.done > 2, "{report:?}");
    let live = session.live().unwrap();
    assert_eq!(
        live[0] as usize,
        mesh.vertex_count() + 3 * report.done as usize
    );
    assert_eq!(
        live[2] as usize,
        mesh.face_count() + 6 * report.done as usize
    );
    assert_eq!(session.euler_number().unwrap(), 1);
    let after = session.to_mesh(x).unwrap().0;
    assert!((area(&after) - 1.0).abs() < 1e-5);
}

fn a_hook_sees_the_births(engine: &Engine) {
    if !is_here(engine) {
        return;
    }
    let mesh = generate::grid(8, 7).unwrap();
    let (mut session, x) = open(engine, &mesh);
    let generation = session.column::<Vertex, u32>().unwrap();
    session.after_births(move |s, births, n| {
        let of = s.write(generation)?;
        Ok(s.engine().launch_flat(n, Generations { births, of })?)
    });
    for round in 1..3 {
        let before = session.live().unwrap()[0];
        session
            .round(Seeds::All, |s| {
                Ok(SplitFour {
                    x: s.write(x)?,
                    rarity: 2,
                })
            })
            .unwrap();
        let after = session.live().unwrap()[0];
        let host = session.to_host().unwrap();
        let values = session.values(generation).unwrap().read().unwrap();
        let alive = (0..values.len()).filter(|&v| host.ve[v] != rxmesh_host::kernels::edit::DEAD);
        let born = alive.clone().filter(|&v| values[v] > 0).count() as u32;
        assert_eq!(
            born,
            session.live().unwrap()[0] - mesh.vertex_count() as u32
        );
        assert!(after > before && alive.map(|v| values[v]).max() <= Some(round));
    }
    assert_eq!(session.live().unwrap().len(), Kind::ALL.len());
}
