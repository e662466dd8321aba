//! Each query and shared view gives the same rows after its plan went through the wire format that
//! a cluster of stock executors uses: it drops parts of window functions without an error
//! (apache/datafusion#17417), so the SQL must do without them.

use crate::cases::session;
use arrow::util::pretty::pretty_format_batches;
use carddrift::query::Session;
use datafusion::prelude::SessionContext;
use datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
};
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use std::sync::Arc;

/// Sends a table by its name: here both ends have the same session.
struct ByName(SessionContext);

impl std::fmt::Debug for ByName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ByName")
    }
}

impl LogicalExtensionCodec for ByName {
    fn try_decode(
        &self,
        _buf: &[u8],
        _inputs: &[datafusion::logical_expr::LogicalPlan],
        _ctx: &datafusion::execution::TaskContext,
    ) -> datafusion::common::Result<datafusion::logical_expr::Extension> {
        datafusion::common::not_impl_err!("no extension")
    }

    fn try_encode(
        &self,
        _node: &datafusion::logical_expr::Extension,
        _buf: &mut Vec<u8>,
    ) -> datafusion::common::Result<()> {
        datafusion::common::not_impl_err!("no extension")
    }

    fn try_decode_table_provider(
        &self,
        _buf: &[u8],
        table: &datafusion::common::TableReference,
        _schema: arrow::datatypes::SchemaRef,
        _ctx: &datafusion::execution::TaskContext,
    ) -> datafusion::common::Result<Arc<dyn datafusion::catalog::TableProvider>> {
        let name = table.table().to_owned();
        futures_lite_block(self.0.table_provider(name))
    }

    fn try_encode_table_provider(
        &self,
        _table: &datafusion::common::TableReference,
        _node: Arc<dyn datafusion::catalog::TableProvider>,
        _buf: &mut Vec<u8>,
    ) -> datafusion::common::Result<()> {
        Ok(())
    }
}

/// Waits for a future that is ready at once: the catalogue is in memory.
fn futures_lite_block<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("the catalogue is not in memory"),
    }
}

fn printed(rows: &carddrift::query::Rows) -> Vec<String> {
    let mut lines: Vec<String> = pretty_format_batches(&rows.batches)
        .unwrap()
        .to_string()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines
}

#[test]
fn every_plan_survives_the_wire() {
    for case in
        ["storm_of_two_editions", "cause_client_cache", "chunks", "loop_restarts", "flap_exact"]
    {
        let session = session(std::path::Path::new(&format!("tests/cases/model/{case}.ndjson")));
        for name in Session::relations() {
            if name.ends_with("_selection") {
                continue;
            }
            let plan = session.plan(name).unwrap_or_else(|e| panic!("{case} {name}: {e}"));
            let codec = ByName(session.context().clone());
            let bytes = logical_plan_to_bytes_with_extension_codec(&plan, &codec)
                .unwrap_or_else(|e| panic!("{case} {name}: {e}"));
            let back = logical_plan_from_bytes_with_extension_codec(
                &bytes,
                &session.context().task_ctx(),
                &codec,
            )
            .unwrap_or_else(|e| panic!("{case} {name}: {e}"));
            let (here, there) = (session.run_plan(plan).unwrap(), session.run_plan(back).unwrap());
            assert_eq!(printed(&here), printed(&there), "{case} {name}");
        }
    }
}
