"""``python -m npexport`` is the command ``npexport``."""

from npexport.cli import main

raise SystemExit(main())
