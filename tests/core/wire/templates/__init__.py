"""What is known of each chat template: `README.md` says what the members of the table mean."""

import json
from pathlib import Path

PLACE = Path(__file__).parent
TABLE = json.loads((PLACE / "templates.json").read_text("utf-8"))
