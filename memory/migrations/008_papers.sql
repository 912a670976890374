-- Which papers a study's agents may search: a read model like the others.
CREATE TABLE papers (
  study  TEXT    NOT NULL,
  path   TEXT    NOT NULL,
  sha256 TEXT    NOT NULL,
  text   TEXT    NOT NULL,
  pages  INTEGER NOT NULL,
  PRIMARY KEY (study, path)
) STRICT;
CREATE INDEX papers_by_text ON papers(text);
CREATE INDEX papers_by_file ON papers(sha256);
-- Their pages, once for every text, whoever has it: of the blob `text`. They are in `memories_fts`, too, under these
-- ids, which are below 0, for those of `memories` are above.
CREATE TABLE pages (
  id    INTEGER PRIMARY KEY,
  text  TEXT    NOT NULL,
  page  INTEGER NOT NULL,
  place TEXT    NOT NULL,
  body  TEXT    NOT NULL,
  UNIQUE (text, page)
) STRICT;
-- What the index is of, so that SQLite can compare the two.
CREATE VIEW indexed(id, title, body) AS
  SELECT rowid, title, body FROM memories UNION ALL SELECT id, '', body FROM pages;
DROP TABLE memories_fts;
CREATE VIRTUAL TABLE memories_fts USING
  fts5(title, body, content='indexed', content_rowid='id', tokenize='porter unicode61');
INSERT INTO memories_fts(memories_fts) VALUES ('rebuild');
