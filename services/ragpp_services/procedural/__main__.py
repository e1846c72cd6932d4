"""`python -m ragpp_services.procedural --host 127.0.0.1 --port 8704`: the tier as a service of its own."""

from ragpp.settings import LogSettings
from ragpp.web.service import run_service
from ragpp_services.procedural.app import create_app

if __name__ == "__main__":
    run_service(create_app, LogSettings(), name="procedural", port=8704)
