-- view: the content of each binding hash whose bytes are in the archive
-- grain: one row for each binding hash
-- model: §2
SELECT
  card,
  bool_or(is_card) AS is_card,
  max(contract) AS contract,
  max(agent) AS agent,
  max(skills) AS skills,
  max(default_modes) AS default_modes,
  max(capabilities) AS capabilities,
  max(security) AS security,
  max(protocol) AS protocol,
  max(schema) AS schema
FROM cards
GROUP BY card
