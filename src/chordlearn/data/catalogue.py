"""The bundled data sets: published contingency tables with their sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

FOLDER = Path(__file__).parent / "bundled"


@dataclass(frozen=True)
class BundledSet:
    """What is known of a bundled data set."""

    name: str
    title: str
    rows: int
    variables: Mapping[str, str]
    """The meaning of each variable, in the table's order."""
    description: str
    source: str


_HEART = BundledSet(
    name="heart",
    title="Risk factors for coronary heart disease",
    rows=1841,
    variables=MappingProxyType(
        {
            "smoke": "smoking",
            "mental": "strenuous mental work",
            "phys": "strenuous physical work",
            "systol": "systolic blood pressure, split at 140 mm Hg",
            "protein": "ratio of beta to alpha lipoproteins, split at 3",
            "family": "family history of coronary heart disease",
        }
    ),
    description="Six binary risk factors recorded for workers of a Czechoslovak car factory.",
    source=(
        "D. Edwards and T. Havránek (1985), A fast procedure for model search in multidimensional "
        "contingency tables, Biometrika 72; also in J. Whittaker (1990), Graphical Models in Applied "
        "Multivariate Statistics."
    ),
)

_ECON = BundledSet(
    name="econ",
    title="Economic activity of women in Rochdale",
    rows=665,
    variables=MappingProxyType(
        {
            "EconActive": "the wife is economically active",
            "Age": "age of the wife, split at 38 years",
            "HusbandEmployed": "the husband is employed",
            "Child": "there is a child of at most 4 years",
            "Education": "the wife's education reached a school-leaving level",
            "HusbandEducation": "the husband's education reached a school-leaving level",
            "Asian": "the family is of Asian origin",
            "HouseholdWorking": "another member of the household is working",
        }
    ),
    description="Eight binary answers from a survey of households in the town of Rochdale.",
    source="J. Whittaker (1990), Graphical Models in Applied Multivariate Statistics.",
)

BUNDLED: Mapping[str, BundledSet] = MappingProxyType({entry.name: entry for entry in (_HEART, _ECON)})


def bundled() -> list[BundledSet]:
    """List the bundled data sets.

    >>> [(entry.name, len(entry.variables), entry.rows) for entry in bundled()]
    [('heart', 6, 1841), ('econ', 8, 665)]
    """
    return list(BUNDLED.values())
