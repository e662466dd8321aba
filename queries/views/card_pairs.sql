-- view: how two cards differ, for each pair that a rotation or an incident names
-- grain: one row for each pair
-- model: §2 Facets: null when a content is unknown and the bytes differ
WITH pairs AS (
  SELECT from_card, to_card FROM rotations_found WHERE k > 0
  UNION
  SELECT g.held, f.card
  FROM groups AS g
  JOIN client_fetches AS f ON f.agent = g.agent AND f.client_key = g.client_key AND f.n = g.n + 1
  WHERE g.held IS NOT NULL AND f.card IS NOT NULL
),
skill_changes AS (
  SELECT
    p.from_card, p.to_card,
    array_remove(array_agg(DISTINCT CASE WHEN a.card IS NULL THEN b.skill_id ELSE '' END
      ORDER BY CASE WHEN a.card IS NULL THEN b.skill_id ELSE '' END), '') AS added
  FROM pairs AS p
  JOIN card_skills AS b ON b.card = p.to_card
  LEFT JOIN card_skills AS a ON a.card = p.from_card AND a.skill_id = b.skill_id
  GROUP BY p.from_card, p.to_card
),
skill_losses AS (
  SELECT
    p.from_card, p.to_card,
    array_remove(array_agg(DISTINCT CASE WHEN b.card IS NULL THEN a.skill_id ELSE '' END
      ORDER BY CASE WHEN b.card IS NULL THEN a.skill_id ELSE '' END), '') AS removed,
    bool_or(coalesce(b.modes <> a.modes, false)) AS modes_differ,
    bool_or(coalesce(b.security <> a.security, false)) AS security_differs
  FROM pairs AS p
  JOIN card_skills AS a ON a.card = p.from_card
  LEFT JOIN card_skills AS b ON b.card = p.to_card AND b.skill_id = a.skill_id
  GROUP BY p.from_card, p.to_card
),
compared AS (
  SELECT
    p.from_card, p.to_card,
    p.from_card = p.to_card AS identical,
    coalesce(a.is_card, false) AND coalesce(b.is_card, false) AS both_known,
    coalesce(a.contract, CASE WHEN a.card IS NULL THEN p.from_card END) AS from_contract,
    coalesce(b.contract, CASE WHEN b.card IS NULL THEN p.to_card END) AS to_contract,
    coalesce(s.added, array_remove(make_array(''), '')) AS added,
    coalesce(l.removed, array_remove(make_array(''), '')) AS removed,
    concat_ws(
      ',',
      CASE WHEN a.capabilities <> b.capabilities THEN 'capabilities' END,
      CASE WHEN a.default_modes <> b.default_modes OR coalesce(l.modes_differ, false) THEN 'modes' END,
      CASE WHEN a.protocol <> b.protocol THEN 'protocol' END,
      CASE WHEN a.schema IS DISTINCT FROM b.schema THEN 'schema' END,
      CASE WHEN a.security <> b.security OR coalesce(l.security_differs, false) THEN 'security' END,
      CASE WHEN a.skills <> b.skills THEN 'skills' END
    ) AS facets
  FROM pairs AS p
  LEFT JOIN card_contents AS a ON a.card = p.from_card
  LEFT JOIN card_contents AS b ON b.card = p.to_card
  LEFT JOIN skill_changes AS s ON s.from_card = p.from_card AND s.to_card = p.to_card
  LEFT JOIN skill_losses AS l ON l.from_card = p.from_card AND l.to_card = p.to_card
)
SELECT
  from_card,
  to_card,
  CASE
    WHEN identical THEN 'identical'
    WHEN NOT both_known THEN 'unknown'
    WHEN from_contract = to_contract THEN 'cosmetic'
    ELSE 'changed'
  END AS result,
  CASE
    WHEN identical THEN array_remove(make_array(''), '')
    WHEN both_known THEN array_remove(string_to_array(facets, ','), '')
  END AS changed,
  CASE
    WHEN identical THEN array_remove(make_array(''), '')
    WHEN both_known THEN added
  END AS skills_added,
  CASE
    WHEN identical THEN array_remove(make_array(''), '')
    WHEN both_known THEN removed
  END AS skills_removed
FROM compared
