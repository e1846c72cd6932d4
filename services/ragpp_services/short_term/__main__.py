"""`python -m ragpp_services.short_term --host 127.0.0.1 --port 8701`: the tier as a service of its own."""

from ragpp.tierkit.app import run_service
from ragpp_services.short_term.app import SERVICE

if __name__ == "__main__":
    run_service(SERVICE)
