"""`python -m ragpp_services.gateway`: the gateway, its tiers behind HTTP."""

import uvicorn

from ragpp.aside import answer_promptly
from ragpp.observability.logs import configure_logs
from ragpp.settings import LogSettings
from ragpp_services.gateway.app import create_gateway
from ragpp_services.gateway.settings import GatewaySettings

if __name__ == "__main__":
    configure_logs(LogSettings(), "gateway")
    settings = GatewaySettings()
    answer_promptly()
    uvicorn.run(create_gateway(), host=settings.host, port=settings.port, log_config=None, access_log=False)
