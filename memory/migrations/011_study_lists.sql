-- What studies are searched, filtered and sorted by: a read model like the others, with short rows, because a list reads
-- all of them. `words`: id, title and question, with small ASCII letters; `waits`: for a person's decision; `usd`,
-- `wall_s`: what was spent.
CREATE TABLE listed (
  study   TEXT    PRIMARY KEY,
  n       INTEGER NOT NULL UNIQUE,
  title   TEXT    NOT NULL,
  words   TEXT    NOT NULL,
  state   TEXT    NOT NULL,
  outcome TEXT,
  waits   INTEGER NOT NULL,
  runs    INTEGER NOT NULL,
  usd     REAL,
  wall_s  REAL
) STRICT;
-- The document without its long lists, as lists show it. Empty: not written yet.
ALTER TABLE studies ADD COLUMN brief TEXT NOT NULL DEFAULT '';
-- Which studies have a hypothesis of a verdict.
CREATE INDEX hypotheses_by_verdict ON hypotheses(verdict, study);

-- What people said of studies to find them in lists: which tags were added and removed (JSON lists), and whether a study
-- was archived (1), unarchived (0) or neither (null). The truth, as events are, but no part of a study's chain, so that
-- studies which have ended keep their head. `hash` chains the rows as it chains events.
CREATE TABLE taggings (
  n        INTEGER PRIMARY KEY AUTOINCREMENT,
  study    TEXT    NOT NULL,
  time     INTEGER NOT NULL,
  added    TEXT    NOT NULL,
  removed  TEXT    NOT NULL,
  archived INTEGER,
  prev     TEXT    NOT NULL,
  hash     TEXT    NOT NULL
) STRICT;
-- What follows from it, read models like the others: the tags that studies have, and which studies are archived.
CREATE TABLE tags (
  study TEXT NOT NULL,
  tag   TEXT NOT NULL,
  PRIMARY KEY (study, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX studies_by_tag ON tags(tag, study);
CREATE TABLE archived (
  study TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
