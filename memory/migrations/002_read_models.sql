-- Read models: changed in the transaction that appends the events, and never a source of truth. `doc` is the JSON that
-- users see. `studies.n` counts studies in the order in which they were opened.
CREATE TABLE studies (
  id      TEXT    PRIMARY KEY,
  n       INTEGER NOT NULL UNIQUE,
  title   TEXT    NOT NULL,
  state   TEXT    NOT NULL,
  outcome TEXT,
  head    TEXT    NOT NULL,
  doc     TEXT    NOT NULL
) STRICT;

CREATE TABLE hypotheses (
  study      TEXT    NOT NULL,
  position   INTEGER NOT NULL,
  id         TEXT    NOT NULL,
  experiment TEXT    NOT NULL,
  verdict    TEXT,
  doc        TEXT    NOT NULL,
  PRIMARY KEY (study, position)
) STRICT;

CREATE TABLE runs (
  study      TEXT    NOT NULL,
  number     INTEGER NOT NULL,
  experiment TEXT    NOT NULL,
  state      TEXT    NOT NULL,
  purpose    TEXT    NOT NULL,
  doc        TEXT    NOT NULL,
  PRIMARY KEY (study, number)
) STRICT;

CREATE TABLE nodes (
  study    TEXT    NOT NULL,
  position INTEGER NOT NULL,
  id       TEXT    NOT NULL,
  type     TEXT    NOT NULL,
  title    TEXT    NOT NULL,
  doc      TEXT    NOT NULL,
  PRIMARY KEY (study, position)
) STRICT;

CREATE TABLE claims (
  study      TEXT    NOT NULL,
  position   INTEGER NOT NULL,
  id         TEXT    NOT NULL,
  hypothesis TEXT    NOT NULL,
  status     TEXT    NOT NULL,
  doc        TEXT    NOT NULL,
  PRIMARY KEY (study, position)
) STRICT;

-- One summarised value per run and metric; `value` is null where it is not a number.
CREATE TABLE metrics (
  study    TEXT    NOT NULL,
  run      INTEGER NOT NULL,
  name     TEXT    NOT NULL,
  value    REAL,
  censored INTEGER NOT NULL,
  worst    INTEGER NOT NULL,
  PRIMARY KEY (study, run, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX metrics_by_name ON metrics(name, study);

-- One row: the version of the documents above. A program with another one writes all of them anew.
CREATE TABLE read_models (
  version INTEGER NOT NULL
) STRICT;
