"""What holds for all tests: no property has a time limit, for machines differ."""

from hypothesis import HealthCheck, settings

settings.register_profile("surefoot", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("surefoot")
