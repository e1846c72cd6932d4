-- Results are ids and numbers from now on, and errors say nothing but what and where. What older versions stored
-- repeated words of messages, which would outlive their forgetting: of results nothing is kept, of errors the type.
DROP INDEX ledger.work_with_result;

-- The owner, too, is shown no rows unless it is let for a moment, which nobody else sees.
ALTER TABLE ledger.work NO FORCE ROW LEVEL SECURITY;
UPDATE ledger.work SET result = NULL WHERE result IS NOT NULL AND stage IN ('extract', 'reflect');
UPDATE ledger.work SET last_error = COALESCE(substring(last_error FROM '^([A-Z][A-Za-z]{1,60}):'), 'of an older version')
 WHERE last_error IS NOT NULL;
ALTER TABLE ledger.work FORCE ROW LEVEL SECURITY;

-- The application retries and cancels; what came of a work is the workers' to say.
REVOKE UPDATE (last_error, result) ON ledger.work FROM ragpp_app;
