-- Workers vacuum what the erasure of a user has touched; they are not let to read a row of it.
GRANT USAGE ON SCHEMA identity TO ragpp_relay;
GRANT MAINTAIN ON audit.accesses, identity.keys TO ragpp_relay;
