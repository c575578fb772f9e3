//! Sessions for operators on every template, and their expected results by plain code.

use crate::cavities::{DiskCavity, Named, PlainSurface, sides};
use crate::launch::RunOperators;
use crate::marked::patched;
use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::edit::{Claims, Column, Edits, RunReport, Runs, Seeds, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::mem::GlobalMut;
use rxmesh_host::kernels::topo::{Edge, Face, Kind, Vertex};
use rxmesh_host::mesh::TriMesh;
use rxmesh_speculative::Speculative;
use rxmesh_test_kernels::templates::{
    AtEdge, AtFace, AtVertex, PunchE, PunchF, PunchV, RefillEdges, RefillFaces, RefillVertices,
    SplitFour,
};

/// Most rounds of a run: it ends long before.
const ROUNDS: u32 = 10_000;

/// Operators on templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateEdit {
    /// Deletes and refills vertices.
    V,
    /// Deletes and refills vertices with their edges.
    Ve,
    /// Deletes and refills vertices with their faces.
    Vf,
    /// Deletes and refills vertices with their neighbours.
    Vv,
    /// Deletes and refills edges.
    E,
    /// Deletes and refills edges with their faces.
    Ef,
    /// Deletes and refills edges with their ends.
    Ev,
    /// Deletes and refills edges with the edges of their faces.
    Ee,
    /// Deletes and refills faces.
    F,
    /// Deletes and refills faces with their sides.
    Fe,
    /// Deletes and refills faces with those across their sides.
    Ff,
    /// Deletes and refills faces with their corners: contracts them.
    Fv,
    /// Deletes vertices.
    PunchV,
    /// Deletes edges.
    PunchE,
    /// Deletes faces.
    PunchF,
    /// Splits faces into four.
    Four,
}

impl TemplateEdit {
    /// Operators that fill a hole with a star, one for each template.
    pub const REFILLS: [TemplateEdit; 12] = [
        TemplateEdit::V,
        TemplateEdit::Ve,
        TemplateEdit::Vf,
        TemplateEdit::Vv,
        TemplateEdit::E,
        TemplateEdit::Ef,
        TemplateEdit::Ev,
        TemplateEdit::Ee,
        TemplateEdit::F,
        TemplateEdit::Fe,
        TemplateEdit::Ff,
        TemplateEdit::Fv,
    ];

    /// Operators that leave holes.
    pub const PUNCHES: [TemplateEdit; 3] = [
        TemplateEdit::PunchV,
        TemplateEdit::PunchE,
        TemplateEdit::PunchF,
    ];

    /// Returns the number of the template among those on seeds of one kind; 0 of other operators.
    fn number(self) -> u32 {
        let name = format!("{self:?}").to_uppercase();
        let lists = [AtVertex::ALL, AtEdge::ALL, AtFace::ALL];
        let mut places = lists
            .iter()
            .filter_map(|all| all.iter().position(|&n| n == name));
        places.next().unwrap_or(0) as u32
    }

    /// Returns the kind of the seeds.
    pub fn kind(self) -> Kind {
        use TemplateEdit::{
            E, Ee, Ef, Ev, F, Fe, Ff, Four, Fv, PunchE, PunchF, PunchV, V, Ve, Vf, Vv,
        };
        match self {
            V | Ve | Vf | Vv | PunchV => Kind::Vertex,
            E | Ef | Ev | Ee | PunchE => Kind::Edge,
            F | Fe | Ff | Fv | PunchF | Four => Kind::Face,
        }
    }

