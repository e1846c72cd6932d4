-- Health reports, the latest hundred: of the scratch tenant (ragpp.health), which no key speaks for.
CREATE TABLE audit.health_reports (
  tenant_id text        NOT NULL,
  at        timestamptz NOT NULL,
  report    jsonb       NOT NULL,
  PRIMARY KEY (tenant_id, at)
);
ALTER TABLE audit.health_reports ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit.health_reports FORCE  ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON audit.health_reports TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
GRANT SELECT, INSERT, DELETE ON audit.health_reports TO ragpp_app;
