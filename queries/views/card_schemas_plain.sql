-- view: the schema version of a card as printed without an artifact at hand
-- grain: one row for each card that states one
-- model: §8 without the output modes
SELECT card, stated
FROM (
  SELECT card, stated, CAST(row_number() OVER (PARTITION BY card ORDER BY rule, position, stated) AS BIGINT) AS place
  FROM card_schemas
  WHERE media_base IS NULL
)
WHERE place = 1
