PRAGMA application_id = 1702131044;
PRAGMA user_version = 12;
CREATE VIEW indexed(id, title, body) AS
  SELECT rowid, title, body FROM memories UNION ALL SELECT id, '', body FROM pages;
CREATE TABLE archived (
  study TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
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
CREATE TABLE listed (
  study   TEXT    PRIMARY KEY,
  n       INTEGER NOT NULL UNIQUE,
  title   TEXT    NOT NULL,
  words   TEXT    NOT NULL,
  state   TEXT    NOT NULL,
  outcome TEXT,
  waits   INTEGER NOT NULL,
  runs    INTEGER NOT NULL,
  usd     REAL,
  wall_s  REAL
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
, test_data TEXT NOT NULL DEFAULT '', test_looks INTEGER NOT NULL DEFAULT 0, brief TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE taggings (
  n        INTEGER PRIMARY KEY AUTOINCREMENT,
  study    TEXT    NOT NULL,
  time     INTEGER NOT NULL,
  added    TEXT    NOT NULL,
  removed  TEXT    NOT NULL,
  archived INTEGER,
  prev     TEXT    NOT NULL,
  hash     TEXT    NOT NULL
) STRICT;
CREATE TABLE tags (
  study TEXT NOT NULL,
  tag   TEXT NOT NULL,
  PRIMARY KEY (study, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_opening ON events(study) WHERE type = 'StudyOpened';
CREATE INDEX events_of_study ON events(study, seq);
CREATE INDEX hypotheses_by_contrast ON hypotheses(contrast);
CREATE INDEX hypotheses_by_kin ON hypotheses(kin);
CREATE INDEX hypotheses_by_verdict ON hypotheses(verdict, study);
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
CREATE INDEX studies_by_tag ON tags(tag, study);
CREATE INDEX studies_by_test_data ON studies(test_data);
INSERT INTO claims VALUES('s1',0,'C01','H1','supported','{"conditions":"","depends_on":[],"experiment":"","falsification":"","hypothesis":"H1","id":"C01","statement":"","status":"supported","tags":[],"title":""}');
INSERT INTO events VALUES(1,'s1',2,1700000000007,1005,'kernel','StudyOpened','{"boot_id":"boot-1","data":[],"environment":{"machine":{},"programs":[],"toolchain":{"path":[],"prefixes":[],"variables":{}}},"id":"s1","jobs":1,"output":"","reproduces":"","request":"","spec":{"agents":"builtin","budget":{"gpu_hours":null,"runs":null,"tokens":null,"usd":null,"wall_s":null},"constants":{},"data":[],"design":{"alpha":0.05,"family":null,"max_failed":0.1,"order":"random","pairing":"seed","pilot":5,"power":0.8,"replicates_max":20,"replicates_min":3,"settled":{},"smoke":true,"warmup_runs":0},"environment":{"pass":[],"set":{},"use":"system"},"evaluator":{"protect":[]},"excludes":[],"factors":[{"baseline":null,"levels":[{"bundle":{},"name":"bubble","value":{"number":null,"text":"bubble"}},{"bundle":{},"name":"quick","value":{"number":null,"text":"quick"}}],"name":"algorithm","range":null,"type":"text"}],"file":"","gates":[],"guards":[],"hypotheses":[],"keep_outputs":[],"kind":"test","metrics":[{"censor_right":false,"deterministic":false,"goal":"minimize","name":"time_ms","on_nan":"fail","primary":true,"scale":"linear","source":{"from":"metrics"},"summary":{"kind":"last","last_k":0,"target":0.0,"target_metric":""},"type":"continuous","unit":"","warmup":0}],"question":"Which is faster? é世","resources":{"cpus":1,"disk_bytes":null,"memory_bytes":null,"network":false,"sandbox":"auto","timeout_s":null},"run":{"shell":true,"words":[]},"seed":1,"title":"Sorting in study s1","workspace":{"exclude":[],"max_bytes":null,"path":"."}},"text":"etude: 1\n","workspace":{"bytes":0,"files":0,"hash":""}}','0000000000000000000000000000000000000000000000000000000000000000','e494020e7284791aebc0989b69214bdd906b04f256d2b409ab5da1c683c1d863');
INSERT INTO events VALUES(10,'s1',2,1700000000070,1050,'kernel','CodeCompared','{"amended":"8c90591451015625541ebf5dc5203a8a27c89b66d3edfbbcda8e979bf4113326","noisy":[{"high":1.0,"low":-0.5,"metric":"error","shift":0.25,"smallest":0.75}],"original":"0682c5f2076f099c34cfdd15a9e063849ed437a49677e6fcc5b4198c76575be5","values":[{"again":1.5,"amended":2.5,"cell":{"algorithm":"bubble"},"metric":"time_ms","original":1.5}]}','f73101b33fc187a69e04cae381f958ab7559ed34458f7eacb5c7afcc0d64837e','d30744dbb4c072d39a1209540d02ef57c7be11054eb490262a566caf1932dc17');
INSERT INTO events VALUES(11,'s1',2,1700000000077,1055,'kernel','SearchRegistered','{"hash":"64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525","plan":{"aliases":[],"baseline":{"algorithm":"bubble"},"confirm_replicates":0,"design":"full","eta":3,"fidelity":"","generators":[],"goal":"minimize","kind":"screen","metric":"","registered":{"alpha":0.05,"batch":1,"cells":[{"algorithm":"quick"}],"command":{"shell":true,"words":[]},"data":[],"environment":"","experiment":"S01","family":1,"guards":[],"hypotheses":[],"metrics":[],"order":"random","pairing":"seed","replicates":[],"seeds":[],"sizes":[],"workspace":""},"resolution":0,"rule":"","rungs":[{"candidates":1,"fidelity":"","first_seed":0,"refines":false,"replicates":2}],"top":1}}','d30744dbb4c072d39a1209540d02ef57c7be11054eb490262a566caf1932dc17','35732de5afb9a823f746f18c6fce41f9820d70212fa6beabb82594174d3a74aa');
INSERT INTO events VALUES(12,'s1',2,1700000000084,1060,'kernel','RungRanked','{"candidates":[{"baseline":false,"cell":{"algorithm":"quick"},"failed":0,"kept":true,"mean":0.5,"n":2,"refined":false,"sd":0.25}],"effects":[{"df":3.0,"effect":-0.5,"factors":["algorithm"],"failed":[0,1],"high":"quick","interval_high":-0.1,"interval_low":-0.9,"kept":true,"low":"bubble","n":[2,2],"se":0.1}],"experiment":"S01","last":true,"rung":1}','35732de5afb9a823f746f18c6fce41f9820d70212fa6beabb82594174d3a74aa','c5f252035b5f46285cf27fd828fe149561d9290df7881a7775063e1703215be8');
INSERT INTO events VALUES(13,'s1',2,1700000000091,1065,'kernel','SampleSized','{"sizes":[{"how":"by Stein","hypothesis":"H1","power":0.8,"replicates":2,"sd":1.5}],"warnings":["skewed"]}','c5f252035b5f46285cf27fd828fe149561d9290df7881a7775063e1703215be8','dfcc6565d65191e3c3aca5c091849977f7917d7a7a5010ca36de5e0134945f57');
INSERT INTO events VALUES(14,'s1',2,1700000000098,1070,'kernel','ExperimentRegistered','{"hash":"e8bc163c82eee18733288c7d4ac636db3a6deb013ef2d37b68322be20edc45cc","registration":{"alpha":0.05,"batch":1,"cells":[],"command":{"shell":true,"words":[]},"data":[],"environment":"","experiment":"E01","family":1,"guards":[],"hypotheses":[{"along":"","by":"person","control":{"algorithm":"bubble"},"direction":"different","id":"H1","kind":"compare","line":0,"margin":null,"mechanism":"","method":"auto","metric":"time_ms","over":"average","slope_scale":"linear","slope_value":0.0,"smallest_effect":{"kind":"sd","value":1.0},"statement":"Quick is faster.","treatment":{"algorithm":"quick"},"where":{}}],"metrics":[],"order":"random","pairing":"seed","replicates":[],"seeds":[],"sizes":[],"workspace":""}}','dfcc6565d65191e3c3aca5c091849977f7917d7a7a5010ca36de5e0134945f57','14a4c86720308df2d678b993e69b8ff9f77114cf6a66adba11c49568467558a9');
INSERT INTO events VALUES(15,'s1',2,1700000000105,1075,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":2,"replicate":1,"retry_of":0,"seed":18446744073709551615},{"attempt":1,"cell":1,"delay_ms":0,"label":"","number":3,"replicate":1,"retry_of":0,"seed":18446744073709551614},{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":4,"replicate":2,"retry_of":0,"seed":18446744073709551613},{"attempt":1,"cell":1,"delay_ms":0,"label":"","number":5,"replicate":2,"retry_of":0,"seed":18446744073709551612}]}','14a4c86720308df2d678b993e69b8ff9f77114cf6a66adba11c49568467558a9','880b853ce824bdb0264dd9d0fa4fb2a1f8618449d5c3e3a705dd815d400ee7e6');
INSERT INTO events VALUES(16,'s1',2,1700000000112,1080,'kernel','RunStarting','{"run":2,"token":"token-2"}','880b853ce824bdb0264dd9d0fa4fb2a1f8618449d5c3e3a705dd815d400ee7e6','9fee294536755387718cfabd9ca2fd45590dd30c1902fe0cfed26998b1e53b66');
INSERT INTO events VALUES(17,'s1',2,1700000000119,1085,'kernel','RunRequeued','{"run":2,"why":"its claim was voided"}','9fee294536755387718cfabd9ca2fd45590dd30c1902fe0cfed26998b1e53b66','cbc48fea0d8e6e7db6a3a85750c2a9b5d5b53a0703128e5fa09868435f44d0e0');
INSERT INTO events VALUES(18,'s1',2,1700000000126,1090,'kernel','RunStarting','{"run":2,"token":"token-2"}','cbc48fea0d8e6e7db6a3a85750c2a9b5d5b53a0703128e5fa09868435f44d0e0','2edc25cc595c423562a730e9e0a45b53f0185dfd52e51d66ac4e87d16ff95547');
INSERT INTO events VALUES(19,'s1',2,1700000000133,1095,'kernel','RunStarted','{"run":2}','2edc25cc595c423562a730e9e0a45b53f0185dfd52e51d66ac4e87d16ff95547','f5c6de9ddbf9842e4c23c9b84f7c87ebafe5c2e9b44c49d039c2475a0d3fa26c');
INSERT INTO events VALUES(2,'s1',2,1700000000014,1010,'kernel','NodeRecorded','{"node":{"alternatives":[],"evidence":[],"experiment":"","fields":{},"hypothesis":"","id":"N01","parents":[],"time_ms":0,"title":"Which is faster?","type":"question"}}','e494020e7284791aebc0989b69214bdd906b04f256d2b409ab5da1c683c1d863','f7d0a2bf0541f6a392819b3966e200800fb0c4132e86318da3c4066b048fae08');
INSERT INTO events VALUES(20,'s1',2,1700000000140,1100,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.5}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000136,"exit":0,"reason":"","run":"s1-r2","sandboxed":false,"signal":0,"started_ms":1700000000133,"token":"","usage":{"cpu_s":0.2,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":2,"state":"succeeded"}','f5c6de9ddbf9842e4c23c9b84f7c87ebafe5c2e9b44c49d039c2475a0d3fa26c','5a7c3a1e9227b24daf55e2e9b16f179ebe29f36ca35b6495c744ecee06c0d818');
INSERT INTO events VALUES(21,'s1',2,1700000000147,1105,'kernel','RunStarting','{"run":3,"token":"token-3"}','5a7c3a1e9227b24daf55e2e9b16f179ebe29f36ca35b6495c744ecee06c0d818','3620c78e58e870acfa802d5614ea2570ce6b89696c1765bc531ddb4567b98d1e');
INSERT INTO events VALUES(22,'s1',2,1700000000154,1110,'kernel','RunStarted','{"run":3}','3620c78e58e870acfa802d5614ea2570ce6b89696c1765bc531ddb4567b98d1e','ebd8366be2b872fee12e3fbc288259256a25e4296f25faa1dea76067f7e1fbaa');
INSERT INTO events VALUES(23,'s1',2,1700000000161,1115,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"censored":true,"value":0.3333333333333333}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000157,"exit":0,"reason":"","run":"s1-r3","sandboxed":false,"signal":0,"started_ms":1700000000154,"token":"","usage":{"cpu_s":0.30000000000000004,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":3,"state":"lost"}','ebd8366be2b872fee12e3fbc288259256a25e4296f25faa1dea76067f7e1fbaa','5aa29a151601962773ea4e4d0fd1263b94ee03bfa4e68cd5b3a0f74d04bbc5f5');
INSERT INTO events VALUES(24,'s1',2,1700000000168,1120,'kernel','RunStarting','{"run":4,"token":"token-4"}','5aa29a151601962773ea4e4d0fd1263b94ee03bfa4e68cd5b3a0f74d04bbc5f5','de2f9cc8ab80f5488b6c59b2b80857badb739306d8ffaa7a5e7998bfaadec7f1');
INSERT INTO events VALUES(25,'s1',2,1700000000175,1125,'kernel','RunStarted','{"run":4}','de2f9cc8ab80f5488b6c59b2b80857badb739306d8ffaa7a5e7998bfaadec7f1','f85cc45c9a2c2c9ae9f7e33008122999d85ca367ee848084cadb24e8b6f45d93');
INSERT INTO events VALUES(26,'s1',2,1700000000182,1130,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.25}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000178,"exit":0,"reason":"","run":"s1-r4","sandboxed":false,"signal":0,"started_ms":1700000000175,"token":"","usage":{"cpu_s":0.4,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"exit 1: � not text","run":4,"state":"failed"}','f85cc45c9a2c2c9ae9f7e33008122999d85ca367ee848084cadb24e8b6f45d93','6bc8593acf107f5b23540ab787cd522588454a7cc57b752511992596bd8b0f07');
INSERT INTO events VALUES(27,'s1',2,1700000000189,1135,'kernel','RunStarting','{"run":5,"token":"token-5"}','6bc8593acf107f5b23540ab787cd522588454a7cc57b752511992596bd8b0f07','34a18b5e201d2993eeb0392140b0f0a6e134268868522ede57c78991dc0c69e7');
INSERT INTO events VALUES(28,'s1',2,1700000000196,1140,'kernel','RunStarted','{"run":5}','34a18b5e201d2993eeb0392140b0f0a6e134268868522ede57c78991dc0c69e7','914ed33335d531ce623a5a256b2bd6d5e072156f8bdbd01c6ab012ea4d91e320');
INSERT INTO events VALUES(29,'s1',2,1700000000203,1145,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.2}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000199,"exit":0,"reason":"","run":"s1-r5","sandboxed":false,"signal":0,"started_ms":1700000000196,"token":"","usage":{"cpu_s":0.5,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":5,"state":"succeeded"}','914ed33335d531ce623a5a256b2bd6d5e072156f8bdbd01c6ab012ea4d91e320','95ef61f8907e17376654ecfe5ce99185a5bcfc26f192d4171d89e27234fabfec');
INSERT INTO events VALUES(3,'s1',2,1700000000021,1015,'kernel','HypothesisProposed','{"batch":1,"exploratory":false,"hypothesis":{"along":"","by":"person","control":{"algorithm":"bubble"},"direction":"different","id":"H1","kind":"compare","line":0,"margin":null,"mechanism":"","method":"auto","metric":"time_ms","over":"average","slope_scale":"linear","slope_value":0.0,"smallest_effect":{"kind":"sd","value":1.0},"statement":"Quick is faster.","treatment":{"algorithm":"quick"},"where":{}}}','f7d0a2bf0541f6a392819b3966e200800fb0c4132e86318da3c4066b048fae08','a1a91ddf1ab391bbe72d08c5f0f63ab423baba41879e398010d0f67bd54658f8');
INSERT INTO events VALUES(30,'s1',2,1700000000210,1150,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":2,"cell":0,"delay_ms":0,"label":"","number":6,"replicate":1,"retry_of":3,"seed":18446744073709551615}]}','95ef61f8907e17376654ecfe5ce99185a5bcfc26f192d4171d89e27234fabfec','7cd1115ed4f773cfc19beca63acc80ab29c0d33e14643b1a8d36eb109411b952');
INSERT INTO events VALUES(31,'s1',2,1700000000217,1155,'kernel','RunStarting','{"beside":3,"lease":{"cpus":2,"gpus":["GPU-5f1c"],"memory_bytes":1073741824},"run":6,"token":"token-6"}','7cd1115ed4f773cfc19beca63acc80ab29c0d33e14643b1a8d36eb109411b952','24f02720361a8cb7f58e41b59a2d944989ceba90375412703d1e208042da4e24');
INSERT INTO events VALUES(32,'s1',2,1700000000224,1160,'kernel','RunCancellationRequested','{"run":6}','24f02720361a8cb7f58e41b59a2d944989ceba90375412703d1e208042da4e24','a09f5d64d7e7fb841a6885d51ed2992c0e739b1f4b4d107f7447a47557398b67');
INSERT INTO events VALUES(33,'s1',2,1700000000231,1165,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"censored":true,"value":0.16666666666666666}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000227,"exit":0,"reason":"","run":"s1-r6","sandboxed":false,"signal":0,"started_ms":1700000000224,"token":"","usage":{"cpu_s":0.6000000000000001,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":6,"state":"succeeded"}','a09f5d64d7e7fb841a6885d51ed2992c0e739b1f4b4d107f7447a47557398b67','4aec1544d62403765c30f4e65a70434d1e90a2c768822d5d2e466ea140a63d00');
INSERT INTO events VALUES(34,'s1',2,1700000000238,1170,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":7,"replicate":1,"retry_of":0,"seed":18446744073709551615}]}','4aec1544d62403765c30f4e65a70434d1e90a2c768822d5d2e466ea140a63d00','48d8dcfcab54a413670d8c1ee78d35712ab8fad4d53eb3b5b43d5c53bc1d5683');
INSERT INTO events VALUES(35,'s1',2,1700000000245,1175,'kernel','ArmStopped','{"cells":[{"algorithm":"quick"}],"experiment":"E01","fingerprint":"exit 1: IndexError","reason":{"code":"arm_stopped","with":{"arm":"algorithm = quick","reason":[{"code":"exit_status","with":{"status":1}}],"runs":3}},"runs":[7]}','48d8dcfcab54a413670d8c1ee78d35712ab8fad4d53eb3b5b43d5c53bc1d5683','d6d89cef04630e902e840d8adaedf895e0ae9e8ca870a7c772eb9f24a20c4782');
INSERT INTO events VALUES(36,'s1',2,1700000000252,1180,'kernel','StudySteered','{"text":"look at larger inputs"}','d6d89cef04630e902e840d8adaedf895e0ae9e8ca870a7c772eb9f24a20c4782','f1c7da5d4a517a9bb79acd0f3a5167ba3bac919e1ca05cc0ebfb40e85afe625e');
INSERT INTO events VALUES(37,'s1',2,1700000000259,1185,'kernel','GateOpened','{"gate":{"id":"s1-g1","on":"conclude","position":0,"what":{"code":"gate_conclude","with":{}}}}','f1c7da5d4a517a9bb79acd0f3a5167ba3bac919e1ca05cc0ebfb40e85afe625e','6226ff81916f009d61edbae62107914b47608e9366c8e3b68db36cc5ea33a1cf');
INSERT INTO events VALUES(38,'s1',2,1700000000266,1190,'kernel','GateDecided','{"approved":true,"gate":"s1-g1","why":"fine"}','6226ff81916f009d61edbae62107914b47608e9366c8e3b68db36cc5ea33a1cf','f33a7ed4aad643df8186b1e27aa135bc09262ce9ae934ab12b6011f29c506f21');
INSERT INTO events VALUES(39,'s1',2,1700000000273,1195,'kernel','GateOpened','{"gate":{"call":1,"id":"s1-g2","on":"question","position":-1,"tool_call":"call_1","what":"which sizes matter"}}','f33a7ed4aad643df8186b1e27aa135bc09262ce9ae934ab12b6011f29c506f21','aee13181c6196938ac6eefc899b2f3b44bc2d074b3be7568c7907c02910b8abb');
INSERT INTO events VALUES(4,'s1',2,1700000000028,1020,'kernel','ProposalsClosed','{"family":1}','a1a91ddf1ab391bbe72d08c5f0f63ab423baba41879e398010d0f67bd54658f8','c242677a8a010ff38c39a7e9189af0429021a0f85452b9d036a166e00a7563b6');
INSERT INTO events VALUES(40,'s1',2,1700000000280,1200,'kernel','NoteTaken','{"text":"it sorts in place"}','aee13181c6196938ac6eefc899b2f3b44bc2d074b3be7568c7907c02910b8abb','4025451173d138806aa2d4ddf5a9c671aedd7c12812cd2daa3481a6e455da991');
INSERT INTO events VALUES(41,'s1',2,1700000000287,1205,'kernel','RequirementBound','{"requirement":{"by":"engineer","file":"sort.py","from":1,"hypotheses":[],"id":"R1","judged":"open","question":false,"text":"It sorts.","to":4,"unmet":"","why":"","workspace":"hash"}}','4025451173d138806aa2d4ddf5a9c671aedd7c12812cd2daa3481a6e455da991','a487b0aacd1511a71547f321e121e6ebb98672ab03e52e297a452646c08c6f53');
INSERT INTO events VALUES(42,'s1',2,1700000000294,1210,'kernel','RequirementJudged','{"met":true,"requirement":"R1","why":"sort.py does"}','a487b0aacd1511a71547f321e121e6ebb98672ab03e52e297a452646c08c6f53','7c3f2b3ffc5fc91cd6a14a77e4efda88a0c0354c1754a6d806b033858e587ddd');
INSERT INTO events VALUES(43,'s1',2,1700000000301,1215,'kernel','SectionWritten','{"section":{"by":"writeup","name":"summary","text":"It is 3.","written":{"summary":"It is {{H1.effect}}."}}}','7c3f2b3ffc5fc91cd6a14a77e4efda88a0c0354c1754a6d806b033858e587ddd','0c4a63776c74998251b3f66f6df9e400fb4cb3b3442d6457c602ba4b2634e847');
INSERT INTO events VALUES(44,'s1',2,1700000000308,1220,'kernel','StudyForked','{"from":"s0","head":"ec18eac8d758b1eba52d3c10d39adc6dd9806472cb4ae069635d383d9086a513","requeued":[],"seq":12}','0c4a63776c74998251b3f66f6df9e400fb4cb3b3442d6457c602ba4b2634e847','ab2071834cc300b514ce9fe8695239175f4b16ced136a4b90cfec1944dc0e6aa');
INSERT INTO events VALUES(45,'s1',2,1700000000315,1225,'kernel','StudyPaused','{"detail":"lunch","reason":"person"}','ab2071834cc300b514ce9fe8695239175f4b16ced136a4b90cfec1944dc0e6aa','8935f661fadfd2b11a6b8575ac79a75171af7c3f5c23e5df63ea40326d6e8874');
INSERT INTO events VALUES(46,'s1',2,1700000000322,1230,'kernel','StudyResumed','{"boot_id":"boot-2","jobs":3,"raised":{"gpu_hours":null,"runs":null,"tokens":null,"usd":null,"wall_s":null}}','8935f661fadfd2b11a6b8575ac79a75171af7c3f5c23e5df63ea40326d6e8874','09ff198d12311240e2d571a80d45ac97fc7fb9ae7514a5308c0fcf43045ad363');
INSERT INTO events VALUES(47,'s1',2,1700000000329,1235,'kernel','IntegrityFound','{"experiment":"E01","message":"time_ms is declared deterministic but varied","metric":"time_ms","runs":[2,5]}','09ff198d12311240e2d571a80d45ac97fc7fb9ae7514a5308c0fcf43045ad363','e5ad7883636fa86114da3511bc8c86faf05289a119bdcedd064e8a711fa22463');
INSERT INTO events VALUES(48,'s1',2,1700000000336,1240,'kernel','InterimLook','{"experiment":"E01","going_on":["H2"],"number":1,"results":[{"bca_descriptive":true,"bca_high":null,"bca_low":null,"df":null,"effect":-0.125,"effect_relative":null,"failed":[0,0],"high":null,"id":"H1","level":0.0,"look":{"fraction":0.5,"number":1,"of":2,"p":0.0125},"low":null,"n":[0,0],"p":null,"p_corrected":null,"power":null,"reason":"","relative_high":null,"relative_low":null,"se":null,"verdict":"supported","warnings":[]}],"share":0.5}','e5ad7883636fa86114da3511bc8c86faf05289a119bdcedd064e8a711fa22463','79112bf1c391bd473aaa55da314fea004fe78a0bd6a1fed707920c0430a91d22');
INSERT INTO events VALUES(49,'s1',2,1700000000343,1245,'kernel','BatchOpened','{"batch":2,"why":"the first says where to look"}','79112bf1c391bd473aaa55da314fea004fe78a0bd6a1fed707920c0430a91d22','1d96206c179ec3f807cf5e3ff53cd10b3ee3505148f14018f58b4523d968a2e1');
INSERT INTO events VALUES(5,'s1',2,1700000000035,1025,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"","purpose":"smoke","runs":[{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":1,"replicate":1,"retry_of":0,"seed":18446744073709551615}]}','c242677a8a010ff38c39a7e9189af0429021a0f85452b9d036a166e00a7563b6','5495dbc41a5d4127b0c007334d821d46d017e93f6c666c892028fab7f8beecb9');
INSERT INTO events VALUES(50,'s1',2,1700000000350,1250,'kernel','HypothesisWithdrawn','{"hypothesis":"H1","runs":[],"why":"a better one is known"}','1d96206c179ec3f807cf5e3ff53cd10b3ee3505148f14018f58b4523d968a2e1','a49f9dc8e35c251784a24175767e0c1ce0196b45cf72c7fd597e6877f527d0ce');
INSERT INTO events VALUES(51,'s1',2,1700000000357,1255,'kernel','WorkspaceAmended','{"experiment":"E01","runs":[],"seen":true,"why":"it crashed","workspace":{"bytes":0,"files":0,"hash":""}}','a49f9dc8e35c251784a24175767e0c1ce0196b45cf72c7fd597e6877f527d0ce','d5a09dbf04f2e0638e68cf0ed1a4d948a4341b32b7e64fc98cf51d9dd0203ed6');
INSERT INTO events VALUES(52,'s1',2,1700000000364,1260,'kernel','CodePlanned','{"round":2,"steps":[{"id":"improve-4","op":"improve","parents":["v2"],"round":2}]}','d5a09dbf04f2e0638e68cf0ed1a4d948a4341b32b7e64fc98cf51d9dd0203ed6','76e44bf067bd9714852a5eba5dc9718b5cf7460ff85dcc486652867c2e599b53');
INSERT INTO events VALUES(53,'s1',2,1700000000371,1265,'kernel','CodeProposed','{"version":{"diff":{"bytes":0,"sha256":""},"id":"v4","op":"improve","parents":["v2"],"step":"improve-4","why":"it sorts runs first","workspace":{"bytes":0,"files":0,"hash":""}}}','76e44bf067bd9714852a5eba5dc9718b5cf7460ff85dcc486652867c2e599b53','687311938a4b207c911ff56d7df548971d3f2652f9b17510fa761dd21f11123d');
INSERT INTO events VALUES(54,'s1',2,1700000000378,1270,'kernel','CodePlanned','{"over":{"code":"wall_kept_for_confirming","with":{}},"round":2,"steps":[]}','687311938a4b207c911ff56d7df548971d3f2652f9b17510fa761dd21f11123d','a98ca9cbee67e0af1c0b8749779596bb74d4fc2b06aae6a5197bbe574728eb0d');
INSERT INTO events VALUES(55,'s1',2,1700000000385,1275,'kernel','LineOpened','{"about":"what to test","line":"hypothesis-1","role":"hypothesis","subject":{"purpose":"other"}}','a98ca9cbee67e0af1c0b8749779596bb74d4fc2b06aae6a5197bbe574728eb0d','e48237c4ba7abb9606c9908c6f6150f386f03e5e8d8fb28c1600951beeea6661');
INSERT INTO events VALUES(56,'s1',2,1700000000392,1280,'kernel','ModelAsked','{"call":1,"line":"hypothesis-1","model":"small","request":{"bytes":0,"sha256":""},"tokens":5000,"usd":0.25}','e48237c4ba7abb9606c9908c6f6150f386f03e5e8d8fb28c1600951beeea6661','09a0adce1f5387ef79d1cde7e2868c8deccdcdf2ead864c2d34ebeb95f1899d8');
INSERT INTO events VALUES(57,'s1',2,1700000000399,1285,'kernel','CallBatched','{"batch":"batch_1","call":1,"service":"http://127.0.0.1:8000/v1","until_ms":86400000}','09a0adce1f5387ef79d1cde7e2868c8deccdcdf2ead864c2d34ebeb95f1899d8','d453d5545dba0176a13e3b56f2075014da8738fff2f5fb92e8df8b8d8fa38da6');
INSERT INTO events VALUES(58,'s1',2,1700000000406,1290,'kernel','ModelAnswered','{"call":1,"end":{"attempts":2,"failure":"","maybe_paid":false,"reply":{"bytes":0,"sha256":""},"seconds":1.5,"tokens":{"cache_read":3,"cache_written":4,"input":100,"output":20},"usd":0.125}}','d453d5545dba0176a13e3b56f2075014da8738fff2f5fb92e8df8b8d8fa38da6','e7172d11eb3cd3357453c7892e37996a611805f7f75527e687764ed335f503c7');
INSERT INTO events VALUES(59,'s1',2,1700000000413,1295,'kernel','ToolReturned','{"answer":{"answer":{"bytes":0,"sha256":""},"id":"call_1","refused":true,"tool":"read_file"},"call":1}','e7172d11eb3cd3357453c7892e37996a611805f7f75527e687764ed335f503c7','cf111fe736d9b221c81ca3aea90298e3cbba0076ccb378a4c2a81f915cbe8963');
INSERT INTO events VALUES(6,'s1',2,1700000000042,1030,'kernel','RunStarting','{"run":1,"token":"token-1"}','5495dbc41a5d4127b0c007334d821d46d017e93f6c666c892028fab7f8beecb9','d62624d40f89e1f5d2a47d942fecd8f43dc48bf69a1a2baba308e90c4d40ecf5');
INSERT INTO events VALUES(60,'s1',2,1700000000420,1300,'kernel','ModelAsked','{"call":2,"line":"hypothesis-1","model":"small","request":{"bytes":0,"sha256":""},"tokens":5000,"usd":0.25}','cf111fe736d9b221c81ca3aea90298e3cbba0076ccb378a4c2a81f915cbe8963','06925274e99a80d3f269b6fc4a09d4a58cf0ba8a89258f26ff7e4d7555aba128');
INSERT INTO events VALUES(61,'s1',2,1700000000427,1305,'kernel','LineEnded','{"ending":"proposed one","line":"hypothesis-1"}','06925274e99a80d3f269b6fc4a09d4a58cf0ba8a89258f26ff7e4d7555aba128','39f2dcb8647814421061c7ccf4f7360d42015c4ca1b19a171939d947ec747ab4');
INSERT INTO events VALUES(62,'s1',2,1700000000434,1310,'kernel','ExperimentAnalysed','{"experiment":"E01","results":[{"bca_descriptive":true,"bca_high":null,"bca_low":null,"df":null,"effect":-0.125,"effect_relative":null,"failed":[0,0],"high":null,"id":"H1","level":0.0,"low":null,"n":[0,0],"p":null,"p_corrected":null,"power":null,"reason":"","relative_high":null,"relative_low":null,"se":null,"verdict":"supported","warnings":[]}]}','39f2dcb8647814421061c7ccf4f7360d42015c4ca1b19a171939d947ec747ab4','4075b53ae66fe84446ca8ea3124ae0369a93718a0f6a77c8bd843dbbe89984a5');
INSERT INTO events VALUES(63,'s1',2,1700000000441,1315,'kernel','NodeRecorded','{"node":{"alternatives":[],"evidence":[],"experiment":"","fields":{"result":{"code":"selected_for_confirmation","with":{}}},"hypothesis":"","id":"N02","parents":["N01"],"time_ms":0,"title":"Which is faster?","type":"experiment"}}','4075b53ae66fe84446ca8ea3124ae0369a93718a0f6a77c8bd843dbbe89984a5','79fa1d25df76fb4a64ef044ee419f3c45bc8da7a1ad5b66ad557999c19ff1b3c');
INSERT INTO events VALUES(64,'s1',2,1700000000448,1320,'kernel','ClaimRecorded','{"claim":{"conditions":"","depends_on":[],"experiment":"","falsification":"","hypothesis":"H1","id":"C01","statement":"","status":"supported","tags":[],"title":""}}','79fa1d25df76fb4a64ef044ee419f3c45bc8da7a1ad5b66ad557999c19ff1b3c','44441e4adee5936bb2e877fd2bdb934c49b649759a591c372d6394e6eb696e58');
INSERT INTO events VALUES(65,'s1',2,1700000000455,1325,'kernel','CancellationRequested','{"runs":[],"why":"late"}','44441e4adee5936bb2e877fd2bdb934c49b649759a591c372d6394e6eb696e58','df8831be251b0aef772315293569f4c770c33b510223f142270bec40feaf99e8');
INSERT INTO events VALUES(66,'s1',2,1700000000462,1330,'kernel','StudyConcluded','{"detail":"","outcome":"concluded"}','df8831be251b0aef772315293569f4c770c33b510223f142270bec40feaf99e8','3f7966a92e769591d97c36b9da267df64190640291c3e89e1715fdbf70566e3c');
INSERT INTO events VALUES(67,'s1',2,1700000000469,1335,'kernel','PicturesDrawn','{"files":[{"blob":{"bytes":0,"sha256":""},"path":"evidence/figures/effects_E01.svg"}],"trouble":"gnuplot cannot be started"}','3f7966a92e769591d97c36b9da267df64190640291c3e89e1715fdbf70566e3c','a8c2f982a0e987193d44464396a03a1a0d325150276ff3d0f9926516cd203bd8');
INSERT INTO events VALUES(68,'s1',2,1700000000476,1340,'kernel','ArtifactPackaged','{"head":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","path":"/tmp/ara","report":"/tmp/ara/report.html"}','a8c2f982a0e987193d44464396a03a1a0d325150276ff3d0f9926516cd203bd8','aeeface06e935fc41b3a808e840a381cf20faba7aa237cf66d90bc6e7048d7d7');
INSERT INTO events VALUES(69,'s1',2,1700000000483,1345,'kernel','StudyEnded','{"detail":"","outcome":"concluded"}','aeeface06e935fc41b3a808e840a381cf20faba7aa237cf66d90bc6e7048d7d7','32f4a0341c071a7c19bb30edc27912dadf02c5e576b62721fb82ab48de2a258d');
INSERT INTO events VALUES(7,'s1',2,1700000000049,1035,'kernel','RunStarted','{"run":1}','d62624d40f89e1f5d2a47d942fecd8f43dc48bf69a1a2baba308e90c4d40ecf5','308680c5876e96524ec4c8d89fc548272a93e8499d75661d218ffb15a36756e4');
INSERT INTO events VALUES(8,'s1',2,1700000000056,1040,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":1.0}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000052,"exit":0,"reason":"","run":"s1-r1","sandboxed":false,"signal":0,"started_ms":1700000000049,"token":"","usage":{"cpu_s":0.1,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":1,"state":"succeeded"}','308680c5876e96524ec4c8d89fc548272a93e8499d75661d218ffb15a36756e4','7507ac495bf1afe2512c2195610d847a52e4eec6e1b869348c8682f64d720f72');
INSERT INTO events VALUES(9,'s1',2,1700000000063,1045,'kernel','ManipulationChecked','{"findings":[{"message":"changes nothing","serious":true,"subject":"algorithm"}],"skipped":false}','7507ac495bf1afe2512c2195610d847a52e4eec6e1b869348c8682f64d720f72','f73101b33fc187a69e04cae381f958ab7559ed34458f7eacb5c7afcc0d64837e');
INSERT INTO hypotheses VALUES('s1',0,'H1','E01','supported','{"batch":1,"by":"person","confidence":null,"context":"86689143708f62c7bac577b148008f15294878c9b0fbe9becd74539ca582b332","contrast":"bd16560def7c4d3d35f1989d81ce1c449f7cd16286eaa3d84ac177e9cdebac47","control":{"algorithm":"bubble"},"direction":"different","effect":-0.125,"effect_relative":null,"experiment":"E01","failed":[0,0],"id":"H1","interval":[null,null],"interval_bca":null,"interval_relative":null,"kind":"compare","level":0.0,"margin":null,"mechanism":null,"method":"t","metric":"time_ms","n":[0,0],"p":null,"p_corrected":null,"pairing":"seed","power":null,"predecessors":[],"reason":"","smallest_effect":{"sd":1.0},"statement":"Quick is faster.","status":"final","treatment":{"algorithm":"quick"},"verdict":"supported","warnings":[],"where":{},"withdrawn":"a better one is known"}','86689143708f62c7bac577b148008f15294878c9b0fbe9becd74539ca582b332','2d6d4757c7d3a9089a934c3da1d50d0e19e4ceeb84e4ba56d690f7fad9effc5f','bd16560def7c4d3d35f1989d81ce1c449f7cd16286eaa3d84ac177e9cdebac47');
INSERT INTO listed VALUES('s1',1,'Sorting in study s1','s1
sorting in study s1
which is faster? é世','ended','concluded',0,7,0.125,0.325);
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
INSERT INTO nodes VALUES('s1',1,'N02','experiment','Which is faster?','{"alternatives":[],"evidence":[],"experiment":null,"fields":{"result":"selected what is confirmed on fresh seeds; no verdict"},"hypothesis":null,"id":"N02","parents":["N01"],"title":"Which is faster?","type":"experiment"}');
INSERT INTO read_models VALUES(29);
INSERT INTO runs VALUES('s1',1,'','succeeded','smoke','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.052Z","evidence":false,"exit":0,"experiment":null,"factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r1","ignored_metrics":[],"kept":[],"label":null,"launch":"token-1","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":1.0},"needs":[],"number":1,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"smoke","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.049Z","state":"succeeded","study":"s1","tier":null,"usage":{"cpu_s":0.1,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',2,'E01','succeeded','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.136Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r2","ignored_metrics":[],"kept":[],"label":null,"launch":"token-2","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.5},"needs":[],"number":2,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.133Z","state":"succeeded","study":"s1","tier":null,"usage":{"cpu_s":0.2,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',3,'E01','lost','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.157Z","evidence":false,"exit":0,"experiment":"E01","factors":{"algorithm":"quick"},"fingerprint":null,"id":"s1-r3","ignored_metrics":[],"kept":[],"label":null,"launch":"token-3","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.3333333333333333},"needs":[],"number":3,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551614,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.154Z","state":"lost","study":"s1","tier":null,"usage":{"cpu_s":0.30000000000000004,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',4,'E01','failed','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.178Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r4","ignored_metrics":[],"kept":[],"label":null,"launch":"token-4","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.25},"needs":[],"number":4,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":"exit 1: � not text","replicate":2,"retry_of":null,"sandboxed":false,"seed":18446744073709551613,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.175Z","state":"failed","study":"s1","tier":null,"usage":{"cpu_s":0.4,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',5,'E01','succeeded','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.199Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"quick"},"fingerprint":null,"id":"s1-r5","ignored_metrics":[],"kept":[],"label":null,"launch":"token-5","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.2},"needs":[],"number":5,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":2,"retry_of":null,"sandboxed":false,"seed":18446744073709551612,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.196Z","state":"succeeded","study":"s1","tier":null,"usage":{"cpu_s":0.5,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',6,'E01','succeeded','registered','{"attempt":2,"beside":3,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.227Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r6","ignored_metrics":[],"kept":[],"label":null,"launch":"token-6","lease":{"cpus":2,"gpus":["GPU-5f1c"],"memory_bytes":1073741824},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.16666666666666666},"needs":[],"number":6,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":"s1-r3","sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.224Z","state":"succeeded","study":"s1","tier":null,"usage":{"cpu_s":0.6000000000000001,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',7,'E01','cancelled','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.245Z","evidence":false,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r7","ignored_metrics":[],"kept":[],"label":null,"launch":null,"lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{},"needs":[],"number":7,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":"the arm algorithm = quick was stopped: 3 runs in a row failed the same way (exit status 1)","replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":null,"state":"cancelled","study":"s1","tier":null,"usage":{"cpu_s":0.0,"energy":null,"gpu":null,"machine":null,"others_cpus":null,"read_bytes":0,"rss_peak_bytes":0,"wall_s":0.0,"written_bytes":0}}');
INSERT INTO studies VALUES('s1',1,'Sorting in study s1','ended','concluded','32f4a0341c071a7c19bb30edc27912dadf02c5e576b62721fb82ab48de2a258d','{"aa":[],"artifact":"/tmp/ara","correction":"holm","detail":null,"ended":"2023-11-14T22:13:20.483Z","forked_from":{"from":"s0","head":"ec18eac8d758b1eba52d3c10d39adc6dd9806472cb4ae069635d383d9086a513","requeued":[],"seq":12},"gates":[{"arguments":null,"by":"kernel","decision":"approve","id":"s1-g1","on":"conclude","opened":"2023-11-14T22:13:20.259Z","tool":null,"what":"write the verdicts up as claims","why":"fine"},{"arguments":null,"by":null,"decision":null,"id":"s1-g2","on":"question","opened":"2023-11-14T22:13:20.273Z","tool":null,"what":"which sizes matter","why":null}],"head":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","hypotheses":[{"batch":1,"by":"person","confidence":null,"context":"86689143708f62c7bac577b148008f15294878c9b0fbe9becd74539ca582b332","contrast":"bd16560def7c4d3d35f1989d81ce1c449f7cd16286eaa3d84ac177e9cdebac47","control":{"algorithm":"bubble"},"direction":"different","effect":-0.125,"effect_relative":null,"experiment":"E01","failed":[0,0],"id":"H1","interval":[null,null],"interval_bca":null,"interval_relative":null,"kind":"compare","level":0.0,"margin":null,"mechanism":null,"method":"t","metric":"time_ms","n":[0,0],"p":null,"p_corrected":null,"pairing":"seed","power":null,"predecessors":[],"reason":"","smallest_effect":{"sd":1.0},"statement":"Quick is faster.","status":"final","treatment":{"algorithm":"quick"},"verdict":"supported","warnings":[],"where":{},"withdrawn":"a better one is known"}],"id":"s1","integrity":[{"experiment":"E01","message":"time_ms is declared deterministic but varied","metric":"time_ms"}],"jobs":3,"kind":"test","ledger":{"accounts":[{"branch":"smoke","calls":0,"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":0.0,"role":"kernel","run_s":0.3,"runs":{"limit":null,"reserved":0,"spent":1},"tokens":0,"usd":0.0},{"branch":"E01","calls":0,"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":8.333333333333333e-05,"role":"kernel","run_s":1.5,"runs":{"limit":null,"reserved":0,"spent":5},"tokens":0,"usd":0.0},{"branch":"hypothesis-1","calls":1,"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":0.0,"role":"hypothesis","run_s":0.0,"runs":{"limit":null,"reserved":0,"spent":0},"tokens":127,"usd":0.125}],"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":{"limit":null,"reserved":0.0,"spent":8.333333333333333e-05},"runs":{"limit":null,"reserved":0,"spent":6},"tokens":{"limit":null,"reserved":5000,"spent":127},"usd":{"limit":null,"reserved":0.25,"spent":0.125},"wall_s":{"limit":null,"reserved":0.0,"spent":0.325}},"looks":null,"metrics":[{"goal":"minimize","name":"time_ms","primary":true,"unit":null}],"opened":"2023-11-14T22:13:20.308Z","outcome":"concluded","output":"","planted":[],"question":"Which is faster? é世","reason":null,"report":"/tmp/ara/report.html","reproduces":null,"request":null,"requirements":[{"by":"engineer","file":"sort.py","hypotheses":[],"id":"R1","judge":"kernel","judged":"met","lines":[1,4],"of":"method","text":"It sorts.","unmet":null,"version":null,"why":"sort.py does"}],"runs":{"cached":0,"cancelled":1,"failed":1,"invalid":0,"lost":1,"queued":0,"running":0,"scratch":1,"search":0,"starting":0,"succeeded":4,"timed_out":0,"total":7},"search":{"aliases":[],"baseline":{"algorithm":"bubble"},"cells":1,"confirm":{"replicates":0,"top":1},"design":"full","eta":3,"experiment":"S01","fidelity":null,"generators":[],"goal":"minimize","hash":"64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525","metric":"","ranked":[{"candidates":[{"baseline":false,"cell":{"algorithm":"quick"},"failed":0,"kept":true,"mean":0.5,"n":2,"refined":false,"sd":0.25}],"effects":[{"df":3.0,"effect":-0.5,"factors":["algorithm"],"failed":[0,1],"high":"quick","interval_high":-0.1,"interval_low":-0.9,"kept":true,"low":"bubble","n":[2,2],"se":0.1}],"experiment":"S01","last":true,"rung":1}],"resolution":null,"rule":"","rungs":[{"candidates":1,"fidelity":null,"refines":false,"replicates":2}]},"stage":"done","state":"ended","steering":["look at larger inputs"],"study_file":"","title":"Sorting in study s1"}','',0,'{"aa":[],"artifact":"/tmp/ara","correction":"holm","detail":null,"ended":"2023-11-14T22:13:20.483Z","forked_from":{"from":"s0","head":"ec18eac8d758b1eba52d3c10d39adc6dd9806472cb4ae069635d383d9086a513","requeued":[],"seq":12},"gates":[{"arguments":null,"by":"kernel","decision":"approve","id":"s1-g1","on":"conclude","opened":"2023-11-14T22:13:20.259Z","tool":null,"what":"write the verdicts up as claims","why":"fine"},{"arguments":null,"by":null,"decision":null,"id":"s1-g2","on":"question","opened":"2023-11-14T22:13:20.273Z","tool":null,"what":"which sizes matter","why":null}],"head":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","id":"s1","jobs":3,"kind":"test","ledger":{"accounts":[{"branch":"smoke","calls":0,"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":0.0,"role":"kernel","run_s":0.3,"runs":{"limit":null,"reserved":0,"spent":1},"tokens":0,"usd":0.0},{"branch":"E01","calls":0,"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":8.333333333333333e-05,"role":"kernel","run_s":1.5,"runs":{"limit":null,"reserved":0,"spent":5},"tokens":0,"usd":0.0},{"branch":"hypothesis-1","calls":1,"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":0.0,"role":"hypothesis","run_s":0.0,"runs":{"limit":null,"reserved":0,"spent":0},"tokens":127,"usd":0.125}],"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":{"limit":null,"reserved":0.0,"spent":8.333333333333333e-05},"runs":{"limit":null,"reserved":0,"spent":6},"tokens":{"limit":null,"reserved":5000,"spent":127},"usd":{"limit":null,"reserved":0.25,"spent":0.125},"wall_s":{"limit":null,"reserved":0.0,"spent":0.325}},"looks":null,"opened":"2023-11-14T22:13:20.308Z","outcome":"concluded","output":"","planted":[],"question":"Which is faster? é世","reason":null,"report":"/tmp/ara/report.html","reproduces":null,"request":null,"requirements":[{"by":"engineer","file":"sort.py","hypotheses":[],"id":"R1","judge":"kernel","judged":"met","lines":[1,4],"of":"method","text":"It sorts.","unmet":null,"version":null,"why":"sort.py does"}],"runs":{"cached":0,"cancelled":1,"failed":1,"invalid":0,"lost":1,"queued":0,"running":0,"scratch":1,"search":0,"starting":0,"succeeded":4,"timed_out":0,"total":7},"search":{"aliases":[],"baseline":{"algorithm":"bubble"},"cells":1,"confirm":{"replicates":0,"top":1},"design":"full","eta":3,"experiment":"S01","fidelity":null,"generators":[],"goal":"minimize","hash":"64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525","metric":"","ranked":[{"candidates":[{"baseline":false,"cell":{"algorithm":"quick"},"failed":0,"kept":true,"mean":0.5,"n":2,"refined":false,"sd":0.25}],"effects":[{"df":3.0,"effect":-0.5,"factors":["algorithm"],"failed":[0,1],"high":"quick","interval_high":-0.1,"interval_low":-0.9,"kept":true,"low":"bubble","n":[2,2],"se":0.1}],"experiment":"S01","last":true,"rung":1}],"resolution":null,"rule":"","rungs":[{"candidates":1,"fidelity":null,"refines":false,"replicates":2}]},"stage":"done","state":"ended","steering":["look at larger inputs"],"study_file":"","title":"Sorting in study s1","verdicts":{"withdrawn":1}}');
INSERT INTO memories_fts(memories_fts) VALUES('rebuild');
