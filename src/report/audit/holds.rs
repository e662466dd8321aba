//! What is counted of each source, and of all together.

use crate::query::{QueryError, Rows, Session};
use serde::Deserialize;

/// What a source holds, or all of them. Each is a number of rows, but for the last but three.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Holds {
    /// The source; empty: all.
    pub source_file: String,
    /// Card fetches made, also failed ones.
    pub fetches: i64,
    /// Successful ones.
    pub fetched: i64,
    /// Those whose card, or the hash of it, is on record, and 304s.
    pub fetched_card: i64,
    /// Publishes.
    pub publishes: i64,
    /// Publishes whose card or hash is on record.
    pub publishes_card: i64,
    /// Fetches and publishes of a card whose content is on record somewhere.
    pub content: i64,
    /// Of these, those whose card states a schema version.
    pub content_schema: i64,
    /// Attempts.
    pub attempts: i64,
    /// Those that submit a task.
    pub submissions: i64,
    /// Submissions that name the skill.
    pub skills: i64,
    /// Attempts and fetches that name their client.
    pub named: i64,
    /// Attempts and states that name the card they were made under.
    pub admitted: i64,
    /// States `completed`, also as an answer.
    pub completed: i64,
    /// Records of artifacts.
    pub artifacts: i64,
    /// Those of an artifact whose schema version is on record.
    pub artifacts_schema: i64,
    /// Those of an artifact whose digest is on record.
    pub digests: i64,
    /// Those of them whose payload, or somebody's check, is on record.
    pub checked: i64,
    /// Those of an artifact of which is told what the client did with it.
    pub dispositions: i64,
    /// Distinct registries.
    pub registries: i64,
}

/// `$source` is the column, or `''` for all.
const SQL: &str = "
WITH told AS (
  SELECT task_id, artifact_id, coalesce(agent, url, '') AS whose,
    max(CASE WHEN schema_stated IS NOT NULL THEN 1 ELSE 0 END) AS schema,
    max(CASE WHEN digest IS NOT NULL THEN 1 ELSE 0 END) AS digest,
    max(CASE WHEN digest_check IS NOT NULL OR has_payload THEN 1 ELSE 0 END) AS payload,
    max(CASE WHEN disposition IS NOT NULL THEN 1 ELSE 0 END) AS disposition
  FROM artifacts GROUP BY task_id, artifact_id, coalesce(agent, url, '')
),
parts AS (
  SELECT $source AS source_file,
    count(CASE WHEN f.kind = 'fetch' AND NOT f.from_cache THEN 1 END) AS fetches,
    count(CASE WHEN f.kind = 'fetch' AND NOT f.from_cache AND f.status IN (200, 304)
      AND f.error IS NULL THEN 1 END) AS fetched,
    count(CASE WHEN f.kind = 'fetch' AND NOT f.from_cache AND f.error IS NULL
      AND (f.status = 304 OR f.status = 200 AND f.card IS NOT NULL) THEN 1 END) AS fetched_card,
    count(CASE WHEN f.kind = 'publish' THEN 1 END) AS publishes,
    count(CASE WHEN f.kind = 'publish' AND f.card IS NOT NULL THEN 1 END) AS publishes_card,
    count(c.card) AS content,
    count(s.card) AS content_schema,
    0 AS attempts, 0 AS submissions, 0 AS skills,
    count(CASE WHEN f.kind = 'fetch' AND NOT f.from_cache THEN f.client END) AS named,
    0 AS admitted, 0 AS completed, 0 AS artifacts, 0 AS artifacts_schema, 0 AS digests, 0 AS checked,
    0 AS dispositions,
    count(DISTINCT f.registry) AS registries
  FROM card_fetches AS f
  LEFT JOIN (SELECT DISTINCT card FROM cards WHERE is_card) AS c ON c.card = f.card
  LEFT JOIN (SELECT DISTINCT card FROM card_schemas) AS s ON s.card = f.card
  WHERE f.kind <> 'get' AND NOT f.extended
  $group
  UNION ALL
  SELECT $source, 0, 0, 0, 0, 0, 0, 0, count(*), count(CASE WHEN NOT push_config THEN 1 END),
    count(CASE WHEN NOT push_config THEN skill_id END), count(client), count(admitted_under),
    count(CASE WHEN task_state = 'completed' THEN 1 END), 0, 0, 0, 0, 0, 0
  FROM attempts AS f $group
  UNION ALL
  SELECT $source, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, count(admitted_under),
    count(CASE WHEN state = 'completed' THEN 1 END), 0, 0, 0, 0, 0, 0
  FROM task_events AS f $group
  UNION ALL
  SELECT $source, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, count(*),
    count(CASE WHEN t.schema = 1 THEN 1 END), count(CASE WHEN t.digest = 1 THEN 1 END),
    count(CASE WHEN t.digest = 1 AND t.payload = 1 THEN 1 END), count(CASE WHEN t.disposition = 1 THEN 1 END), 0
  FROM artifacts AS f
  JOIN told AS t ON t.task_id = f.task_id AND t.artifact_id = f.artifact_id
    AND t.whose = coalesce(f.agent, f.url, '')
  $group
)
SELECT source_file, sum(fetches) AS fetches, sum(fetched) AS fetched, sum(fetched_card) AS fetched_card,
  sum(publishes) AS publishes, sum(publishes_card) AS publishes_card, sum(content) AS content,
  sum(content_schema) AS content_schema, sum(attempts) AS attempts, sum(submissions) AS submissions,
  sum(skills) AS skills, sum(named) AS named, sum(admitted) AS admitted, sum(completed) AS completed,
  sum(artifacts) AS artifacts, sum(artifacts_schema) AS artifacts_schema, sum(digests) AS digests,
  sum(checked) AS checked, sum(dispositions) AS dispositions, sum(registries) AS registries
FROM parts GROUP BY source_file ORDER BY source_file";

/// Asks for the rows of all sources, by name, or the one of all together.
///
/// # Errors
/// When the archive cannot be asked.
pub fn ask(session: &Session, by_source: bool) -> Result<Rows, QueryError> {
    let sql = if by_source {
        SQL.replace("$source", "f.source_file").replace("$group", "GROUP BY f.source_file")
    } else {
        SQL.replace("$source", "''").replace("$group", "")
    };
    session.sql(&sql, &[])
}
