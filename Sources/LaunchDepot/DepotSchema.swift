/// The schema of a depot, which is the schema `launchlab` of a database.
///
/// Its text is SQL only: a migration that has shipped is never edited, and knows no type of ours.
enum DepotSchema {
  /// What brings a depot from each version to the next one; the first makes it.
  ///
  /// Every version keeps `launchlab.depot` with `program` and `version`, by which launchlab knows a
  /// depot, and the numbers of its errors: `LL001` another content under an id, `LL002` a document
  /// that breaks a rule, `LL003` a cloned host, `LL004` a host that belongs to another login.
  static let migrations = [tables + push + questions, slots, limits + trust]

  private static let tables = """
    CREATE DOMAIN launchlab.label AS text CHECK (value <> '' AND octet_length(value) <= 1000);

    -- One row. It is locked by each push, so that keys of runs are in the order of commits.
    CREATE TABLE launchlab.depot (
      program text PRIMARY KEY DEFAULT 'launchlab' CHECK (program = 'launchlab'),
      version int NOT NULL,
      last_run bigint NOT NULL DEFAULT 0,
      made_at timestamptz NOT NULL DEFAULT now()
    );
    INSERT INTO launchlab.depot (version) VALUES (0);

    CREATE TABLE launchlab.host (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      identity launchlab.label NOT NULL UNIQUE,
      name launchlab.label NOT NULL,
      kind launchlab.label NOT NULL,
      first_seen timestamptz NOT NULL,
      last_seen timestamptz NOT NULL
    );

    -- From when until when a host had a name. The times of different names do not overlap.
    CREATE TABLE launchlab.host_name (
      host bigint NOT NULL REFERENCES launchlab.host,
      name launchlab.label NOT NULL,
      first_seen timestamptz NOT NULL,
      last_seen timestamptz NOT NULL,
      PRIMARY KEY (host, name)
    );

    CREATE TABLE launchlab.run (
      key bigint PRIMARY KEY,
      host bigint NOT NULL REFERENCES launchlab.host,
      host_name launchlab.label,
      id launchlab.label NOT NULL,
      scenario launchlab.label NOT NULL,
      purpose launchlab.label NOT NULL CHECK (
        purpose IN ('night', 'trial', 'comparison', 'proof', 'selftest', 'imported')
      ),
      started_at timestamptz NOT NULL,
      finished_at timestamptz NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now(),
      clock_off_seconds float8,
      fingerprint launchlab.label NOT NULL,
      commit launchlab.label,
      tree launchlab.label,
      tool launchlab.label NOT NULL,
      schema int NOT NULL CHECK (schema >= 1),
      digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
      bytes int NOT NULL,
      UNIQUE (host, id)
    );
    CREATE INDEX run_of_scenario ON launchlab.run (scenario, key);
    CREATE INDEX run_of_host ON launchlab.run (host, key);

    CREATE TABLE launchlab.run_file (
      run bigint PRIMARY KEY REFERENCES launchlab.run,
      content bytea NOT NULL
    );

    CREATE TABLE launchlab.series (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      scenario launchlab.label NOT NULL,
      target launchlab.label NOT NULL,
      state launchlab.label NOT NULL,
      metric launchlab.label NOT NULL,
      UNIQUE (scenario, target, state, metric)
    );

    CREATE TABLE launchlab.point (
      series bigint NOT NULL REFERENCES launchlab.series,
      host bigint NOT NULL REFERENCES launchlab.host,
      run bigint NOT NULL REFERENCES launchlab.run,
      started_at timestamptz NOT NULL,
      n int NOT NULL CHECK (n >= 1),
      median float8 NOT NULL,
      mad float8 NOT NULL,
      ci_low float8,
      ci_high float8 CHECK ((ci_low IS NULL) = (ci_high IS NULL)),
      PRIMARY KEY (host, series, started_at, run)
    );
    CREATE INDEX point_of_night ON launchlab.point (started_at);

    -- What the host concluded of a scenario last, and what people decided there: its alerts.
    CREATE TABLE launchlab.conclusions (
      host bigint NOT NULL REFERENCES launchlab.host,
      scenario launchlab.label NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now(),
      schema int NOT NULL CHECK (schema >= 1),
      digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
      content bytea NOT NULL,
      PRIMARY KEY (host, scenario)
    );

    """

