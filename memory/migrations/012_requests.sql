-- The events that open studies, which say which request of a client each belongs to. An index of the requests themselves
-- is not possible: SQLite 3.40 takes JSON functions in a schema for unsafe.
CREATE INDEX events_opening ON events(study) WHERE type = 'StudyOpened';
