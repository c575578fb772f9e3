//! Triangle strips: element 'tristrips', as in scans of the Stanford repository.

/// Appends the triangles of one list of strips, -1 between strips. Every other triangle of a strip is turned; triangles
/// that name a vertex twice only move the strip and are left out. A value that is no vertex is returned as the error.
pub(super) fn triangles(list: &[f64], vertices: usize, corners: &mut Vec<u32>) -> Result<(), f64> {
    for strip in list.split(|&v| v == -1.0) {
        if let Some(&bad) = strip
            .iter()
            .find(|v| !(**v >= 0.0 && **v < vertices as f64 && v.fract() == 0.0))
        {
            return Err(bad);
        }
        for (i, w) in strip.windows(3).enumerate() {
            let [a, b, c] = [w[0] as u32, w[1] as u32, w[2] as u32];
            if a != b && b != c && c != a {
                corners.extend(if i % 2 == 0 { [a, b, c] } else { [b, a, c] });
            }
        }
    }
    Ok(())
}