    /// Returns the elements that the cavity of a seed names.
    pub fn named(self, s: &PlainSurface, seed: u32) -> Vec<Named> {
        let face_sides = |f: u32| sides(s.faces[&f]).map(Named::Edge);
        match self {
            TemplateEdit::V | TemplateEdit::Ve | TemplateEdit::Vf | TemplateEdit::PunchV => {
                vec![Named::Vertex(seed)]
            }
            TemplateEdit::Vv => {
                let all = s.neighbours(seed).into_iter().chain([seed]);
                all.map(Named::Vertex).collect()
            }
            TemplateEdit::E | TemplateEdit::Ef | TemplateEdit::PunchE => {
                vec![Named::Edge(s.edges[&seed])]
            }
            TemplateEdit::Ev => s.edges[&seed].map(Named::Vertex).to_vec(),
            TemplateEdit::Ee => s.at_edge(s.edges[&seed]).flat_map(face_sides).collect(),
            TemplateEdit::F | TemplateEdit::PunchF => vec![Named::Face(seed)],
            TemplateEdit::Fe => face_sides(seed).to_vec(),
            TemplateEdit::Ff | TemplateEdit::Four => {
                let beyond = sides(s.faces[&seed])
                    .into_iter()
                    .filter_map(|t| s.across(t));
                beyond.chain([seed]).map(Named::Face).collect()
            }
            TemplateEdit::Fv => s.faces[&seed].map(Named::Vertex).to_vec(),
        }
    }

    /// Returns the cavity of a seed. `None` if it cannot be carried out.
    pub fn cavity(self, s: &PlainSurface, seed: u32) -> Option<DiskCavity> {
        let cavity = s.cavity(&self.named(s, seed))?;
        let possible = match self {
            TemplateEdit::PunchV | TemplateEdit::PunchE | TemplateEdit::PunchF => {
                s.keeps_fans(&cavity)
            }
            TemplateEdit::Four => cavity.deleted.len() == 4,
            _ => !cavity.closed || cavity.corners.len() > 2,
        };
        possible.then_some(cavity)
    }

    /// Returns the triangles that fill the hole of a cavity, and the number of new vertices.
    pub fn fill(
        self,
        s: &PlainSurface,
        seed: u32,
        cavity: &DiskCavity,
        x: &[Vec3],
    ) -> (Vec<[Vec3; 3]>, usize) {
        let at = |v: u32| x[v as usize];
        match self {
            TemplateEdit::PunchV | TemplateEdit::PunchE | TemplateEdit::PunchF => (vec![], 0),
            TemplateEdit::Four => (four(s, seed, &at), 3),
            _ => {
                let corners = || cavity.corners.iter().map(|&v| at(v));
                let low = corners().fold(Vec3::MAX, Vec3::min);
                let high = corners().fold(Vec3::MIN, Vec3::max);
                let new = (low + high) * 0.5;
                let rim = cavity.rim().into_iter();
                (rim.map(|[a, b]| [at(a), at(b), new]).collect(), 1)
            }
        }
    }
}

/// Returns the triangles of a 1:4 split: four, and two for each face across a side.
pub fn four(s: &PlainSurface, seed: u32, at: &dyn Fn(u32) -> Vec3) -> Vec<[Vec3; 3]> {
    let corners = s.faces[&seed];
    let middle = |[a, b]: [u32; 2]| (at(a) + at(b)) * 0.5;
    let [ab, bc, ca] = sides(corners).map(middle);
    let [a, b, c] = corners.map(at);
    let mut made = vec![[ab, bc, ca], [a, ab, ca], [b, bc, ab], [c, ca, bc]];
    for side in sides(corners) {
        let Some(across) = s.across(side) else {
            continue;
        };
        let tip = s.faces[&across].into_iter().find(|v| !side.contains(v));
        let (m, tip) = (middle(side), at(tip.unwrap_or(side[0])));
        let [from, to] = side.map(at);
        made.extend([[from, tip, m], [tip, to, m]]);
    }
    made
}

/// Scheduler of edits that runs the operators of [`TemplateEdit`].
pub trait TemplateScheduler:
    Edits
    + Runs<RefillVertices>
    + Runs<RefillEdges>
    + Runs<RefillFaces>
    + Runs<PunchV>
    + Runs<PunchE>
    + Runs<PunchF>
    + Runs<SplitFour>
{
}

impl TemplateScheduler for Claims {}
impl TemplateScheduler for Speculative {}

