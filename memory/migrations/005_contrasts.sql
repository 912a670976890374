-- Of code and conditions: what was tested before on the same, so that a later study can name it. Empty: not written yet.
ALTER TABLE hypotheses ADD COLUMN context TEXT NOT NULL DEFAULT '';
CREATE INDEX hypotheses_by_context ON hypotheses(context);
