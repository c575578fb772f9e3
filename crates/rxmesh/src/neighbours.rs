//! Neighbours of the elements of a mesh, in the order of the mesh.

use crate::{Mesh, Result};
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{EEThroughFaces, EF, EV, FE, FF, FV, Relation, VE, VF, VV};
use rxmesh_host::kernels::topo::{Element, Kind};
use rxmesh_host::store::RxMesh;

/// Relation between elements: the first letter names those that have neighbours, the second one the neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighbourKind {
    /// Vertices that share an edge with a vertex.
    VV,
    /// Edges at a vertex.
    VE,
    /// Faces at a vertex.
    VF,
    /// Ends of an edge.
    EV,
    /// Edges that share a face with an edge.
    EE,
    /// Faces at an edge.
    EF,
    /// Corners of a face.
    FV,
    /// Sides of a face.
    FE,
    /// Faces that share an edge with a face.
    FF,
}

impl NeighbourKind {
    /// All relations.
    pub const ALL: [NeighbourKind; 9] = [
        NeighbourKind::VV,
        NeighbourKind::VE,
        NeighbourKind::VF,
        NeighbourKind::EV,
        NeighbourKind::EE,
        NeighbourKind::EF,
        NeighbourKind::FV,
        NeighbourKind::FE,
        NeighbourKind::FF,
    ];

    /// Returns the name, such as `VV`.
    pub const fn name(self) -> &'static str {
        match self {
            NeighbourKind::VV => "VV",
            NeighbourKind::VE => "VE",
            NeighbourKind::VF => "VF",
            NeighbourKind::EV => "EV",
            NeighbourKind::EE => "EE",
            NeighbourKind::EF => "EF",
            NeighbourKind::FV => "FV",
            NeighbourKind::FE => "FE",
            NeighbourKind::FF => "FF",
        }
    }
}

/// Neighbours of all elements of one kind. Vertices and faces have the numbers of the mesh; edges are numbered from 0
/// on, in an order that is the same in all relations of a [`Mesh`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourRows {
    /// Start of each element's row in `values`, one more than there are elements.
    pub starts: Vec<u32>,
    /// Numbers of the neighbours, row after row.
    pub values: Vec<u32>,
    /// Length of all rows, if it is the same for every mesh.
    pub width: Option<u32>,
}

impl Mesh {
    /// Returns the neighbours of each vertex, edge or face. An element appears once in a row, and never in its own.
    ///
    /// # Errors
    ///
    /// A mesh that cannot be cut into patches, and errors of the engine.
    pub fn neighbours(&self, kind: NeighbourKind) -> Result<NeighbourRows> {
        let rx = self.patches()?;
        match kind {
            NeighbourKind::VV => rows::<VV>(&rx),
            NeighbourKind::VE => rows::<VE>(&rx),
            NeighbourKind::VF => rows::<VF>(&rx),
            NeighbourKind::EV => rows::<EV>(&rx),
            NeighbourKind::EE => rows::<EEThroughFaces>(&rx),
            NeighbourKind::EF => rows::<EF>(&rx),
            NeighbourKind::FV => rows::<FV>(&rx),
            NeighbourKind::FE => rows::<FE>(&rx),
            NeighbourKind::FF => rows::<FF>(&rx),
        }
    }
}

/// Numbers of the elements of one kind.
struct Numbers {
    /// Number of each linear id; `u32::MAX` of free slots.
    of_linear: Vec<u32>,
    /// Linear id of each number.
    linear: Vec<u32>,
}

impl Numbers {
    fn new(rx: &RxMesh, kind: Kind) -> Result<Numbers> {
        let orders = (rx.linear_to_input(kind)?, rx.input_to_linear(kind)?);
        let (of_linear, linear) = match orders {
            (Some(of_linear), Some(linear)) => (of_linear.to_vec(), linear.to_vec()),
            // The input does not number edges: linear order, without slack.
            _ => {
                let mut of_linear = vec![u32::MAX; rx.linear_len(kind) as usize];
                let mut linear = Vec::with_capacity(rx.count(kind) as usize);
                for h in rx.headers() {
                    for id in h.base_of(kind)..h.base_of(kind) + h.owned_of(kind) {
                        of_linear[id as usize] = linear.len() as u32;
                        linear.push(id);
                    }
                }
                (of_linear, linear)
            }
        };
        Ok(Numbers { of_linear, linear })
    }
}

fn rows<R: Relation>(rx: &RxMesh) -> Result<NeighbourRows>
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    let rows = rx.query::<R>()?.read()?;
    let sources = Numbers::new(rx, R::Source::KIND)?;
    let targets = Numbers::new(rx, R::Target::KIND)?;
    let mut starts = Vec::with_capacity(sources.linear.len() + 1);
    let mut values = Vec::with_capacity(rows.values.len());
    starts.push(0);
    for &id in &sources.linear {
        let neighbours = rows.row(id as usize).iter();
        let neighbours = neighbours.filter(|&&neighbour| neighbour != u32::MAX);
        values.extend(neighbours.map(|&neighbour| targets.of_linear[neighbour as usize]));
        starts.push(values.len() as u32);
    }
    let width = R::FIXED.filter(|_| !R::GAPS);
    Ok(NeighbourRows {
        starts,
        values,
        width,
    })
}
