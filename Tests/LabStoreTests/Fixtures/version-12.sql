PRAGMA journal_mode=WAL;
PRAGMA application_id=0x4C4C6162;
PRAGMA user_version=12;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1');
INSERT INTO grdb_migrations VALUES('2');
INSERT INTO grdb_migrations VALUES('3');
INSERT INTO grdb_migrations VALUES('4');
INSERT INTO grdb_migrations VALUES('5');
INSERT INTO grdb_migrations VALUES('6');
INSERT INTO grdb_migrations VALUES('7');
INSERT INTO grdb_migrations VALUES('8');
INSERT INTO grdb_migrations VALUES('9');
INSERT INTO grdb_migrations VALUES('10');
INSERT INTO grdb_migrations VALUES('11');
INSERT INTO grdb_migrations VALUES('12');
CREATE TABLE run (
  key INTEGER NOT NULL PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (id <> ''),
  scenario TEXT NOT NULL,
  started_at TEXT NOT NULL CHECK (started_at GLOB '????-??-??T??:??:??.???Z'),
  finished_at TEXT CHECK (finished_at GLOB '????-??-??T??:??:??.???Z'),
  status TEXT NOT NULL
    CHECK (status IN ('unfinished', 'complete', 'failed', 'interrupted')),
  seed TEXT NOT NULL CHECK (seed <> '' AND seed NOT GLOB '*[^0-9]*'),
  planned_launches INTEGER NOT NULL CHECK (planned_launches >= 0),
  fingerprint TEXT NOT NULL,
  build_commit TEXT,
  tool TEXT NOT NULL,
  plan TEXT NOT NULL CHECK (json_valid(plan)),
  host TEXT NOT NULL CHECK (json_valid(host)),
  build TEXT CHECK (build IS NULL OR json_valid(build)), purpose TEXT NOT NULL DEFAULT 'night'
  CHECK (purpose IN ('night', 'trial', 'comparison', 'proof', 'selftest', 'imported')), verdict TEXT CHECK (verdict <> ''), exit_code INTEGER CHECK (exit_code BETWEEN 0 AND 255), host_identity TEXT CHECK (host_identity <> ''), slot_night TEXT CHECK (slot_night <> ''), slot_host TEXT
  CHECK (slot_host <> '' AND (slot_host IS NULL) = (slot_night IS NULL)),
  CHECK ((build IS NULL) = (build_commit IS NULL))
) STRICT;
INSERT INTO run VALUES(1,'20261121T043000Z-0001','redis','2026-11-21T04:30:00.125Z','2026-11-21T04:30:00.125Z','complete','18446744073709551608',83,'c0ffee','0123456789abcdef0123456789abcdef01234567','0.1.0','{"arms":[{"kind":"plain","state":"reboot-cold","target":"server"},{"kind":"plain","state":"warm","target":"server"},{"kind":"counters","state":"warm","target":"server"}],"blockCount":40,"scenario":{"controls":{"cpus":[1],"environment":"inherited","isShielded":true,"network":"host","padsEnvironment":true,"required":["cpus"],"services":[],"settle":{"cpuIdle":0.9,"within":30000000000},"steal":{"foreign":0.1,"share":0.25,"stolen":0.02},"suppressed":["vm"],"swap":{"swappiness":{"_0":10}}},"counterLaunches":3,"directory":"/src","includesEmptyBaseline":true,"launches":40,"name":"redis","source":{"build":"make -j2","repository":"/src/redis"},"states":["reboot-cold","warm"],"targets":[{"command":["/src/redis-server","--port","7379"],"counters":["instructions"],"directory":"/src","environment":{"MALLOC_ARENA_MAX":"1"},"files":["/src/redis.conf"],"home":"/src/home","install":["/src/bin"],"name":"server","ready":{"tcp":{"host":"127.0.0.1","port":7379}},"standardInput":"/dev/zero","state":[{"path":"/src/state","template":"/src/template"}],"stop":{"grace":2000000000,"signal":15},"timeout":60000000000,"tty":false}]},"seed":18446744073709551608}','{"architecture":"x86_64","cpuCount":2,"cpuModel":"Test CPU","device":"vda","fileSystem":"ext4","fingerprint":"c0ffee","governor":"performance","identity":"0123456789abcdef0123456789abcdef","ioScheduler":"none","kernel":"6.18.0","libc":"glibc 2.36","memoryBytes":17179869184,"microcode":"0x1","name":"bench-1","proactiveReclaim":"DAMON pageout","readAheadKilobytes":128,"virtualization":"kvm"}','{"commit":"0123456789abcdef0123456789abcdef01234567","directory":"/cache/89abcdef","subject":"Make it \"faster\"","tree":"89abcdef","wasCached":true}','night','red',1,'0123456789abcdef0123456789abcdef','2026-11-21','bench-1');
CREATE TABLE arm (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 0),
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (run, number),
  UNIQUE (run, target, state, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO arm VALUES(1,0,'server','reboot-cold','plain');
INSERT INTO arm VALUES(1,1,'server','warm','plain');
INSERT INTO arm VALUES(1,2,'server','warm','counters');
CREATE TABLE control (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 0),
  name TEXT NOT NULL,
  wanted TEXT,
  before TEXT,
  after TEXT,
  status TEXT NOT NULL
    CHECK (status IN ('applied', 'observed', 'failed', 'unavailable')),
  reason TEXT,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
INSERT INTO control VALUES(1,0,'governor','performance','powersave','performance','applied',NULL);
INSERT INTO control VALUES(1,1,'boost',NULL,NULL,NULL,'unavailable','no cpufreq');
CREATE TABLE summary (
  run INTEGER NOT NULL,
  arm INTEGER NOT NULL,
  metric TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  n INTEGER NOT NULL CHECK (n >= 1),
  mean REAL NOT NULL,
  variance REAL CHECK (variance >= 0),
  median REAL NOT NULL,
  mad REAL NOT NULL CHECK (mad >= 0),
  min REAL NOT NULL,
  max REAL NOT NULL CHECK (max >= min),
  p90 REAL NOT NULL,
  p95 REAL NOT NULL,
  ci_low REAL,
  ci_high REAL CHECK (ci_high >= ci_low),
  PRIMARY KEY (run, arm, metric),
  FOREIGN KEY (run, arm) REFERENCES arm (run, number) ON DELETE CASCADE,
  CHECK ((ci_low IS NULL) = (ci_high IS NULL)),
  CHECK ((variance IS NULL) = (n = 1))
) STRICT, WITHOUT ROWID;
INSERT INTO summary VALUES(1,1,'launch',1,40,2600001.0,4.0,2600000.0,1.5,2599997.0,2600003.0,2600002.0,2600002.5,2599999.0,2600001.0);
CREATE TABLE file (
  id INTEGER NOT NULL PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO file VALUES(1,'/src/server');
INSERT INTO file VALUES(2,'/lib/libc.so.6');
INSERT INTO file VALUES(3,'/lib/libz.so.1');
CREATE TABLE reason (
  id INTEGER NOT NULL PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO reason VALUES(1,'mapped by pid 1 and 41 others');
INSERT INTO reason VALUES(2,'mincore says nothing without root');
INSERT INTO reason VALUES(3,'one page came back');
INSERT INTO reason VALUES(4,'1 of 907 pages of /src/server was resident');
INSERT INTO reason VALUES(5,'cpu idle 12 % (limit 90 %)');
CREATE TABLE missing (
  id INTEGER NOT NULL PRIMARY KEY,
  reasons TEXT NOT NULL UNIQUE CHECK (json_type(reasons) = 'object')
) STRICT;
INSERT INTO missing VALUES(1,'{"branches":"no right","cycles":"the machine has none"}');
CREATE TABLE residency_set (
  id INTEGER NOT NULL PRIMARY KEY
) STRICT;
INSERT INTO residency_set VALUES(1);
CREATE TABLE residency (
  residency_set INTEGER NOT NULL REFERENCES residency_set (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 0),
  file INTEGER NOT NULL REFERENCES file (id),
  is_own INTEGER NOT NULL CHECK (is_own IN (0, 1)),
  resident_pages INTEGER NOT NULL CHECK (resident_pages >= 0),
  total_pages INTEGER NOT NULL CHECK (total_pages >= resident_pages),
  pinned_by INTEGER REFERENCES reason (id),
  PRIMARY KEY (residency_set, number)
) STRICT, WITHOUT ROWID;
INSERT INTO residency VALUES(1,0,1,1,0,907,NULL);
INSERT INTO residency VALUES(1,1,2,0,480,481,1);
CREATE TABLE launch (
  run INTEGER NOT NULL,
  block INTEGER NOT NULL CHECK (block >= 0),
  position INTEGER NOT NULL CHECK (position >= 0),
  arm INTEGER NOT NULL,
  started_ns INTEGER NOT NULL,
  outcome TEXT NOT NULL
    CHECK (outcome IN ('ready', 'exited', 'signalled', 'timed-out', 'not-started')),
  exit_code INTEGER CHECK ((exit_code IS NOT NULL) = (outcome = 'exited')),
  signal INTEGER CHECK ((signal IS NOT NULL) = (outcome = 'signalled')),
  not_started INTEGER REFERENCES reason (id)
    CHECK ((not_started IS NOT NULL) = (outcome = 'not-started')),
  launch_ns INTEGER CHECK (launch_ns IS NULL OR (launch_ns >= 0 AND outcome = 'ready')),
  spawn_ns INTEGER CHECK (spawn_ns >= 0),
  resolution_ns INTEGER NOT NULL CHECK (resolution_ns >= 0),
  peak_rss_bytes INTEGER,
  peak_rss_tree_bytes INTEGER,
  minor_faults INTEGER,
  major_faults INTEGER,
  voluntary_switches INTEGER,
  involuntary_switches INTEGER,
  user_ns INTEGER,
  system_ns INTEGER,
  read_bytes INTEGER,
  includes_waited_children INTEGER NOT NULL CHECK (includes_waited_children IN (0, 1)),
  missing INTEGER REFERENCES missing (id),
  flags TEXT NOT NULL,
  stdout_bytes INTEGER NOT NULL CHECK (stdout_bytes >= 0),
  stderr_bytes INTEGER NOT NULL CHECK (stderr_bytes >= 0),
  preparation_ns INTEGER NOT NULL CHECK (preparation_ns >= 0),
  warm_ups INTEGER NOT NULL CHECK (warm_ups >= 0),
  residency_set INTEGER REFERENCES residency_set (id),
  unverified INTEGER REFERENCES reason (id),
  failure INTEGER REFERENCES reason (id),
  state_reached TEXT NOT NULL
    CHECK (state_reached IN ('reached', 'not-reached', 'not-verified')),
  state_reason INTEGER REFERENCES reason (id)
    CHECK ((state_reason IS NULL) = (state_reached = 'reached')), window_ns INTEGER CHECK (window_ns >= 0), frame_ns INTEGER CHECK (frame_ns >= 0), settled_ns INTEGER CHECK (settled_ns >= 0), speed_index_ns INTEGER CHECK (speed_index_ns >= 0),
  PRIMARY KEY (run, block, position),
  FOREIGN KEY (run, arm) REFERENCES arm (run, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO launch VALUES(1,0,0,0,0,'ready',NULL,NULL,NULL,2600000,31000,100000,1,2,3,4,5,6,7,8,9,1,1,'output-blocked left-processes killed output-truncated replaced',200000,3,3000000,2,1,2,3,'not-reached',4,1500000,2000000,2600000,2100000);
INSERT INTO launch VALUES(1,1,0,1,1000000,'ready',NULL,NULL,NULL,2600001,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'',0,0,0,0,NULL,NULL,NULL,'reached',NULL,NULL,NULL,NULL,NULL);
CREATE TABLE counter (
  run INTEGER NOT NULL,
  block INTEGER NOT NULL,
  position INTEGER NOT NULL,
  event TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (run, block, position, event),
  FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
    ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES(1,0,0,'instructions',9223372036854775807);
INSERT INTO counter VALUES(1,0,0,'page-faults',0);
CREATE TABLE output (
  run INTEGER NOT NULL,
  block INTEGER NOT NULL,
  position INTEGER NOT NULL,
  stream TEXT NOT NULL CHECK (stream IN ('stdout', 'stderr')),
  head BLOB NOT NULL,
  tail BLOB NOT NULL,
  PRIMARY KEY (run, block, position, stream),
  FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
    ON DELETE CASCADE
) STRICT;
INSERT INTO output VALUES(1,0,0,'stdout',X'00ff0a',X'0102');
INSERT INTO output VALUES(1,0,0,'stderr',X'c3a90a',X'');
CREATE TABLE stages (
  run INTEGER NOT NULL,
  block INTEGER NOT NULL,
  position INTEGER NOT NULL,
  tree TEXT NOT NULL CHECK (json_type(tree) = 'object'),
  PRIMARY KEY (run, block, position),
  FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
    ON DELETE CASCADE
) STRICT;
INSERT INTO stages VALUES(1,0,0,'{"collector":"probe","counters":{"libraries":3},"launch":{"children":[{"children":[],"duration":2000000,"flags":["merged"],"kind":"part","name":"init","place":{"file":"/lib/é.so","offset":18446744073709551615,"symbol":"start()"},"resolution":10,"source":"probe","start":600000},{"children":[],"flags":[],"kind":"excluded","name":"spawn","resolution":0,"source":"probe"}],"duration":2600000,"flags":[],"kind":"part","name":"launch","resolution":0,"source":"probe","start":0},"notes":["a note"],"others":[{"isWrapper":true,"pid":8,"program":"/bin/sh","stages":[]}],"pageIns":{"files":[{"faulted":2,"isOwn":true,"pages":9,"path":"/src/server","readAhead":7}],"majorFaults":3,"notes":["1 fault was elsewhere"]},"pid":7,"preMain":2600000,"program":"/src/server"}');
CREATE TABLE symbol (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  file INTEGER NOT NULL REFERENCES file (id),
  place INTEGER NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  PRIMARY KEY (run, file, place)
) STRICT, WITHOUT ROWID;
INSERT INTO symbol VALUES(1,3,12288,'start_here');
CREATE TABLE collector (
  run INTEGER NOT NULL,
  arm INTEGER NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  launches INTEGER NOT NULL CHECK (launches >= 1),
  launch REAL NOT NULL,
  pre_main REAL,
  parts_sum REAL,
  worst_launch REAL CHECK (worst_launch >= 0),
  plain REAL,
  cost REAL,
  PRIMARY KEY (run, arm, name),
  FOREIGN KEY (run, arm) REFERENCES arm (run, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO collector VALUES(1,0,'breakpoints',1,5,2600000.0,900000.49999999999997,2590000.0,0.010000000000000000208,2500000.0,-10.0);
CREATE TABLE stage_median (
  run INTEGER NOT NULL,
  arm INTEGER NOT NULL,
  collector TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 0),
  path TEXT NOT NULL CHECK (path <> ''),
  n INTEGER NOT NULL CHECK (n >= 1),
  median REAL NOT NULL,
  ci_low REAL,
  ci_high REAL CHECK (ci_high >= ci_low),
  share REAL,
  PRIMARY KEY (run, arm, collector, path),
  FOREIGN KEY (run, arm, collector) REFERENCES collector (run, arm, name) ON DELETE CASCADE,
  CHECK ((ci_low IS NULL) = (ci_high IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO stage_median VALUES(1,0,'breakpoints',0,'init',5,7.5,6.0,8.0,0.5);
INSERT INTO stage_median VALUES(1,0,'breakpoints',1,'init > /lib/é.so',1,3.0,NULL,NULL,NULL);
CREATE TABLE settling (
  run INTEGER NOT NULL,
  block INTEGER NOT NULL,
  position INTEGER NOT NULL,
  waited_ns INTEGER NOT NULL CHECK (waited_ns >= 0),
  obstacle INTEGER REFERENCES reason (id),
  PRIMARY KEY (run, block, position),
  FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
    ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO settling VALUES(1,0,0,30000000000,5);
CREATE TABLE disturbance (
  run INTEGER NOT NULL,
  block INTEGER NOT NULL,
  position INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 0),
  kind TEXT NOT NULL CHECK (kind <> ''),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  limit_value INTEGER NOT NULL CHECK (limit_value >= 0),
  PRIMARY KEY (run, block, position, number),
  FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
    ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO disturbance VALUES(1,0,0,0,'steal',400000,52000);
INSERT INTO disturbance VALUES(1,0,0,1,'foreign-cpu',9223372036854775807,0);
CREATE TABLE noise (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  state TEXT NOT NULL,
  measured_at TEXT NOT NULL CHECK (measured_at GLOB '????-??-??T??:??:??.???Z'),
  fingerprint TEXT NOT NULL,
  command TEXT NOT NULL CHECK (json_type(command) = 'array'),
  pairs INTEGER NOT NULL CHECK (pairs >= 1),
  median REAL NOT NULL CHECK (median >= 0),
  cv REAL NOT NULL CHECK (cv >= 0),
  comparisons INTEGER NOT NULL CHECK (comparisons >= 0),
  false_alarms INTEGER NOT NULL CHECK (false_alarms BETWEEN 0 AND comparisons),
  PRIMARY KEY (run, state)
) STRICT, WITHOUT ROWID;
INSERT INTO noise VALUES(1,'warm','2026-11-21T04:30:00.125Z','c0ffee','["/bin/true","é"]',40,2600000.4999999999999,0.070000000000000006661,20,1);
CREATE TABLE detectable_effect (
  run INTEGER NOT NULL,
  state TEXT NOT NULL,
  pairs INTEGER NOT NULL CHECK (pairs >= 1),
  effect REAL NOT NULL CHECK (effect >= 0),
  PRIMARY KEY (run, state, pairs),
  FOREIGN KEY (run, state) REFERENCES noise (run, state) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO detectable_effect VALUES(1,'warm',10,0.080000000000000001665);
INSERT INTO detectable_effect VALUES(1,'warm',40,0.040000000000000000832);
CREATE TABLE artifact (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  target TEXT NOT NULL CHECK (target <> ''),
  path TEXT NOT NULL CHECK (path <> ''),
  digest TEXT NOT NULL CHECK (digest <> '' AND digest NOT GLOB '*[^0-9a-f]*'),
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (run, target)
) STRICT, WITHOUT ROWID;
INSERT INTO artifact VALUES(1,'server','/src/é','00ff',9223372036854775807);
CREATE TABLE alert (
  number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
  kind TEXT NOT NULL CHECK (kind IN ('step', 'drift', 'budget')),
  scenario TEXT NOT NULL,
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  metric TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('worse', 'better')),
  status TEXT NOT NULL CHECK (status IN
    ('suspected', 'confirmed', 'acknowledged', 'fixed', 'recovered', 'refuted')),
  cause TEXT NOT NULL CHECK (cause IN ('code', 'machine', 'unknown')),
  onset TEXT NOT NULL CHECK (onset <> ''),
  last_good TEXT,
  before REAL NOT NULL,
  after REAL NOT NULL,
  proof TEXT CHECK (proof IS NULL OR json_type(proof) = 'object')
) STRICT;
INSERT INTO alert VALUES(1,'step','redis','server','warm','launch','c0ffee','worse','confirmed','code','20261121T043000Z-3fa2','20261120T043000Z-1a2b',2500000.100000000093,2600000.2000000001862,'{"bad":"4567","baseline":"server@good","candidate":"server@bad","confidence":0.95,"effectLimit":0.02,"good":"0123","high":1.09,"low":1.07,"pairs":40,"ratio":1.08,"run":"20261121T050000Z-1a2b","scope":"executable","smallestDetectable":0.013,"verdict":"regression"}');
CREATE TABLE alert_event (
  alert INTEGER NOT NULL REFERENCES alert (number) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 0),
  at TEXT NOT NULL CHECK (at GLOB '????-??-??T??:??:??.???Z'),
  run TEXT,
  status TEXT NOT NULL CHECK (status IN
    ('suspected', 'confirmed', 'acknowledged', 'fixed', 'recovered', 'refuted')),
  cause TEXT NOT NULL CHECK (cause IN ('code', 'machine', 'unknown')),
  reason TEXT NOT NULL,
  criteria TEXT NOT NULL CHECK (json_type(criteria) = 'array'), person TEXT CHECK (person <> ''),
  PRIMARY KEY (alert, number)
) STRICT;
INSERT INTO alert_event VALUES(1,0,'2026-11-21T04:30:00.125Z','20261121T043000Z-3fa2','suspected','unknown','one night is beyond the limit','[{"id":"t-prediction","isMet":true,"limit":"inf","n":12,"runs":["20261121T043000Z-3fa2"],"text":"tonight''s median against the limit","unit":"ns","value":0.30000000000000004},{"id":"effect","isMet":false,"runs":[],"text":"none","unit":"share"}]',NULL);
INSERT INTO alert_event VALUES(1,1,'2026-11-21T04:31:00.125Z',NULL,'confirmed','code','the comparison "agrees"','[]','ann');
CREATE TABLE explanation (
  alert INTEGER NOT NULL PRIMARY KEY REFERENCES alert (number) ON DELETE CASCADE,
  run TEXT NOT NULL CHECK (run <> ''),
  before TEXT NOT NULL CHECK (before <> ''),
  after TEXT NOT NULL CHECK (after <> ''),
  why TEXT NOT NULL CHECK (why <> ''),
  markdown TEXT NOT NULL,
  section TEXT NOT NULL,
  text TEXT NOT NULL,
  document TEXT NOT NULL CHECK (json_type(document) = 'object'),
  flame_graph TEXT NOT NULL
) STRICT;
INSERT INTO explanation VALUES(1,'20261121T043000Z-0001','server@0123','server@4567','scan_plugins (new): +0.34 of +0.46 ms (73 %)','`scan_plugins` (new): +0.34 of +0.46 ms (73 %)',replace('### server@4567 is slower\n','\n',char(10)),replace('server@4567 is slower\n','\n',char(10)),'{}','<svg/>');
CREATE TABLE delivery (
  alert INTEGER NOT NULL,
  event INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 0),
  notifier TEXT NOT NULL CHECK (notifier <> ''),
  at TEXT NOT NULL CHECK (at GLOB '????-??-??T??:??:??.???Z'),
  failure TEXT,
  PRIMARY KEY (alert, event, number),
  FOREIGN KEY (alert, event) REFERENCES alert_event (alert, number) ON DELETE CASCADE
) STRICT;
INSERT INTO delivery VALUES(1,1,0,'email a@example.org','2026-11-21T04:30:00.125Z','sendmail is missing');
CREATE TABLE run_decision (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 0),
  at TEXT NOT NULL CHECK (at GLOB '????-??-??T??:??:??.???Z'),
  person TEXT NOT NULL,
  standing TEXT NOT NULL CHECK (standing IN ('included', 'excluded', 'removed')),
  reason TEXT NOT NULL,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
INSERT INTO run_decision VALUES(1,0,'2026-11-21T05:00:00.000Z','ann','excluded','a backup ran');
INSERT INTO run_decision VALUES(1,1,'2026-11-21T06:00:00.000Z','ann','included','');
CREATE TABLE contents (
  id INTEGER NOT NULL PRIMARY KEY,
  things TEXT NOT NULL UNIQUE CHECK (json_type(things) = 'object')
) STRICT;
INSERT INTO contents VALUES(1,'{"opened":["libplug.so"],"things":[{"kind":"library","name":"libfoo.so.1"}]}');
CREATE TABLE inventory (
  run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
  target TEXT NOT NULL CHECK (target <> ''),
  contents INTEGER NOT NULL REFERENCES contents (id),
  PRIMARY KEY (run, target)
) STRICT, WITHOUT ROWID;
INSERT INTO inventory VALUES(1,'server',1);
CREATE TABLE inventory_count (
  run INTEGER NOT NULL,
  target TEXT NOT NULL,
  figure TEXT NOT NULL CHECK (figure <> ''),
  median REAL NOT NULL CHECK (median >= 0),
  spread REAL NOT NULL CHECK (spread >= 0),
  PRIMARY KEY (run, target, figure),
  FOREIGN KEY (run, target) REFERENCES inventory (run, target) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO inventory_count VALUES(1,'server','relocations',1204.0,0.0);
CREATE TABLE film (
  run INTEGER NOT NULL,
  block INTEGER NOT NULL,
  position INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number >= 0),
  at_ns INTEGER NOT NULL CHECK (at_ns >= 0),
  progress REAL NOT NULL CHECK (progress BETWEEN 0 AND 1),
  png BLOB NOT NULL,
  PRIMARY KEY (run, block, position, number),
  FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position) ON DELETE CASCADE
) STRICT;
INSERT INTO film VALUES(1,0,0,0,1500000,0.0,X'89504e47');
INSERT INTO film VALUES(1,0,0,1,2600000,1.0,X'89504e470d');
CREATE INDEX run_by_start ON run (started_at);
CREATE INDEX run_by_host ON run (scenario, host_identity, started_at);
CREATE INDEX run_by_slot ON run (slot_night, slot_host) WHERE slot_night IS NOT NULL;
CREATE INDEX noise_by_fingerprint ON noise (fingerprint, measured_at);
CREATE INDEX run_by_scenario
  ON run (scenario, started_at, id, purpose, status, fingerprint);
CREATE INDEX alert_by_scenario ON alert (scenario, number);
CREATE VIEW left_out AS
  SELECT run, at, person, standing, reason FROM run_decision AS d
  WHERE standing <> 'included'
    AND number = (SELECT max(number) FROM run_decision WHERE run = d.run);
COMMIT;
