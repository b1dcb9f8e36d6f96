#!/bin/sh
# A script that marks its own launch. Each mark starts launchlab, which takes some milliseconds.
#
#   launchlab stages --collect marks --ready mark -- ./start.sh
set -eu
lines=$(wc -l <"$0")
launchlab mark "settings read"
test "$lines" -gt 0
launchlab mark ready
