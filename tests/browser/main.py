"""Runs the tests of pages: main.py HEDDLE SCREENSHOTS [NAME...]. Every file beside this one that has tests, or those named."""
import importlib
import os
import sys

import harness


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.dont_write_bytecode = True
    names = sys.argv[3:] or sorted(f[:-3] for f in os.listdir(here) if f.endswith('.py') and f not in ('main.py', 'harness.py'))
    modules = [importlib.import_module(n) for n in names]
    return 0 if harness.run(modules, os.path.realpath(sys.argv[1]), sys.argv[2]) else 1


sys.exit(main())
