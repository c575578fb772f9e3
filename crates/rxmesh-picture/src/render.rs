//! The whole picture: stages from a mesh to pixels.

use crate::bins::{Bins, TILE, TileGrid};
use crate::camera::{Camera, SUBPIXELS, Spot, Viewport};
use crate::coat::Coat;
use crate::color::{Encoder, Linear};
use crate::error::PictureError;
use crate::image::Picture;
use crate::light::Lights;
use crate::marks::Marks;
use crate::normals::{Normals, Scaled};
use crate::occlusion::{Depths, occlusion};
use crate::options::{Background, PictureOptions};
use crate::raster::{NO_FACE, Pattern, TileBuffer};
use crate::surface::Surface;
use rayon::prelude::*;
use rxmesh_host::TriMesh;

/// Light of 1, as it is stored.
const FULL: f32 = 32_000.0;

/// Draws a mesh.
///
/// # Errors
///
/// A mesh or options that are not valid, or do not fit each other; a picture that does not fit into memory.
pub fn render(mesh: &TriMesh, options: &PictureOptions) -> Result<Picture, PictureError> {
    options.check()?;
    mesh.validate()?;
    if mesh.positions.is_empty() {
        return Err(PictureError::Empty);
    }
    let [width, height] = options.size.map(|n| n as usize);
    let coat = Coat::new(mesh, options)?;
    let port = Viewport {
        left: 0.0,
        top: 0.0,
        width: width as f64,
        height: height as f64,
    };
    let used = mesh.used_vertices();
    let camera = Camera::new(&mesh.positions, |v| used.contains(v), options, port);
    let spots: Vec<Spot> = mesh
        .positions
        .par_iter()
        .with_min_len(1 << 12)
        .map(|p| camera.see(*p))
        .collect();
    let scaled = Scaled::new(mesh, camera.length(1.0));
    let surface = Surface {
        scaled,
        spots: &spots,
        camera: &camera,
        normals: (!options.flat).then(|| Normals::new(scaled, options.crease_angle)),
        marks: Marks::new(
            scaled,
            (options.edges, options.creases),
            options.crease_angle,
            None,
            port.width.min(port.height),
        ),
        lights: Lights::new(&camera.axes, coat.scale().is_some()),
        coat,
    };
    let canvas = draw::<4>(&surface, width, height)?;
    let depths = Depths {
        width,
        distance: &canvas.distance,
        normals: &canvas.normals,
    };
    let open = occlusion(&depths, &camera);
    Ok(canvas.picture(&open, options.background))
}

