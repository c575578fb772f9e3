//! Writing MSH, versions 2.2 and 4.1.

use super::super::names;
use super::super::shape::Model;
use super::super::soup::warn_of_columns;
use super::super::text::rows;
use super::super::volume::{REGION, references_of};
use super::super::{Encoding, Pieces};
use crate::mesh::{Column, ElementKind};
use crate::par::IntoLean;
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Gmsh's numbers of types of elements.
const TRIANGLE: u32 = 2;
const QUAD: u32 = 3;
const TETRAHEDRON: u32 = 4;
/// Rows a task writes at a time.
const ROWS: usize = 1 << 14;

pub(in super::super) fn write(
    mesh: Model<'_>,
    columns: &[&Column],
    version_2: bool,
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> Pieces {
    let mut file = MshFile {
        mesh,
        binary: encoding == Encoding::Binary,
        regions: references_of(mesh.extras(), mesh.element_kind(), REGION),
        entities: references_of(mesh.extras(), mesh.element_kind(), "entity"),
        pieces: Pieces::new(),
    };
    file.head(if version_2 { "2.2" } else { "4.1" });
    match version_2 {
        true => file.mesh_2(),
        false => file.mesh_4(warnings),
    }
    let own = [file.regions, file.entities];
    let own = |c: &Column| own.iter().flatten().any(|k| std::ptr::eq(*k, c));
    let (fits, lost): (Vec<&Column>, Vec<&Column>) = columns
        .iter()
        .copied()
        .filter(|c| !own(c))
        .partition(|c| [1, 3, 9].contains(&c.width));
    warn_of_columns("MSH", lost.into_iter(), warnings);
    fits.into_iter().for_each(|c| file.view(c));
    file.pieces
}

struct MshFile<'a> {
    mesh: Model<'a>,
    binary: bool,
    regions: Option<&'a Column>,
    entities: Option<&'a Column>,
    pieces: Pieces,
}

