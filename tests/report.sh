#!/bin/bash
# heddle report, end to end: see tests/cli/report.sh.
exec tests/cli/run.sh report.sh
