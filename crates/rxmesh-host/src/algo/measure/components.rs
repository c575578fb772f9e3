//! Connected components: faces that edges or vertices join.

use crate::Error;
use crate::algo::Options;
use crate::engine::Buffer;
use crate::parallel::scan;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::measure::components::{
    ComponentsLabel, ComponentsMark, ComponentsRoots, ComponentsStart, JoinFaces,
};
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::query::{EF, Relation, VF};
use rxmesh_kernels::topo::{Face, Kind};
use std::marker::PhantomData;

/// Element that joins two faces to one component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Through {
    /// An edge that they share.
    #[default]
    Edges,
    /// A vertex that they share.
    Vertices,
}

/// Definition of components, and selection among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ComponentsOptions {
    /// Element through which two faces are joined.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "WHAT", default_value_t, value_enum)
    )]
    pub through: Through,
    /// Keep the N components with the most faces, of equals the first ones in the file [default: all].
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub keep: Option<u32>,
    /// Keep the component with the most faces, as --keep 1.
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "keep"))]
    pub largest: bool,
    /// Keep components of at least N faces.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 0))]
    pub min_faces: u32,
}

units!(ComponentsOptions {});

impl Options for ComponentsOptions {
    fn check(&self) -> Result<(), Error> {
        match self.keep {
            Some(0) => Err(Error::Options(
                "0 components would be kept; keep at least 1".into(),
            )),
            _ => Ok(()),
        }
    }
}

impl ComponentsOptions {
    /// Returns for each component `true` if it is kept.
    pub fn kept(&self, sizes: &[ComponentSize]) -> Vec<bool> {
        let mut order: Vec<&ComponentSize> = sizes.iter().collect();
        // Stable: of equals the first one comes first.
        order.sort_by_key(|size| std::cmp::Reverse(size.faces));
        let keep = if self.largest { Some(1) } else { self.keep };
        order.truncate(keep.map_or(usize::MAX, |n| n as usize));
        let mut kept = vec![false; sizes.len()];
        for size in order {
            kept[size.label as usize] = size.faces >= self.min_faces;
        }
        kept
    }
}

/// Components of a mesh.
#[derive(Debug)]
pub struct Components {
    /// Component of each face. Components are numbered in the order of their first faces in the input.
    pub label: Attribute<Face, u32>,
    /// Number of components.
    pub count: u32,
}

/// Size of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ComponentSize {
    /// Label of the component.
    pub label: u32,
    /// Number of its faces.
    pub faces: u32,
    /// Vertices of its faces; one that several components share counts in each.
    pub vertices: u32,
    /// Area of its faces, in squared length.
    pub area: f64,
}

units!(ComponentSize { area: Area });

/// Finds the connected components of the faces, on the engine: the same labels on every engine and in every run.
/// Vertices without faces are in none. On a mesh without faces there is none.
///
/// # Errors
///
/// Any error of the engine.
pub fn components(rx: &RxMesh, through: Through) -> Result<Components, Error> {
    let (engine, n) = (rx.engine(), rx.linear_len(Kind::Face));
    let (parent, first) = (engine.zeroed(n as usize)?, engine.zeroed(n as usize)?);
    engine.launch_flat(
        n,
        ComponentsStart {
            parent: parent.global_mut(),
            first: first.global_mut(),
        },
    )?;
    match through {
        Through::Edges => join::<EF>(rx, &parent)?,
        Through::Vertices => join::<VF>(rx, &parent)?,
    }
    let source = match rx.source(Kind::Face)? {
        Some(source) => engine.upload(source)?,
        None => engine.upload(&(0..n).collect::<Vec<u32>>())?,
    };
    engine.launch_flat(
        n,
        ComponentsRoots {
            parent: parent.global_mut(),
            source: source.global(),
            first: first.global_mut(),
        },
    )?;
    let rank = engine.zeroed(rx.count(Kind::Face) as usize)?;
    engine.launch_flat(
        n,
        ComponentsMark {
            parent: parent.global(),
            first: first.global(),
            mark: rank.global_mut(),
        },
    )?;
    let count = scan::exclusive_shared(engine, &rank)?;
    let mut label = rx.attribute()?;
    engine.launch_flat(
        n,
        ComponentsLabel {
            parent: parent.global(),
            first: first.global(),
            rank: rank.global(),
            label: label.global_mut()?,
        },
    )?;
    Ok(Components { label, count })
}

/// Joins the faces of each row.
fn join<R: Relation<Target = Face>>(rx: &RxMesh, parent: &Buffer<u32>) -> Result<(), Error>
where
    JoinFaces<R>: Entry,
{
    Ok(rx.launch(JoinFaces::<R> {
        parent: parent.global_mut(),
        relation: PhantomData,
    })?)
}

/// Returns the sizes of the components of a mesh, in the order of their labels. `labels` are those of the faces, in the
/// same order.
///
/// # Panics
///
/// When a label is not below `count`, or a face names a vertex without a position.
pub fn sizes(
    faces: &[[u32; 3]],
    positions: &[Vec3],
    labels: &[u32],
    count: u32,
) -> Vec<ComponentSize> {
    let mut sizes: Vec<ComponentSize> = (0..count)
        .map(|label| ComponentSize {
            label,
            ..ComponentSize::default()
        })
        .collect();
    let mut corners: Vec<(u32, u32)> = Vec::with_capacity(3 * faces.len());
    for (face, &label) in faces.iter().zip(labels) {
        let [a, b, c] = face.map(|v| positions[v as usize].as_dvec3());
        let size = &mut sizes[label as usize];
        size.faces += 1;
        size.area += 0.5 * (b - a).cross(c - a).length();
        corners.extend(face.map(|v| (label, v)));
    }
    corners.sort_unstable();
    corners.dedup();
    for (label, _) in corners {
        sizes[label as usize].vertices += 1;
    }
    sizes
}
