//! Draws a mesh file into a PNG file: `draw MESH OUT`.

use rxmesh_picture::{PictureOptions, render};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (mesh, out) = (
        args.next().unwrap_or_default(),
        args.next().unwrap_or_default(),
    );
    let mesh = rxmesh_host::io::read(Path::new(&mesh), &Default::default())?.mesh;
    let start = std::time::Instant::now();
    let picture = render(&mesh, &PictureOptions::default())?;
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
