-- The logins of a fleet, with no more rights than they need. Run it in the database of the depot, after
-- `launchlab depot init`, as its owner; it can be run again.
--
--   sudo -u postgres psql lab <roles.sql
--
-- Whoever logs in needs a way to be known: `\password fleet_host` for hosts that come over the network, and
-- peer in pg_hba.conf for a head that is on the same machine.

-- The head, and who reads reports: may read every table, and change none.
SET client_min_messages = warning;
SELECT 'CREATE ROLE fleet_head LOGIN' WHERE to_regrole('fleet_head') IS NULL \gexec
GRANT launchlab_read TO fleet_head;

-- Every host: may add runs, by calling a function, and read no table of runs. Whoever
-- takes over a host cannot change or delete what others have measured. Hosts that share this login can add runs in
-- each other's name; a login of its own for each, with GRANT launchlab_push, keeps them from it.
SELECT 'CREATE ROLE fleet_host LOGIN' WHERE to_regrole('fleet_host') IS NULL \gexec
GRANT launchlab_push TO fleet_host;
