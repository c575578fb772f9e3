//! The canvas: light, distances and normals of all pixels, from the faces to the finished pixels.

use crate::bins::{Bins, TILE, TileGrid};
use crate::camera::{Camera, SUBPIXELS};
use crate::color::{Encoder, LinearColor};
use crate::error::PictureError;
use crate::image::Picture;
use crate::occlusion::{Depths, Occlusion};
use crate::options::Background;
use crate::raster::{NO_FACE, Pattern, TileBuffer};
use crate::shadow::Shadow;
use crate::stages::{PictureStage, StageClock};
use crate::surface::Surface;
use rayon::prelude::*;

/// Light of 1, as it is stored.
const FULL: f32 = 32_000.0;
/// Darkness of the ground where it sees no sky.
const DARKEST: f32 = 0.62;

/// Light of the surface before it is put on the background, row by row.
pub(crate) struct Canvas {
    width: usize,
    /// Side of the cells of pixels whose occlusion is computed once.
    step: usize,
    /// Mean light of the samples on a surface, in units of 1 / [`FULL`], and their share of the pixel in 1/255.
    light: Vec<[u16; 4]>,
    /// Distance of the nearest face along the camera's axis.
    distance: Vec<f32>,
    normals: Vec<[i16; 3]>,
}

/// Returns a table of one value; an error if there is no memory for it.
fn table<T: Clone>(value: T, width: usize, height: usize) -> Result<Vec<T>, PictureError> {
    let mut all = Vec::new();
    all.try_reserve_exact(width * height)
        .map_err(|_| PictureError::Memory(width as u32, height as u32))?;
    all.resize(width * height, value);
    Ok(all)
}

impl Canvas {
    /// Draws all faces, with `S` samples a pixel.
    pub(crate) fn draw<const S: usize>(
        surface: &Surface<'_>,
        [width, height]: [usize; 2],
        clock: &StageClock,
    ) -> Result<Canvas, PictureError> {
        let grid = TileGrid::new(width, height);
        let faces = &surface.mesh.faces;
        let bins = clock.time(PictureStage::Bins, || {
            Bins::new(faces, surface.spots, grid, Pattern::<S>::lattice())
        });
        let mut canvas = Canvas {
            width,
            step: if S > 4 { 1 } else { 2 },
            light: table([0; 4], width, height)?,
            distance: table(f32::INFINITY, width, height)?,
            normals: table([0; 3], width, height)?,
        };
        let bands = canvas.light.par_chunks_mut(TILE * width);
        let bands = bands.zip(canvas.distance.par_chunks_mut(TILE * width));
        let bands = bands.zip(canvas.normals.par_chunks_mut(TILE * width));
        bands
            .enumerate()
            .for_each_init(TileBuffer::<S>::new, |tile, (row, band)| {
                let ((light, distance), normals) = band;
                let mut band = Band {
                    width,
                    row,
                    light,
                    distance,
                    normals,
                };
                for column in 0..grid.columns {
                    let at = row * grid.columns + column;
                    if bins.of(at).all(<[u32]>::is_empty) {
                        continue;
                    }
                    tile.clear();
                    let origin = [(column * TILE) as i32, (row * TILE) as i32];
                    clock.time(PictureStage::Raster, || {
                        for &face in bins.of(at).flatten() {
                            let corners = faces[face as usize].map(|v| surface.spots[v as usize]);
                            tile.draw(face, corners, origin);
                        }
                    });
                    clock.time(PictureStage::Resolve, || {
                        band.shade(surface, tile, column);
                    });
                }
            });
        Ok(canvas)
    }

    /// Returns the pixels: the surface, dark in hollows, over a background and its shadow.
    pub(crate) fn picture(
        &self,
        camera: &Camera,
        background: Background,
        shadow: Option<&Shadow>,
        clock: &StageClock,
    ) -> Picture {
        let depths = Depths {
            width: self.width,
            distance: &self.distance,
            normals: &self.normals,
        };
        let open = clock.time(PictureStage::Occlusion, || {
            Occlusion::new(&depths, camera, self.step)
        });
        let height = self.light.len() / self.width;
        let ground = Ground::new(background);
        let mut picture = Picture::plain(self.width as u32, height as u32, ground.pixel(0.0));
        let rows = picture.pixels.par_chunks_mut(self.width).enumerate();
        let finish = |(y, row): (usize, &mut [[u8; 4]])| {
            let first = y * self.width;
            for (x, out) in row.iter_mut().enumerate() {
                let [r, g, b, alpha] = self.light[first + x];
                let hidden = match shadow {
                    Some(shadow) if alpha < 255 => {
                        let inside = fade([x, y], [self.width, height]);
                        inside * shadow.at(camera, [x as f64 + 0.5, y as f64 + 0.5])
                    }
                    _ => 0.0,
                };
                if alpha > 0 {
                    let light = [r, g, b].map(|l| f32::from(l) * (1.0 / FULL));
                    let share = f32::from(alpha) * (1.0 / 255.0);
                    let open = open.at([x, y], self.distance[first + x]);
                    *out = ground.under(dim(light, open), share, hidden);
                } else if hidden > 0.0 {
                    *out = ground.pixel(hidden);
                }
            }
        };
        clock.time(PictureStage::Finish, || rows.for_each(finish));
        picture
    }
}

