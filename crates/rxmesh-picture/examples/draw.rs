//! Draws a mesh file into a PNG file: `draw MESH OUT [COLOUR|COLUMN] [FLAG...]`.

use rxmesh_picture::{Paint, PictureOptions, Rgb, Viewpoint, render};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [mesh, out, rest @ ..] = &args[..] else {
        return Err("draw MESH OUT [COLOUR|COLUMN] [FLAG...]".into());
    };
    let mesh = rxmesh_host::io::read(Path::new(mesh), &Default::default())?.mesh;
    let mut options = PictureOptions::default();
    for word in rest {
        match (word.as_str(), word.split_once('=')) {
            ("flat", _) => options.flat = true,
            ("edges", _) => options.edges = true,
            ("creases", _) => options.creases = true,
            ("shadow", _) => options.shadow = true,
            ("parts", _) => options.paint = Paint::Parts,
            ("checker", _) => options.paint = Paint::Checker,
            (_, Some(("view", angles))) => {
                let (azimuth, elevation) =
                    angles.split_once(',').ok_or("view=AZIMUTH,ELEVATION")?;
                options.view = Viewpoint {
                    azimuth: azimuth.parse()?,
                    elevation: elevation.parse()?,
                };
            }
            (_, Some(("isolines", number))) => options.isolines = number.parse()?,
            (_, Some(("size", size))) => {
                let (width, height) = size.split_once('x').ok_or("size=WIDTHxHEIGHT")?;
                options.size = [width.parse()?, height.parse()?];
            }
            (color, _) => {
                let column = || Paint::Column(color.to_owned());
                options.paint = Rgb::parse(color).map_or_else(column, Paint::Plain);
            }
        }
    }
    let start = Instant::now();
    let picture = render(&mesh, &options)?;
    let drawn = start.elapsed();
    let png = picture.to_png();
    println!(
        "drawn {drawn:?}, packed {:?}, {} bytes",
        start.elapsed() - drawn,
        png.len()
    );
    std::fs::write(out, png)?;
    Ok(())
}
