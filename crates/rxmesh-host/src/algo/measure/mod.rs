//! Values of vertices, edges and faces that a surface is measured by, and parts of a surface.

automod::dir!(pub "src/algo/measure");
