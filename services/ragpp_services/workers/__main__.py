"""`python -m ragpp_services.workers`: the Celery worker, with the tiers in its own process."""

import sys

from ragpp_services.all_in_one import main

if __name__ == "__main__":
    sys.argv.insert(1, "worker")
    main()
