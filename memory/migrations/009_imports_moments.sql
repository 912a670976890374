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
-- What is looked for among the events of a study beside its runs and its models' calls: its moments.
CREATE INDEX moments ON events(study, seq) WHERE type IN ('StudyOpened', 'HypothesisProposed', 'ProposalsClosed',
  'SearchRegistered', 'RungRanked', 'SampleSized', 'ExperimentRegistered', 'IntegrityFound', 'ExperimentAnalysed',
  'InterimLook', 'BatchOpened', 'WorkspaceAmended', 'ArmStopped', 'HypothesisWithdrawn', 'NodeRecorded',
  'ClaimRecorded', 'StudyPaused', 'StudyResumed', 'CancellationRequested', 'StudySteered', 'GateOpened', 'GateDecided',
  'StudyConcluded', 'ArtifactPackaged', 'StudyEnded', 'StudyForked');
-- Of a study with many runs, those that run or wait.
CREATE INDEX runs_by_state ON runs(study, state, number);
