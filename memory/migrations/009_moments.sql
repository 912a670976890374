-- What is looked for among the events of a study beside its runs and its models' calls: its moments.
CREATE INDEX moments ON events(study, seq) WHERE type IN ('StudyOpened', 'HypothesisProposed', 'ProposalsClosed',
  'SearchRegistered', 'RungRanked', 'SampleSized', 'ExperimentRegistered', 'IntegrityFound', 'ExperimentAnalysed',
  'InterimLook', 'BatchOpened', 'WorkspaceAmended', 'ArmStopped', 'HypothesisWithdrawn', 'NodeRecorded',
  'ClaimRecorded', 'StudyPaused', 'StudyResumed', 'CancellationRequested', 'StudySteered', 'GateOpened', 'GateDecided',
  'StudyConcluded', 'ArtifactPackaged', 'StudyEnded', 'StudyForked');
-- Of a study with many runs, those that run or wait.
CREATE INDEX runs_by_state ON runs(study, state, number);