/// Light of the surface before it is put on the background, row by row.
struct Canvas {
    width: usize,
    /// Mean light of the samples on a surface, in units of 1 / [`FULL`], and their share of the pixel in 1/255.
    light: Vec<[u16; 4]>,
    /// Distance of the nearest face.
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

/// Draws all faces, with `S` samples a pixel.
fn draw<const S: usize>(
    surface: &Surface<'_>,
    width: usize,
    height: usize,
) -> Result<Canvas, PictureError> {
    let grid = TileGrid::new(width, height);
    let faces = &surface.scaled.mesh.faces;
    let bins = Bins::new(faces, surface.spots, grid, Pattern::<S>::lattice());
    let mut canvas = Canvas {
        width,
        light: table([0; 4], width, height)?,
        distance: table(f32::INFINITY, width, height)?,
        normals: table([0; 3], width, height)?,
    };
    let bands = canvas.light.par_chunks_mut(TILE * width);
    let bands = bands.zip(canvas.distance.par_chunks_mut(TILE * width));
    let bands = bands.zip(canvas.normals.par_chunks_mut(TILE * width));
    bands.enumerate().for_each_init(
        TileBuffer::<S>::new,
        |tile, (row, ((light, distance), normals))| {
            for column in 0..grid.columns {
                let mut any = false;
                for face in bins.of(row * grid.columns + column) {
                    if !any {
                        tile.clear();
                        any = true;
                    }
                    let corners = faces[face as usize].map(|v| surface.spots[v as usize]);
                    tile.draw(face, corners, [(column * TILE) as i32, (row * TILE) as i32]);
                }
                if !any {
                    continue;
                }
                let columns = TILE.min(width - column * TILE);
                for y in 0..light.len() / width {
                    for x in 0..columns {
                        let samples = &tile.faces[y * TILE + x];
                        if samples.iter().all(|&f| f == NO_FACE) {
                            continue;
                        }
                        let at = y * width + column * TILE + x;
                        let place =
                            [column * TILE + x, row * TILE + y].map(|p| p as i32 * SUBPIXELS);
                        let pixel = pixel(surface, samples, place);
                        (light[at], distance[at], normals[at]) = pixel;
                    }
                }
            }
        },
    );
    Ok(canvas)
}

/// Returns light, distance and normal of a pixel: each face in it is seen once, in the middle of its samples.
fn pixel<const S: usize>(
    surface: &Surface<'_>,
    samples: &[u32; S],
    [x, y]: [i32; 2],
) -> ([u16; 4], f32, [i16; 3]) {
    let pattern = Pattern::<S>::new();
    let (mut sum, mut covered): (Linear, i32) = ([0.0; 3], 0);
    let (mut distance, mut normal) = (f32::INFINITY, [0.0; 3]);
    for s in 0..S {
        let face = samples[s];
        if face == NO_FACE || samples[..s].contains(&face) {
            continue;
        }
        let (mut px, mut py, mut n) = (0, 0, 0);
        for t in s..S {
            if samples[t] == face {
                (px, py, n) = (px + pattern.x[t], py + pattern.y[t], n + 1);
            }
        }
        let shaded = surface.shade(face, [x + px / n, y + py / n]);
        for (sum, light) in sum.iter_mut().zip(shaded.light) {
            *sum += light * n as f32;
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

impl Canvas {
    /// Returns the pixels, with the light that reaches the surface, over a background.
    fn picture(&self, open: &[f32], background: Background) -> Picture {
        let height = self.light.len() / self.width;
        let encoder = Encoder::new();
        let ground: Linear = match background {
            Background::Plain(color) => color.linear(),
            Background::White | Background::Transparent => [1.0; 3],
        };
        let transparent = background == Background::Transparent;
        let clear = match transparent {
            true => [0; 4],
            false => {
                let [r, g, b] = ground.map(|l| encoder.encode(l));
                [r, g, b, 255]
            }
        };
        let mut picture = Picture::plain(self.width as u32, height as u32, clear);
        let rows = picture.pixels.par_chunks_mut(self.width).enumerate();
        rows.for_each(|(y, row)| {
            let first = y * self.width;
            for (x, out) in row.iter_mut().enumerate() {
                let [r, g, b, alpha] = self.light[first + x];
                if alpha == 0 {
                    continue;
                }
                let light = [r, g, b].map(|l| f32::from(l) * (1.0 / FULL));
                let light = dim(light, open[first + x]);
                let share = f32::from(alpha) * (1.0 / 255.0);
                *out = match transparent {
                    true => {
                        let [r, g, b] = light.map(|l| encoder.encode(l));
                        [r, g, b, alpha as u8]
                    }
                    false => {
                        let over = |i: usize| ground[i] + share * (light[i].min(1.0) - ground[i]);
                        let [r, g, b] = [0, 1, 2].map(|i| encoder.encode(over(i)));
                        [r, g, b, 255]
                    }
                };
            }
        });
        picture
    }
}

/// Returns the light of a surface that a share of light reaches. Some of the rest comes from the surface round it, with
/// its colour: hollows keep their hue.
fn dim(light: Linear, open: f32) -> Linear {
    light.map(|l| {
        let albedo = l.min(0.9);
        l * open / (1.0 - 0.6 * albedo * (1.0 - open))
    })
}
