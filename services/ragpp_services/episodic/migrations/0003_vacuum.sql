-- Workers vacuum the partitions that a forgetting has touched; they are not let to read a row of them.
GRANT USAGE ON SCHEMA episodic TO ragpp_relay;
DO $$
BEGIN
  FOR remainder IN 0..15 LOOP
    EXECUTE format('GRANT MAINTAIN ON episodic.interactions_%s, episodic.chunks_%s TO ragpp_relay', remainder, remainder);
  END LOOP;
END
$$;
