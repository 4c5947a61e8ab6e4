"""How long Hypothesis looks: `HYPOTHESIS_PROFILE=few|default|long`."""

import os

from hypothesis import HealthCheck, settings

#: Documents are large values, so the health checks on their size and speed say nothing here.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

for name, examples, fixed in (("few", 10, True), ("default", 32, True), ("long", 4000, False)):
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=fixed,
        deadline=None,
        database=None,
        suppress_health_check=SLOW,
    )

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
