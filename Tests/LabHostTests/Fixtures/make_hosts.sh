#!/bin/sh
# Captures the files that HostFactsReader reads of this machine: make_hosts.sh DIRECTORY
set -eu
tree=${1:?usage: make_hosts.sh DIRECTORY}
keep() {
  [ -r "$1" ] || return 0
  mkdir -p "$tree$(dirname "$1")"
  cat "$1" > "$tree$1"
}
mkdir -p "$tree/proc/self"
grep '^MemTotal' /proc/meminfo > "$tree/proc/meminfo"
awk '$5 == "/"' /proc/self/mountinfo > "$tree/proc/self/mountinfo"
keep /proc/sys/kernel/osrelease
keep /sys/devices/system/clocksource/clocksource0/available_clocksource
for file in /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name \
  /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor \
  /sys/block/[vsn]*/dev /sys/block/[vsn]*/queue/scheduler /sys/block/[vsn]*/queue/read_ahead_kb \
  /sys/kernel/mm/damon/admin/kdamonds/*/state \
  /sys/kernel/mm/damon/admin/kdamonds/*/contexts/*/schemes/*/action; do
  keep "$file"
done
cat /proc/cpuinfo > "$tree/proc/cpuinfo"
