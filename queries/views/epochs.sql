-- view: what each authority served, contract after contract
-- grain: one row for each epoch, numbered from 0
-- model: §3: neighbours with equal contracts merge; flaps are left out, from left to right
WITH openings AS (
  SELECT
    agent, id, dated, is_publish, card, contract, has_publishes,
    lag(contract) OVER (PARTITION BY agent ORDER BY dated, id) AS contract_before
  FROM authority_sights
  WHERE opens
),
runs AS (
  SELECT
    *,
    CAST(row_number() OVER (PARTITION BY agent ORDER BY dated, id) AS BIGINT) AS run,
    lag(contract, 1) OVER (PARTITION BY agent ORDER BY dated, id) AS contract_1,
    lag(contract, 2) OVER (PARTITION BY agent ORDER BY dated, id) AS contract_2,
    lead(contract, 1) OVER (PARTITION BY agent ORDER BY dated, id) AS contract_next,
    lead(dated, 1) OVER (PARTITION BY agent ORDER BY dated, id) AS dated_next
  FROM openings
  WHERE contract_before IS NULL OR contract_before <> contract
),
could_flap AS (
  SELECT
    *,
    coalesce(
      NOT has_publishes
        AND contract = contract_2
        AND contract_next = contract_1
        AND dated_next - dated <= $flap_s * 1000000000,
      false
    ) AS may_flap
  FROM runs
),
islands AS (
  SELECT *, run - CAST(row_number() OVER (PARTITION BY agent, may_flap ORDER BY run) AS BIGINT) AS island
  FROM could_flap
),
decided AS (
  SELECT
    *,
    may_flap
      AND CAST(row_number() OVER (PARTITION BY agent, may_flap, island ORDER BY run) AS BIGINT) % 2 = 1 AS flaps
  FROM islands
),
steady AS (
  SELECT *, lag(contract) OVER (PARTITION BY agent ORDER BY run) AS steady_before
  FROM decided
  WHERE NOT flaps
)
SELECT
  agent,
  CAST(row_number() OVER (PARTITION BY agent ORDER BY run) AS BIGINT) - 1 AS k,
  id,
  dated AS rotated_at,
  lead(dated) OVER (PARTITION BY agent ORDER BY run) AS next_at,
  is_publish,
  has_publishes,
  card,
  contract
FROM steady
WHERE steady_before IS NULL OR steady_before <> contract
