PRAGMA application_id = 1702131044;
PRAGMA user_version = 10;
CREATE VIEW indexed(id, title, body) AS
  SELECT rowid, title, body FROM memories UNION ALL SELECT id, '', body FROM pages;
CREATE TABLE claims (
  study      TEXT    NOT NULL,
  position   INTEGER NOT NULL,
  id         TEXT    NOT NULL,
  hypothesis TEXT    NOT NULL,
  status     TEXT    NOT NULL,
  doc        TEXT    NOT NULL,
  PRIMARY KEY (study, position)
) STRICT;
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
CREATE TABLE folded (
  study  TEXT    PRIMARY KEY,
  seq    INTEGER NOT NULL,
  head   TEXT    NOT NULL,
  layout TEXT    NOT NULL,
  runs   INTEGER NOT NULL,
  sha256 TEXT    NOT NULL,
  state  BLOB    NOT NULL
) STRICT;
CREATE TABLE folded_runs (
  study  TEXT    NOT NULL,
  part   INTEGER NOT NULL,
  sha256 TEXT    NOT NULL,
  runs   BLOB    NOT NULL,
  PRIMARY KEY (study, part)
) STRICT;
CREATE TABLE hypotheses (
  study      TEXT    NOT NULL,
  position   INTEGER NOT NULL,
  id         TEXT    NOT NULL,
  experiment TEXT    NOT NULL,
  verdict    TEXT,
  doc        TEXT    NOT NULL, context TEXT NOT NULL DEFAULT '', kin TEXT NOT NULL DEFAULT '', contrast TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (study, position)
) STRICT;
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
CREATE TABLE memories (
  study   TEXT NOT NULL,
  kind    TEXT NOT NULL,
  item    TEXT NOT NULL,
  verdict TEXT NOT NULL,
  title   TEXT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (study, kind, item)
) STRICT;
CREATE VIRTUAL TABLE memories_fts USING
  fts5(title, body, content='indexed', content_rowid='id', tokenize='porter unicode61');
