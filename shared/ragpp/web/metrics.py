"""`GET /metrics`: what the process counts, for Prometheus to read."""

import hmac

from fastapi import FastAPI, Request
from starlette.responses import Response

from ragpp.errors import NotFound, Unauthenticated
from ragpp.observability.metrics import CONTENT_TYPE_LATEST, exposition
from ragpp.settings import MetricsSettings


def install_metrics(app: FastAPI, settings: MetricsSettings) -> None:
    """Let `app` answer `GET /metrics`: a 404 where metrics are off, a 401 where they have a credential and the request
    has not."""
    credential = settings.credential.get_secret_value() if settings.credential is not None else None
    expected = None if credential is None else f"Bearer {credential}".encode()

    @app.get("/metrics", include_in_schema=False)
    async def metrics(request: Request) -> Response:
        if not settings.enabled:
            raise NotFound("metrics are off", suggestions=("Set METRICS_ENABLED=true and start it again.",))
        given = request.headers.get("authorization", "").encode()
        if expected is not None and not hmac.compare_digest(given, expected):
            raise Unauthenticated("the credential of the metrics is missing or wrong")
        return Response(exposition(), media_type=CONTENT_TYPE_LATEST)
