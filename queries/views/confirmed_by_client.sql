-- view: what each 304 without an ETag of its own, or whose ETag is to be printed, confirms
-- grain: one row for each 304 without an ETag whose client has an earlier 200 of its registry
-- model: §2: that client's latest earlier 200; an extended card is another resource than the public one
WITH asked AS (
  SELECT DISTINCT agent, registry, client_key
  FROM named_fetches
  WHERE status = 304 AND NOT is_publish AND etag_weak IS NULL
),
counted AS (
  SELECT
    f.id, f.agent, f.registry, f.client_key, f.extended, f.card, f.etag, f.etag_weak, f.gives_own, f.status, f.is_publish,
    sum(CASE WHEN f.gives_own THEN 1 ELSE 0 END) OVER (
      PARTITION BY f.agent, f.registry, f.client_key, f.extended ORDER BY f.id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM named_fetches AS f
  JOIN asked AS a ON a.agent = f.agent AND a.registry = f.registry AND a.client_key = f.client_key
)
SELECT c.id, g.card, g.etag
FROM counted AS c
JOIN counted AS g
  ON g.agent = c.agent AND g.registry = c.registry AND g.client_key = c.client_key
    AND g.extended = c.extended AND g.n = c.n AND g.gives_own
WHERE c.status = 304 AND NOT c.is_publish AND c.etag_weak IS NULL
