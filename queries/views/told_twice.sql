-- view: submissions that two sources tell within five seconds of each other, and that were not joined
-- grain: one row for each pair of sources
-- model: §1 Joining
WITH several AS (
  SELECT task_id
  FROM attempts
  WHERE task_id IS NOT NULL AND NOT push_config
  GROUP BY task_id
  HAVING min(source_file) <> max(source_file)
),
told AS (
  SELECT
    a.source_file,
    CAST(a.time AS BIGINT) AS t,
    a.task_id,
    coalesce(a.agent, a.url, '') AS whose,
    lag(a.source_file) OVER (
      PARTITION BY a.task_id, a.method ORDER BY a.time, a.source_file, a.source_line, a.source_byte
    ) AS before_file,
    lag(CAST(a.time AS BIGINT)) OVER (
      PARTITION BY a.task_id, a.method ORDER BY a.time, a.source_file, a.source_line, a.source_byte
    ) AS before_t,
    lag(coalesce(a.agent, a.url, '')) OVER (
      PARTITION BY a.task_id, a.method ORDER BY a.time, a.source_file, a.source_line, a.source_byte
    ) AS before_whose
  FROM attempts AS a
  LEFT SEMI JOIN several AS s ON s.task_id = a.task_id
  WHERE NOT a.push_config
)
SELECT least(source_file, before_file) AS one, greatest(source_file, before_file) AS other, count(*) AS n
FROM told
WHERE before_file <> source_file
  AND t - before_t <= 5000000000
  AND (whose = before_whose OR length(task_id) >= 16)
GROUP BY least(source_file, before_file), greatest(source_file, before_file)
