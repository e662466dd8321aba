//! The `carddrift` command.

fn main() {}
