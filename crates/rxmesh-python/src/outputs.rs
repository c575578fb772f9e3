//! Values of results that can be written into arrays of the caller, because their size is that of the input.

/// Values of the vertices of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputColumn {
    /// Name: `vertices` of the positions, else that of the attribute.
    pub name: &'static str,
    /// Numbers of each vertex.
    pub width: usize,
}

/// Name of the positions.
pub const POSITIONS: &str = "vertices";

/// Returns the values that the function of an operation can write into arrays of the caller; none of most functions.
pub fn columns(function: &str) -> &'static [OutputColumn] {
    const fn of(name: &'static str, width: usize) -> OutputColumn {
        OutputColumn { name, width }
    }
    match function {
        "smooth" | "mcf" | "filter" | "spring" => const { &[of(POSITIONS, 3)] },
        "normals" => const { &[of("normal", 3)] },
        "curvature" => {
            const {
                &[
                    of("gaussian_curvature", 1),
                    of("mean_curvature", 1),
                    of("angle_defect", 1),
                ]
            }
        }
        "geodesic" => const { &[of("distance", 1)] },
        _ => &[],
    }
}

/// Returns the names of values, for messages.
pub fn names(columns: &[OutputColumn]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::ALL;
    use rxmesh::OutputKind;

    #[test]
    fn values_are_those_of_operations() {
        let has = |name: &str| ALL.iter().any(|f| f.name == name);
        for name in [
            "smooth",
            "mcf",
            "filter",
            "spring",
            "normals",
            "curvature",
            "geodesic",
        ] {
            assert!(has(name) && !columns(name).is_empty(), "{name}");
        }
        for function in ALL {
            for column in columns(function.name) {
                let moves = matches!(function.output, OutputKind::Mesh);
                assert_eq!(column.name == POSITIONS, moves, "{}", function.name);
            }
        }
        assert_eq!(columns("simplify"), []);
    }
}
