"""`python -m ragpp_services.procedural --host 127.0.0.1 --port 8704`: the tier as a service of its own."""

from ragpp.tierkit.app import run_service
from ragpp_services.procedural.app import SERVICE

if __name__ == "__main__":
    run_service(SERVICE)
