"""`python -m ragpp_services.gateway`: the gateway, its tiers behind HTTP."""

from ragpp.errors.summaries import exit_on_error
from ragpp.observability.logs import configure_logs
from ragpp.observability.metrics import count_if
from ragpp.settings import LogSettings, MetricsSettings
from ragpp.settings.variables import check_all
from ragpp.web.serving import serve
from ragpp_services.gateway.app import SETTINGS, create_gateway
from ragpp_services.gateway.settings import GatewaySettings


def main() -> None:
    """Serve until stopped; an error of ours is told in one line, with exit code 1."""
    with exit_on_error():
        check_all(SETTINGS)
        configure_logs(LogSettings(), "gateway")
        count_if(MetricsSettings().enabled)
        settings = GatewaySettings()
        app = create_gateway()
    serve(app, host=settings.host, port=settings.port)


if __name__ == "__main__":
    main()
