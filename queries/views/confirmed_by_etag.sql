-- view: what each 304 with an ETag confirms
-- grain: one row for each 304 with an ETag that an earlier 200 or publish of its registry has
-- model: §2: the latest earlier one, compared weakly
WITH asked AS (
  SELECT DISTINCT agent, registry, etag_weak
  FROM named_fetches
  WHERE status = 304 AND NOT is_publish AND card IS NULL AND etag_weak IS NOT NULL
),
counted AS (
  SELECT
    f.id, f.agent, f.registry, f.etag_weak, f.card, f.gives_by_etag, f.status, f.is_publish,
    sum(CASE WHEN f.gives_by_etag THEN 1 ELSE 0 END) OVER (
      PARTITION BY f.agent, f.registry, f.etag_weak ORDER BY f.t, f.id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM named_fetches AS f
  JOIN asked AS a ON a.agent = f.agent AND a.registry = f.registry AND a.etag_weak = f.etag_weak
)
SELECT c.id, g.card
FROM counted AS c
JOIN counted AS g
  ON g.agent = c.agent AND g.registry = c.registry AND g.etag_weak = c.etag_weak AND g.n = c.n
    AND g.gives_by_etag
WHERE c.status = 304 AND NOT c.is_publish AND c.card IS NULL
