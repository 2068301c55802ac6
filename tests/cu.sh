#!/bin/bash
# Kernels in CUDA C++: see tests/cli/cu.sh.
exec tests/cli/run.sh cu.sh