/// Returns the share of the shadow that is drawn at a pixel: none at the border of the picture.
fn fade([x, y]: [usize; 2], [width, height]: [usize; 2]) -> f32 {
    let border = x.min(y).min(width - 1 - x).min(height - 1 - y) as f32;
    let t = (border / (0.12 * width.min(height) as f32)).min(1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Rows of a canvas that a row of tiles covers.
struct Band<'a> {
    width: usize,
    row: usize,
    light: &'a mut [[u16; 4]],
    distance: &'a mut [f32],
    normals: &'a mut [[i16; 3]],
}

impl Band<'_> {
    /// Finds the light of all pixels of a tile.
    fn shade<const S: usize>(
        &mut self,
        surface: &Surface<'_>,
        tile: &TileBuffer<S>,
        column: usize,
    ) {
        let pattern = Pattern::<S>::new();
        let columns = TILE.min(self.width - column * TILE);
        for y in 0..self.light.len() / self.width {
            for x in 0..columns {
                let samples = &tile.faces[y * TILE + x];
                if samples.iter().all(|&f| f == NO_FACE) {
                    continue;
                }
                let at = y * self.width + column * TILE + x;
                let place = [column * TILE + x, self.row * TILE + y];
                let place = place.map(|p| p as i32 * SUBPIXELS);
                let (light, distance, normal) = pixel(surface, &pattern, samples, place);
                self.light[at] = light;
                self.distance[at] = distance;
                self.normals[at] = normal;
            }
        }
    }
}

/// Returns light, distance and normal of a pixel: each face in it is seen once, in the middle of its samples.
fn pixel<const S: usize>(
    surface: &Surface<'_>,
    pattern: &Pattern<S>,
    samples: &[u32; S],
    [x, y]: [i32; 2],
) -> ([u16; 4], f32, [i16; 3]) {
    let (mut sum, mut covered): (LinearColor, i32) = ([0.0; 3], 0);
    let (mut distance, mut normal) = (f32::INFINITY, [0.0; 3]);
    for s in 0..S {
        let face = samples[s];
        if face == NO_FACE || samples[..s].contains(&face) {
            continue;
        }
        let (mut px, mut py, mut n) = (0, 0, 0);
        for (t, other) in samples.iter().enumerate().skip(s) {
            if *other == face {
                (px, py, n) = (px + pattern.x[t], py + pattern.y[t], n + 1);
            }
        }
        let shaded = surface.shade(face, [x + px / n, y + py / n]);
        for (sum, light) in sum.iter_mut().zip(shaded.light) {
            // Light beyond white is cut before the mean, so that borders of bright places stay smooth.
            *sum += light.min(1.2) * n as f32;
        }
        covered += n;
        if shaded.distance < distance {
            (distance, normal) = (shaded.distance, shaded.normal);
        }
    }
    let scale = FULL / covered as f32;
    let [r, g, b] = sum.map(|s| (s * scale).min(65_535.0) as u16);
    let normal = normal.map(|n| (n * f32::from(i16::MAX)) as i16);
    (
        [r, g, b, (covered * 255 / S as i32) as u16],
        distance,
        normal,
    )
}

/// Background of the surface.
struct Ground {
    encoder: Encoder,
    light: LinearColor,
    transparent: bool,
}

impl Ground {
    fn new(background: Background) -> Ground {
        Ground {
            encoder: Encoder::new(),
            light: background.light(),
            transparent: background == Background::Transparent,
        }
    }

    /// Returns the background where a share of the sky is hidden.
    fn pixel(&self, hidden: f32) -> [u8; 4] {
        if self.transparent {
            return [0, 0, 0, (255.0 * DARKEST * hidden + 0.5) as u8];
        }
        let [r, g, b] = self
            .light
            .map(|l| self.encoder.encode(l * (1.0 - DARKEST * hidden)));
        [r, g, b, 255]
    }

    /// Returns the pixel of a surface that covers a share of it.
    fn under(&self, light: LinearColor, share: f32, hidden: f32) -> [u8; 4] {
        let dark = DARKEST * hidden;
        if self.transparent {
            let below = (1.0 - share) * dark;
            let whole = share + below;
            let [r, g, b] = light.map(|l| self.encoder.encode(l * share / whole));
            return [r, g, b, (255.0 * whole + 0.5) as u8];
        }
        let [r, g, b] = [0, 1, 2].map(|i| {
            let ground = self.light[i] * (1.0 - dark);
            self.encoder
                .encode(ground + share * (light[i].min(1.0) - ground))
        });
        [r, g, b, 255]
    }
}

/// Returns the light of a surface that a share of light reaches. Some of the rest comes from the surface round it, with
/// its colour: hollows keep their hue.
fn dim(light: LinearColor, open: f32) -> LinearColor {
    light.map(|l| {
        let albedo = l.min(0.9);
        l * open / (1.0 - 0.6 * albedo * (1.0 - open))
    })
}
