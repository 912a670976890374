-- What later studies may want to find again, a read model like the others: questions, hypotheses with their verdicts,
-- decisions, dead ends, claims, what people said. `memories_fts` is the index of its words; it keeps no copy of them.
CREATE TABLE memories (
  study   TEXT NOT NULL,
  kind    TEXT NOT NULL,
  item    TEXT NOT NULL,
  verdict TEXT NOT NULL,
  title   TEXT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (study, kind, item)
) STRICT;
CREATE VIRTUAL TABLE memories_fts USING fts5(title, body, content='memories', tokenize='porter unicode61');
