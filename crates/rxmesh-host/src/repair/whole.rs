//! All passes, in order.

use super::degenerate::{DegenerateReport, drop_degenerate_faces};
use super::duplicates::{DuplicateReport, drop_duplicate_faces};
use super::orient::{OrientReport, OutwardReport, orient, orient_outward};
use super::parts::{SmallReport, drop_small_components};
use super::split::{SplitReport, Touching, split};
use super::weld::{WeldReport, weld};
use super::{
    GapOptions, GapReport, HoleOptions, HoleReport, Length, WhyLeft, close_gaps,
    drop_unused_vertices, fill_holes,
};
use crate::Error;
use crate::mesh::{CheckReport, MeshError, TriMesh, check};
use crate::options::Options;

/// Most times that faces are dropped and edges split: new places of one kind may come of the other.
const MOST_ROUNDS: usize = 8;

/// A pass of [`repair`] that is done unless it is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Pass {
    /// Unite vertices at one place.
    Weld,
    /// Drop faces without area, without tearing holes.
    Degenerate,
    /// Drop repeated faces, and walls between solids.
    Duplicates,
    /// Split non-manifold edges and vertices, and orient faces like their neighbours.
    Split,
    /// Orient faces like their neighbours, without splitting.
    Orient,
    /// Turn the normals of closed components outwards, and those of cavities inwards.
    Outward,
    /// Drop isolated vertices.
    Unused,
}

/// Options of [`repair`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct RepairOptions {
    /// Unite vertices no farther apart than this, a length in the mesh's unit or a percentage of its diagonal ('0.01%')
    /// [default: only those at one place].
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "LENGTH", num_args = 0..=1, require_equals = true, default_missing_value = "0")
    )]
    pub weld: Option<Length>,
    /// Run only these passes, and those of other flags.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "PASSES",
            value_enum,
            value_delimiter = ',',
            conflicts_with = "skip"
        )
    )]
    pub only: Vec<Pass>,
    /// Leave these passes out.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "PASSES", value_enum, value_delimiter = ',')
    )]
    pub skip: Vec<Pass>,
    /// Drop components of fewer faces; the largest one stays.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub min_component: Option<u32>,
    /// Drop components whose diagonal is less than this part of the mesh's; the largest one stays.
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART"))]
    pub min_size: Option<f64>,
    /// Close tiny gaps between boundaries.
    #[cfg_attr(feature = "cli", arg(long))]
    pub close_gaps: bool,
    /// Options of closing gaps.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub gaps: GapOptions,
    /// Fill holes.
    #[cfg_attr(feature = "cli", arg(long))]
    pub fill_holes: bool,
    /// Options of filling holes.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub holes: HoleOptions,
    /// Close gaps and fill holes, outer borders too, and fail if a boundary is left.
    #[cfg_attr(feature = "cli", arg(long))]
    pub watertight: bool,
}

units!(RepairOptions {
    weld: Length,
    gaps,
    holes
});

changeable!(RepairOptions);

impl Options for RepairOptions {
    fn check(&self) -> Result<(), Error> {
        let part = self.min_size.unwrap_or(0.0);
        match (0.0..=1.0).contains(&part) {
            true => self.gaps.check().and(self.holes.check()),
            false => Err(Error::Options(format!(
                "the least size of a component is {part} of the mesh's, but it is a part from 0 to 1"
            ))),
        }
    }
}

impl RepairOptions {
    /// Returns `true` if a pass is done.
    pub fn does(&self, pass: Pass) -> bool {
        let named = self.only.is_empty() || self.only.contains(&pass);
        named && !self.skip.contains(&pass) || pass == Pass::Weld && self.weld.is_some()
    }
}

/// Counts of the defects of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DefectCounts {
    /// Vertices.
    pub vertices: u64,
    /// Faces.
    pub faces: u64,
    /// Sets of faces connected through edges.
    pub components: u64,
    /// Closed rings of boundary edges.
    pub boundary_loops: u64,
    /// Edges with one face.
    pub boundary_edges: u64,
    /// Edges with more than two faces.
    pub non_manifold_edges: u64,
    /// Vertices whose faces are not one fan.
    pub non_manifold_vertices: u64,
    /// Edges whose faces are not oriented alike.
    pub inconsistent_edges: u64,
    /// Faces that name a vertex twice.
    pub degenerate_faces: u64,
    /// Faces without area, degenerate ones included.
    pub zero_area_faces: u64,
    /// Faces with the vertices of an earlier one.
    pub duplicate_faces: u64,
    /// Vertices of no face.
    pub isolated_vertices: u64,
    /// Vertices at the place of an earlier one.
    pub duplicate_vertices: u64,
}

impl DefectCounts {
    /// Returns the counts of a mesh that was checked.
    pub fn of(c: &CheckReport) -> DefectCounts {
        DefectCounts {
            vertices: c.vertices,
            faces: c.faces,
            components: c.face_components,
            boundary_loops: c.boundary_loops,
            boundary_edges: c.boundary_edges.count,
            non_manifold_edges: c.non_manifold_edges.count,
            non_manifold_vertices: c.non_manifold_vertices.count,
            inconsistent_edges: c.inconsistent_edges.count,
            degenerate_faces: c.degenerate_faces.count,
            zero_area_faces: c.zero_area_faces.count,
            duplicate_faces: c.duplicate_faces.count,
            isolated_vertices: c.isolated_vertices.count,
            duplicate_vertices: c.duplicate_vertices.count,
        }
    }

    /// Returns `true` if edits take the mesh whole: it is manifold and oriented alike, and no face is degenerate or
    /// there twice.
    pub fn is_sound(&self) -> bool {
        self.non_manifold_edges
            + self.non_manifold_vertices
            + self.inconsistent_edges
            + self.zero_area_faces
            + self.duplicate_faces
            == 0
    }
}

