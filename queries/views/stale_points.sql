-- view: epochs and what was asked of an authority that has publishes
-- grain: one row for each epoch and each fetch
-- model: §3
SELECT agent, rotated_at AS at, 0 AS rank, 1 AS begins, CAST(NULL AS VARCHAR) AS contract
FROM epochs
WHERE has_publishes
UNION ALL
SELECT agent, sent, 1, 0, contract
FROM authority_sights
WHERE has_publishes AND NOT is_publish
