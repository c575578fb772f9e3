//! What every reader of volumes makes first: positions and tetrahedra, what hangs on them, and what else there was.

use super::error::{At, Fault, FaultKind};
use super::names;
use super::numbers::Numbers;
use super::points::{Bits, Points};
use crate::mesh::{Column, ColumnData, ElementKind, Extras, TetMesh, is_free_name};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The column of cells that says which part of a body each belongs to: references of MEDIT, attributes of TetGen's
/// cells, physical groups of Gmsh.
pub(super) const REGION: &str = "region";
/// The column of vertices with the references of MEDIT and the boundary markers of TetGen.
pub(super) const MARKER: &str = "marker";

/// A volume as it stands in a file. All indices are in range.
#[derive(Debug, Default)]
pub(super) struct Volume {
    pub(super) points: Points,
    pub(super) cells: Vec<[u32; 4]>,
    /// The vertices on edges, faces and inside of tetrahedra of higher order.
    pub(super) middles: Vec<u32>,
    /// Tetrahedra of higher order.
    pub(super) curved: u64,
    /// How many elements there were of other kinds.
    pub(super) others: BTreeMap<Cow<'static, str>, u64>,
    pub(super) columns: Vec<Column>,
    pub(super) comments: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl Volume {
    pub(super) fn new(bits: Bits) -> Volume {
        Volume {
            points: Points::new(bits),
            ..Volume::default()
        }
    }

    /// Whether reading again with 64 bits may give a better mesh.
    pub(super) fn wants_double(&self) -> bool {
        self.points.want_double(self.cells.as_flattened())
    }

    /// Counts elements that are not kept.
    pub(super) fn pass(&mut self, what: impl Into<Cow<'static, str>>, n: u64) {
        if n > 0 {
            *self.others.entry(what.into()).or_default() += n;
        }
    }

    /// Adds a tetrahedron: its four corners come first, then those on its edges, faces and inside.
    pub(super) fn tetrahedron(&mut self, nodes: &[u32]) {
        let (corners, middles) = nodes.split_at(4);
        self.cells.extend(<[u32; 4]>::try_from(corners));
        self.curved += u64::from(!middles.is_empty());
        self.middles.extend(middles);
    }

    /// Keeps a column with rows of vertices or cells under a name that a mesh can have; says so where the name or the
    /// type has to change, or where it cannot be kept.
    pub(super) fn column(&mut self, name: &str, element: ElementKind, width: usize, data: Numbers) {
        let (Some(data), true) = (data.into_column(), width > 0) else {
            self.warnings.push(format!(
                "{element} column '{}' is not kept: its whole numbers have more digits than 64-bit floats hold, or it \
                    has none",
                names::shown(name)
            ));
            return;
        };
        let free = self.free_name(name, element);
        if free != name {
            self.warnings.push(format!(
                "{element} column '{}' is now called '{free}'",
                names::shown(name)
            ));
        }
        self.columns.push(Column {
            name: free,
            element,
            width,
            data,
        });
    }

    fn free_name(&self, name: &str, element: ElementKind) -> String {
        let fits = |c: char| !c.is_ascii_whitespace() && !c.is_control();
        let mut free: String = name
            .chars()
            .map(|c| if fits(c) { c } else { '_' })
            .collect();
        if free.is_empty() || !is_free_name(element, &free) {
            free.insert(0, '_');
        }
        let taken = |name: &str| {
            let mut columns = self.columns.iter();
            columns.any(|c| c.element == element && c.name == name)
        };
        let first = free.clone();
        let mut n = 2;
        while taken(&free) {
            free = format!("{first}_{n}");
            n += 1;
        }
        free
    }

    /// The mesh, its cells turned to be positive, and what to tell people.
    pub(super) fn finish(mut self) -> Result<(TetMesh, Vec<String>), Fault> {
        self.points.settle(self.cells.as_flattened());
        let file = |kind| Fault { at: At::File, kind };
        if self.points.len() == 0 {
            return Err(file(FaultKind::NoVertices));
        }
        if self.cells.is_empty() {
            let what = match self.others.is_empty() {
                true => "holds no tetrahedra".into(),
                false => format!("holds no tetrahedra, only {}", self.other_elements()),
            };
            return Err(file(FaultKind::What(what)));
        }
        self.tell();
        let mut mesh = TetMesh {
            positions: std::mem::take(&mut self.points.positions),
            cells: self.cells,
            extras: Extras {
                columns: self.columns,
                comments: self.comments,
                ..Extras::default()
            },
            placement: self.points.placement,
        };
        drop_middles(&mut mesh, &self.middles);
        mesh.validate()?;
        let turned = mesh.orient();
        if turned > 0 {
            self.warnings.push(format!(
                "{turned} of {} tetrahedra were inverted and are turned round",
                mesh.cell_count()
            ));
        }
        Ok((mesh, self.warnings))
    }

    fn tell(&mut self) {
        if !self.others.is_empty() {
            let others = self.other_elements();
            self.warnings
                .push(format!("{others} are not kept: a volume is of tetrahedra"));
        }
        if self.curved > 0 {
            self.warnings.push(format!(
                "{} tetrahedra are of higher order: only their corners are kept",
                self.curved
            ));
        }
        self.warnings.extend(self.points.warning());
    }

    fn other_elements(&self) -> String {
        let each = self.others.iter().map(|(what, n)| format!("{n} {what}"));
        each.collect::<Vec<_>>().join(", ")
    }
}

/// Takes out the vertices that are on edges, faces and inside of tetrahedra, and corners of none.
fn drop_middles(mesh: &mut TetMesh, middles: &[u32]) {
    if middles.is_empty() {
        return;
    }
    let mut keep = vec![true; mesh.positions.len()];
    middles.iter().for_each(|&v| keep[v as usize] = false);
    mesh.cells
        .iter()
        .flatten()
        .for_each(|&v| keep[v as usize] = true);
    let kept = (0..).zip(&keep).filter(|(_, k)| **k);
    let kept: Vec<u32> = kept.map(|(v, _)| v).collect();
    let mut renamed = vec![u32::MAX; keep.len()];
    for (new, &old) in kept.iter().enumerate() {
        renamed[old as usize] = new as u32;
    }
    let name = |v: &mut u32| *v = renamed[*v as usize];
    mesh.cells.iter_mut().flatten().for_each(name);
    mesh.positions = kept.iter().map(|&v| mesh.positions[v as usize]).collect();
    for c in &mut mesh.extras.columns {
        if c.element == ElementKind::Vertex {
            *c = c.gather(&kept);
        }
    }
}

/// Whole numbers as a column, unless all are `plain`, which is what files say where there is nothing to say.
pub(super) fn references(values: Vec<i32>, plain: &[i32]) -> Option<Numbers> {
    let says = plain.iter().all(|p| values.iter().any(|v| v != p));
    says.then_some(Numbers::Kept(ColumnData::I32(values)))
}

/// The whole numbers of a column, if it is one of so many references.
pub(super) fn references_of<'a>(
    mesh: &'a TetMesh,
    element: ElementKind,
    name: &str,
) -> Option<&'a Column> {
    let column = mesh.extras.column(element, name)?;
    let floats = matches!(column.data, ColumnData::F32(_) | ColumnData::F64(_));
    let fits = |i: usize| i32::try_from(column.data.get(i) as i64).is_ok();
    (column.width == 1 && !floats && (0..column.data.len()).all(fits)).then_some(column)
}