/// Counts of [`repair`], and of the defects that are left.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RepairReport {
    /// Counts of the mesh before.
    pub before: DefectCounts,
    /// Vertices united.
    pub weld: Option<WeldReport>,
    /// Faces without area dropped.
    pub degenerate: Option<DegenerateReport>,
    /// Faces dropped that were there more than once.
    pub duplicates: Option<DuplicateReport>,
    /// Edges and vertices split.
    pub split: Option<SplitReport>,
    /// Faces turned to agree with their neighbours, where nothing was to be split.
    pub orient: Option<OrientReport>,
    /// Small components dropped.
    pub small: Option<SmallReport>,
    /// Gaps closed.
    pub gaps: Option<GapReport>,
    /// Holes filled.
    pub holes: Option<HoleReport>,
    /// Components turned outwards.
    pub outward: Option<OutwardReport>,
    /// Vertices of no face dropped.
    pub unused: Option<u64>,
    /// Counts of the mesh afterwards.
    pub after: DefectCounts,
}

units!(RepairReport { weld });

impl RepairReport {
    /// Returns a message for each defect that was to be repaired and is left; nothing if all were repaired.
    pub fn undone(&self, options: &RepairOptions) -> Vec<String> {
        let a = &self.after;
        let mut undone = Vec::new();
        let mut left = |asked: bool, count: u64, what: &str| {
            if asked && count > 0 {
                undone.push(format!("{count} {what}"));
            }
        };
        let (split, orient) = (options.does(Pass::Split), options.does(Pass::Orient));
        left(split, a.non_manifold_edges, "non-manifold edges");
        left(split, a.non_manifold_vertices, "non-manifold vertices");
        left(
            split || orient,
            a.inconsistent_edges,
            "edges whose faces are not oriented alike",
        );
        left(
            options.does(Pass::Degenerate),
            a.zero_area_faces,
            "faces without area",
        );
        left(
            options.does(Pass::Duplicates),
            a.duplicate_faces,
            "duplicate faces",
        );
        left(
            options.does(Pass::Unused) && a.faces > 0,
            a.isolated_vertices,
            "vertices of no face",
        );
        left(options.watertight, a.boundary_edges, "boundary edges");
        let meant = |why| !matches!(why, WhyLeft::TooLarge | WhyLeft::Outer);
        let holes = self
            .holes
            .iter()
            .flat_map(|h| &h.left)
            .filter(|h| meant(h.why));
        left(true, holes.count() as u64, "holes that could not be filled");
        undone
    }
}

/// Repairs a mesh: welds vertices at one place, drops faces without area, faces that occur more than once and vertices
/// of no face, splits non-manifold edges and vertices, and orients faces alike and outwards; each unless `options`
/// leaves it out, and more if they request it. The result is the same on every run, and repairing it again changes
/// nothing.
///
/// # Errors
///
/// A mesh that [`TriMesh::validate`] refuses, or that grows too large for 32-bit numbers.
pub fn repair(mesh: &mut TriMesh, options: &RepairOptions) -> Result<RepairReport, MeshError> {
    mesh.validate()?;
    let mut report = RepairReport {
        before: DefectCounts::of(&check(mesh)),
        ..RepairReport::default()
    };
    if options.does(Pass::Weld) {
        report.weld = Some(weld(mesh, options.weld.unwrap_or_default()));
    }
    // Holes that touch in a vertex are separate holes until they are filled.
    let fills = options.fill_holes || options.watertight;
    let touching = if fills {
        Touching::Keep
    } else {
        Touching::Part
    };
    make_sound(mesh, options, touching, &mut report);
    if options.min_component.is_some() || options.min_size.is_some() {
        let (faces, size) = (
            options.min_component.unwrap_or(0),
            options.min_size.unwrap_or(0.0),
        );
        report.small = Some(drop_small_components(mesh, faces, size));
    }
    if options.close_gaps || options.watertight {
        report.gaps = Some(close_gaps(mesh, &options.gaps)?);
        make_sound(mesh, options, touching, &mut report);
    }
    if fills {
        let mut holes = options.holes;
        holes.outer |= options.watertight;
        report.holes = Some(fill_holes(mesh, &holes)?);
        make_sound(mesh, options, Touching::Part, &mut report);
    }
    if options.does(Pass::Outward) {
        report.outward = Some(orient_outward(mesh));
    }
    if options.does(Pass::Unused) {
        report.unused = Some(drop_unused_vertices(mesh));
    }
    mesh.validate()?;
    report.after = DefectCounts::of(&check(mesh));
    Ok(report)
}

/// Drops, splits and orients until nothing changes: cutting a face out can make a face that is there already, splitting
/// an edge a face without area.
fn make_sound(
    mesh: &mut TriMesh,
    options: &RepairOptions,
    touching: Touching,
    report: &mut RepairReport,
) {
    for _ in 0..MOST_ROUNDS {
        let mut changed = 0;
        if options.does(Pass::Degenerate) {
            let now = drop_degenerate_faces(mesh);
            changed += now.faces();
            report.degenerate.get_or_insert_default().add(&now);
        }
        if options.does(Pass::Duplicates) {
            let now = drop_duplicate_faces(mesh);
            changed += now.faces + now.walls;
            report.duplicates.get_or_insert_default().add(&now);
        }
        if options.does(Pass::Split) {
            let now = split(mesh, touching);
            changed += now.on_edges + now.dropped;
            report.split.get_or_insert_default().add(&now);
        } else if options.does(Pass::Orient) {
            let now = orient(mesh);
            let all = report.orient.get_or_insert_default();
            all.turned += now.turned;
            all.conflicts = now.conflicts;
        }
        if changed == 0 {
            break;
        }
    }
}
