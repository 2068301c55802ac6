#!/bin/bash
# Sweeps over Slurm, played by a script: see tests/cli/slurm.sh. Beside the other tests of the command line, since it mostly waits.
exec tests/cli/run.sh slurm.sh
