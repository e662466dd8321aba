-- view: the fetches and publishes that show a card
-- grain: one row for each
-- model: §5
SELECT agent, client_key, registry, card, etag, t, id, ok
FROM fetches
WHERE (ok OR is_publish) AND card IS NOT NULL
