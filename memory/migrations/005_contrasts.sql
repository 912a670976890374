-- What was tested before on the same code and conditions, so that a later study can name it.
CREATE INDEX hypotheses_by_context ON hypotheses(json_extract(doc, '$.context'));
