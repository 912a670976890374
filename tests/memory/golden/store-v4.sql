PRAGMA application_id = 1702131044;
PRAGMA user_version = 4;
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
) STRICT;
CREATE INDEX events_of_study ON events(study, seq);
CREATE INDEX metrics_by_name ON metrics(name, study);
CREATE INDEX remembered_by_key ON remembered(key);
INSERT INTO claims VALUES('s1',0,'C01','H1','supported','{"conditions":"","depends_on":[],"experiment":"","falsification":"","hypothesis":"H1","id":"C01","statement":"","status":"supported","tags":[],"title":""}');
INSERT INTO events VALUES(1,'s1',1,1700000000007,1005,'kernel','StudyOpened','{"boot_id":"boot-1","data":[],"environment":{"machine":{},"programs":[],"toolchain":{"path":[],"prefixes":[],"variables":{}}},"id":"s1","jobs":1,"output":"","reproduces":"","request":"","spec":{"agents":"builtin","budget":{"gpu_hours":null,"runs":null,"tokens":null,"usd":null,"wall_s":null},"constants":{},"data":[],"design":{"alpha":0.05,"family":null,"max_failed":0.1,"order":"random","pairing":"seed","pilot":5,"power":0.8,"replicates_max":20,"replicates_min":3,"settled":{},"smoke":true,"warmup_runs":0},"environment":{"pass":[],"set":{},"use":"system"},"excludes":[],"factors":[{"baseline":null,"levels":[{"bundle":{},"name":"bubble","value":{"number":null,"text":"bubble"}},{"bundle":{},"name":"quick","value":{"number":null,"text":"quick"}}],"name":"algorithm","range":null,"type":"text"}],"file":"","gates":[],"guards":[],"hypotheses":[],"keep_outputs":[],"kind":"test","metrics":[{"censor_right":false,"deterministic":false,"goal":"minimize","name":"time_ms","on_nan":"fail","primary":true,"scale":"linear","source":{"from":"metrics"},"summary":{"kind":"last","last_k":0,"target":0.0,"target_metric":""},"type":"continuous","unit":"","warmup":0}],"question":"Which is faster? é世","resources":{"cpus":1,"disk_bytes":null,"memory_bytes":null,"network":false,"sandbox":"auto","timeout_s":null},"run":{"shell":true,"words":[]},"seed":1,"title":"Sorting in study s1","workspace":{"exclude":[],"max_bytes":null,"path":"."}},"text":"etude: 1\n","workspace":{"bytes":0,"files":0,"hash":""}}','0000000000000000000000000000000000000000000000000000000000000000','326bace5997911366624f001041d89a4bbc63d7cd9261dfeae903999bf74c591');
INSERT INTO events VALUES(10,'s1',1,1700000000070,1050,'kernel','SampleSized','{"sizes":[{"how":"by Stein","hypothesis":"H1","power":0.8,"replicates":2,"sd":1.5}],"warnings":["skewed"]}','df5b65d291d803539e690d0eecfcd837a444cb33f5520ae574749fa0d0cab4c8','905b3cdef25ca89279d19c9da22e0a67f03d9d5a58f31de9c943da69d7336b85');
INSERT INTO events VALUES(11,'s1',1,1700000000077,1055,'kernel','ExperimentRegistered','{"hash":"e8bc163c82eee18733288c7d4ac636db3a6deb013ef2d37b68322be20edc45cc","registration":{"alpha":0.05,"batch":1,"cells":[],"command":{"shell":true,"words":[]},"data":[],"environment":"","experiment":"E01","family":1,"guards":[],"hypotheses":[{"along":"","by":"person","control":{"algorithm":"bubble"},"direction":"different","id":"H1","kind":"compare","line":0,"margin":null,"mechanism":"","method":"auto","metric":"time_ms","over":"average","slope_scale":"linear","slope_value":0.0,"smallest_effect":{"kind":"sd","value":1.0},"statement":"Quick is faster.","treatment":{"algorithm":"quick"},"where":{}}],"metrics":[],"order":"random","pairing":"seed","replicates":[],"seeds":[],"sizes":[],"workspace":""}}','905b3cdef25ca89279d19c9da22e0a67f03d9d5a58f31de9c943da69d7336b85','71438e8c47bf9580d96d4b2737ec0af13256bb96c92cc088a1ae979b79de87b4');
INSERT INTO events VALUES(12,'s1',1,1700000000084,1060,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":2,"replicate":1,"retry_of":0,"seed":18446744073709551615},{"attempt":1,"cell":1,"delay_ms":0,"label":"","number":3,"replicate":1,"retry_of":0,"seed":18446744073709551614},{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":4,"replicate":2,"retry_of":0,"seed":18446744073709551613},{"attempt":1,"cell":1,"delay_ms":0,"label":"","number":5,"replicate":2,"retry_of":0,"seed":18446744073709551612}]}','71438e8c47bf9580d96d4b2737ec0af13256bb96c92cc088a1ae979b79de87b4','69b4969028ac97ebc0c0a52c220069eb323380358289605738d4e719998540a2');
INSERT INTO events VALUES(13,'s1',1,1700000000091,1065,'kernel','RunStarting','{"run":2,"token":"token-2"}','69b4969028ac97ebc0c0a52c220069eb323380358289605738d4e719998540a2','6137bd1d1f3d33b4a79256d31523458d1d9ab5e9b33d6c5409f47aa5528988e6');
INSERT INTO events VALUES(14,'s1',1,1700000000098,1070,'kernel','RunRequeued','{"run":2,"why":"its claim was voided"}','6137bd1d1f3d33b4a79256d31523458d1d9ab5e9b33d6c5409f47aa5528988e6','228a600e582f623df4aabb1820e7fb6da6d993dbdbc8459e8fcd3acc2e15150b');
INSERT INTO events VALUES(15,'s1',1,1700000000105,1075,'kernel','RunStarting','{"run":2,"token":"token-2"}','228a600e582f623df4aabb1820e7fb6da6d993dbdbc8459e8fcd3acc2e15150b','060f91a088088d4a9b880dbf98743f0465d81dfe5f3ca60a2c83a0e14cdb7d93');
INSERT INTO events VALUES(16,'s1',1,1700000000112,1080,'kernel','RunStarted','{"run":2}','060f91a088088d4a9b880dbf98743f0465d81dfe5f3ca60a2c83a0e14cdb7d93','08a11e6aa6e6091432f3f4d38a7a03436f4a010dbf4b8ea81af0a15c8e9b3536');
INSERT INTO events VALUES(17,'s1',1,1700000000119,1085,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.5}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000115,"exit":0,"reason":"","run":"s1-r2","sandboxed":false,"signal":0,"started_ms":1700000000112,"token":"","usage":{"cpu_s":0.2,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":2,"state":"succeeded"}','08a11e6aa6e6091432f3f4d38a7a03436f4a010dbf4b8ea81af0a15c8e9b3536','22716d56226d97557b6c3bc8397dfb19f8033ff93c2e878055eb24a54372ecf7');
INSERT INTO events VALUES(18,'s1',1,1700000000126,1090,'kernel','RunStarting','{"run":3,"token":"token-3"}','22716d56226d97557b6c3bc8397dfb19f8033ff93c2e878055eb24a54372ecf7','468aedb8728069653ade085f2d3d1b66fb9e07ac2a93896fd366da1211862dd6');
INSERT INTO events VALUES(19,'s1',1,1700000000133,1095,'kernel','RunStarted','{"run":3}','468aedb8728069653ade085f2d3d1b66fb9e07ac2a93896fd366da1211862dd6','e3800abf5ca4c1828887d56b3f90e320ab1aba34666b43ed692203a3a963636e');
INSERT INTO events VALUES(2,'s1',1,1700000000014,1010,'kernel','NodeRecorded','{"node":{"alternatives":[],"evidence":[],"experiment":"","fields":{},"hypothesis":"","id":"N01","parents":[],"time_ms":0,"title":"Which is faster?","type":"question"}}','326bace5997911366624f001041d89a4bbc63d7cd9261dfeae903999bf74c591','a253f0b82d73432482debe92a1a89affe2456703e7884640abf28da68db08155');
INSERT INTO events VALUES(20,'s1',1,1700000000140,1100,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"censored":true,"value":0.3333333333333333}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000136,"exit":0,"reason":"","run":"s1-r3","sandboxed":false,"signal":0,"started_ms":1700000000133,"token":"","usage":{"cpu_s":0.30000000000000004,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":3,"state":"lost"}','e3800abf5ca4c1828887d56b3f90e320ab1aba34666b43ed692203a3a963636e','734c6bf2943a486d5b7bdd52bd549fbf7c8e7be433cf19e223d6098f7d46191b');
INSERT INTO events VALUES(21,'s1',1,1700000000147,1105,'kernel','RunStarting','{"run":4,"token":"token-4"}','734c6bf2943a486d5b7bdd52bd549fbf7c8e7be433cf19e223d6098f7d46191b','ae09ad698f66649f416f869117059720ca12efc183ff31eccbecff15b162631c');
INSERT INTO events VALUES(22,'s1',1,1700000000154,1110,'kernel','RunStarted','{"run":4}','ae09ad698f66649f416f869117059720ca12efc183ff31eccbecff15b162631c','b7ccfdbf5fec3ac0a6ed593b291d669c125808cde488934a9534f454e41f5633');
INSERT INTO events VALUES(23,'s1',1,1700000000161,1115,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.25}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000157,"exit":0,"reason":"","run":"s1-r4","sandboxed":false,"signal":0,"started_ms":1700000000154,"token":"","usage":{"cpu_s":0.4,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"exit 1: � not text","run":4,"state":"failed"}','b7ccfdbf5fec3ac0a6ed593b291d669c125808cde488934a9534f454e41f5633','234811202aaf33156aba932e5cf445d6205bb65b9b62ded9f1419680cccaaa97');
INSERT INTO events VALUES(24,'s1',1,1700000000168,1120,'kernel','RunStarting','{"run":5,"token":"token-5"}','234811202aaf33156aba932e5cf445d6205bb65b9b62ded9f1419680cccaaa97','f9bb8cb7816d149bcc4a17f3fa6428a3bbc3fa3a98ec469156d6b558dca98db9');
INSERT INTO events VALUES(25,'s1',1,1700000000175,1125,'kernel','RunStarted','{"run":5}','f9bb8cb7816d149bcc4a17f3fa6428a3bbc3fa3a98ec469156d6b558dca98db9','375c2f3da1b6c7f3584c134229838c458d418847794a8810bce85f0cc3510b79');
INSERT INTO events VALUES(26,'s1',1,1700000000182,1130,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":0.2}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000178,"exit":0,"reason":"","run":"s1-r5","sandboxed":false,"signal":0,"started_ms":1700000000175,"token":"","usage":{"cpu_s":0.5,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":5,"state":"succeeded"}','375c2f3da1b6c7f3584c134229838c458d418847794a8810bce85f0cc3510b79','9fa4a975c033314770d089053445f25e5b071942066feb80522762ed23eaeb65');
INSERT INTO events VALUES(27,'s1',1,1700000000189,1135,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":2,"cell":0,"delay_ms":0,"label":"","number":6,"replicate":1,"retry_of":3,"seed":18446744073709551615}]}','9fa4a975c033314770d089053445f25e5b071942066feb80522762ed23eaeb65','1c36e782229c373c820e57a88627bf9da79a88dda1e41bd36d0cf51901df4b81');
INSERT INTO events VALUES(28,'s1',1,1700000000196,1140,'kernel','RunStarting','{"beside":3,"lease":{"cpus":2,"gpus":["GPU-5f1c"],"memory_bytes":1073741824},"run":6,"token":"token-6"}','1c36e782229c373c820e57a88627bf9da79a88dda1e41bd36d0cf51901df4b81','16e5b4c5ad74a7e678b4dd89e583c0fa89fb4a6835012c52db56200264ebbb68');
INSERT INTO events VALUES(29,'s1',1,1700000000203,1145,'kernel','RunCancellationRequested','{"run":6}','16e5b4c5ad74a7e678b4dd89e583c0fa89fb4a6835012c52db56200264ebbb68','51803c452ced427092803b246b7e04a3512e892484d626a2f7630c4f7ce7a499');
INSERT INTO events VALUES(3,'s1',1,1700000000021,1015,'kernel','HypothesisProposed','{"batch":1,"exploratory":false,"hypothesis":{"along":"","by":"person","control":{"algorithm":"bubble"},"direction":"different","id":"H1","kind":"compare","line":0,"margin":null,"mechanism":"","method":"auto","metric":"time_ms","over":"average","slope_scale":"linear","slope_value":0.0,"smallest_effect":{"kind":"sd","value":1.0},"statement":"Quick is faster.","treatment":{"algorithm":"quick"},"where":{}}}','a253f0b82d73432482debe92a1a89affe2456703e7884640abf28da68db08155','7b842b34d2e4decadd6c205a9f7904090c3f3e0e4b1323b9620b23832aa2bf18');
INSERT INTO events VALUES(30,'s1',1,1700000000210,1150,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"censored":true,"value":0.16666666666666666}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000206,"exit":0,"reason":"","run":"s1-r6","sandboxed":false,"signal":0,"started_ms":1700000000203,"token":"","usage":{"cpu_s":0.6000000000000001,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":6,"state":"succeeded"}','51803c452ced427092803b246b7e04a3512e892484d626a2f7630c4f7ce7a499','a1ef80969a0e237ea68f18c526df16e445f552f2e1dffba4fa3d27e166ddc8d5');
INSERT INTO events VALUES(31,'s1',1,1700000000217,1155,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"E01","purpose":"registered","runs":[{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":7,"replicate":1,"retry_of":0,"seed":18446744073709551615}]}','a1ef80969a0e237ea68f18c526df16e445f552f2e1dffba4fa3d27e166ddc8d5','dcd357b3fdb02a9e518f361c5fe8f5b7d59ca3ffd90cbf2bc0d3454f4f71cf24');
INSERT INTO events VALUES(32,'s1',1,1700000000224,1160,'kernel','ArmStopped','{"cells":[{"algorithm":"quick"}],"experiment":"E01","fingerprint":"exit 1: IndexError","reason":"3 runs in a row failed the same way","runs":[7]}','dcd357b3fdb02a9e518f361c5fe8f5b7d59ca3ffd90cbf2bc0d3454f4f71cf24','023697661228c17dba806f9c592bb7286d63d70fc16f508100a6a35051200c55');
INSERT INTO events VALUES(33,'s1',1,1700000000231,1165,'kernel','StudySteered','{"text":"look at larger inputs"}','023697661228c17dba806f9c592bb7286d63d70fc16f508100a6a35051200c55','6eba19a6d36e5288c267dd4895b075653d19c4c08102309b1a4ab856baa66fa8');
INSERT INTO events VALUES(34,'s1',1,1700000000238,1170,'kernel','GateOpened','{"gate":{"id":"s1-g1","on":"conclude","position":0,"what":"write the verdicts up as claims"}}','6eba19a6d36e5288c267dd4895b075653d19c4c08102309b1a4ab856baa66fa8','2e6fd8ab51cc9c3c4e4c0667f335b4368fb8f751115edbce3ce15eb5f9a43cb6');
INSERT INTO events VALUES(35,'s1',1,1700000000245,1175,'kernel','GateDecided','{"approved":true,"gate":"s1-g1","why":"fine"}','2e6fd8ab51cc9c3c4e4c0667f335b4368fb8f751115edbce3ce15eb5f9a43cb6','0ca0aa9d7859855fbc0f180c90c438ab46f2c9a2f670c5c2b81059cc223cb022');
INSERT INTO events VALUES(36,'s1',1,1700000000252,1180,'kernel','StudyForked','{"from":"s0","head":"ec18eac8d758b1eba52d3c10d39adc6dd9806472cb4ae069635d383d9086a513","requeued":[],"seq":12}','0ca0aa9d7859855fbc0f180c90c438ab46f2c9a2f670c5c2b81059cc223cb022','95ac9bb6f29945672ed8cc3a3d352b5b59caf9b7ca7bab7f7e03eaf8e4494f4d');
INSERT INTO events VALUES(37,'s1',1,1700000000259,1185,'kernel','StudyPaused','{"detail":"lunch","reason":"person"}','95ac9bb6f29945672ed8cc3a3d352b5b59caf9b7ca7bab7f7e03eaf8e4494f4d','cad692de32d2257e0f824861dad1345bb68de9ecaafe6988597861c133bb80b3');
INSERT INTO events VALUES(38,'s1',1,1700000000266,1190,'kernel','StudyResumed','{"boot_id":"boot-2","jobs":3,"raised":{"gpu_hours":null,"runs":null,"tokens":null,"usd":null,"wall_s":null}}','cad692de32d2257e0f824861dad1345bb68de9ecaafe6988597861c133bb80b3','f6bd6b733b1905cfe993763085f78d0c7e9cf4433708bd177931de871ac7e6ce');
INSERT INTO events VALUES(39,'s1',1,1700000000273,1195,'kernel','IntegrityFound','{"experiment":"E01","message":"time_ms is declared deterministic but varied","metric":"time_ms","runs":[2,5]}','f6bd6b733b1905cfe993763085f78d0c7e9cf4433708bd177931de871ac7e6ce','be548b830ccbcae2da0cd6d19a53c80c8b96123317f3c979dc94dfd9a0452ff8');
INSERT INTO events VALUES(4,'s1',1,1700000000028,1020,'kernel','ProposalsClosed','{"family":1}','7b842b34d2e4decadd6c205a9f7904090c3f3e0e4b1323b9620b23832aa2bf18','122abe20c4d733fd2a9ca5e459c85c0b2a6cf2cd4637bc5592ea1e979ef7d4fd');
INSERT INTO events VALUES(40,'s1',1,1700000000280,1200,'kernel','ExperimentAnalysed','{"experiment":"E01","results":[{"bca_descriptive":true,"bca_high":null,"bca_low":null,"df":null,"effect":-0.125,"effect_relative":null,"failed":[0,0],"high":null,"id":"H1","level":0.0,"low":null,"n":[0,0],"p":null,"p_corrected":null,"power":null,"reason":"","relative_high":null,"relative_low":null,"se":null,"verdict":"supported","warnings":[]}]}','be548b830ccbcae2da0cd6d19a53c80c8b96123317f3c979dc94dfd9a0452ff8','989a815095cd76eebbc0bba485ed0382c11453ef42cece724038cfc8cc04b513');
INSERT INTO events VALUES(41,'s1',1,1700000000287,1205,'kernel','NodeRecorded','{"node":{"alternatives":[],"evidence":[],"experiment":"","fields":{},"hypothesis":"","id":"N02","parents":["N01"],"time_ms":0,"title":"Which is faster?","type":"experiment"}}','989a815095cd76eebbc0bba485ed0382c11453ef42cece724038cfc8cc04b513','4b1788f6fc79b8e3e3c8ad08ddee37c4bae8093d5d2c7b38487a63ef017f0552');
INSERT INTO events VALUES(42,'s1',1,1700000000294,1210,'kernel','ClaimRecorded','{"claim":{"conditions":"","depends_on":[],"experiment":"","falsification":"","hypothesis":"H1","id":"C01","statement":"","status":"supported","tags":[],"title":""}}','4b1788f6fc79b8e3e3c8ad08ddee37c4bae8093d5d2c7b38487a63ef017f0552','e0ce8a4a96cd3fb25af8a846ce8b5c65438cb66a94b8dae6c262889d11698231');
INSERT INTO events VALUES(43,'s1',1,1700000000301,1215,'kernel','CancellationRequested','{"runs":[],"why":"late"}','e0ce8a4a96cd3fb25af8a846ce8b5c65438cb66a94b8dae6c262889d11698231','075543a706d68792855e157df276f433b4819b739ab1071ae7f952c3b9454fb0');
INSERT INTO events VALUES(44,'s1',1,1700000000308,1220,'kernel','StudyConcluded','{"detail":"","outcome":"concluded"}','075543a706d68792855e157df276f433b4819b739ab1071ae7f952c3b9454fb0','00a0d6dff353b4a079f927d2244e6bae630f8a53402f45255174c80e37e585cf');
INSERT INTO events VALUES(45,'s1',1,1700000000315,1225,'kernel','ArtifactPackaged','{"head":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","path":"/tmp/ara","report":"/tmp/ara/report.html"}','00a0d6dff353b4a079f927d2244e6bae630f8a53402f45255174c80e37e585cf','a6cdd4a6eee908a7ffbaf86bd6f67d48527555a7b0b9eb6be7fdd81c5ec85703');
INSERT INTO events VALUES(46,'s1',1,1700000000322,1230,'kernel','StudyEnded','{"detail":"","outcome":"concluded"}','a6cdd4a6eee908a7ffbaf86bd6f67d48527555a7b0b9eb6be7fdd81c5ec85703','7366da96afb9d6ee89ac5abb557b37faa5dec70eeb92a1968a3a62e94c6f25dc');
INSERT INTO events VALUES(5,'s1',1,1700000000035,1025,'kernel','RunsQueued','{"cells":[{"algorithm":"bubble"},{"algorithm":"quick"}],"experiment":"","purpose":"smoke","runs":[{"attempt":1,"cell":0,"delay_ms":0,"label":"","number":1,"replicate":1,"retry_of":0,"seed":18446744073709551615}]}','122abe20c4d733fd2a9ca5e459c85c0b2a6cf2cd4637bc5592ea1e979ef7d4fd','6a4d4d8818d06ae21d7d3c572bac05aedb8dcb4cb8b9e2f8ff24213dfafdf1a5');
INSERT INTO events VALUES(6,'s1',1,1700000000042,1030,'kernel','RunStarting','{"run":1,"token":"token-1"}','6a4d4d8818d06ae21d7d3c572bac05aedb8dcb4cb8b9e2f8ff24213dfafdf1a5','1832d9d3d8a1266c292716c5a3e3a6b2d0d13e51ed51e9a5892190ee600cf271');
INSERT INTO events VALUES(7,'s1',1,1700000000049,1035,'kernel','RunStarted','{"run":1}','1832d9d3d8a1266c292716c5a3e3a6b2d0d13e51ed51e9a5892190ee600cf271','6c287e947a155a931fc92d4d9495805b10c5f4ebb4107e8d77b67e56268e527a');
INSERT INTO events VALUES(8,'s1',1,1700000000056,1040,'kernel','RunEnded','{"beside":0,"err_log":{"bytes":0,"sha256":""},"fingerprint":"","left_out":{"count":0,"more":false,"named":[]},"measurement":{"malformed":0,"metrics":{"bytes":0,"sha256":""},"points":0,"reason":"","values":{"odd":{"value":"NaN","worst":true},"time_ms":{"value":1.0}},"verdict":null},"out_log":{"bytes":0,"sha256":""},"outcome":{"end":"exited","ended_ms":1700000000052,"exit":0,"reason":"","run":"s1-r1","sandboxed":false,"signal":0,"started_ms":1700000000049,"token":"","usage":{"cpu_s":0.1,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}},"output_digest":"","outputs":[],"reason":"","run":1,"state":"succeeded"}','6c287e947a155a931fc92d4d9495805b10c5f4ebb4107e8d77b67e56268e527a','534c79c1b03f04b1272415e2f7050aedffc60927d5b7ddb6683218c8de3e4f68');
INSERT INTO events VALUES(9,'s1',1,1700000000063,1045,'kernel','ManipulationChecked','{"findings":[{"message":"changes nothing","serious":true,"subject":"algorithm"}],"skipped":false}','534c79c1b03f04b1272415e2f7050aedffc60927d5b7ddb6683218c8de3e4f68','df5b65d291d803539e690d0eecfcd837a444cb33f5520ae574749fa0d0cab4c8');
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
INSERT INTO read_models VALUES(5);
INSERT INTO runs VALUES('s1',1,'','succeeded','smoke','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.052Z","evidence":false,"exit":0,"experiment":null,"factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r1","kept":[],"label":null,"launch":"1-token-1","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":1.0},"needs":[],"number":1,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"smoke","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.049Z","state":"succeeded","study":"s1","usage":{"cpu_s":0.1,"energy":null,"gpu":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',2,'E01','succeeded','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.115Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r2","kept":[],"label":null,"launch":"2-token-2","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.5},"needs":[],"number":2,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.112Z","state":"succeeded","study":"s1","usage":{"cpu_s":0.2,"energy":null,"gpu":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',3,'E01','lost','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.136Z","evidence":false,"exit":0,"experiment":"E01","factors":{"algorithm":"quick"},"fingerprint":null,"id":"s1-r3","kept":[],"label":null,"launch":"3-token-3","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.3333333333333333},"needs":[],"number":3,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551614,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.133Z","state":"lost","study":"s1","usage":{"cpu_s":0.30000000000000004,"energy":null,"gpu":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',4,'E01','failed','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.157Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r4","kept":[],"label":null,"launch":"4-token-4","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.25},"needs":[],"number":4,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":"exit 1: � not text","replicate":2,"retry_of":null,"sandboxed":false,"seed":18446744073709551613,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.154Z","state":"failed","study":"s1","usage":{"cpu_s":0.4,"energy":null,"gpu":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',5,'E01','succeeded','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.178Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"quick"},"fingerprint":null,"id":"s1-r5","kept":[],"label":null,"launch":"5-token-5","lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.2},"needs":[],"number":5,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":2,"retry_of":null,"sandboxed":false,"seed":18446744073709551612,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.175Z","state":"succeeded","study":"s1","usage":{"cpu_s":0.5,"energy":null,"gpu":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',6,'E01','succeeded','registered','{"attempt":2,"beside":3,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.206Z","evidence":true,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r6","kept":[],"label":null,"launch":"6-token-6","lease":{"cpus":2,"gpus":["GPU-5f1c"],"memory_bytes":1073741824},"malformed_metrics":0,"metrics":{"odd":"NaN","time_ms":0.16666666666666666},"needs":[],"number":6,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":null,"replicate":1,"retry_of":"s1-r3","sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":"2023-11-14T22:13:20.203Z","state":"succeeded","study":"s1","usage":{"cpu_s":0.6000000000000001,"energy":null,"gpu":null,"read_bytes":10,"rss_peak_bytes":1048576,"wall_s":0.3,"written_bytes":20}}');
INSERT INTO runs VALUES('s1',7,'E01','cancelled','registered','{"attempt":1,"beside":0,"blobs":{"metrics":null,"stderr":null,"stdout":null},"cached_from":null,"ended":"2023-11-14T22:13:20.224Z","evidence":false,"exit":0,"experiment":"E01","factors":{"algorithm":"bubble"},"fingerprint":null,"id":"s1-r7","kept":[],"label":null,"launch":null,"lease":{"cpus":0,"gpus":[],"memory_bytes":0},"malformed_metrics":0,"metrics":{},"needs":[],"number":7,"outputs_left_out":{"count":0,"more":false,"named":[]},"points":0,"purpose":"registered","reason":"3 runs in a row failed the same way","replicate":1,"retry_of":null,"sandboxed":false,"seed":18446744073709551615,"signal":null,"stage":null,"started":null,"state":"cancelled","study":"s1","usage":{"cpu_s":0.0,"energy":null,"gpu":null,"read_bytes":0,"rss_peak_bytes":0,"wall_s":0.0,"written_bytes":0}}');
INSERT INTO studies VALUES('s1',1,'Sorting in study s1','ended','concluded','7366da96afb9d6ee89ac5abb557b37faa5dec70eeb92a1968a3a62e94c6f25dc','{"artifact":"/tmp/ara","detail":null,"ended":"2023-11-14T22:13:20.322Z","forked_from":{"from":"s0","head":"ec18eac8d758b1eba52d3c10d39adc6dd9806472cb4ae069635d383d9086a513","requeued":[],"seq":12},"gates":[{"by":"kernel","decision":"approve","id":"s1-g1","on":"conclude","opened":"2023-11-14T22:13:20.238Z","what":"write the verdicts up as claims","why":"fine"}],"head":"9f2e6d33a3717ee826353a404ba4618d1aeeb6879ad7936bce8ed5f46814924d","hypotheses":[{"batch":1,"by":"person","control":{"algorithm":"bubble"},"direction":"different","effect":-0.125,"effect_relative":null,"experiment":"E01","failed":[0,0],"id":"H1","interval":[null,null],"interval_bca":null,"interval_relative":null,"kind":"compare","level":0.0,"margin":null,"mechanism":null,"method":"t","metric":"time_ms","n":[0,0],"p":null,"p_corrected":null,"pairing":"seed","power":null,"reason":"","smallest_effect":{"sd":1.0},"statement":"Quick is faster.","status":"final","treatment":{"algorithm":"quick"},"verdict":"supported","warnings":[],"where":{}}],"id":"s1","integrity":[{"experiment":"E01","message":"time_ms is declared deterministic but varied","metric":"time_ms"}],"jobs":3,"kind":"test","ledger":{"energy_j":{"exclusive":null,"limit":null,"reserved":0,"runs":0,"spent":null},"gpu_hours":{"limit":null,"reserved":0.0,"spent":8.333333333333333e-05},"runs":{"limit":null,"reserved":0,"spent":6},"tokens":{"limit":null,"reserved":0,"spent":0},"usd":{"limit":null,"reserved":0.0,"spent":0.0},"wall_s":{"limit":null,"reserved":0.0,"spent":0.21}},"metrics":[{"goal":"minimize","name":"time_ms","primary":true,"unit":null}],"opened":"2023-11-14T22:13:20.252Z","outcome":"concluded","output":"","question":"Which is faster? é世","reason":null,"report":"/tmp/ara/report.html","request":null,"runs":{"cached":0,"cancelled":1,"failed":1,"invalid":0,"lost":1,"queued":0,"running":0,"scratch":1,"starting":0,"succeeded":4,"timed_out":0,"total":7},"stage":"done","state":"ended","steering":["look at larger inputs"],"study_file":"","title":"Sorting in study s1"}');
