-- Artifacts that were taken into the memory: the truth, as events are. `record` says what was found in one (kernel/imported.h),
-- `files` is the blob that lists its files; `hash` chains the rows as it chains events.
CREATE TABLE imports (
  n      INTEGER PRIMARY KEY AUTOINCREMENT,
  id     TEXT    NOT NULL UNIQUE,
  time   INTEGER NOT NULL,
  title  TEXT    NOT NULL,
  source TEXT    NOT NULL,
  files  TEXT    NOT NULL UNIQUE,
  record TEXT    NOT NULL,
  prev   TEXT    NOT NULL,
  hash   TEXT    NOT NULL
) STRICT;
