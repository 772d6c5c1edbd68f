"""python -m kubectl_berth."""

from kubectl_berth.cli.main import main

main()
