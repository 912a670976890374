-- What is compared with what (kernel::contrast_key): what was tested before anywhere in the home. Empty: not written yet.
ALTER TABLE hypotheses ADD COLUMN contrast TEXT NOT NULL DEFAULT '';
CREATE INDEX hypotheses_by_contrast ON hypotheses(contrast);
