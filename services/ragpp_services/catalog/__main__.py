"""`python -m ragpp_services.catalog --host 127.0.0.1 --port 8705`: the tier as a service of its own."""

from ragpp.tierkit.app import run_service
from ragpp_services.catalog.app import SERVICE

if __name__ == "__main__":
    run_service(SERVICE)
