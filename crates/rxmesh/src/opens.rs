//! Meshes as tools see them, made of a [`Mesh`].

use crate::on::{AnyMesh, AnyTriangles, Tool};
use crate::{Engine, Error, Log, Mesh, Opens, Operation, Result, TriMesh};

impl Opens for Tool<TriMesh> {
    fn open<O: Operation<On = Self>>(
        mesh: &Mesh,
        _options: &O::Options,
        _log: &mut dyn Log,
    ) -> Result<Self> {
        let mut tool = Tool::new(mesh.to_host()?.clone(), Vec::new());
        tool.set_engine(mesh.engine().clone());
        Ok(tool)
    }

    fn unit(&self) -> f64 {
        1.0
    }

    fn close(self, engine: &Engine, _log: &mut dyn Log) -> Result<Mesh> {
        surface_of(self.result.unwrap_or(AnyMesh::Surface(self.input)), engine)
    }
}

impl Opens for Tool<AnyTriangles> {
    fn open<O: Operation<On = Self>>(
        mesh: &Mesh,
        _options: &O::Options,
        _log: &mut dyn Log,
    ) -> Result<Self> {
        let mut tool = Tool::new(AnyTriangles(mesh.to_host()?.clone()), Vec::new());
        tool.set_engine(mesh.engine().clone());
        Ok(tool)
    }

    fn unit(&self) -> f64 {
        1.0
    }

    fn close(self, engine: &Engine, _log: &mut dyn Log) -> Result<Mesh> {
        let AnyTriangles(input) = self.input;
        surface_of(self.result.unwrap_or(AnyMesh::Surface(input)), engine)
    }
}

/// Returns the mesh that a tool has made.
fn surface_of(result: AnyMesh, engine: &Engine) -> Result<Mesh> {
    match result {
        AnyMesh::Surface(mesh) => Ok(Mesh::on(mesh, engine.clone())),
        _ => Err(Error::Message(
            "the result is no surface of triangles".into(),
        )),
    }
}
