-- Of the commands alone: what was tested before with the same commands, whatever the code. Empty: not written yet, or a
-- reproduction, which tests nothing new.
ALTER TABLE hypotheses ADD COLUMN kin TEXT NOT NULL DEFAULT '';
DROP INDEX hypotheses_by_context;
CREATE INDEX hypotheses_by_kin ON hypotheses(kin);
-- What the test data are, and how many of the study's own experiments were scored on them.
ALTER TABLE studies ADD COLUMN test_data TEXT NOT NULL DEFAULT '';
ALTER TABLE studies ADD COLUMN test_looks INTEGER NOT NULL DEFAULT 0;
CREATE INDEX studies_by_test_data ON studies(test_data);
