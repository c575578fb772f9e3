//! Prints the times of the stages of a picture of 1600 x 1200 pixels, the shortest of some runs:
//! `stages [MESH] [RUNS]`. Without a mesh it is a sphere of 1.31 million faces.

use rxmesh_host::generate;
use rxmesh_picture::{PictureOptions, render_timed};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mesh = match args.next().filter(|name| name != "-") {
        Some(name) => rxmesh_host::io::read(Path::new(&name), &Default::default())?.mesh,
        None => generate::icosphere(8)?,
    };
    let runs: usize = args.next().map_or(Ok(5), |text| text.parse())?;
    let options = PictureOptions::default().with(|o| o.shadow = true);
    let mut best: Vec<(&str, Duration)> = Vec::new();
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let (picture, stages) = render_timed(&mesh, &options)?;
        let drawn = start.elapsed();
        let png = picture.to_png();
        let whole = start.elapsed();
        let mut times: Vec<_> = stages.into_iter().map(|s| (s.name, s.time)).collect();
        times.extend([("PNG", whole - drawn), ("all", whole)]);
        if best.is_empty() {
            best = times;
        } else {
            for (best, (_, time)) in best.iter_mut().zip(times) {
                best.1 = best.1.min(time);
            }
        }
        std::hint::black_box(png);
    }
    let threads = std::thread::available_parallelism()?;
    println!("{} faces, {threads} threads", mesh.face_count());
    for (name, time) in best {
        println!("{name:24} {:8.1} ms", 1e3 * time.as_secs_f64());
    }
    Ok(())
}
