"""`python -m ragpp_services.short_term --host 127.0.0.1 --port 8701`: the tier as a service of its own."""

from ragpp.settings import LogSettings
from ragpp.web.service import run_service
from ragpp_services.short_term.app import create_app

if __name__ == "__main__":
    run_service(create_app, LogSettings(), name="short_term", port=8701)
