//! The tables that ingest fills and queries read, each declared once.
//!
//! This room does not know what fills a table nor who asks. One row of a fact table is one event.
//! What later data may change is not here: epochs, the card of a 304, the agent of a URL, outcomes
//! that depend on other events. The shared views under `queries/views/` compute those.
//!
//! *A column*: one entry in the table's declaration; the compiler points at what must fill it.

pub mod column;
mod dataset;
mod facts;
mod write;

pub use dataset::{Dataset, Segment};
pub use facts::*;
pub use write::{Destination, Folder, TableWriter, Written};

use arrow::datatypes::{Field, Schema, SchemaRef};
use column::Column;
use std::collections::HashMap;
use std::sync::Arc;

/// Version of the tables' layout, written into each Parquet file.
pub const LAYOUT: &str = "2";

/// A table's name with its schema.
#[derive(Debug, Clone)]
pub struct TableInfo {
    /// `snake_case`.
    pub name: &'static str,
    /// Columns with docs.
    pub columns: Vec<Column>,
    /// Arrow schema.
    pub schema: SchemaRef,
}

/// Makes the Arrow schema of a table; a column's doc is its metadata.
pub fn schema_of(name: &str, columns: &[Column]) -> SchemaRef {
    let fields: Vec<Field> = columns
        .iter()
        .map(|c| {
            Field::new(c.name, c.data_type.clone(), c.nullable)
                .with_metadata(HashMap::from([("doc".to_owned(), c.doc.to_owned())]))
        })
        .collect();
    let metadata = HashMap::from([
        ("carddrift.table".to_owned(), name.to_owned()),
        ("carddrift.layout".to_owned(), LAYOUT.to_owned()),
    ]);
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store of another layout is refused by its version, so a table cannot change without it.
    #[test]
    fn tables_change_with_the_version_of_their_layout() {
        let columns: Vec<String> = all()
            .iter()
            .flat_map(|table| table.columns.iter().map(|column| (table.name, column)))
            .map(|(table, Column { name, data_type, nullable, .. })| {
                format!("{table}.{name}: {data_type} {nullable}")
            })
            .collect();
        let print = xxhash_rust::xxh3::xxh3_64(columns.join("\n").as_bytes());
        assert_eq!(
            (LAYOUT, format!("{print:016x}").as_str()),
            ("2", "e6a51aefc45ee7a0"),
            "raise LAYOUT first"
        );
    }
}
