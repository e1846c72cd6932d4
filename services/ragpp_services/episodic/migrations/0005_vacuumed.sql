-- As 0003.
GRANT MAINTAIN ON episodic.repetitions TO ragpp_relay;

-- What is never looked for by its value needs no statistics, which would keep words that were forgotten.
ALTER TABLE episodic.interactions
  ALTER COLUMN content SET STATISTICS 0, ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN content_hash SET STATISTICS 0;
ALTER TABLE episodic.chunks
  ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN embedding SET STATISTICS 0, ALTER COLUMN lexical SET STATISTICS 0;
