//! Packs the kernels' PTX, which as text would be half of every program.

fn main() {
    rxmesh_ptx::pack_file("ptx/rxmesh_subdivision_kernels.ptx")
        .expect("the PTX is under version control");
}