CREATE TABLE metrics (
  study    TEXT    NOT NULL,
  run      INTEGER NOT NULL,
  name     TEXT    NOT NULL,
  value    REAL,
  censored INTEGER NOT NULL,
  worst    INTEGER NOT NULL,
  PRIMARY KEY (study, run, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE nodes (
  study    TEXT    NOT NULL,
  position INTEGER NOT NULL,
  id       TEXT    NOT NULL,
  type     TEXT    NOT NULL,
  title    TEXT    NOT NULL,
  doc      TEXT    NOT NULL,
  PRIMARY KEY (study, position)
) STRICT;
CREATE TABLE pages (
  id    INTEGER PRIMARY KEY,
  text  TEXT    NOT NULL,
  page  INTEGER NOT NULL,
  place TEXT    NOT NULL,
  body  TEXT    NOT NULL,
  UNIQUE (text, page)
) STRICT;
CREATE TABLE papers (
  study  TEXT    NOT NULL,
  path   TEXT    NOT NULL,
  sha256 TEXT    NOT NULL,
  text   TEXT    NOT NULL,
  pages  INTEGER NOT NULL,
  PRIMARY KEY (study, path)
) STRICT;
CREATE TABLE read_models (
  version INTEGER NOT NULL
) STRICT;
CREATE TABLE remembered (
  study  TEXT    NOT NULL,
  number INTEGER NOT NULL,
  key    TEXT    NOT NULL,
  record TEXT    NOT NULL,
  PRIMARY KEY (study, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE runs (
  study      TEXT    NOT NULL,
  number     INTEGER NOT NULL,
  experiment TEXT    NOT NULL,
  state      TEXT    NOT NULL,
  purpose    TEXT    NOT NULL,
  doc        TEXT    NOT NULL,
  PRIMARY KEY (study, number)
) STRICT;
CREATE TABLE studies (
  id      TEXT    PRIMARY KEY,
  n       INTEGER NOT NULL UNIQUE,
  title   TEXT    NOT NULL,
  state   TEXT    NOT NULL,
  outcome TEXT,
  head    TEXT    NOT NULL,
  doc     TEXT    NOT NULL
, test_data TEXT NOT NULL DEFAULT '', test_looks INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX events_of_study ON events(study, seq);
CREATE INDEX hypotheses_by_contrast ON hypotheses(contrast);
CREATE INDEX hypotheses_by_kin ON hypotheses(kin);
CREATE INDEX metrics_by_name ON metrics(name, study);
CREATE INDEX moments ON events(study, seq) WHERE type IN ('StudyOpened', 'HypothesisProposed', 'ProposalsClosed',
  'SearchRegistered', 'RungRanked', 'SampleSized', 'ExperimentRegistered', 'IntegrityFound', 'ExperimentAnalysed',
  'InterimLook', 'BatchOpened', 'WorkspaceAmended', 'ArmStopped', 'HypothesisWithdrawn', 'NodeRecorded',
  'ClaimRecorded', 'StudyPaused', 'StudyResumed', 'CancellationRequested', 'StudySteered', 'GateOpened', 'GateDecided',
  'StudyConcluded', 'ArtifactPackaged', 'StudyEnded', 'StudyForked');
CREATE INDEX papers_by_file ON papers(sha256);
CREATE INDEX papers_by_text ON papers(text);
CREATE INDEX remembered_by_key ON remembered(key);
CREATE INDEX runs_by_state ON runs(study, state, number);
CREATE INDEX studies_by_test_data ON studies(test_data);
INSERT INTO claims VALUES('s1',0,'C01','H1','supported','{"conditions":"","depends_on":[],"experiment":"","falsification":"","hypothesis":"H1","id":"C01","statement":"","status":"supported","tags":[],"title":""}');
INSERT INTO events VALUES(1,'s1',1,1700000000007,1005,'kernel','StudyOpened','{"boot_id":"boot-1","data":[],"environment":{"machine":{},"programs":[],"toolchain":{"path":[],"prefixes":[],"variables":{}}},"id":"s1","jobs":1,"output":"","reproduces":"","request":"","spec":{"agents":"builtin","budget":{"gpu_hours":null,"runs":null,"tokens":null,"usd":null,"wall_s":null},"constants":{},"data":[],"design":{"alpha":0.05,"family":null,"max_failed":0.1,"order":"random","pairing":"seed","pilot":5,"power":0.8,"replicates_max":20,"replicates_min":3,"settled":{},"smoke":true,"warmup_runs":0},"environment":{"pass":[],"set":{},"use":"system"},"evaluator":{"protect":[]},"excludes":[],"factors":[{"baseline":null,"levels":[{"bundle":{},"name":"bubble","value":{"number":null,"text":"bubble"}},{"bundle":{},"name":"quick","value":{"number":null,"text":"quick"}}],"name":"algorithm","range":null,"type":"text"}],"file":"","gates":[],"guards":[],"hypotheses":[],"keep_outputs":[],"kind":"test","metrics":[{"censor_right":false,"deterministic":false,"goal":"minimize","name":"time_ms","on_nan":"fail","primary":true,"scale":"linear","source":{"from":"metrics"},"summary":{"kind":"last","last_k":0,"target":0.0,"target_metric":""},"type":"continuous","unit":"","warmup":0}],"question":"Which is faster? é世","resources":{"cpus":1,"disk_bytes":null,"memory_bytes":null,"network":false,"sandbox":"auto","timeout_s":null},"run":{"shell":true,"words":[]},"seed":1,"title":"Sorting in study s1","workspace":{"exclude":[],"max_bytes":null,"path":"."}},"text":"etude: 1\n","workspace":{"bytes":0,"files":0,"hash":""}}','0000000000000000000000000000000000000000000000000000000000000000','f185f1c6ce354a8fcadf6787fcc333016572e3fef1fafcac724349f44559e350');
INSERT INTO events VALUES(10,'s1',1,1700000000070,1050,'kernel','SearchRegistered','{"hash":"64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525","plan":{"aliases":[],"baseline":{"algorithm":"bubble"},"confirm_replicates":0,"design":"full","eta":3,"fidelity":"","generators":[],"goal":"minimize","kind":"screen","metric":"","registered":{"alpha":0.05,"batch":1,"cells":[{"algorithm":"quick"}],"command":{"shell":true,"words":[]},"data":[],"environment":"","experiment":"S01","family":1,"guards":[],"hypotheses":[],"metrics":[],"order":"random","pairing":"seed","replicates":[],"seeds":[],"sizes":[],"workspace":""},"resolution":0,"rule":"","rungs":[{"candidates":1,"fidelity":"","first_seed":0,"refines":false,"replicates":2}],"top":1}}','824a05a041f39bb38663413e5cf038c18630d3681fb4a2be5b698b7c502cb8e4','77c4a62e6e03a705140406feec2064a2dc7dcc27a0be942f42c36513460e17fa');
INSERT INTO events VALUES(11,'s1',1,1700000000077,1055,'kernel','RungRanked','{"candidates":[{"baseline":false,"cell":{"algorithm":"quick"},"failed":0,"kept":true,"mean":0.5,"n":2,"refined":false,"sd":0.25}],"effects":[{"df":3.0,"effect":-0.5,"factors":["algorithm"],"failed":[0,1],"high":"quick","interval_high":-0.1,"interval_low":-0.9,"kept":true,"low":"bubble","n":[2,2],"se":0.1}],"experiment":"S01","last":true,"rung":1}','77c4a62e6e03a705140406feec2064a2dc7dcc27a0be942f42c36513460e17fa','c032e9ab2d44ab22c4bcca2475812b9c164ee6941af43e58bab3847932097c2e');
INSERT INTO events VALUES(12,'s1',1,1700000000084,1060,'kernel','SampleSized','{"sizes":[{"how":"by Stein","hypothesis":"H1","power":0.8,"replicates":2,"sd":1.5}],"warnings":["skewed"]}','c032e9ab2d44ab22c4bcca2475812b9c164ee6941af43e58bab3847932097c2e','1a87b2fada45636d5fc5394b319e573e345e7cd49403290d955f3f1573fcc236');
INSERT INTO events VALUES(13,'s1',1,1700000000091,1065,'kernel','ExperimentRegistered','{"hash":"e8bc163c82eee18733288c7d4ac636db3a6deb013ef2d37b68322be20edc45cc","registration":{"alpha":0.05,"batch":1,"cells":[],"command":{"shell":true,"words":[]},"data":[],"environment":"","experiment":"E01","family":1,"guards":[],"hypotheses":[{"along":"","by":"person","control":{"algorithm":"bubble"},"direction":"different","id":"H1","kind":"compare","line":0,"margin":null,"mechanism":"","method":"auto","metric":"time_ms","over":"average","slope_scale":"linear","slope_value":0.0,"smallest_effect":{"kind":"sd","value":1.0},"statement":"Quick is faster.","treatment":{"algorithm":"quick"},"where":{}}],"metrics":[],"order":"random","pairing":"seed","replicates":[],"seeds":[],"sizes":[],"workspace":""}}','1a87b2fada45636d5fc5394b319e573e345e7cd49403290d955f3f1573fcc236','e556934b66f8ece64e0771ee0107a0c90a63a64acb289c18bbcc2b9ddab1ceea');
INSERT INTO events VALUES(14,'s1',1,1700000000098,1070,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":2,"replicate":1,"retry_of":0,"seed":18446744073709551615},{"attempt":1,"cell":1,"delay_ms":0,"label":"","number":3,"replicate":1,"retry_of":0,"seed":18446744073709551614},{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":4,"replicate":2,"retry_of":0,"seed":18446744073709551613},{"attempt":1,"cell":1,"delay_ms":0,"label":"","number":5,"replicate":2,"retry_of":0,"seed":18446744073709551612}]}','e556934b66f8ece64e0771ee0107a0c90a63a64acb289c18bbcc2b9ddab1ceea','4defe3494b2bbec10273f9bf0bca07dc7a61780650488e3f7a6a1de5a9c66d45');
INSERT INTO events VALUES(15,'s1',1,1700000000105,1075,'kernel','RunStarting','{"run":2,"token":"token-2"}','4defe3494b2bbec10273f9bf0bca07dc7a61780650488e3f7a6a1de5a9c66d45','6e562214012c7ddad4f90fa91352e573e08636bee3113685da5dee51d784be09');
INSERT INTO events VALUES(16,'s1',1,1700000000112,1080,'kernel','RunRequeued','{"run":2,"why":"its claim was voided"}','6e562214012c7ddad4f90fa91352e573e08636bee3113685da5dee51d784be09','ffbadaa3ed9e15dec386bff4c2554a468dd66888fe98e7d5400007f89fe86e79');
INSERT INTO events VALUES(17,'s1',1,1700000000119,1085,'kernel','RunStarting','{"run":2,"token":"token-2"}','ffbadaa3ed9e15dec386bff4c2554a468dd66888fe98e7d5400007f89fe86e79','1b277917447175f01eed36ac25ecc365d3a6a5a8db4b8ddb7a191a67cdbe3958');
INSERT INTO events VALUES(18,'s1',1,1700000000126,1090,'kernel','RunStarted','{"run":2}','1b277917447175f01eed36ac25ecc365d3a6a5a8db4b8ddb7a191a67cdbe3958','bdc308e3d3b0dfd4a0cf78c1a63ddee98fc7bd06bb6e81e233ab6b7ce3f983b3');
INSERT INTO events VALUES(19,'s1',1,1700000000133,1095,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.5}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000129,"exit":0,"reason":"","run":"s1-r2","sandboxed":false,"signal":0,"started_ms":1700000000126,"token":"","usage":{"cpu_s":0.2,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":2,"state":"succeeded"}','bdc308e3d3b0dfd4a0cf78c1a63ddee98fc7bd06bb6e81e233ab6b7ce3f983b3','6f812c15e118a2697ba62f3770dcef68f23237a77831c16e8b8603ffdd53525a');
INSERT INTO events VALUES(2,'s1',1,1700000000014,1010,'kernel','NodeRecorded','{"node":{"alternatives":[],"evidence":[],"experiment":"","fields":{},"hypothesis":"","id":"N01","parents":[],"time_ms":0,"title":"Which is faster?","type":"question"}}','f185f1c6ce354a8fcadf6787fcc333016572e3fef1fafcac724349f44559e350','a25d578fbdc6ac95b0b20ba30270f2239c9be026bbfa57587c72090bf61906a1');
INSERT INTO events VALUES(20,'s1',1,1700000000140,1100,'kernel','RunStarting','{"run":3,"token":"token-3"}','6f812c15e118a2697ba62f3770dcef68f23237a77831c16e8b8603ffdd53525a','102e40b07e5758adee82b09b580e8c118e80ce221d2e1f951fdc8c4f5a3f5e60');
INSERT INTO events VALUES(21,'s1',1,1700000000147,1105,'kernel','RunStarted','{"run":3}','102e40b07e5758adee82b09b580e8c118e80ce221d2e1f951fdc8c4f5a3f5e60','e44fcb2fc6db23e15f793862b6d9f93a74d18f594ba13d38648facf2d4ceebb0');
INSERT INTO events VALUES(22,'s1',1,1700000000154,1110,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"censored":true,"value":0.3333333333333333}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000150,"exit":0,"reason":"","run":"s1-r3","sandboxed":false,"signal":0,"started_ms":1700000000147,"token":"","usage":{"cpu_s":0.30000000000000004,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":3,"state":"lost"}','e44fcb2fc6db23e15f793862b6d9f93a74d18f594ba13d38648facf2d4ceebb0','1e878d7f820221dde15d19a5495d044f2f5e9cd4f4fe781608eeed835e63ea57');
INSERT INTO events VALUES(23,'s1',1,1700000000161,1115,'kernel','RunStarting','{"run":4,"token":"token-4"}','1e878d7f820221dde15d19a5495d044f2f5e9cd4f4fe781608eeed835e63ea57','86c4501619beec025fc5a5db4976601d713d974a6bd5f4d71b80356b91868e0c');
INSERT INTO events VALUES(24,'s1',1,1700000000168,1120,'kernel','RunStarted','{"run":4}','86c4501619beec025fc5a5db4976601d713d974a6bd5f4d71b80356b91868e0c','69cb8504150e931ce124b95441a1814caa6cdd6e8507b7b7e239efb5d2e9d74a');
INSERT INTO events VALUES(25,'s1',1,1700000000175,1125,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.25}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000171,"exit":0,"reason":"","run":"s1-r4","sandboxed":false,"signal":0,"started_ms":1700000000168,"token":"","usage":{"cpu_s":0.4,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"exit 1: � not text","run":4,"state":"failed"}','69cb8504150e931ce124b95441a1814caa6cdd6e8507b7b7e239efb5d2e9d74a','0b18756a5db1d50f67adb09cb21e2e0d485de824d3168446291e5e5a8c094db9');
INSERT INTO events VALUES(26,'s1',1,1700000000182,1130,'kernel','RunStarting','{"run":5,"token":"token-5"}','0b18756a5db1d50f67adb09cb21e2e0d485de824d3168446291e5e5a8c094db9','5f294aff802f9a240d020095975ea4c7105f150e0713611a6c1713cec5ad7429');
INSERT INTO events VALUES(27,'s1',1,1700000000189,1135,'kernel','RunStarted','{"run":5}','5f294aff802f9a240d020095975ea4c7105f150e0713611a6c1713cec5ad7429','9f3fdfe0f40c4133b14630525c8a83c8f2d2d5fa4e0dfa8c0b70dab9b372e04d');
INSERT INTO events VALUES(28,'s1',1,1700000000196,1140,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.2}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000192,"exit":0,"reason":"","run":"s1-r5","sandboxed":false,"signal":0,"started_ms":1700000000189,"token":"","usage":{"cpu_s":0.5,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":5,"state":"succeeded"}','9f3fdfe0f40c4133b14630525c8a83c8f2d2d5fa4e0dfa8c0b70dab9b372e04d','c33b8d5daa33542f913ccdecff96101c4c99a91129dc118e31c3db73b207537a');
INSERT INTO events VALUES(29,'s1',1,1700000000203,1145,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":2,"cell":0,"delay_ms":0,"label":"","number":6,"replicate":1,"retry_of":3,"seed":18446744073709551615}]}','c33b8d5daa33542f913ccdecff96101c4c99a91129dc118e31c3db73b207537a','3a42759af6a5cc99c1c7ac15cf758ff79b8542cd5ff90bc005984292fb68cbf5');
INSERT INTO events VALUES(3,'s1',1,1700000000021,1015,'kernel','HypothesisProposed','{"batch":1,"exploratory":false,"hypothesis":{"along":"","by":"person","control":{"algorithm":"bubble"},"direction":"different","id":"H1","kind":"compare","line":0,"margin":null,"mechanism":"","method":"auto","metric":"time_ms","over":"average","slope_scale":"linear","slope_value":0.0,"smallest_effect":{"kind":"sd","value":1.0},"statement":"Quick is faster.","treatment":{"algorithm":"quick"},"where":{}}}','a25d578fbdc6ac95b0b20ba30270f2239c9be026bbfa57587c72090bf61906a1','0bbf23528dcb3ee1da36b48e126e8ea3625186b29e2878bdd62d238b3b2dee1e');
INSERT INTO events VALUES(30,'s1',1,1700000000210,1150,'kernel','RunStarting','{"beside":3,"lease":{"cpus":2,"gpus":["GPU-5f1c"],"memory_bytes":1073741824},"run":6,"token":"token-6"}','3a42759af6a5cc99c1c7ac15cf758ff79b8542cd5ff90bc005984292fb68cbf5','bca9b3c082cc6ace8030ce55d20dffcc081b7d6d93b7777d4b33b96b8e58a71f');
INSERT INTO events VALUES(31,'s1',1,1700000000217,1155,'kernel','RunCancellationRequested','{"run":6}','bca9b3c082cc6ace8030ce55d20dffcc081b7d6d93b7777d4b33b96b8e58a71f','b45993e4657ad5fc4651549f89f4dddfbdffbc56b1d813127c0f97ce1bca7e5a');
INSERT INTO events VALUES(32,'s1',1,1700000000224,1160,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"censored":true,"value":0.16666666666666666}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000220,"exit":0,"reason":"","run":"s1-r6","sandboxed":false,"signal":0,"started_ms":1700000000217,"token":"","usage":{"cpu_s":0.6000000000000001,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":6,"state":"succeeded"}','b45993e4657ad5fc4651549f89f4dddfbdffbc56b1d813127c0f97ce1bca7e5a','901b0e28c7669b5d9a621824e71d6ca8b3a1a4389cfdc07477cd261f120d3a71');
INSERT INTO events VALUES(33,'s1',1,1700000000231,1165,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":7,"replicate":1,"retry_of":0,"seed":18446744073709551615}]}','901b0e28c7669b5d9a621824e71d6ca8b3a1a4389cfdc07477cd261f120d3a71','a2f88f8ce37c0abe605bce7954309ed13e0d0add5ca01fc094dadb61936827de');
INSERT INTO events VALUES(34,'s1',1,1700000000238,1170,'kernel','ArmStopped','{"cells":[{"algorithm":"quick"}],"experiment":"E01","fingerprint":"exit 1: IndexError","reason":"3 runs in a row failed the same way","runs":[7]}','a2f88f8ce37c0abe605bce7954309ed13e0d0add5ca01fc094dadb61936827de','0ce1bcba9ac0f9ddb18359e65d73672f51cc01503f0eac9cab6498dd67b8d592');
INSERT INTO events VALUES(35,'s1',1,1700000000245,1175,'kernel','StudySteered','{"text":"look at larger inputs"}','0ce1bcba9ac0f9ddb18359e65d73672f51cc01503f0eac9cab6498dd67b8d592','3058d6d46142bb44a3fc65a503b9d4f01ad9ddd2c966f74fbe42350d4287f467');
INSERT INTO events VALUES(36,'s1',1,1700000000252,1180,'kernel','GateOpened','{"gate":{"id":"s1-g1","on":"conclude","position":0,"what":"write the verdicts up as claims"}}','3058d6d46142bb44a3fc65a503b9d4f01ad9ddd2c966f74fbe42350d4287f467','4006b18d7097d8c91c33b63a984940b8ced5447ebb2ca1d60b925ba3d8ed1117');
INSERT INTO events VALUES(37,'s1',1,1700000000259,1185,'kernel','GateDecided','{"approved":true,"gate":"s1-g1","why":"fine"}','4006b18d7097d8c91c33b63a984940b8ced5447ebb2ca1d60b925ba3d8ed1117','cfc59f58a4d48979e538b2f8abc4630f94f60555a54b4e429888554ed4757f52');
INSERT INTO events VALUES(38,'s1',1,1700000000266,1190,'kernel','GateOpened','{"gate":{"call":1,"id":"s1-g2","on":"question","position":-1,"tool_call":"call_1","what":"which sizes matter"}}','cfc59f58a4d48979e538b2f8abc4630f94f60555a54b4e429888554ed4757f52','01fd090f9b4d901b3c6ab52fe05e7c77bf3bd67f9cf3fc67068eb097b13d3dd8');
INSERT INTO events VALUES(39,'s1',1,1700000000273,1195,'kernel','NoteTaken','{"text":"it sorts in place"}','01fd090f9b4d901b3c6ab52fe05e7c77bf3bd67f9cf3fc67068eb097b13d3dd8','7ae5384beaeda4de666409fd9595af7fa6db59615c7ae77893aba8b7819d72df');
INSERT INTO events VALUES(4,'s1',1,1700000000028,1020,'kernel','ProposalsClosed','{"family":1}','0bbf23528dcb3ee1da36b48e126e8ea3625186b29e2878bdd62d238b3b2dee1e','65dacd0549dcbf8af63feb34bbb6737aa0bb0b227e1f176a11e41ff747fd0c02');
INSERT INTO events VALUES(40,'s1',1,1700000000280,1200,'kernel','RequirementBound','{"requirement":{"by":"engineer","file":"sort.py","from":1,"hypotheses":[],"id":"R1","judged":"open","question":false,"text":"It sorts.","to":4,"unmet":"","why":"","workspace":"hash"}}','7ae5384beaeda4de666409fd9595af7fa6db59615c7ae77893aba8b7819d72df','ed0146fc507c2c2b2a02f36d5086bf71b41193230059eb82f1b7615962e2b4be');
INSERT INTO events VALUES(41,'s1',1,1700000000287,1205,'kernel','RequirementJudged','{"met":true,"requirement":"R1","why":"sort.py does"}','ed0146fc507c2c2b2a02f36d5086bf71b41193230059eb82f1b7615962e2b4be','3aa1d1b7acac51dd74207d94a07589950248de694643792ac4d51f440b08697f');
INSERT INTO events VALUES(42,'s1',1,1700000000294,1210,'kernel','SectionWritten','{"section":{"by":"writeup","name":"summary","text":"It is 3.","written":{"summary":"It is {{H1.effect}}."}}}','3aa1d1b7acac51dd74207d94a07589950248de694643792ac4d51f440b08697f','f0981c8cb68f9c81d70885afd907ca8a759bc006c4a8539851ec850d96d68cf1');
INSERT INTO events VALUES(43,'s1',1,1700000000301,1215,'kernel','StudyForked','{"from":"s0","head":"ec18eac8d758b1eba52d3c10d39adc6dd9806472cb4ae069635d383d9086a513","requeued":[],"seq":12}','f0981c8cb68f9c81d70885afd907ca8a759bc006c4a8539851ec850d96d68cf1','b4d70893ba4de672caf866e179acf6351eac6266b1f6431bc24593ce9dcb3503');
INSERT INTO events VALUES(44,'s1',1,1700000000308,1220,'kernel','StudyPaused','{"detail":"lunch","reason":"person"}','b4d70893ba4de672caf866e179acf6351eac6266b1f6431bc24593ce9dcb3503','2a2650ee4176a4417b3f0f04bf4d3ef07353b81fba814798f5b9ef98cd184997');
INSERT INTO events VALUES(45,'s1',1,1700000000315,1225,'kernel','StudyResumed','{"boot_id":"boot-2","jobs":3,"raised":{"gpu_hours":null,"runs":null,"tokens":null,"usd":null,"wall_s":null}}','2a2650ee4176a4417b3f0f04bf4d3ef07353b81fba814798f5b9ef98cd184997','456179d18f4e3074e9e2b93530faad454ee8268f5d65004247894f3b03813f28');
INSERT INTO events VALUES(46,'s1',1,1700000000322,1230,'kernel','IntegrityFound','{"experiment":"E01","message":"time_ms is declared deterministic but varied","metric":"time_ms","runs":[2,5]}','456179d18f4e3074e9e2b93530faad454ee8268f5d65004247894f3b03813f28','9e05a27814e20629358e69e68cdefc2dcdc05b126610820b14eed4dd59f49b2f');
INSERT INTO events VALUES(47,'s1',1,1700000000329,1235,'kernel','InterimLook','{"experiment":"E01","going_on":["H2"],"number":1,"results":[{"bca_descriptive":true,"bca_high":null,"bca_low":null,"df":null,"effect":-0.125,"effect_relative":null,"failed":[0,0],"high":null,"id":"H1","level":0.0,"look":{"fraction":0.5,"number":1,"of":2,"p":0.0125},"low":null,"n":[0,0],"p":null,"p_corrected":null,"power":null,"reason":"","relative_high":null,"relative_low":null,"se":null,"verdict":"supported","warnings":[]}],"share":0.5}','9e05a27814e20629358e69e68cdefc2dcdc05b126610820b14eed4dd59f49b2f','16d9466247e28c5aea747eca5204e0433f92698637a7fc1719fbf299431d2a7d');
INSERT INTO events VALUES(48,'s1',1,1700000000336,1240,'kernel','BatchOpened','{"batch":2,"why":"the first says where to look"}','16d9466247e28c5aea747eca5204e0433f92698637a7fc1719fbf299431d2a7d','734df77912daabca904265b1e719cfece4d9b7eed2e9fb52b990b646a8783240');
INSERT INTO events VALUES(49,'s1',1,1700000000343,1245,'kernel','HypothesisWithdrawn','{"hypothesis":"H1","runs":[],"why":"a better one is known"}','734df77912daabca904265b1e719cfece4d9b7eed2e9fb52b990b646a8783240','54ffe1754b7746d0a6339098876f17eeb8c03c5b4c950b1f1595a9118917595c');
INSERT INTO events VALUES(5,'s1',1,1700000000035,1025,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"","purpose":"smoke","runs":[{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":1,"replicate":1,"retry_of":0,"seed":18446744073709551615}]}','65dacd0549dcbf8af63feb34bbb6737aa0bb0b227e1f176a11e41ff747fd0c02','eeb3a578f9f0590c652cf5dd301cfb2f54f75d581b233746e63f7fb8912798fa');
INSERT INTO events VALUES(50,'s1',1,1700000000350,1250,'kernel','WorkspaceAmended','{"experiment":"E01","runs":[],"seen":true,"why":"it crashed","workspace":{"bytes":0,"files":0,"hash":""}}','54ffe1754b7746d0a6339098876f17eeb8c03c5b4c950b1f1595a9118917595c','595a1aa8b190b9fd7bc72f1fff9b2eb6b34a85993baeb14c357d889ce23dbdfc');
INSERT INTO events VALUES(51,'s1',1,1700000000357,1255,'kernel','CodePlanned','{"round":2,"steps":[{"id":"improve-4","op":"improve","parents":["v2"],"round":2}]}','595a1aa8b190b9fd7bc72f1fff9b2eb6b34a85993baeb14c357d889ce23dbdfc','28692612e649aadade13c43af9b0e80c4b8da7da9ef9dedae40678bde8e37c93');
INSERT INTO events VALUES(52,'s1',1,1700000000364,1260,'kernel','CodeProposed','{"version":{"diff":{"bytes":0,"sha256":""},"id":"v4","op":"improve","parents":["v2"],"step":"improve-4","why":"it sorts runs first","workspace":{"bytes":0,"files":0,"hash":""}}}','28692612e649aadade13c43af9b0e80c4b8da7da9ef9dedae40678bde8e37c93','63530a6a2c15bbd4bebf64df4fc8ebd93b97851be6e7bb7215c713180adc26fb');
INSERT INTO events VALUES(53,'s1',1,1700000000371,1265,'kernel','CodePlanned','{"over":"what is left is for confirming","round":2,"steps":[]}','63530a6a2c15bbd4bebf64df4fc8ebd93b97851be6e7bb7215c713180adc26fb','9ab0cb78bafeaaecf10582c7983c271aad75173b1d3af5c166d13998fd1dbecf');
INSERT INTO events VALUES(54,'s1',1,1700000000378,1270,'kernel','LineOpened','{"about":"what to test","line":"hypothesis-1","role":"hypothesis"}','9ab0cb78bafeaaecf10582c7983c271aad75173b1d3af5c166d13998fd1dbecf','cdfb8c30b4ce1ec90d6255939d9db37d31565cc6760f1b9ea73a70aeaa892842');
INSERT INTO events VALUES(55,'s1',1,1700000000385,1275,'kernel','ModelAsked','{"call":1,"line":"hypothesis-1","model":"small","request":{"bytes":0,"sha256":""},"tokens":5000,"usd":0.25}','cdfb8c30b4ce1ec90d6255939d9db37d31565cc6760f1b9ea73a70aeaa892842','ad1546907cd0bd29ae4a76df972602d50676e81813f713946f74d84ec007d780');
INSERT INTO events VALUES(56,'s1',1,1700000000392,1280,'kernel','ModelAnswered','{"call":1,"end":{"attempts":2,"failure":"","maybe_paid":false,"reply":{"bytes":0,"sha256":""},"seconds":1.5,"tokens":{"cache_read":3,"cache_written":4,"input":100,"output":20},"usd":0.125}}','ad1546907cd0bd29ae4a76df972602d50676e81813f713946f74d84ec007d780','f889a5ab034c4e429ff83099e77f16a689b233285c0883365fc9ccc483d12e94');
INSERT INTO events VALUES(57,'s1',1,1700000000399,1285,'kernel','ToolReturned','{"answer":{"answer":{"bytes":0,"sha256":""},"id":"call_1","refused":true,"tool":"read_file"},"call":1}','f889a5ab034c4e429ff83099e77f16a689b233285c0883365fc9ccc483d12e94','6c08d25de9a045a2275da534be234df78faea7f9f8fea8d1ec1e6b0cbcb553c8');
INSERT INTO events VALUES(58,'s1',1,1700000000406,1290,'kernel','ModelAsked','{"call":2,"line":"hypothesis-1","model":"small","request":{"bytes":0,"sha256":""},"tokens":5000,"usd":0.25}','6c08d25de9a045a2275da534be234df78faea7f9f8fea8d1ec1e6b0cbcb553c8','863726b07967777aaa8f13b851b8d7ff6163e2a103d62e20b6a002efb5399921');
INSERT INTO events VALUES(59,'s1',1,1700000000413,1295,'kernel','LineEnded','{"ending":"proposed one","line":"hypothesis-1"}','863726b07967777aaa8f13b851b8d7ff6163e2a103d62e20b6a002efb5399921','b9e040eb0555ba2a096b3dcc2e328016233ac62cb9ad85bf76779b999831aef1');
INSERT INTO events VALUES(6,'s1',1,1700000000042,1030,'kernel','RunStarting','{"run":1,"token":"token-1"}','eeb3a578f9f0590c652cf5dd301cfb2f54f75d581b233746e63f7fb8912798fa','a5a2577b7f9ecddedaae7b470a4d1126035a2595fe4a077c9aed6a4741a4ee4f');
INSERT INTO events VALUES(60,'s1',1,1700000000420,1300,'kernel','ExperimentAnalysed','{"experiment":"E01","results":[{"bca_descriptive":true,"bca_high":null,"bca_low":null,"df":null,"effect":-0.125,"effect_relative":null,"failed":[0,0],"high":null,"id":"H1","level":0.0,"low":null,"n":[0,0],"p":null,"p_corrected":null,"power":null,"reason":"","relative_high":null,"relative_low":null,"se":null,"verdict":"supported","warnings":[]}]}','b9e040eb0555ba2a096b3dcc2e328016233ac62cb9ad85bf76779b999831aef1','5e9d165c6539f4535b87304695c4fbe74aef9d6ed91b1d191081337b601c8b7d');
INSERT INTO events VALUES(61,'s1',1,1700000000427,1305,'kernel','NodeRecorded','{"node":{"alternatives":[],"evidence":[],"experiment":"","fields":{},"hypothesis":"","id":"N02","parents":["N01"],"time_ms":0,"title":"Which is faster?","type":"experiment"}}','5e9d165c6539f4535b87304695c4fbe74aef9d6ed91b1d191081337b601c8b7d','dd16fc8dddc002abc589364d9f62be914590070437124177eb56b3c1ca7c18ca');
INSERT INTO events VALUES(62,'s1',1,1700000000434,1310,'kernel','ClaimRecorded','{"claim":{"conditions":"","depends_on":[],"experiment":"","falsification":"","hypothesis":"H1","id":"C01","statement":"","status":"supported","tags":[],"title":""}}','dd16fc8dddc002abc589364d9f62be914590070437124177eb56b3c1ca7c18ca','92f0bcb205e4562aa87313a9773b21b073d0e9be776e44e668b610a8d66c5dc8');
INSERT INTO events VALUES(63,'s1',1,1700000000441,1315,'kernel','CancellationRequested','{"runs":[],"why":"late"}','92f0bcb205e4562aa87313a9773b21b073d0e9be776e44e668b610a8d66c5dc8','84d57029b54bff1fe395df6a435d72548cee96e2ebd8a13376e2e874859785f5');
INSERT INTO events VALUES(64,'s1',1,1700000000448,1320,'kernel','StudyConcluded','{"detail":"","outcome":"concluded"}','84d57029b54bff1fe395df6a435d72548cee96e2ebd8a13376e2e874859785f5','670b504fc3bb22bf6eb771a01627a0eae816077ee0ae385be88ffa53d6b6129a');
INSERT INTO events VALUES(65,'s1',1,1700000000455,1325,'kernel','ArtifactPackaged','{"head":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","path":"/tmp/ara","report":"/tmp/ara/report.html"}','670b504fc3bb22bf6eb771a01627a0eae816077ee0ae385be88ffa53d6b6129a','8a64ec900a7b6876eae9ee74a9012b12d26cb827bb09ccb8c91b449a53eb7ee6');
INSERT INTO events VALUES(66,'s1',1,1700000000462,1330,'kernel','StudyEnded','{"detail":"","outcome":"concluded"}','8a64ec900a7b6876eae9ee74a9012b12d26cb827bb09ccb8c91b449a53eb7ee6','a31e0b5a271fbfd85580e9ad5b5130f9577abe26fd50b7c97d4d23336baf9b44');
INSERT INTO events VALUES(7,'s1',1,1700000000049,1035,'kernel','RunStarted','{"run":1}','a5a2577b7f9ecddedaae7b470a4d1126035a2595fe4a077c9aed6a4741a4ee4f','468d77e3ecb14aa941650b8d4737a8b5efbfc1e5b403f4b0526e35b86801a5a6');
INSERT INTO events VALUES(8,'s1',1,1700000000056,1040,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":1.0}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000052,"exit":0,"reason":"","run":"s1-r1","sandboxed":false,"signal":0,"started_ms":1700000000049,"token":"","usage":{"cpu_s":0.1,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":1,"state":"succeeded"}','468d77e3ecb14aa941650b8d4737a8b5efbfc1e5b403f4b0526e35b86801a5a6','6f2586c8e7bf65d8895f6d289a10201e3afc8877f4c7f10378ed5f3c36215317');
INSERT INTO events VALUES(9,'s1',1,1700000000063,1045,'kernel','ManipulationChecked','{"findings":[{"message":"changes nothing","serious":true,"subject":"algorithm"}],"skipped":false}','6f2586c8e7bf65d8895f6d289a10201e3afc8877f4c7f10378ed5f3c36215317','824a05a041f39bb38663413e5cf038c18630d3681fb4a2be5b698b7c502cb8e4');
INSERT INTO hypotheses VALUES('s1',0,'H1','E01','supported','{"batch":1,"by":"person","confidence":null,"context":"86689143708f62c7bac577b148008f15294878c9b0fbe9becd74539ca582b332","contrast":"bd16560def7c4d3d35f1989d81ce1c449f7cd16286eaa3d84ac177e9cdebac47","control":{"algorithm":"bubble"},"direction":"different","effect":-0.125,"effect_relative":null,"experiment":"E01","failed":[0,0],"id":"H1","interval":[null,null],"interval_bca":null,"interval_relative":null,"kind":"compare","level":0.0,"margin":null,"mechanism":null,"method":"t","metric":"time_ms","n":[0,0],"p":null,"p_corrected":null,"pairing":"seed","power":null,"predecessors":[],"reason":"","smallest_effect":{"sd":1.0},"statement":"Quick is faster.","status":"final","treatment":{"algorithm":"quick"},"verdict":"supported","warnings":[],"where":{},"withdrawn":"a better one is known"}','86689143708f62c7bac577b148008f15294878c9b0fbe9becd74539ca582b332','2d6d4757c7d3a9089a934c3da1d50d0e19e4ceeb84e4ba56d690f7fad9effc5f','bd16560def7c4d3d35f1989d81ce1c449f7cd16286eaa3d84ac177e9cdebac47');
INSERT INTO memories VALUES('s1','claim','C01','supported','','');
INSERT INTO memories VALUES('s1','hypothesis','H1','supported','Quick is faster.','');
INSERT INTO memories VALUES('s1','study','','','Sorting in study s1','Which is faster? é世');
INSERT INTO memories VALUES('s1','word','000001','','','look at larger inputs');
INSERT INTO metrics VALUES('s1',1,'odd',NULL,0,1);
INSERT INTO metrics VALUES('s1',1,'time_ms',1.0,0,0);
INSERT INTO metrics VALUES('s1',2,'odd',NULL,0,1);
INSERT INTO metrics VALUES('s1',2,'time_ms',0.5,0,0);
INSERT INTO metrics VALUES('s1',3,'odd',NULL,0,1);
INSERT INTO metrics VALUES('s1',3,'time_ms',3.33333333333333314829e-01,1,0);
INSERT INTO metrics VALUES('s1',4,'odd',NULL,0,1);
INSERT INTO metrics VALUES('s1',4,'time_ms',0.25,0,0);
INSERT INTO metrics VALUES('s1',5,'odd',NULL,0,1);
INSERT INTO metrics VALUES('s1',5,'time_ms',0.2,0,0);
INSERT INTO metrics VALUES('s1',6,'odd',NULL,0,1);
INSERT INTO metrics VALUES('s1',6,'time_ms',1.66666666666666657414e-01,1,0);
INSERT INTO nodes VALUES('s1',0,'N01','question','Which is faster?','{"alternatives":[],"evidence":[],"experiment":null,"fields":{},"hypothesis":null,"id":"N01","parents":[],"title":"Which is faster?","type":"question"}');
INSERT INTO nodes VALUES('s1',1,'N02','experiment','Which is faster?','{"alternatives":[],"evidence":[],"experiment":null,"fields":{},"hypothesis":null,"id":"N02","parents":["N01"],"title":"Which is faster?","type":"experiment"}');
INSERT INTO read_models VALUES(20);
INSERT INTO runs VALUES('s1',1,'','succeeded','smoke','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.052Z","evidence":false,"exit":0,"experiment":null,"factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r1","ignored_metrics":[],"kept":[],"label":null,"launch":"1-token-1","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":1.0},"needs":[],"number":1,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"smoke","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.049Z","state":"succeeded","study":"s1","tier":null,"usage":{"cpu_s":0.1,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',2,'E01','succeeded','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.129Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r2","ignored_metrics":[],"kept":[],"label":null,"launch":"2-token-2","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.5},"needs":[],"number":2,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.126Z","state":"succeeded","study":"s1","tier":null,"usage":{"cpu_s":0.2,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',3,'E01','lost','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.150Z","evidence":false,"exit":0,"experiment":"E01","factors":{"algorithm":"quick"},"fingerprint":null,"id":"s1-r3","ignored_metrics":[],"kept":[],"label":null,"launch":"3-token-3","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.3333333333333333},"needs":[],"number":3,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551614,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.147Z","state":"lost","study":"s1","tier":null,"usage":{"cpu_s":0.30000000000000004,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',4,'E01','failed','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.171Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r4","ignored_metrics":[],"kept":[],"label":null,"launch":"4-token-4","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.25},"needs":[],"number":4,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":"exit 1: � not text","replicate":2,"retry_of":null,"sandboxed":false,"seed":18446744073709551613,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.168Z","state":"failed","study":"s1","tier":null,"usage":{"cpu_s":0.4,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',5,'E01','succeeded','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.192Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"quick"},"fingerprint":null,"id":"s1-r5","ignored_metrics":[],"kept":[],"label":null,"launch":"5-token-5","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.2},"needs":[],"number":5,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":2,"retry_of":null,"sandboxed":false,"seed":18446744073709551612,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.189Z","state":"succeeded","study":"s1","tier":null,"usage":{"cpu_s":0.5,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',6,'E01','succeeded','registered','{"attempt":2,"beside":3,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.220Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r6","ignored_metrics":[],"kept":[],"label":null,"launch":"6-token-6","lease":{"cpus":2,"gpus":["GPU-5f1c"],"memory_bytes":1073741824},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.16666666666666666},"needs":[],"number":6,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":"s1-r3","sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.217Z","state":"succeeded","study":"s1","tier":null,"usage":{"cpu_s":0.6000000000000001,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',7,'E01','cancelled','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.238Z","evidence":false,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r7","ignored_metrics":[],"kept":[],"label":null,"launch":null,"lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{},"needs":[],"number":7,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":"3 runs in a row failed the same way","replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":null,"state":"cancelled","study":"s1","tier":null,"usage":{"cpu_s":0.0,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":0,"rss_peak_bytes":0,"wall_s":0.0,"written_bytes":0}}');
INSERT INTO studies VALUES('s1',1,'Sorting in study s1','ended','concluded','a31e0b5a271fbfd85580e9ad5b5130f9577abe26fd50b7c97d4d23336baf9b44','{"aa":[],"artifact":"/tmp/ara","correction":"holm","detail":null,"ended":"2023-11-14T22:13:20.462Z","forked_from":{"from":"s0","head":"ec18eac8d758b1eba52d3c10d39adc6dd9806472cb4ae069635d383d9086a513","requeued":[],"seq":12},"gates":[{"arguments":null,"by":"kernel","decision":"approve","id":"s1-g1","on":"conclude","opened":"2023-11-14T22:13:20.252Z","tool":null,"what":"write the verdicts up as claims","why":"fine"},{"arguments":null,"by":null,"decision":null,"id":"s1-g2","on":"question","opened":"2023-11-14T22:13:20.266Z","tool":null,"what":"which sizes matter","why":null}],"head":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","hypotheses":[{"batch":1,"by":"person","confidence":null,"context":"86689143708f62c7bac577b148008f15294878c9b0fbe9becd74539ca582b332","contrast":"bd16560def7c4d3d35f1989d81ce1c449f7cd16286eaa3d84ac177e9cdebac47","control":{"algorithm":"bubble"},"direction":"different","effect":-0.125,"effect_relative":null,"experiment":"E01","failed":[0,0],"id":"H1","interval":[null,null],"interval_bca":null,"interval_relative":null,"kind":"compare","level":0.0,"margin":null,"mechanism":null,"method":"t","metric":"time_ms","n":[0,0],"p":null,"p_corrected":null,"pairing":"seed","power":null,"predecessors":[],"reason":"","smallest_effect":{"sd":1.0},"statement":"Quick is faster.","status":"final","treatment":{"algorithm":"quick"},"verdict":"supported","warnings":[],"where":{},"withdrawn":"a better one is known"}],"id":"s1","integrity":[{"experiment":"E01","message":"time_ms is declared deterministic but varied","metric":"time_ms"}],"jobs":3,"kind":"test","ledger":{"accounts":[{"branch":"smoke","calls":0,"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":0.0,"role":"kernel","run_s":0.3,"runs":{"limit":null,"reserved":0,"spent":1},"tokens":0,"usd":0.0},{"branch":"E01","calls":0,"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":8.333333333333333e-05,"role":"kernel","run_s":1.5,"runs":{"limit":null,"reserved":0,"spent":5},"tokens":0,"usd":0.0},{"branch":"hypothesis-1","calls":1,"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":0.0,"role":"hypothesis","run_s":0.0,"runs":{"limit":null,"reserved":0,"spent":0},"tokens":127,"usd":0.125}],"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":{"limit":null,"reserved":0.0,"spent":8.333333333333333e-05},"runs":{"limit":null,"reserved":0,"spent":6},"tokens":{"limit":null,"reserved":5000,"spent":127},"usd":{"limit":null,"reserved":0.25,"spent":0.125},"wall_s":{"limit":null,"reserved":0.0,"spent":0.31}},"looks":null,"metrics":[{"goal":"minimize","name":"time_ms","primary":true,"unit":null}],"opened":"2023-11-14T22:13:20.301Z","outcome":"concluded","output":"","planted":[],"question":"Which is faster? é世","reason":null,"report":"/tmp/ara/report.html","reproduces":null,"request":null,"requirements":[{"by":"engineer","file":"sort.py","hypotheses":[],"id":"R1","judge":"kernel","judged":"met","lines":[1,4],"of":"method","text":"It sorts.","unmet":null,"version":null,"why":"sort.py does"}],"runs":{"cached":0,"cancelled":1,"failed":1,"invalid":0,"lost":1,"queued":0,"running":0,"scratch":1,"search":0,"starting":0,"succeeded":4,"timed_out":0,"total":7},"search":{"aliases":[],"baseline":{"algorithm":"bubble"},"cells":1,"confirm":{"replicates":0,"top":1},"design":"full","eta":3,"experiment":"S01","fidelity":null,"generators":[],"goal":"minimize","hash":"64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525","metric":"","ranked":[{"candidates":[{"baseline":false,"cell":{"algorithm":"quick"},"failed":0,"kept":true,"mean":0.5,"n":2,"refined":false,"sd":0.25}],"effects":[{"df":3.0,"effect":-0.5,"factors":["algorithm"],"failed":[0,1],"high":"quick","interval_high":-0.1,"interval_low":-0.9,"kept":true,"low":"bubble","n":[2,2],"se":0.1}],"experiment":"S01","last":true,"rung":1}],"resolution":null,"rule":"","rungs":[{"candidates":1,"fidelity":null,"refines":false,"replicates":2}]},"stage":"done","state":"ended","steering":["look at larger inputs"],"study_file":"","title":"Sorting in study s1"}','',0);
INSERT INTO memories_fts(memories_fts) VALUES('rebuild');
