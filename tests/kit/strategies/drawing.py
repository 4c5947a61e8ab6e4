"""Drawing from a strategy, and looking for an example that has to exist."""

from hypothesis import HealthCheck, Phase, given, settings

#: How an example is looked for that has to exist.
FOUND = settings(
    max_examples=1000,
    derandomize=False,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def drawn(strategy, count=150):
    """Return what the strategy draws, the same each time."""
    values = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value):
        values.append(value)

    draw()
    return values
