-- view: the names that limits can select; '' stands for unknown
-- grain: one row for each kind and name
-- model: §10
SELECT DISTINCT 'agents' AS kind, coalesce(agent, '') AS name FROM task_verdicts
UNION
SELECT DISTINCT 'agents', agent FROM fetches
UNION
SELECT DISTINCT 'agents', agent FROM tries
UNION
SELECT DISTINCT 'registries', coalesce(registry, '') FROM task_verdicts
UNION
SELECT DISTINCT 'registries', registry FROM fetches
UNION
SELECT DISTINCT 'clients', client_key FROM task_verdicts
UNION
SELECT DISTINCT 'clients', client_key FROM fetches
UNION
SELECT DISTINCT 'clients', client_key FROM tries
