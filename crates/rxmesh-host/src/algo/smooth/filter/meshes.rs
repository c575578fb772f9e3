//! One mesh, or several that lie in one, with the measures and decisions for each.

use crate::Error;
use crate::algo::measure::frame::{resize, scale_each, scale_of, unit_scale};
use crate::algo::measure::lengths::{mean_edge_length, mean_edge_lengths};
use crate::engine::Buffer;
use crate::store::reduce::{self, Reduction};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::measure::frame::{FaceLabels, HoldEach};
use rxmesh_kernels::attr::PerMesh;
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::{Element, Face, Kind, Vertex};

/// Meshes that are filtered together.
pub(super) struct FilteredMeshes<'a> {
    rx: &'a RxMesh,
    several: Option<MeshNumbers>,
    /// Number of meshes.
    count: usize,
}

/// Number of the mesh that each element belongs to.
struct MeshNumbers {
    vertices: Attribute<Vertex, u32>,
    faces: Attribute<Face, u32>,
    /// Numbers of the vertices in the input's order.
    input: Vec<u32>,
}

impl<'a> FilteredMeshes<'a> {
    /// Wraps one mesh.
    pub(super) fn one(rx: &'a RxMesh) -> Self {
        FilteredMeshes {
            rx,
            several: None,
            count: 1,
        }
    }

    /// Wraps several meshes, whose vertices have labels below `count`.
    pub(super) fn several(
        rx: &'a RxMesh,
        labels: &Attribute<Vertex, u32>,
        count: usize,
    ) -> Result<Self, Error> {
        reduce::check_labels(rx, labels, count as u32)?;
        let mut vertices = rx.attribute()?;
        vertices.copy_from(labels)?;
        let mut faces = rx.attribute()?;
        rx.run(FaceLabels {
            vertices: vertices.read()?,
            labels: faces.write()?,
        })?;
        let input = vertices.to_input(rx)?;
        Ok(FilteredMeshes {
            rx,
            several: Some(MeshNumbers {
                vertices,
                faces,
                input,
            }),
            count,
        })
    }

    /// Returns the number of vertices of each.
    pub(super) fn vertices(&self) -> Vec<u32> {
        let Some(several) = &self.several else {
            return vec![self.rx.count(Kind::Vertex)];
        };
        let mut counts = vec![0; self.count];
        for &label in &several.input {
            counts[label as usize] += 1;
        }
        counts
    }

    /// Groups values in the input's order by mesh.
    pub(super) fn apart(&self, values: Vec<f32>) -> Vec<Vec<f32>> {
        let Some(several) = &self.several else {
            return vec![values];
        };
        let mut apart = vec![Vec::new(); self.count];
        for (value, &label) in values.into_iter().zip(&several.input) {
            apart[label as usize].push(value);
        }
        apart
    }

    /// Returns the sum of the values of each.
    pub(super) fn sums(&self, values: &Attribute<Vertex, f32>) -> Result<Vec<f64>, Error> {
        match &self.several {
            None => Ok(vec![reduce::sum(self.rx, values)?]),
            Some(s) => {
                let n = self.count as u32;
                reduce::by_label(self.rx, values, &s.vertices, n, Reduction::Sum)
            }
        }
    }

    /// Works like [`unit_scale`], for each mesh.
    pub(super) fn unit_scales(&self, x: &Attribute<Vertex, Vec3>) -> Result<Vec<f64>, Error> {
        let Some(s) = &self.several else {
            return Ok(vec![unit_scale(self.rx, x)?]);
        };
        let squares = reduce::by_label(self.rx, x, &s.vertices, self.count as u32, Reduction::Dot)?;
        let each = squares.into_iter().zip(self.vertices());
        each.map(|(squares, n)| scale_of(squares, n)).collect()
    }

