-- Studies' states, folded up to an event, so that a kernel starts without their whole history: written by and for one
-- layout of the program's values, and never a source of truth. Whoever doubts them deletes them.
CREATE TABLE folded (
  study  TEXT    PRIMARY KEY,
  seq    INTEGER NOT NULL,
  head   TEXT    NOT NULL,
  layout TEXT    NOT NULL,
  runs   INTEGER NOT NULL,
  sha256 TEXT    NOT NULL,
  state  BLOB    NOT NULL
) STRICT;

-- The runs of it, some to a row, so that only those that changed are written again.
CREATE TABLE folded_runs (
  study  TEXT    NOT NULL,
  part   INTEGER NOT NULL,
  sha256 TEXT    NOT NULL,
  runs   BLOB    NOT NULL,
  PRIMARY KEY (study, part)
) STRICT;
