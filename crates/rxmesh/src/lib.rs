//! Operations on triangle meshes: one floor above the algorithms of [`rxmesh_host`], one below the programs.
//!
//! An [`Operation`] takes a mesh or a scene ([`on`]), options and a [`Log`], and returns a report. It knows no
//! console and no record. The command line, and bindings of other languages, are generic over operations.
//!
//! ```
//! use rxmesh::{Faces, Mesh, simplify};
//!
//! # fn main() -> Result<(), rxmesh::Error> {
//! let ball = rxmesh::generate::icosphere(4)?;
//! let mesh = Mesh::new(ball);
//! let (small, report) = simplify(&mesh, Faces(1000))?;
//! assert!(small.face_count() <= 1000);
//! assert_eq!(report.faces() as usize, small.face_count());
//! # Ok(())
//! # }
//! ```
//!
//! A [`Mesh`] stays on its engine between operations. Every operation runs the same way:
//!
//! ```
//! use rxmesh::{McfOptions, Mesh, ops, run};
//!
//! # fn main() -> Result<(), rxmesh::Error> {
//! let mesh = Mesh::new(rxmesh::generate::icosphere(3)?);
//! let (smooth, report) = run::<ops::Mcf>(&mesh, &McfOptions::default())?;
//! assert_eq!(smooth.vertex_count(), mesh.vertex_count());
//! println!("{report:?}");
//! # Ok(())
//! # }
//! ```

mod edit;
mod engines;
mod error;
mod intersections;
mod log;
mod mesh;
mod neighbours;
pub mod on;
mod opens;
mod operation;
pub mod ops;
mod queries;
#[cfg(feature = "schema")]
pub mod schema;
mod section;
mod surface;
pub mod text;
mod volumes;

pub use edit::{EdgeReport, Edit, EditElements, EngineEdit};
pub use engines::{Engines, batches};
pub use error::{Error, Result};
pub use intersections::{intersections, self_intersections};
pub use log::{Log, Silent, Stage, stage};
pub use mesh::{Faces, Mesh, Opens, Ratio, run, run_on, simplify};
pub use neighbours::{NeighbourKind, NeighbourRows};
pub use operation::{Group, Message, Operation, Outcome, OutputKind, WritesFile};
pub use ops::{
    components::ComponentsArgs, curvature::CurvatureArgs, geodesic::GeodesicArgs,
    isosurface::IsosurfaceArgs, isosurface::grid_surface, quality::QualityArgs, remesh::RemeshArgs,
    sdf::sdf_grid, spring::SpringArgs, subdivide::SubdivideArgs,
};
pub use queries::{ClosestPoints, FaceLists, NearestVertices, RayHits, SurfaceTree};
pub use rxmesh_host as host;
pub use rxmesh_host::algo::{
    chosen::EdgeChange, delaunay::DelaunayOptions, filter::FilterOptions, laplacian::SmoothOptions,
    mcf::McfOptions, sdf::SdfOptions, simplify::SimplifyOptions,
};
pub use rxmesh_host::{
    Attribute, DVec3, Edge, Engine, Face, Grid, Options, PatchOptions, RxMesh, Session, TriMesh,
    Vec3, Vertex, algo, generate, kernels, reduce,
};
pub use rxmesh_simulation as simulation;
pub use rxmesh_subdivision as subdivision;
pub use section::section;
pub use surface::{EnginePoints, SubdivisionSurface, SurfacePoints};
pub use volumes::Volumes;
