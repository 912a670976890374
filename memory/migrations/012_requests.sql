-- Which study a request of a client has opened, so that the same request sent again finds it. `request` begins with the
-- client's token; kernel/domain/client_request.h says what follows.
CREATE INDEX events_by_request ON events(payload ->> '$.request') WHERE type = 'StudyOpened' AND json_valid(payload);