  /// Stores a run, all of it or nothing.
  ///
  /// The row lock of `launchlab.depot` is held until the commit, and released after the run can be
  /// seen. So the next push takes its key after that, and whoever sees a key sees all lesser ones.
  ///
  /// The rules for clones: under one identity no two nights are at the same time, since a machine has one
  /// lab lock, and the time from the first to the last start of each name
  /// does not overlap with that of another name. Renaming a host keeps it, in whatever order the runs
  /// arrive, since the parts of times that do not overlap do not overlap either. A start counts as
  /// the time of arrival if it is later, as by a wrong clock.
  private static let push = """
    CREATE FUNCTION launchlab.push(document jsonb, content bytea) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $push$
    DECLARE
      given record;
      received timestamptz;
      started timestamptz;
      finished timestamptz;
      seen timestamptz;
      known text;
      host_key bigint;
      run_key bigint;
      named record;
      other text;
    BEGIN
      -- What is answered is on the disk.
      IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'local', true);
      END IF;
      PERFORM FROM launchlab.depot FOR UPDATE;
      received := clock_timestamp();

      SELECT * INTO given FROM jsonb_to_record(document) AS d (
        host_identity text, host_name text, current_name text, fingerprint text, id text, scenario text, purpose text,
        started_at float8, finished_at float8, commit text, tree text, tool text, schema int,
        digest text, points jsonb
      );
      SELECT r.digest INTO known FROM launchlab.run r JOIN launchlab.host h ON h.key = r.host
      WHERE h.identity = given.host_identity AND r.id = given.id;
      IF known = given.digest THEN
        RETURN 'known';
      ELSIF known IS NOT NULL THEN
        RAISE EXCEPTION 'run "%" of host "%" is stored with another content',
          given.id, given.host_name USING ERRCODE = 'LL001';
      END IF;

      started := to_timestamp(given.started_at);
      finished := to_timestamp(given.finished_at);
      seen := least(started, received);
      INSERT INTO launchlab.host AS h (identity, name, kind, first_seen, last_seen)
      VALUES (given.host_identity,
        coalesce(given.host_name, given.current_name, left(given.host_identity, 8)),
        given.fingerprint, seen, seen)
      ON CONFLICT (identity) DO UPDATE SET
        kind = CASE WHEN seen >= h.last_seen THEN excluded.kind ELSE h.kind END,
        first_seen = least(h.first_seen, seen),
        last_seen = greatest(h.last_seen, seen)
      RETURNING h.key INTO host_key;

      SELECT r.host_name INTO other FROM launchlab.run r
      WHERE r.host = host_key AND r.purpose IN ('night', 'proof')
        AND given.purpose IN ('night', 'proof')
        AND r.started_at < finished AND r.finished_at > started LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'two machines have the identity of host "%": run "%" overlaps with another one',
          coalesce(given.host_name, other, given.host_identity), given.id USING ERRCODE = 'LL003';
      END IF;

      INSERT INTO launchlab.host_name AS n (host, name, first_seen, last_seen)
      SELECT host_key, given.host_name, seen, seen WHERE given.host_name IS NOT NULL
      ON CONFLICT (host, name) DO UPDATE SET
        first_seen = least(n.first_seen, seen), last_seen = greatest(n.last_seen, seen)
      RETURNING n.first_seen, n.last_seen INTO named;
      SELECT n.name INTO other FROM launchlab.host_name n
      WHERE n.host = host_key AND n.name <> given.host_name
        AND n.first_seen <= named.last_seen AND n.last_seen >= named.first_seen LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'hosts "%" and "%" have one identity, and were at work at the same time',
          other, given.host_name USING ERRCODE = 'LL003';
      END IF;

      UPDATE launchlab.host h SET name = n.name FROM (
        SELECT name FROM launchlab.host_name WHERE host = host_key ORDER BY last_seen DESC LIMIT 1
      ) n WHERE h.key = host_key;
      UPDATE launchlab.depot SET last_run = last_run + 1 RETURNING last_run INTO run_key;
      INSERT INTO launchlab.run (
        key, host, host_name, id, scenario, purpose, started_at, finished_at, received_at,
        clock_off_seconds, fingerprint, commit, tree, tool, schema, digest, bytes
      ) VALUES (
        run_key, host_key, given.host_name, given.id, given.scenario, given.purpose, started,
        finished, received,
        CASE WHEN finished > received + interval '60 s'
          THEN extract(epoch FROM finished - received)::float8 END,
        given.fingerprint, given.commit, given.tree, given.tool, given.schema, given.digest,
        octet_length(content)
      );
      INSERT INTO launchlab.run_file (run, content) VALUES (run_key, content);
      INSERT INTO launchlab.series (scenario, target, state, metric)
        SELECT given.scenario, p.target, p.state, p.metric
        FROM jsonb_to_recordset(given.points) AS p (target text, state text, metric text)
        EXCEPT SELECT s.scenario, s.target, s.state, s.metric FROM launchlab.series s
        WHERE s.scenario = given.scenario;
      INSERT INTO launchlab.point
        (series, host, run, started_at, n, median, mad, ci_low, ci_high)
        SELECT s.key, host_key, run_key, started, p.n, p.median, p.mad, p.ci_low, p.ci_high
        FROM jsonb_to_recordset(given.points) AS p (
          target text, state text, metric text, n int, median float8, mad float8, ci_low float8,
          ci_high float8
        ) JOIN launchlab.series s ON s.scenario = given.scenario AND s.target = p.target
          AND s.state = p.state AND s.metric = p.metric;
      RETURN 'stored';
    EXCEPTION
      WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
        RAISE EXCEPTION '%', sqlerrm USING ERRCODE = 'LL002';
    END
    $push$;

    """

