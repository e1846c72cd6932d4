-- Workers vacuum the tables that an erasure has touched; they are not let to read a row of them.
GRANT USAGE ON SCHEMA procedural TO ragpp_relay;
GRANT MAINTAIN ON
  procedural.preferences, procedural.preference_versions, procedural.rules, procedural.rule_versions,
  procedural.findings, procedural.finding_evidence, procedural.reflections
  TO ragpp_relay;
