//! Better or fewer faces: the connectivity changes, the shape stays.

automod::dir!(pub "src/algo/improve");
pub mod chosen;
pub mod remesh;
pub mod simplify;