  /// What a host may ask and say beside its runs.
  private static let questions = """
    -- Which of the ids are not stored of a host.
    CREATE FUNCTION launchlab.missing(host_identity text, ids text[]) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $missing$
      SELECT given FROM unnest(ids) WITH ORDINALITY AS u (given, place) WHERE NOT EXISTS (
        SELECT FROM launchlab.run r JOIN launchlab.host h ON h.key = r.host
        WHERE h.identity = host_identity AND r.id = given) ORDER BY place
    $missing$;

    -- The digest of what is stored of a host as its conclusions; null for none.
    CREATE FUNCTION launchlab.concluded(host_identity text, of_scenario text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $concluded$
      SELECT c.digest FROM launchlab.conclusions c JOIN launchlab.host h ON h.key = c.host
      WHERE h.identity = host_identity AND c.scenario = of_scenario
    $concluded$;

    -- Takes the conclusions of a host that has a run, in place of those before.
    CREATE FUNCTION launchlab.conclude(
      host_identity text, of_scenario text, schema int, digest text, content bytea
    ) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $conclude$
      INSERT INTO launchlab.conclusions AS c (host, scenario, schema, digest, content)
      SELECT h.key, of_scenario, schema, digest, content FROM launchlab.host h
      WHERE h.identity = host_identity
      ON CONFLICT (host, scenario) DO UPDATE SET received_at = excluded.received_at,
        schema = excluded.schema, digest = excluded.digest, content = excluded.content
    $conclude$;

    """

  /// Which night and which host of a fleet a run is for: by them the fleet knows what is still to be
  /// measured.
  ///
  /// The points of the newest nights are found through the labels of the nights and the keys of the runs.
  private static let slots = """
    ALTER TABLE launchlab.run ADD slot_night launchlab.label, ADD slot_host launchlab.label,
      ADD CHECK ((slot_night IS NULL) = (slot_host IS NULL));
    CREATE INDEX run_of_slot ON launchlab.run (slot_night, slot_host, scenario)
      WHERE slot_night IS NOT NULL;
    CREATE INDEX proof_of_scenario ON launchlab.run (scenario, slot_night) WHERE purpose = 'proof';

    -- Why a host could not measure, in its own words.
    CREATE TABLE launchlab.problem (
      slot_night launchlab.label NOT NULL,
      slot_host launchlab.label NOT NULL,
      scenario launchlab.label,
      received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      problem launchlab.label NOT NULL
    );
    CREATE INDEX problem_of_slot ON launchlab.problem (slot_night, slot_host);

    CREATE FUNCTION launchlab.tell(night text, host text, scenario text, problem text)
    RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $tell$
      INSERT INTO launchlab.problem (slot_night, slot_host, scenario, problem)
      VALUES (night, host, scenario, left(problem, 250))
    $tell$;

    -- The label of the night, which is the day in UTC where no fleet has given one.
    ALTER TABLE launchlab.run ADD night text NOT NULL GENERATED ALWAYS AS (coalesce(
      slot_night,
      lpad(extract(year FROM started_at AT TIME ZONE 'UTC')::int::text, 4, '0')
        || '-' || lpad(extract(month FROM started_at AT TIME ZONE 'UTC')::int::text, 2, '0')
        || '-' || lpad(extract(day FROM started_at AT TIME ZONE 'UTC')::int::text, 2, '0')
    )) STORED;
    CREATE INDEX run_of_night ON launchlab.run (scenario, night, started_at)
      WHERE purpose IN ('night', 'imported');
    CREATE INDEX point_of_run ON launchlab.point (run);

    ALTER FUNCTION launchlab.push RENAME TO push_run;
    CREATE FUNCTION launchlab.push(document jsonb, content bytea) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $push$
    DECLARE
      receipt text := launchlab.push_run(document, content);
    BEGIN
      -- The lock that was taken by the other function is held: this is the run that it has stored.
      UPDATE launchlab.run
      SET slot_night = document #>> '{slot,night}', slot_host = document #>> '{slot,host}'
      WHERE receipt = 'stored' AND key = (SELECT last_run FROM launchlab.depot)
        AND document #>> '{slot,night}' IS NOT NULL;
      RETURN receipt;
    EXCEPTION WHEN integrity_constraint_violation THEN
      RAISE EXCEPTION '%', sqlerrm USING ERRCODE = 'LL002';
    END
    $push$;

    """

