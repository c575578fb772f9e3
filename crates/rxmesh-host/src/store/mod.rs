//! A patched mesh and its attributes on an engine.

mod attribute;
mod dimension;
mod layout;
mod mesh;
mod order;
mod prepared;
pub mod reduce;
mod rows;

pub use crate::error::AttributeError;
pub use attribute::Attribute;
pub use dimension::{Dimension, Surface, Volume};
pub use layout::{Layout, ValueOrder, WordOrder};
pub use mesh::RxMesh;
pub(crate) use mesh::{Buffers, RepackedMesh};
pub use order::EngineOrder;
pub use prepared::{PreparedSize, RelationChoice};
pub use rows::{HostRows, Rows};
