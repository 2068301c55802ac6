#!/bin/bash
# The flags of heddle nvcc: see tests/cli/nvcc.sh.
exec tests/cli/run.sh nvcc.sh