  /// What readers can use, whatever a host has pushed.
  ///
  /// Rows that are there already are left as they are, since readers leave out what they cannot use.
  private static let limits = """
    UPDATE launchlab.host SET name = left(name, 60) WHERE octet_length(name) > 255;
    UPDATE launchlab.host SET first_seen = greatest(first_seen, 'epoch'),
      last_seen = greatest(last_seen, 'epoch')
      WHERE first_seen < 'epoch' OR last_seen < 'epoch';
    ALTER TABLE launchlab.host ADD CONSTRAINT host_limits CHECK (
      octet_length(name) <= 255 AND octet_length(identity) <= 255
      AND first_seen >= 'epoch' AND last_seen >= 'epoch' AND last_seen < 'infinity') NOT VALID;
    ALTER TABLE launchlab.host_name ADD CONSTRAINT host_name_limits CHECK (
      octet_length(name) <= 255) NOT VALID;
    ALTER TABLE launchlab.run ADD CONSTRAINT run_limits CHECK (
      id ~ '^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$'
      AND started_at >= 'epoch' AND started_at < '9999-12-31 00:00:00+00'
      AND finished_at >= 'epoch' AND finished_at < '9999-12-31 00:00:00+00') NOT VALID;
    ALTER TABLE launchlab.run_file ADD CONSTRAINT run_file_limits CHECK (
      octet_length(content) <= 67108864) NOT VALID;
    ALTER TABLE launchlab.conclusions ADD CONSTRAINT conclusions_limits CHECK (
      octet_length(content) <= 67108864) NOT VALID;
    -- A value is one that 64 bits can hold; not a number and the infinite ones are outside, too.
    ALTER TABLE launchlab.point ADD CONSTRAINT point_limits CHECK (
      n <= 1000000000 AND abs(median) <= 9e18 AND mad BETWEEN 0 AND 9e18
      AND abs(coalesce(ci_low, 0)) <= 9e18 AND abs(coalesce(ci_high, 0)) <= 9e18) NOT VALID;

    """

