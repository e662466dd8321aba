//! The tables and settings as relations of a session.

use super::settings::Settings;
use crate::a2a::outcome;
use crate::a2a::protocol::Era;
use crate::tables::{Dataset, Segment};
use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::datasource::MemTable;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::DataFusionError;
use datafusion::object_store::memory::InMemory;
use datafusion::object_store::path::Path as ObjectPath;
use datafusion::object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use datafusion::prelude::SessionContext;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use url::Url;

/// Texts as views: comparing and grouping them copies nothing.
fn with_views(schema: &Schema) -> SchemaRef {
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| match field.data_type() {
            DataType::Utf8 => field.as_ref().clone().with_data_type(DataType::Utf8View),
            _ => field.as_ref().clone(),
        })
        .collect();
    Arc::new(Schema::new(fields))
}

/// Registers every table of the data set; a table without segments is empty.
/// `views`: texts are read as views, which share the buffers of whole pages: quick, but nobody can tell
/// how much a few rows hold.
pub(super) async fn dataset(
    context: &SessionContext,
    dataset: &Dataset,
    views: bool,
) -> Result<()> {
    let memory = Arc::new(InMemory::new());
    let root =
        Url::parse("memory://dataset/").map_err(|e| DataFusionError::External(Box::new(e)))?;
    context.register_object_store(&root, Arc::clone(&memory) as Arc<dyn ObjectStore>);
    for table in crate::tables::all() {
        let schema = if views { with_views(&table.schema) } else { Arc::clone(&table.schema) };
        let mut files = Vec::new();
        let mut held = Vec::new();
        for (index, segment) in dataset.segments(table.name).iter().enumerate() {
            match segment {
                Segment::File(path) => {
                    let url = Url::from_file_path(std::path::absolute(path)?).map_err(|()| {
                        DataFusionError::Execution(format!("no URL for {}", path.display()))
                    })?;
                    files.push(ListingTableUrl::try_new(url, None)?);
                }
                Segment::Memory(bytes) => {
                    let name = format!("{}/{index:06}.parquet", table.name);
                    memory
                        .put(
                            &ObjectPath::from(name.as_str()),
                            PutPayload::from_bytes(bytes.clone()),
                        )
                        .await?;
                    let url =
                        root.join(&name).map_err(|e| DataFusionError::External(Box::new(e)))?;
                    held.push(ListingTableUrl::try_new(url, None)?);
                }
            }
        }
        let listing = |urls| listing(urls, &schema);
        match (files.is_empty(), held.is_empty()) {
            (true, true) => {
                let none = MemTable::try_new(Arc::clone(&schema), vec![vec![]])?;
                context.register_table(table.name, Arc::new(none))?;
            }
            (false, true) => {
                context.register_table(table.name, Arc::new(listing(files)?))?;
            }
            (true, false) => {
                context.register_table(table.name, Arc::new(listing(held)?))?;
            }
            (false, false) => {
                let both = context
                    .read_table(Arc::new(listing(files)?))?
                    .union(context.read_table(Arc::new(listing(held)?))?)?;
                context.register_table(table.name, both.into_view())?;
            }
        }
    }
    Ok(())
}

/// A relation over Parquet.
fn listing(urls: Vec<ListingTableUrl>, schema: &SchemaRef) -> Result<ListingTable> {
    let options =
        ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension(".parquet");
    ListingTable::try_new(
        ListingTableConfig::new_with_multi_paths(urls)
            .with_listing_options(options)
            .with_schema(Arc::clone(schema)),
    )
}

/// Runs a query and keeps its rows in a file of that folder, as the relation `name`.
pub(super) async fn in_a_file(
    context: &SessionContext,
    name: &str,
    sql: &str,
    folder: &Path,
) -> Result<()> {
    let frame = context.sql(sql).await?;
    let schema = Arc::new(frame.schema().as_arrow().clone());
    let path = folder.join(format!("{name}.parquet"));
    let url = Url::from_file_path(&path)
        .map_err(|()| DataFusionError::Execution(format!("no URL for {}", path.display())))?;
    let single = DataFrameWriteOptions::new().with_single_file_output(true);
    frame.write_parquet(url.as_str(), single, None).await?;
    let rows = listing(vec![ListingTableUrl::try_new(url, None)?], &schema)?;
    context.deregister_table(name)?;
    context.register_table(name, Arc::new(rows))?;
    Ok(())
}

/// Registers a relation of texts.
pub(super) fn texts(
    context: &SessionContext,
    name: &str,
    columns: &[&str],
    rows: &[Vec<String>],
) -> Result<()> {
    let schema = Arc::new(Schema::new(
        columns.iter().map(|c| Field::new(*c, DataType::Utf8, true)).collect::<Vec<_>>(),
    ));
    let arrays: Vec<ArrayRef> = (0..columns.len())
        .map(|column| {
            let values: StringArray = rows.iter().map(|row| row.get(column)).collect();
            Arc::new(values) as ArrayRef
        })
        .collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)?;
    context.deregister_table(name)?;
    context.register_table(name, Arc::new(MemTable::try_new(schema, vec![vec![batch]])?))?;
    Ok(())
}

/// Registers what the configuration says: authorities, and what each code and status means.
pub(super) fn settings(context: &SessionContext, settings: &Settings) -> Result<()> {
    let authorities: Vec<Vec<String>> = settings
        .authorities
        .iter()
        .map(|(agent, registry)| vec![agent.clone(), registry.clone()])
        .collect();
    texts(context, "authorities_configured", &["agent", "registry"], &authorities)?;
    let rules: Vec<Vec<String>> = outcome_rules(settings)
        .into_iter()
        .map(|((kind, era, key), outcome)| vec![kind, era, key, outcome])
        .collect();
    texts(context, "outcome_rules", &["kind", "era", "key", "outcome"], &rules)
}

/// One outcome for each (kind, era, key): the model's table under the configured overrides.
fn outcome_rules(settings: &Settings) -> BTreeMap<(String, String, String), String> {
    let mut rules = BTreeMap::new();
    for rule in outcome::default_rules() {
        let eras: &[Era] = match &rule.era {
            Some(era) => std::slice::from_ref(era),
            None => &Era::ALL,
        };
        for era in eras {
            rules.insert(
                (rule.kind.to_owned(), era.as_str().to_owned(), rule.key.clone()),
                rule.outcome.as_str().to_owned(),
            );
        }
    }
    for (text, outcome) in &settings.outcomes {
        if let Some((kind, key)) = outcome::override_key(text) {
            for era in Era::ALL {
                rules.insert(
                    (kind.to_owned(), era.as_str().to_owned(), key.clone()),
                    outcome.clone(),
                );
            }
        }
    }
    rules
}
