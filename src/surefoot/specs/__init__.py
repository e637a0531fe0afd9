"""Spec files to compiled checks, and which run meets which spec.

    load ─YAML─> schema (keys) ─> sanity (contradictions) ─> build (checks) ─> match
    plain: luckrate's dict ─────────────────────────────────────^

pydantic lives here and stays here: what leaves is plain and frozen.
"""

from surefoot.specs.load import lint, load, written
from surefoot.specs.match import CompiledSpec, SpecSet, Timers
from surefoot.specs.meanings import Meaning, meanings
from surefoot.specs.plain import check
from surefoot.specs.schema import Spec, json_schema

__all__ = [
    "CompiledSpec",
    "Meaning",
    "Spec",
    "SpecSet",
    "Timers",
    "check",
    "json_schema",
    "lint",
    "load",
    "meanings",
    "written",
]