  /// Who may speak for a host: the login that did so first, or the role that it was given to.
  ///
  /// Hosts and the names of hosts of a fleet are of a login each. `session_user` is who has logged in,
  /// whatever function asks.
  private static let trust = """
    CREATE TABLE launchlab.trust (
      kind text NOT NULL CHECK (kind IN ('host', 'slot')),
      name launchlab.label NOT NULL,
      role text NOT NULL CHECK (role <> ''),
      since timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (kind, name)
    );

    CREATE FUNCTION launchlab.speak(of_kind text, of_name text, claims boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $speak$
    DECLARE
      owner text;
    BEGIN
      IF claims THEN
        INSERT INTO launchlab.trust (kind, name, role) VALUES (of_kind, of_name, session_user)
        ON CONFLICT DO NOTHING;
      END IF;
      SELECT t.role INTO owner FROM launchlab.trust t WHERE t.kind = of_kind AND t.name = of_name;
      IF owner <> session_user AND NOT EXISTS (
        SELECT FROM pg_roles r WHERE r.rolname = owner AND pg_has_role(session_user, r.oid, 'MEMBER')
      ) THEN
        RAISE EXCEPTION 'host "%" belongs to the login "%", and not to "%"', of_name, owner, session_user
          USING ERRCODE = 'LL004';
      END IF;
    END
    $speak$;

    ALTER FUNCTION launchlab.push RENAME TO push_slot;
    DO $revoke$ BEGIN
      IF to_regrole('launchlab_push') IS NOT NULL THEN
        REVOKE ALL ON FUNCTION launchlab.push_slot FROM launchlab_push;
      END IF;
    END $revoke$;
    CREATE FUNCTION launchlab.push(document jsonb, content bytea) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $push$
    BEGIN
      PERFORM FROM launchlab.depot FOR UPDATE;
      PERFORM launchlab.speak('host', document ->> 'host_identity', true);
      IF document #>> '{slot,host}' IS NOT NULL THEN
        PERFORM launchlab.speak('slot', document #>> '{slot,host}', true);
      END IF;
      RETURN launchlab.push_slot(document, content);
    EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
      RAISE EXCEPTION '%', sqlerrm USING ERRCODE = 'LL002';
    END
    $push$;

    CREATE OR REPLACE FUNCTION launchlab.missing(host_identity text, ids text[]) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $missing$
    BEGIN
      PERFORM launchlab.speak('host', host_identity, false);
      RETURN QUERY SELECT given FROM unnest(ids) WITH ORDINALITY AS u (given, place) WHERE NOT EXISTS (
        SELECT FROM launchlab.run r JOIN launchlab.host h ON h.key = r.host
        WHERE h.identity = host_identity AND r.id = given) ORDER BY place;
    END
    $missing$;

    CREATE OR REPLACE FUNCTION launchlab.concluded(host_identity text, of_scenario text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $concluded$
    BEGIN
      PERFORM launchlab.speak('host', host_identity, false);
      RETURN (SELECT c.digest FROM launchlab.conclusions c JOIN launchlab.host h ON h.key = c.host
        WHERE h.identity = host_identity AND c.scenario = of_scenario);
    END
    $concluded$;

    CREATE OR REPLACE FUNCTION launchlab.conclude(
      host_identity text, of_scenario text, schema int, digest text, content bytea
    ) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $conclude$
    #variable_conflict use_column
    BEGIN
      PERFORM launchlab.speak('host', conclude.host_identity,
        EXISTS (SELECT FROM launchlab.host h WHERE h.identity = conclude.host_identity));
      INSERT INTO launchlab.conclusions AS c (host, scenario, schema, digest, content)
      SELECT h.key, conclude.of_scenario, conclude.schema, conclude.digest, conclude.content
      FROM launchlab.host h WHERE h.identity = conclude.host_identity
      ON CONFLICT (host, scenario) DO UPDATE SET received_at = excluded.received_at,
        schema = excluded.schema, digest = excluded.digest, content = excluded.content;
    END
    $conclude$;

    CREATE OR REPLACE FUNCTION launchlab.tell(night text, host text, scenario text, problem text)
    RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $tell$
    BEGIN
      PERFORM launchlab.speak('slot', tell.host, true);
      INSERT INTO launchlab.problem (slot_night, slot_host, scenario, problem)
      VALUES (tell.night, tell.host, tell.scenario, left(tell.problem, 250));
    END
    $tell$;

    """

  /// Makes the roles if the user may, and grants their rights; it can be done again at any time.
  ///
  /// Roles belong to all databases of a server, so that another depot may make them at this moment.
  static let grants = """
    DO $grants$
    DECLARE
      missing name;
    BEGIN
      FOR missing IN SELECT unnest(ARRAY['launchlab_push', 'launchlab_read'])
        EXCEPT SELECT rolname FROM pg_roles
      LOOP
        BEGIN
          EXECUTE format('CREATE ROLE %I NOLOGIN', missing);
        EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
        END;
      END LOOP;
      REVOKE ALL ON SCHEMA launchlab FROM PUBLIC;
      REVOKE ALL ON ALL TABLES IN SCHEMA launchlab FROM PUBLIC;
      REVOKE ALL ON ALL FUNCTIONS IN SCHEMA launchlab FROM PUBLIC;
      IF (SELECT count(*) = 2 FROM pg_roles WHERE rolname IN ('launchlab_push', 'launchlab_read'))
      THEN
        REVOKE ALL ON FUNCTION launchlab.push_run FROM launchlab_push;
        GRANT USAGE ON SCHEMA launchlab TO launchlab_push, launchlab_read;
        GRANT SELECT ON launchlab.depot TO launchlab_push;
        GRANT EXECUTE ON FUNCTION launchlab.push, launchlab.missing, launchlab.concluded,
          launchlab.conclude, launchlab.tell TO launchlab_push;
        GRANT SELECT ON ALL TABLES IN SCHEMA launchlab TO launchlab_read;
      END IF;
    END
    $grants$;

    """
}
