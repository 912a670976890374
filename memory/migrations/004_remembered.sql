-- What a run came to, for the same run of a later study with `cache: true`: a read model of the runs of such studies.
CREATE TABLE remembered (
  study  TEXT    NOT NULL,
  number INTEGER NOT NULL,
  key    TEXT    NOT NULL,
  record TEXT    NOT NULL,
  PRIMARY KEY (study, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX remembered_by_key ON remembered(key);