    /// Multiplies the coordinates of each.
    pub(super) fn resize(
        &self,
        x: &mut Attribute<Vertex, Vec3>,
        factors: impl Iterator<Item = f64>,
    ) -> Result<(), Error> {
        let factors: Vec<f64> = factors.collect();
        match &self.several {
            None => resize(self.rx, x, factors[0]),
            Some(s) => {
                let factors: Vec<f32> = factors.into_iter().map(|f| f as f32).collect();
                scale_each(self.rx, x, &s.vertices, &factors)
            }
        }
    }

    /// Returns the mean length of the edges of each.
    pub(super) fn mean_edges(&self, x: &Attribute<Vertex, Vec3>) -> Result<Vec<f64>, Error> {
        match &self.several {
            None => Ok(vec![mean_edge_length(self.rx, x)?]),
            Some(s) => mean_edge_lengths(self.rx, x, &s.vertices, self.count),
        }
    }

    /// Uploads the `N` numbers of each mesh for kernels, as `f32`.
    pub(super) fn numbers<const N: usize>(
        &self,
        each: impl Iterator<Item = [f64; N]>,
    ) -> Result<Buffer<f32>, Error> {
        let numbers: Vec<f32> = each.flatten().map(|number| number as f32).collect();
        Ok(self.rx.engine().upload(&numbers)?)
    }

    /// Returns the numbers of each mesh as a field of vertices.
    pub(super) fn of_vertices<const N: usize>(
        &self,
        numbers: &Buffer<f32>,
    ) -> Result<PerMesh<Vertex, N>, Error> {
        per_mesh(self.several.as_ref().map(|s| &s.vertices), numbers)
    }

    /// Returns the numbers of each mesh as a field of faces.
    pub(super) fn of_faces<const N: usize>(
        &self,
        numbers: &Buffer<f32>,
    ) -> Result<PerMesh<Face, N>, Error> {
        per_mesh(self.several.as_ref().map(|s| &s.faces), numbers)
    }

    /// Returns the number of the mesh of each vertex, for kernels; empty for one mesh.
    pub(super) fn labels(&self) -> Result<Global<u32>, Error> {
        Ok(match &self.several {
            None => Global::empty(),
            Some(s) => s.vertices.global()?,
        })
    }

    /// Prepares to hold those that are done while others continue.
    pub(super) fn hold(&'a self, x: &Attribute<Vertex, Vec3>) -> Result<Hold<'a>, Error> {
        let before = match self.several {
            None => None,
            Some(_) => {
                let mut before = self.rx.attribute()?;
                before.copy_from(x)?;
                Some(before)
            }
        };
        Ok(Hold {
            meshes: self,
            before,
        })
    }
}

/// Returns the numbers as a field: those of one mesh, or of several with labels.
fn per_mesh<K: Element, const N: usize>(
    labels: Option<&Attribute<K, u32>>,
    numbers: &Buffer<f32>,
) -> Result<PerMesh<K, N>, Error> {
    Ok(match labels {
        None => PerMesh::one(numbers.global()),
        Some(labels) => PerMesh::new(labels.read()?, numbers.global()),
    })
}

/// Positions of several meshes before an iteration, so that some can be held there.
pub(super) struct Hold<'a> {
    meshes: &'a FilteredMeshes<'a>,
    before: Option<Attribute<Vertex, Vec3>>,
}

impl Hold<'_> {
    /// Restores the positions of meshes that are done, and stores those of the others. Does nothing for one mesh alone.
    pub(super) fn hold(
        &mut self,
        x: &mut Attribute<Vertex, Vec3>,
        done: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        let (Some(several), Some(before)) = (&self.meshes.several, &mut self.before) else {
            return Ok(());
        };
        let (rx, count) = (self.meshes.rx, self.meshes.count);
        let done: Vec<u32> = (0..count).map(|i| u32::from(done(i))).collect();
        let done = rx.engine().upload(&done)?;
        let kernel = HoldEach {
            x: x.global_mut()?,
            before: before.global_mut()?,
            labels: several.vertices.global()?,
            done: done.global(),
        };
        Ok(rx
            .engine()
            .launch_flat(rx.linear_len(Kind::Vertex), kernel)?)
    }
}
