//! Pictures of triangle meshes, rendered on the CPU.
//!
//! [`render()`] draws a mesh into a [`Picture`], which [`Picture::to_png`] writes as a PNG file. The same mesh and
//! options give the same pixels on every machine and with any number of threads: places are whole numbers of 1/256
//! pixel, numbers are added in a fixed order, and powers and angles come from `libm` and not from the system.
//!
//! The stages: `camera` finds the view and the places of the vertices; `bins` sorts faces into tiles; `raster`
//! finds the nearest face at each sample of a tile; `surface` finds its colour, once for each face in a pixel;
//! `occlusion` darkens what lies in hollows; `canvas` joins these, and `render` puts panels, captions
//! and the legend together.
//!
//! [`render_page()`] makes a page with a viewer of its own, for browsers.

#![warn(missing_docs)]

#[cfg(feature = "cli")]
mod args;
mod bins;
mod camera;
mod canvas;
mod coat;
mod color;
mod cut;
mod drawable;
mod error;
mod film;
mod font;
mod image;
mod labels;
mod legend;
mod light;
mod marks;
mod normals;
mod occlusion;
mod options;
mod page;
mod png;
mod points;
mod raster;
mod render;
mod shadow;
mod stages;
mod surface;
mod texture;
mod values;

#[cfg(feature = "cli")]
pub use args::{PageArgs, PictureArgs};
pub use color::Rgb;
pub use cut::CutPlane;
pub use drawable::{Drawable, EncodedPicture, draw, draw_difference, motion_page, page};
pub use error::PictureError;
pub use image::Picture;
pub use options::{
    Background, ColorMap, MAX_PIXELS, MAX_SIDE, Paint, PictureOptions, UpAxis, Viewpoint,
};
pub use page::{EncodedPage, PageMesh, render_page};
pub use render::{Panel, render, render_animation, render_panels, render_timed};
pub use stages::StageTime;
