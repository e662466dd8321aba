-- view: the record of each drift incident's first rejection
-- grain: one row for each incident within the limits
-- model: §7 Drift incident
SELECT i.client, i.agent, i.first_t, i.held AS card, i.first_outcome AS outcome, t.source_file, t.source_line
FROM incident_selection AS i
JOIN tries AS t ON t.id = i.first_id
