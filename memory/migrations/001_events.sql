-- The event log: the truth. Everything else in this file can be rebuilt from it.
-- docs/events.md says what the columns mean and how `hash` is made.
CREATE TABLE events (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  study   TEXT    NOT NULL,
  v       INTEGER NOT NULL,
  time    INTEGER NOT NULL,
  boot    INTEGER NOT NULL,
  actor   TEXT    NOT NULL,
  type    TEXT    NOT NULL,
  payload TEXT    NOT NULL,
  prev    TEXT    NOT NULL,
  hash    TEXT    NOT NULL
) STRICT;
CREATE INDEX events_of_study ON events(study, seq);
