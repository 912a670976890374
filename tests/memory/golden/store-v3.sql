PRAGMA application_id = 1702131044;
PRAGMA user_version = 3;
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
  doc        TEXT    NOT NULL,
  PRIMARY KEY (study, position)
) STRICT;
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
CREATE TABLE read_models (
  version INTEGER NOT NULL
) STRICT;
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
) STRICT;
CREATE INDEX events_of_study ON events(study, seq);
CREATE INDEX metrics_by_name ON metrics(name, study);
INSERT INTO claims VALUES('s1',0,'C01','H1','supported','{"conditions":"","depends_on":[],"experiment":"","falsification":"","hypothesis":"H1","id":"C01","statement":"","status":"supported","tags":[],"title":""}');
INSERT INTO events VALUES(1,'s1',1,1700000000007,1005,'kernel','StudyOpened','{"boot_id":"boot-1","data":[],"environment":{"machine":{},"programs":[],"toolchain":{"path":[],"prefixes":[],"variables":{}}},"id":"s1","jobs":1,"output":"","reproduces":"","spec":{"agents":"builtin","budget":{"runs":null,"wall_s":null},"constants":{},"data":[],"design":{"alpha":0.05,"family":null,"max_failed":0.1,"order":"random","pairing":"seed","pilot":5,"power":0.8,"replicates_max":20,"replicates_min":3,"settled":{},"smoke":true,"warmup_runs":0},"environment":{"pass":[],"set":{},"use":"system"},"excludes":[],"factors":[{"baseline":null,"levels":[{"bundle":{},"name":"bubble","value":{"number":null,"text":"bubble"}},{"bundle":{},"name":"quick","value":{"number":null,"text":"quick"}}],"name":"algorithm","range":null,"type":"text"}],"file":"","guards":[],"hypotheses":[],"keep_outputs":[],"kind":"test","metrics":[{"censor_right":false,"deterministic":false,"goal":"minimize","name":"time_ms","on_nan":"fail","primary":true,"scale":"linear","source":{"from":"metrics"},"summary":{"kind":"last","last_k":0,"target":0.0,"target_metric":""},"type":"continuous","unit":"","warmup":0}],"question":"Which is faster? é世","resources":{"cpus":1,"disk_bytes":null,"memory_bytes":null,"network":false,"sandbox":"auto","timeout_s":null},"run":{"shell":true,"words":[]},"seed":1,"title":"Sorting in study s1","workspace":{"exclude":[],"max_bytes":null,"path":"."}},"text":"etude: 1\n","workspace":{"bytes":0,"files":0,"hash":""}}','0000000000000000000000000000000000000000000000000000000000000000','c2acd2504c513ce47045b3ffc5c2f8504f21dbf13da5379b9731c2c1c5a9596f');
INSERT INTO events VALUES(10,'s1',1,1700000000070,1050,'kernel','SampleSized','{"sizes":[{"how":"by Stein","hypothesis":"H1","power":0.8,"replicates":2,"sd":1.5}],"warnings":["skewed"]}','cdc48741d212ff0f4f66e1239a641731ea7b240c97c151abae5ee6d744c0c55b','ad65e3abb43938e048a9f111c79c9e03aea47b5dbf5f991340a1f77e1fa3d1d7');
INSERT INTO events VALUES(11,'s1',1,1700000000077,1055,'kernel','ExperimentRegistered','{"hash":"e8bc163c82eee18733288c7d4ac636db3a6deb013ef2d37b68322be20edc45cc","registration":{"alpha":0.05,"batch":1,"cells":[],"command":{"shell":true,"words":[]},"data":[],"environment":"","experiment":"E01","family":1,"guards":[],"hypotheses":[{"along":"","by":"person","control":{"algorithm":"bubble"},"direction":"different","id":"H1","kind":"compare","line":0,"margin":null,"mechanism":"","method":"auto","metric":"time_ms","over":"average","slope_scale":"linear","slope_value":0.0,"smallest_effect":{"kind":"sd","value":1.0},"statement":"Quick is faster.","treatment":{"algorithm":"quick"},"where":{}}],"metrics":[],"order":"random","pairing":"seed","replicates":[],"seeds":[],"sizes":[],"workspace":""}}','ad65e3abb43938e048a9f111c79c9e03aea47b5dbf5f991340a1f77e1fa3d1d7','890a27b0466a446e7bc7ad7e46e68e9cd6ff2e93b9080eaa30f60a6dce0d961a');
INSERT INTO events VALUES(12,'s1',1,1700000000084,1060,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":1,"cell":0,"label":"","number":2,"replicate":1,"retry_of":0,"seed":18446744073709551615},{"attempt":1,"cell":1,"label":"","number":3,"replicate":1,"retry_of":0,"seed":18446744073709551614},{"attempt":1,"cell":0,"label":"","number":4,"replicate":2,"retry_of":0,"seed":18446744073709551613},{"attempt":1,"cell":1,"label":"","number":5,"replicate":2,"retry_of":0,"seed":18446744073709551612}]}','890a27b0466a446e7bc7ad7e46e68e9cd6ff2e93b9080eaa30f60a6dce0d961a','efd8c45f17629ae3fb521e3d76abc61130919ba8d631cf3fa3909ff880490f1a');
INSERT INTO events VALUES(13,'s1',1,1700000000091,1065,'kernel','RunStarting','{"run":2,"token":"token-2"}','efd8c45f17629ae3fb521e3d76abc61130919ba8d631cf3fa3909ff880490f1a','6a0df4b15818a0045ca1c0ca86f85ca2a2665c0a7ed174c28d11291f2e9f4756');
INSERT INTO events VALUES(14,'s1',1,1700000000098,1070,'kernel','RunRequeued','{"run":2,"why":"its claim was voided"}','6a0df4b15818a0045ca1c0ca86f85ca2a2665c0a7ed174c28d11291f2e9f4756','94729d46cd31fbb32d805b0a36cb64f1105f1a1e325029b9781ad9c7ea7c3f03');
INSERT INTO events VALUES(15,'s1',1,1700000000105,1075,'kernel','RunStarting','{"run":2,"token":"token-2"}','94729d46cd31fbb32d805b0a36cb64f1105f1a1e325029b9781ad9c7ea7c3f03','91afc63ec3a31d643ac00832cd63509c4478302a6c4387b6a40ac2109fe9e46f');
INSERT INTO events VALUES(16,'s1',1,1700000000112,1080,'kernel','RunStarted','{"run":2}','91afc63ec3a31d643ac00832cd63509c4478302a6c4387b6a40ac2109fe9e46f','5c21b7a502094f4989f12b25cfec7f1568d3dbbcd448aff0306aa55fa332638a');
INSERT INTO events VALUES(17,'s1',1,1700000000119,1085,'kernel','RunEnded','{"err_log":{"bytes":0,"sha256":""},"left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.5}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000115,"exit":0,"reason":"","run":"s1-r2","sandboxed":false,"signal":0,"started_ms":1700000000112,"token":"","usage":{"cpu_s":0.2,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":2,"state":"succeeded"}','5c21b7a502094f4989f12b25cfec7f1568d3dbbcd448aff0306aa55fa332638a','f7330fff06fcbf786f2e00b9039d300d8c68331b53faed17c745afa73b90f503');
INSERT INTO events VALUES(18,'s1',1,1700000000126,1090,'kernel','RunStarting','{"run":3,"token":"token-3"}','f7330fff06fcbf786f2e00b9039d300d8c68331b53faed17c745afa73b90f503','35213bbc5e564aced3cd42e78330a047494d907c878a250d2edf24deaa40ea30');
INSERT INTO events VALUES(19,'s1',1,1700000000133,1095,'kernel','RunStarted','{"run":3}','35213bbc5e564aced3cd42e78330a047494d907c878a250d2edf24deaa40ea30','412d02e34cda8426d25178876f89f258c0ec8741f6e76f56598fc3e7722e8be1');
INSERT INTO events VALUES(2,'s1',1,1700000000014,1010,'kernel','NodeRecorded','{"node":{"alternatives":[],"evidence":[],"experiment":"","fields":{},"hypothesis":"","id":"N01","parents":[],"time_ms":0,"title":"Which is faster?","type":"question"}}','c2acd2504c513ce47045b3ffc5c2f8504f21dbf13da5379b9731c2c1c5a9596f','87edfdf6f6a0e35274ff6e1934955d69df63eebeecb73760b3273147106b6e2b');
INSERT INTO events VALUES(20,'s1',1,1700000000140,1100,'kernel','RunEnded','{"err_log":{"bytes":0,"sha256":""},"left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"censored":true,"value":0.3333333333333333}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000136,"exit":0,"reason":"","run":"s1-r3","sandboxed":false,"signal":0,"started_ms":1700000000133,"token":"","usage":{"cpu_s":0.30000000000000004,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":3,"state":"lost"}','412d02e34cda8426d25178876f89f258c0ec8741f6e76f56598fc3e7722e8be1','bf3da14ee801f45a395622afb168c03ff3e6b7ec39e97f2245ced0e57e80da51');
INSERT INTO events VALUES(21,'s1',1,1700000000147,1105,'kernel','RunStarting','{"run":4,"token":"token-4"}','bf3da14ee801f45a395622afb168c03ff3e6b7ec39e97f2245ced0e57e80da51','f685c7c6bf33ab9993071d6e838de7e2a91526e9eb559e7c8b3c6cb4e5c71e04');
INSERT INTO events VALUES(22,'s1',1,1700000000154,1110,'kernel','RunStarted','{"run":4}','f685c7c6bf33ab9993071d6e838de7e2a91526e9eb559e7c8b3c6cb4e5c71e04','e2c008edc8e01725674fa2f6d687231bba445848fc2da92e677ebb0156fb4878');
INSERT INTO events VALUES(23,'s1',1,1700000000161,1115,'kernel','RunEnded','{"err_log":{"bytes":0,"sha256":""},"left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.25}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000157,"exit":0,"reason":"","run":"s1-r4","sandboxed":false,"signal":0,"started_ms":1700000000154,"token":"","usage":{"cpu_s":0.4,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"exit 1: � not text","run":4,"state":"failed"}','e2c008edc8e01725674fa2f6d687231bba445848fc2da92e677ebb0156fb4878','c496aec1177ca50188efe02ee2d91b4f847ca7bf83ebbf29ac69ffbaed406f60');
INSERT INTO events VALUES(24,'s1',1,1700000000168,1120,'kernel','RunStarting','{"run":5,"token":"token-5"}','c496aec1177ca50188efe02ee2d91b4f847ca7bf83ebbf29ac69ffbaed406f60','c0a697a7b3888b61414b8b30e6acff4be30fdb644a3d38642b19554b52f26a31');
INSERT INTO events VALUES(25,'s1',1,1700000000175,1125,'kernel','RunStarted','{"run":5}','c0a697a7b3888b61414b8b30e6acff4be30fdb644a3d38642b19554b52f26a31','1bb1f6b34f52a359316c8097c89969c60858c289c9c20121cb7254fa9243401e');
INSERT INTO events VALUES(26,'s1',1,1700000000182,1130,'kernel','RunEnded','{"err_log":{"bytes":0,"sha256":""},"left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.2}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000178,"exit":0,"reason":"","run":"s1-r5","sandboxed":false,"signal":0,"started_ms":1700000000175,"token":"","usage":{"cpu_s":0.5,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":5,"state":"succeeded"}','1bb1f6b34f52a359316c8097c89969c60858c289c9c20121cb7254fa9243401e','0f021ee3f2e266ccc3c344f90fb41f528d4e57e4f8dd2c3e4be99cc1beacea50');
INSERT INTO events VALUES(27,'s1',1,1700000000189,1135,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":2,"cell":0,"label":"","number":6,"replicate":1,"retry_of":3,"seed":18446744073709551615}]}','0f021ee3f2e266ccc3c344f90fb41f528d4e57e4f8dd2c3e4be99cc1beacea50','31679485bb1f132917452de241036a307d87aaa6324f5b185c368e8ff04c1df5');
INSERT INTO events VALUES(28,'s1',1,1700000000196,1140,'kernel','RunStarting','{"run":6,"token":"token-6"}','31679485bb1f132917452de241036a307d87aaa6324f5b185c368e8ff04c1df5','bc4e53c355d4de3358cb4db68a1bc69fcacea4e18f4478366aa85d5696a6db9b');
INSERT INTO events VALUES(29,'s1',1,1700000000203,1145,'kernel','RunEnded','{"err_log":{"bytes":0,"sha256":""},"left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"censored":true,"value":0.16666666666666666}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000199,"exit":0,"reason":"","run":"s1-r6","sandboxed":false,"signal":0,"started_ms":1700000000196,"token":"","usage":{"cpu_s":0.6000000000000001,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":6,"state":"succeeded"}','bc4e53c355d4de3358cb4db68a1bc69fcacea4e18f4478366aa85d5696a6db9b','c669841d0a9b7d2e14c2f401ecd5759ce7d421f79080fcd830d4797a52422e63');
INSERT INTO events VALUES(3,'s1',1,1700000000021,1015,'kernel','HypothesisProposed','{"batch":1,"exploratory":false,"hypothesis":{"along":"","by":"person","control":{"algorithm":"bubble"},"direction":"different","id":"H1","kind":"compare","line":0,"margin":null,"mechanism":"","method":"auto","metric":"time_ms","over":"average","slope_scale":"linear","slope_value":0.0,"smallest_effect":{"kind":"sd","value":1.0},"statement":"Quick is faster.","treatment":{"algorithm":"quick"},"where":{}}}','87edfdf6f6a0e35274ff6e1934955d69df63eebeecb73760b3273147106b6e2b','98decee2a73327a089dcd6b535ff1c78a1c89402ce4e53b669c8093d5e1af6aa');
INSERT INTO events VALUES(30,'s1',1,1700000000210,1150,'kernel','StudyPaused','{"detail":"lunch","reason":"person"}','c669841d0a9b7d2e14c2f401ecd5759ce7d421f79080fcd830d4797a52422e63','460042b5ccc55dbbd5bbe5131685c46bb95510cfb7836fb76e0532f580af638b');
INSERT INTO events VALUES(31,'s1',1,1700000000217,1155,'kernel','StudyResumed','{"boot_id":"boot-2","jobs":3,"raised":{"runs":null,"wall_s":null}}','460042b5ccc55dbbd5bbe5131685c46bb95510cfb7836fb76e0532f580af638b','8ecc233d2901455ceee60749531ab47cdae1284313b0aac610b54becc477309d');
INSERT INTO events VALUES(32,'s1',1,1700000000224,1160,'kernel','IntegrityFound','{"experiment":"E01","message":"time_ms is declared deterministic but varied","metric":"time_ms","runs":[2,5]}','8ecc233d2901455ceee60749531ab47cdae1284313b0aac610b54becc477309d','d019a37d2efdb989d305b22b8e2bd1131ddf9df1304691eb5e68e86d5d4ea8f9');
INSERT INTO events VALUES(33,'s1',1,1700000000231,1165,'kernel','ExperimentAnalysed','{"experiment":"E01","results":[{"bca_descriptive":true,"bca_high":null,"bca_low":null,"df":null,"effect":-0.125,"effect_relative":null,"failed":[0,0],"high":null,"id":"H1","level":0.0,"low":null,"n":[0,0],"p":null,"p_corrected":null,"power":null,"reason":"","relative_high":null,"relative_low":null,"se":null,"verdict":"supported","warnings":[]}]}','d019a37d2efdb989d305b22b8e2bd1131ddf9df1304691eb5e68e86d5d4ea8f9','9429a95fd0dc413c1e546b2416ad4e4a6d1b714b7d92a023b67e19bb00d0cdae');
INSERT INTO events VALUES(34,'s1',1,1700000000238,1170,'kernel','NodeRecorded','{"node":{"alternatives":[],"evidence":[],"experiment":"","fields":{},"hypothesis":"","id":"N02","parents":["N01"],"time_ms":0,"title":"Which is faster?","type":"experiment"}}','9429a95fd0dc413c1e546b2416ad4e4a6d1b714b7d92a023b67e19bb00d0cdae','12a9d6eb6efabeb05815b779e6e70c30a397c167609076b868ee871a4ca86f86');
INSERT INTO events VALUES(35,'s1',1,1700000000245,1175,'kernel','ClaimRecorded','{"claim":{"conditions":"","depends_on":[],"experiment":"","falsification":"","hypothesis":"H1","id":"C01","statement":"","status":"supported","tags":[],"title":""}}','12a9d6eb6efabeb05815b779e6e70c30a397c167609076b868ee871a4ca86f86','f480af2cb936558b9a7f3afa982a94f3ba8d45bb700e3ae77facc33843a4605d');
INSERT INTO events VALUES(36,'s1',1,1700000000252,1180,'kernel','StudyConcluded','{"detail":"","outcome":"concluded"}','f480af2cb936558b9a7f3afa982a94f3ba8d45bb700e3ae77facc33843a4605d','219f019a585d0e1b0a5c2a673c116f9dd44f7881b5133ee5cf9e0e6915b3c98a');
INSERT INTO events VALUES(37,'s1',1,1700000000259,1185,'kernel','ArtifactPackaged','{"head":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","path":"/tmp/ara","report":"/tmp/ara/report.html"}','219f019a585d0e1b0a5c2a673c116f9dd44f7881b5133ee5cf9e0e6915b3c98a','2b53c2b2f6eaff900208d50026dcec5a5b8eb224b44af490303f0096d1ef17b0');
INSERT INTO events VALUES(38,'s1',1,1700000000266,1190,'kernel','StudyEnded','{"detail":"","outcome":"concluded"}','2b53c2b2f6eaff900208d50026dcec5a5b8eb224b44af490303f0096d1ef17b0','a779a7d730d6b73fc77c627b11159922b07aa6837c84a3e2f278fa4b73fb8ef7');
INSERT INTO events VALUES(4,'s1',1,1700000000028,1020,'kernel','ProposalsClosed','{"family":1}','98decee2a73327a089dcd6b535ff1c78a1c89402ce4e53b669c8093d5e1af6aa','0803c8e8233f4766e4523d0028a228cf94ffe081171e3d6b4da46c57a3d679d1');
INSERT INTO events VALUES(5,'s1',1,1700000000035,1025,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"","purpose":"smoke","runs":[{"attempt":1,"cell":0,"label":"","number":1,"replicate":1,"retry_of":0,"seed":18446744073709551615}]}','0803c8e8233f4766e4523d0028a228cf94ffe081171e3d6b4da46c57a3d679d1','ce3189b9cd97a11768705797a0b79c19ca71b5d57302fc073f9bf42b41d625f2');
INSERT INTO events VALUES(6,'s1',1,1700000000042,1030,'kernel','RunStarting','{"run":1,"token":"token-1"}','ce3189b9cd97a11768705797a0b79c19ca71b5d57302fc073f9bf42b41d625f2','4ceb443e786269c74543b0d410a0facaf3b022b7ce96e01539a179769cb8475f');
INSERT INTO events VALUES(7,'s1',1,1700000000049,1035,'kernel','RunStarted','{"run":1}','4ceb443e786269c74543b0d410a0facaf3b022b7ce96e01539a179769cb8475f','7ed52de7818d97d782c465331f3b90e799d099036d3ff78302146cebf4f1c816');
INSERT INTO events VALUES(8,'s1',1,1700000000056,1040,'kernel','RunEnded','{"err_log":{"bytes":0,"sha256":""},"left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":1.0}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000052,"exit":0,"reason":"","run":"s1-r1","sandboxed":false,"signal":0,"started_ms":1700000000049,"token":"","usage":{"cpu_s":0.1,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":1,"state":"succeeded"}','7ed52de7818d97d782c465331f3b90e799d099036d3ff78302146cebf4f1c816','039dbc2dfc74c42c8c739efde478f047117992d44968c9dac5d8fbf8791f6102');
INSERT INTO events VALUES(9,'s1',1,1700000000063,1045,'kernel','ManipulationChecked','{"findings":[{"message":"changes nothing","serious":true,"subject":"algorithm"}],"skipped":false}','039dbc2dfc74c42c8c739efde478f047117992d44968c9dac5d8fbf8791f6102','cdc48741d212ff0f4f66e1239a641731ea7b240c97c151abae5ee6d744c0c55b');
INSERT INTO hypotheses VALUES('s1',0,'H1','E01','supported','{"batch":1,"by":"person","control":{"algorithm":"bubble"},"direction":"different","effect":-0.125,"effect_relative":null,"experiment":"E01","failed":[0,0],"id":"H1","interval":[null,null],"interval_bca":null,"interval_relative":null,"kind":"compare","level":0.0,"margin":null,"mechanism":null,"method":"t","metric":"time_ms","n":[0,0],"p":null,"p_corrected":null,"pairing":"seed","power":null,"reason":"","smallest_effect":{"sd":1.0},"statement":"Quick is faster.","status":"final","treatment":{"algorithm":"quick"},"verdict":"supported","warnings":[],"where":{}}');
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
INSERT INTO read_models VALUES(3);
INSERT INTO runs VALUES('s1',1,'','succeeded','smoke','{"attempt":1,"blobs":{"metrics":null,"stderr":null,"stdout":null},"ended":"2023-11-14T22:13:20.052Z","evidence":false,"exit":0,"experiment":null,"factors":{"algorithm":"bubble"},"id":"s1-r1","label":null,"launch":"1-token-1","malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":1.0},"number":1,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"smoke","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"started":"2023-11-14T22:13:20.049Z","state":"succeeded","study":"s1","usage":{"cpu_s":0.1,"energy":null,"rss_peak_bytes":1048576,"wall_s":0.3}}');
INSERT INTO runs VALUES('s1',2,'E01','succeeded','registered','{"attempt":1,"blobs":{"metrics":null,"stderr":null,"stdout":null},"ended":"2023-11-14T22:13:20.115Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"id":"s1-r2","label":null,"launch":"2-token-2","malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.5},"number":2,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"started":"2023-11-14T22:13:20.112Z","state":"succeeded","study":"s1","usage":{"cpu_s":0.2,"energy":null,"rss_peak_bytes":1048576,"wall_s":0.3}}');
INSERT INTO runs VALUES('s1',3,'E01','lost','registered','{"attempt":1,"blobs":{"metrics":null,"stderr":null,"stdout":null},"ended":"2023-11-14T22:13:20.136Z","evidence":false,"exit":0,"experiment":"E01","factors":{"algorithm":"quick"},"id":"s1-r3","label":null,"launch":"3-token-3","malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.3333333333333333},"number":3,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551614,"signal":null,"started":"2023-11-14T22:13:20.133Z","state":"lost","study":"s1","usage":{"cpu_s":0.30000000000000004,"energy":null,"rss_peak_bytes":1048576,"wall_s":0.3}}');
INSERT INTO runs VALUES('s1',4,'E01','failed','registered','{"attempt":1,"blobs":{"metrics":null,"stderr":null,"stdout":null},"ended":"2023-11-14T22:13:20.157Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"id":"s1-r4","label":null,"launch":"4-token-4","malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.25},"number":4,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":"exit 1: � not text","replicate":2,"retry_of":null,"sandboxed":false,"seed":18446744073709551613,"signal":null,"started":"2023-11-14T22:13:20.154Z","state":"failed","study":"s1","usage":{"cpu_s":0.4,"energy":null,"rss_peak_bytes":1048576,"wall_s":0.3}}');
INSERT INTO runs VALUES('s1',5,'E01','succeeded','registered','{"attempt":1,"blobs":{"metrics":null,"stderr":null,"stdout":null},"ended":"2023-11-14T22:13:20.178Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"quick"},"id":"s1-r5","label":null,"launch":"5-token-5","malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.2},"number":5,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":2,"retry_of":null,"sandboxed":false,"seed":18446744073709551612,"signal":null,"started":"2023-11-14T22:13:20.175Z","state":"succeeded","study":"s1","usage":{"cpu_s":0.5,"energy":null,"rss_peak_bytes":1048576,"wall_s":0.3}}');
INSERT INTO runs VALUES('s1',6,'E01','succeeded','registered','{"attempt":2,"blobs":{"metrics":null,"stderr":null,"stdout":null},"ended":"2023-11-14T22:13:20.199Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"id":"s1-r6","label":null,"launch":"6-token-6","malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.16666666666666666},"number":6,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":"s1-r3","sandboxed":false,"seed":18446744073709551615,"signal":null,"started":"2023-11-14T22:13:20.196Z","state":"succeeded","study":"s1","usage":{"cpu_s":0.6000000000000001,"energy":null,"rss_peak_bytes":1048576,"wall_s":0.3}}');
INSERT INTO studies VALUES('s1',1,'Sorting in study s1','ended','concluded','a779a7d730d6b73fc77c627b11159922b07aa6837c84a3e2f278fa4b73fb8ef7','{"artifact":"/tmp/ara","detail":null,"ended":"2023-11-14T22:13:20.266Z","head":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","hypotheses":[{"batch":1,"by":"person","control":{"algorithm":"bubble"},"direction":"different","effect":-0.125,"effect_relative":null,"experiment":"E01","failed":[0,0],"id":"H1","interval":[null,null],"interval_bca":null,"interval_relative":null,"kind":"compare","level":0.0,"margin":null,"mechanism":null,"method":"t","metric":"time_ms","n":[0,0],"p":null,"p_corrected":null,"pairing":"seed","power":null,"reason":"","smallest_effect":{"sd":1.0},"statement":"Quick is faster.","status":"final","treatment":{"algorithm":"quick"},"verdict":"supported","warnings":[],"where":{}}],"id":"s1","integrity":[{"experiment":"E01","message":"time_ms is declared deterministic but varied","metric":"time_ms"}],"jobs":3,"kind":"test","ledger":{"energy_j":{"limit":null,"reserved":0,"spent":null},"gpu_hours":{"limit":null,"reserved":0,"spent":0},"runs":{"limit":null,"reserved":0,"spent":6},"tokens":{"limit":null,"reserved":0,"spent":0},"usd":{"limit":null,"reserved":0,"spent":0},"wall_s":{"limit":null,"reserved":0,"spent":0.18}},"metrics":[{"goal":"minimize","name":"time_ms","primary":true,"unit":null}],"opened":"2023-11-14T22:13:20.007Z","outcome":"concluded","output":"","question":"Which is faster? é世","reason":null,"report":"/tmp/ara/report.html","runs":{"cached":0,"cancelled":0,"failed":1,"invalid":0,"lost":1,"queued":0,"running":0,"scratch":1,"starting":0,"succeeded":4,"timed_out":0,"total":6},"stage":"done","state":"ended","study_file":"","title":"Sorting in study s1"}');
