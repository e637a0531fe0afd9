"""Who emits: the resource of everything that Surefoot sends about others and itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """The emitting process.

    instance_id tells it from its siblings: two processes that send the same metric
    series under one id overwrite each other's points.
    """

    instance_id: str
    version: str
    name: str = "surefoot"

    def attributes(self) -> dict[str, str]:
        """As resource attributes."""
        return {
            "service.name": self.name,
            "service.instance.id": self.instance_id,
            "service.version": self.version,
        }
