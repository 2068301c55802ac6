#!/bin/bash
# The command line, end to end: see tests/cli/.
exec tests/cli/run.sh
