-- What was deleted is read by whoever keeps what was forgotten for a restore: a few of very many entries.
CREATE INDEX accesses_that_deleted ON audit.accesses (at) WHERE details ? 'deleted';
