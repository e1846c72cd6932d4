"""`GET /metrics`: what the process counts, for Prometheus to read."""

from fastapi import FastAPI, Request
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import Response

from ragpp.bearer import bears
from ragpp.errors import NotFound, Unauthenticated
from ragpp.observability.metrics import exposition
from ragpp.settings import MetricsSettings


def install_metrics(app: FastAPI, settings: MetricsSettings) -> None:
    """Let `app` answer `GET /metrics`: a 404 where metrics are off, a 401 where they have a credential and the request
    has not."""
    credential = settings.credential.get_secret_value() if settings.credential is not None else None

    @app.get("/metrics", include_in_schema=False)
    async def metrics(request: Request) -> Response:
        if not settings.enabled:
            raise NotFound("metrics are off", suggestions=("Set METRICS_ENABLED=true and start it again.",))
        if credential is not None and not bears(request.headers.get("authorization", ""), credential):
            raise Unauthenticated(
                "the credential of the metrics is missing or wrong",
                suggestions=(
                    "Send METRICS_CREDENTIAL, as the service has it, as `Authorization: Bearer …`: no API key is one.",
                ),
            )
        return Response(exposition(), media_type=CONTENT_TYPE_LATEST)
