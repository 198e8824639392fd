"""`python -m nullbench_site` is the same as `nullbench-site`."""

from nullbench_site.cli import main

main()
