//! Rows as one Parquet file, compressed with zstd.

use super::WriteError;
use super::rows::View;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::sync::Arc;

/// Writes the file.
pub fn write(view: View<'_>, out: &mut (dyn Write + Send)) -> Result<(), WriteError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(concat!("carddrift ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let schema = Arc::new(view.schema.clone());
    let mut writer = ArrowWriter::try_new(out, schema, Some(properties))?;
    for batch in view.batches {
        writer.write(batch)?;
    }
    writer.close()?;
    Ok(())
}
