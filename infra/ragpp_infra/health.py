"""A container's health check: is the service in it able to work? It knows the standard library alone, as it runs every
few seconds.

    python -m ragpp_infra.health http://127.0.0.1:8700/health/ready    the address answers 200
    python -m ragpp_infra.health /run/heartbeat                        the file was touched within half a minute
"""

import http.client
import sys
import time
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

TIMEOUT_S: Final = 4.0
LATE_S: Final = 30.0


def problem(subject: str) -> str | None:
    """Why what is at `subject`, an address or a file, does not work; None when it does."""
    if subject.startswith("http://"):
        return _problem_of_address(subject)
    try:
        age = time.time() - Path(subject).stat().st_mtime
    except OSError as error:
        return f"{subject}: {error.strerror}"
    return f"{subject} was touched {age:.0f} s ago" if age > LATE_S else None


def _problem_of_address(url: str) -> str | None:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=TIMEOUT_S)
    try:
        connection.request("GET", parts.path or "/")
        answer = connection.getresponse()
        said = answer.read(500).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        return f"{url}: {error!r}"
    finally:
        connection.close()
    return None if answer.status == http.client.OK else f"{url} answers {answer.status}: {said}"


def main() -> None:
    """Exit code 0 for a service that works, 1 with the reason on standard error, 2 for wrong usage."""
    if len(sys.argv) != 2:
        sys.stderr.write("one address or file\n")
        sys.exit(2)
    why_not = problem(sys.argv[1])
    if why_not is not None:
        sys.stderr.write(f"{why_not}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
