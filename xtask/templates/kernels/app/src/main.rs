//! Smooths a dented ball by kernels of this project, on the GPU if there is one, else on the CPU.

use rxmesh_host::{Engine, Error, RxMesh, TriMesh, Vec3, Vertex, generate, reduce};
use {{snake}}_kernels::{FINGERPRINT_SYMBOL, KERNELS, Scale, Smooth};

/// Built by `build.rs`; empty without a compiler for device code.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));

fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let engine = match asked.as_deref() {
        Some("cpu") => Engine::cpu(),
        _ => engine()?,
    };
    if asked.as_deref() == Some("cuda") && !engine.is_cuda() {
        return Err(Error::Options("there is no GPU, or no PTX for it".into()));
    }
    let mut ball = dented_ball()?;
    ball.positions = smooth(&engine, &ball, 10)?;
    println!("{} vertices smoothed on {}", ball.vertex_count(), engine.name());
    Ok(())
}

/// Returns the GPU with this project's kernels, or the CPU.
fn engine() -> Result<Engine, Error> {
    let (engine, why) = Engine::auto();
    if let Some(why) = why {
        eprintln!("no GPU: {why}");
    }
    if !engine.is_cuda() || PTX.is_empty() {
        return Ok(Engine::cpu());
    }
    // SAFETY: `build.rs` made the PTX of the listed kernels.
    unsafe { engine.load_ptx(PTX, FINGERPRINT_SYMBOL, KERNELS)? };
    Ok(engine)
}

fn dented_ball() -> Result<TriMesh, Error> {
    let mut ball = generate::icosphere(4)?;
    for (v, p) in ball.positions.iter_mut().enumerate() {
        *p *= 1.0 + 0.05 * (v as f32).sin();
    }
    Ok(ball)
}

/// Smooths some times. The surface keeps its mean distance from the origin.
fn smooth(engine: &Engine, mesh: &TriMesh, times: u32) -> Result<Vec<Vec3>, Error> {
    let rx = RxMesh::from_mesh(engine, mesh)?;
    let mut x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
    let mut y = rx.attribute::<Vertex, Vec3>()?;
    let before = reduce::norm(&rx, &x)?;
    for _ in 0..times {
        let (from, to) = (x.read()?, y.write()?);
        rx.run(Smooth { x: from, y: to, step: 0.5 })?;
        std::mem::swap(&mut x, &mut y);
    }
    let factor = (before / reduce::norm(&rx, &x)?) as f32;
    rx.run(Scale { x: x.write()?, factor })?;
    x.to_input(&rx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The same over the faces.
    fn naive(mesh: &TriMesh, times: u32) -> Vec<Vec3> {
        let mut rings = vec![BTreeSet::new(); mesh.vertex_count()];
        for &[a, b, c] in &mesh.faces {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                rings[a as usize].insert(b);
                rings[b as usize].insert(a);
            }
        }
        let mut x = mesh.positions.clone();
        let norm = |x: &[Vec3]| x.iter().map(|p| p.length_squared()).sum::<f32>().sqrt();
        let before = norm(&x);
        for _ in 0..times {
            let mean = |(v, ring): (usize, &BTreeSet<u32>)| {
                let sum: Vec3 = ring.iter().map(|&w| x[w as usize] - x[v]).sum();
                x[v] + sum * (0.5 / ring.len() as f32)
            };
            x = rings.iter().enumerate().map(mean).collect();
        }
        let factor = before / norm(&x);
        x.into_iter().map(|p| p * factor).collect()
    }

    fn check(engine: &Engine) {
        let ball = dented_ball().unwrap();
        let got = smooth(engine, &ball, 5).unwrap();
        for (got, want) in got.iter().zip(naive(&ball, 5)) {
            assert!(got.distance(want) < 1e-5, "{got} {want}");
        }
    }

    #[test]
    fn on_the_cpu() {
        check(&Engine::cpu());
    }

    /// Phases in another order, which shows a race.
    #[test]
    fn in_another_order() {
        check(&Engine::shuffled(7));
    }

    /// Blocks of several threads, which show a missing barrier.
    #[test]
    fn by_a_team_of_threads() {
        check(&Engine::team(4));
    }

    /// The GPU, if there is one.
    #[test]
    fn on_cuda() {
        let engine = engine().unwrap();
        if engine.is_cuda() {
            check(&engine);
        }
    }
}
