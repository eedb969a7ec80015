"""A campaign on a Ray cluster: the same as `python -m omnilink.ray fuzz`, which the Python package has.

    python3 fuzz.py --shards 8 --store nightly.db -- --spec Queue.tla --runs 10000 -- ./harness
"""
import sys

from omnilink.ray import main

main(["fuzz", *sys.argv[1:]])
