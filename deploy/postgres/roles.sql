-- Creates the roles of Waypost's processes. Run it once as administrator in the database `waypost`; a rerun changes nothing.
-- Afterwards give each a password: ALTER ROLE waypost_api PASSWORD '…'. Without one it cannot log in.
--
--   waypost_owner        owns the schema; only for `waypost admin prepare`
--   waypost_api          reads and writes link-api's tables
--   waypost_redirector   reads what a redirect needs
--   waypost_scanner      reads and writes the scanner's tables
--
-- The migrations/grants.ts of link-api and of the scanner have their rights on tables and columns: `prepare` grants them
-- after each migration.
-- analytics-ingest does not use this database.
DO $$
DECLARE
  name text;
  owned record;
BEGIN
  FOREACH name IN ARRAY ARRAY['waypost_owner', 'waypost_api', 'waypost_redirector', 'waypost_scanner'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', name);
    END IF;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), name);
  END LOOP;
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());

  ALTER ROLE waypost_redirector SET default_transaction_read_only = on;
  -- The limit of its process, which a connection pooler would not pass on.
  ALTER ROLE waypost_redirector SET statement_timeout = '1750ms';
  ALTER ROLE waypost_scanner RESET default_transaction_read_only; -- an earlier version set it

  REVOKE ALL ON SCHEMA public FROM PUBLIC;
  GRANT USAGE, CREATE ON SCHEMA public TO waypost_owner;
  GRANT USAGE ON SCHEMA public TO waypost_api, waypost_redirector, waypost_scanner;

  -- These tables and functions come from a version in which one role did everything.
  FOR owned IN
    SELECT c.oid::regclass AS name FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relowner <> 'waypost_owner'::regrole
  LOOP
    EXECUTE format('ALTER TABLE %s OWNER TO waypost_owner', owned.name);
  END LOOP;
  FOR owned IN
    SELECT p.oid::regprocedure AS name FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proname = 'create_links' AND p.proowner <> 'waypost_owner'::regrole
  LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO waypost_owner', owned.name);
  END LOOP;
END
$$;