/// Session with its positions and marks for seeds.
pub struct TemplateSession<C: Edits> {
    /// Session.
    pub session: Session<C>,
    /// Positions.
    pub x: Column<Vertex, Vec3>,
    marks: (Column<Vertex, u32>, Column<Edge, u32>, Column<Face, u32>),
}

/// Instantiates both schedulers of edits, compiled here once for all test programs (`rxmesh_host::instances`).
pub fn instances(
    claims: &mut TemplateSession<Claims>,
    speculative: &mut TemplateSession<Speculative>,
) {
    for edit in TemplateEdit::REFILLS {
        let _ = claims.run(edit);
        let _ = speculative.run(edit);
    }
}

impl<C: TemplateScheduler> TemplateSession<C> {
    /// Opens a mesh in patches of some size.
    ///
    /// # Errors
    ///
    /// As [`Session::open_with`].
    pub fn open(
        engine: &Engine,
        mesh: &TriMesh,
        patch_size: u32,
    ) -> Result<TemplateSession<C>, Error> {
        let rx = patched(engine, mesh, patch_size);
        let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
        let mut session = Session::open_with(&rx)?;
        let x = session.attach(&x)?;
        let marks = (session.column()?, session.column()?, session.column()?);
        Ok(TemplateSession { session, x, marks })
    }

    /// Returns the surface, and the position of each slot.
    pub fn surface(&self) -> (PlainSurface, Vec<Vec3>) {
        let arrays = self.session.to_host().expect("the arrays");
        let x = self.session.values(self.x).and_then(|x| Ok(x.read()?));
        (PlainSurface::new(&arrays), x.expect("values"))
    }

    /// Marks the seeds of an operator with their priorities, and no other.
    pub fn mark(&mut self, edit: TemplateEdit, seeds: &[(u32, u32)]) {
        let mut marks = vec![0; self.session.capacity(edit.kind()) as usize];
        for &(seed, mark) in seeds {
            marks[seed as usize] = mark;
        }
        let (v, e, f) = self.marks;
        match edit.kind() {
            Kind::Vertex => self.session.set(v, &marks),
            Kind::Edge => self.session.set(e, &marks),
            Kind::Face | Kind::Cell => self.session.set(f, &marks),
        }
        .expect("a mark a slot");
    }

    /// Runs an operator on its marked seeds until none is left.
    ///
    /// # Errors
    ///
    /// As [`Session::run_operator`].
    pub fn run(&mut self, edit: TemplateEdit) -> Result<RunReport, Error> {
        let (v, e, f) = self.marks;
        let template = edit.number();
        match edit {
            TemplateEdit::V | TemplateEdit::Ve | TemplateEdit::Vf | TemplateEdit::Vv => {
                self.refill(v, |marks, x| RefillVertices { marks, x, template })
            }
            TemplateEdit::E | TemplateEdit::Ef | TemplateEdit::Ev | TemplateEdit::Ee => {
                self.refill(e, |marks, x| RefillEdges { marks, x, template })
            }
            TemplateEdit::F | TemplateEdit::Fe | TemplateEdit::Ff | TemplateEdit::Fv => {
                self.refill(f, |marks, x| RefillFaces { marks, x, template })
            }
            TemplateEdit::PunchV => self.refill(v, |marks, _| PunchV { marks }),
            TemplateEdit::PunchE => self.refill(e, |marks, _| PunchE { marks }),
            TemplateEdit::PunchF => self.refill(f, |marks, _| PunchF { marks }),
            TemplateEdit::Four => self.refill(f, |marks, x| SplitFour { marks, x }),
        }
    }

    fn refill<K: rxmesh_host::kernels::topo::Element, O>(
        &mut self,
        marks: Column<K, u32>,
        op: impl Fn(GlobalMut<u32>, GlobalMut<Vec3>) -> O,
    ) -> Result<RunReport, Error>
    where
        O: rxmesh_host::kernels::cavity::Operator,
        C: Runs<O>,
    {
        let x = self.x;
        self.session
            .run_from(Seeds::All, ROUNDS, |s| Ok(op(s.write(marks)?, s.write(x)?)))
    }
}
