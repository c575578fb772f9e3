//! Writes the cases that `tests/opensubdiv/table.cpp` reads.

use rxmesh_tests::surfaces::cases::cases;

fn main() {
    for case in cases() {
        print!("{}", case.text());
    }
    println!("end");
}
