"""Personal data in free text: where it stands, and what takes its place by the policy of a tenant or a user. Pure.

`policy` says what is to become of it, `redactor` makes the `Redactor` that does so, `masking` the masks. Each kind has
a module with its finders. Secrets are those of `ragpp.redaction`, in the same pass.
"""