impl MshFile<'_> {
    fn text(&mut self, text: &str) {
        self.pieces.push(text.as_bytes().to_vec());
    }

    /// Writes rows of bytes, made in parallel.
    fn bytes(&mut self, n: usize, row: impl Fn(&mut Vec<u8>, usize) + Sync) {
        let part = |k: usize| {
            let mut out = Vec::new();
            (k * ROWS..((k + 1) * ROWS).min(n)).for_each(|i| row(&mut out, i));
            out
        };
        self.pieces
            .par_extend((0..n.div_ceil(ROWS)).into_par_iter().lean().map(part));
    }

    fn head(&mut self, version: &str) {
        let kind = u8::from(self.binary);
        self.text(&format!("$MeshFormat\n{version} {kind} 8\n"));
        if self.binary {
            self.pieces.push(1i32.to_le_bytes().to_vec());
            self.text("\n");
        }
        self.text("$EndMeshFormat\n");
        if !self.mesh.extras().comments.is_empty() {
            // A line that begins with a dollar could end the section.
            let lines = self
                .mesh
                .extras()
                .comments
                .iter()
                .map(|c| c.replace('$', " "));
            let lines = lines.collect::<Vec<_>>().join("\n");
            self.text("$Comments\n");
            self.pieces.push(names::to_bytes(&lines).into_owned());
            self.text("\n$EndComments\n");
        }
    }

    /// Returns Gmsh's number of an element's type.
    fn kind(&self, i: usize) -> u32 {
        kind_of(self.mesh, i)
    }

    /// Returns the dimension of the elements.
    fn dimension(&self) -> i32 {
        match self.mesh {
            Model::Surface(_) => 2,
            Model::Volume(_) => 3,
        }
    }

    fn reference(column: Option<&Column>, cell: usize, none: i32) -> i32 {
        column.map_or(none, |c| c.data.get(cell) as i32)
    }

    fn mesh_2(&mut self) {
        let mesh = self.mesh;
        let (vertices, cells) = (mesh.vertex_count(), mesh.element_count());
        self.text(&format!("$Nodes\n{vertices}\n"));
        if self.binary {
            self.bytes(vertices, |out, v| {
                out.extend((v as u32 + 1).to_le_bytes());
                out.extend(point_bytes(mesh, v));
            });
            self.text("\n");
        } else {
            let digits = mesh.coordinate_text();
            rows(0, vertices, &mut self.pieces, |line, v| {
                line.int(v as u64 + 1);
                line.put(b" ");
                line.point(&digits, mesh.positions()[v]);
                line.end();
            });
        }
        self.text(&format!("$EndNodes\n$Elements\n{cells}\n"));
        let (regions, entities) = (self.regions, self.entities);
        let tags = |c: usize| {
            [
                Self::reference(regions, c, 0),
                Self::reference(entities, c, 1),
            ]
        };
        if self.binary {
            // A run of elements of one type has a head.
            let mut first = 0;
            while first < cells {
                let kind = self.kind(first);
                let end = (first..cells).find(|&i| self.kind(i) != kind);
                let end = end.unwrap_or(cells);
                let head = [kind, (end - first) as u32, 2].map(u32::to_le_bytes);
                self.pieces.push(head.concat());
                self.bytes(end - first, |out, i| {
                    let c = first + i;
                    out.extend((c as u32 + 1).to_le_bytes());
                    out.extend(tags(c).map(i32::to_le_bytes).as_flattened());
                    let corners = mesh.element(c).iter();
                    out.extend(corners.flat_map(|v| (v + 1).to_le_bytes()));
                });
                first = end;
            }
            self.text("\n");
        } else {
            rows(0, cells, &mut self.pieces, |line, c| {
                line.int(c as u64 + 1);
                line.put(b" ");
                line.int(kind_of(mesh, c));
                line.put(b" 2 ");
                for tag in tags(c) {
                    line.int(tag);
                    line.put(b" ");
                }
                for &v in mesh.element(c) {
                    line.int(u64::from(v) + 1);
                    line.put(b" ");
                }
                line.end();
            });
        }
        self.text("$EndElements\n");
    }

    fn mesh_4(&mut self, warnings: &mut Vec<String>) {
        let mesh = self.mesh;
        let groups = self.groups(warnings);
        if self.regions.is_some() {
            self.entities(&groups);
        }
        let vertices = mesh.vertex_count();
        let last = vertices.max(1);
        // The blocks' entity is any that is there.
        let entity = groups.runs.first().map_or(1, |r| r.entity);
        let dimension = self.dimension();
        if self.binary {
            self.text("$Nodes\n");
            let head = [1, vertices, 1, last].map(|n| (n as u64).to_le_bytes());
            self.pieces.push(head.concat());
            let block = [dimension, entity, 0].map(i32::to_le_bytes);
            self.pieces.push(block.concat());
            self.pieces.push((vertices as u64).to_le_bytes().to_vec());
            self.bytes(vertices, |out, v| out.extend((v as u64 + 1).to_le_bytes()));
            self.bytes(vertices, |out, v| out.extend(point_bytes(mesh, v)));
            self.text("\n");
        } else {
            let head =
                format!("$Nodes\n1 {vertices} 1 {last}\n{dimension} {entity} 0 {vertices}\n");
            self.text(&head);
            rows(0, vertices, &mut self.pieces, |line, v| {
                line.int(v as u64 + 1);
                line.end();
            });
            let digits = mesh.coordinate_text();
            rows(0, vertices, &mut self.pieces, |line, v| {
                line.point(&digits, mesh.positions()[v]);
                line.end();
            });
        }
        self.text("$EndNodes\n$Elements\n");
        self.elements_4(&groups.runs);
        self.text("$EndElements\n");
    }

    /// Writes the cells in their order: each run of cells of one entity is a block.
    fn elements_4(&mut self, runs: &[ElementRun]) {
        let mesh = self.mesh;
        let cells = mesh.element_count();
        let head = [runs.len(), cells, 1, cells.max(1)];
        match self.binary {
            true => self
                .pieces
                .push(head.map(|n| (n as u64).to_le_bytes()).concat()),
            false => self.text(&format!(
                "{} {} {} {}\n",
                head[0], head[1], head[2], head[3]
            )),
        }
        let dimension = self.dimension();
        let ends = runs.iter().skip(1).map(|r| r.first).chain([cells]);
        for (run, end) in runs.iter().zip(ends) {
            let ElementRun {
                first,
                entity,
                kind,
            } = *run;
            let n = end - first;
            if self.binary {
                let block = [dimension, entity, kind as i32].map(i32::to_le_bytes);
                self.pieces.push(block.concat());
                self.pieces.push((n as u64).to_le_bytes().to_vec());
                self.bytes(n, |out, i| {
                    out.extend(((first + i) as u64 + 1).to_le_bytes());
                    let corners = mesh.element(first + i).iter();
                    out.extend(corners.flat_map(|&v| (u64::from(v) + 1).to_le_bytes()));
                });
            } else {
                self.text(&format!("{dimension} {entity} {kind} {n}\n"));
                rows(first, end, &mut self.pieces, |line, c| {
                    line.int(c as u64 + 1);
                    for &v in mesh.element(c) {
                        line.put(b" ");
                        line.int(u64::from(v) + 1);
                    }
                    line.end();
                });
            }
        }
        if self.binary {
            self.text("\n");
        }
    }

    /// Returns the entities that the cells belong to. A physical group is one of entities: if the column of entities
    /// does not tell the regions apart, or there is none, each region is an entity.
    fn groups(&mut self, warnings: &mut Vec<String>) -> EntityGroups {
        let cells = self.mesh.element_count();
        let mut region_of = BTreeMap::new();
        let clear = (0..cells).all(|c| {
            let region = Self::reference(self.regions, c, 0);
            let entity = Self::reference(self.entities, c, 1);
            *region_of.entry(entity).or_insert(region) == region
        });
        if !clear {
            if self.entities.take().is_some() {
                warnings.push(
                    "MSH 4.1 holds cell column 'region' by entity: 'entity' does not fit it".into(),
                );
            }
            let regions = (0..cells).map(|c| Self::reference(self.regions, c, 0));
            region_of = regions.map(|r| (r, r)).collect();
        }
        let entity = |c: usize| match clear {
            true => Self::reference(self.entities, c, 1),
            false => Self::reference(self.regions, c, 0),
        };
        let mut runs = Vec::new();
        for c in 0..cells {
            let entity = entity(c);
            let kind = self.kind(c);
            let same = |last: &ElementRun| (last.entity, last.kind) == (entity, kind);
            if !runs.last().is_some_and(same) {
                runs.push(ElementRun {
                    first: c,
                    entity,
                    kind,
                });
            }
        }
        EntityGroups { region_of, runs }
    }

    fn entities(&mut self, groups: &EntityGroups) {
        let mesh = self.mesh;
        let bounds = crate::mesh::bounding_box(mesh.positions(), mesh.corners(), mesh.placement());
        let [low, high] = bounds.unwrap_or_default();
        self.text("$Entities\n");
        let mut counts = [0; 4];
        counts[self.dimension() as usize] = groups.region_of.len();
        if self.binary {
            let counts = counts.map(|n| (n as u64).to_le_bytes());
            self.pieces.push(counts.concat());
        } else {
            let [points, curves, surfaces, volumes] = counts;
            self.text(&format!("{points} {curves} {surfaces} {volumes}\n"));
        }
        for (&entity, &region) in &groups.region_of {
            // Region 0 is none.
            let regions = if region == 0 { vec![] } else { vec![region] };
            if self.binary {
                let mut out = entity.to_le_bytes().to_vec();
                [low, high]
                    .concat()
                    .iter()
                    .for_each(|x| out.extend(x.to_le_bytes()));
                out.extend((regions.len() as u64).to_le_bytes());
                regions.iter().for_each(|r| out.extend(r.to_le_bytes()));
                out.extend(0u64.to_le_bytes());
                self.pieces.push(out);
            } else {
                let [a, b] = [low, high].map(|p| format!("{:e} {:e} {:e}", p[0], p[1], p[2]));
                let list: String = regions.iter().map(|r| format!(" {r}")).collect();
                self.text(&format!("{entity} {a} {b} {}{list} 0\n", regions.len()));
            }
        }
        self.text(if self.binary {
            "\n$EndEntities\n"
        } else {
            "$EndEntities\n"
        });
    }

    /// Writes a column as a view.
    fn view(&mut self, column: &Column) {
        let section = match column.element {
            ElementKind::Vertex => "NodeData",
            _ => "ElementData",
        };
        let (width, n) = (column.width, column.data.len() / column.width);
        // The name ends with a quote and with the line.
        let ends = |c: char| c == '"' || c.is_control();
        let name = column.name.replace(ends, "_");
        self.text(&format!("${section}\n1\n\""));
        self.pieces.push(names::to_bytes(&name).into_owned());
        self.text(&format!("\"\n1\n0\n3\n0\n{width}\n{n}\n"));
        let values = |i: usize| (i * width..(i + 1) * width).map(|k| column.data.get(k));
        if self.binary {
            self.bytes(n, |out, i| {
                out.extend((i as u32 + 1).to_le_bytes());
                values(i).for_each(|x| out.extend(x.to_le_bytes()));
            });
            self.text("\n");
        } else {
            rows(0, n, &mut self.pieces, |line, i| {
                line.int(i as u64 + 1);
                for k in i * width..(i + 1) * width {
                    line.put(b" ");
                    line.value(&column.data, k);
                }
                line.end();
            });
        }
        self.text(&format!("$End{section}\n"));
    }
}

/// Returns Gmsh's number of the type of an element.
fn kind_of(mesh: Model<'_>, i: usize) -> u32 {
    match (mesh, mesh.element(i).len()) {
        (Model::Volume(_), _) => TETRAHEDRON,
        (_, 3) => TRIANGLE,
        _ => QUAD,
    }
}

/// Entities: the region of each, and the runs of elements.
struct EntityGroups {
    region_of: BTreeMap<i32, i32>,
    runs: Vec<ElementRun>,
}

/// Elements that follow each other, of one entity and type.
struct ElementRun {
    first: usize,
    entity: i32,
    kind: u32,
}

/// Returns a position in the world, as three doubles.
fn point_bytes(mesh: Model<'_>, v: usize) -> [u8; 24] {
    let (p, placement) = (mesh.positions()[v], mesh.placement());
    let p = match placement.is_world() {
        true => p.as_dvec3(),
        false => DVec3::from_array(placement.digits(p)),
    };
    let mut bytes = [0; 24];
    for (b, x) in bytes.chunks_exact_mut(8).zip(p.to_array()) {
        b.copy_from_slice(&x.to_le_bytes());
    }
    bytes
}
