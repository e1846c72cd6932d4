-- What a resource says where no item of it answers. passage: whether a chunk is shown as it stands; null where it was cut
-- before that was told, until the catalog is rebuilt; false of a conversation, and of what says an item that
-- somebody deleted. embedding: null until a worker made it; until then it is found by words.
ALTER TABLE catalog.resource_chunks
  ADD COLUMN passage boolean,
  ADD COLUMN embedding halfvec;
ALTER TABLE catalog.resource_chunks ALTER COLUMN embedding SET STATISTICS 0;
CREATE INDEX passages_to_embed ON catalog.resource_chunks (tenant_id, user_id, resource, part)
  WHERE passage AND embedding IS NULL;
