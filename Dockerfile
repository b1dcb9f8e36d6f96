# syntax=docker/dockerfile:1
# launchlab in a container.
#
#   docker build -t launchlab .
#   docker run --rm launchlab measure -- perl -e 0
#   docker run --rm -e SUDO_UID="$(id -u)" -v "$PWD:/lab" launchlab init
#   docker run --rm -e SUDO_UID="$(id -u)" -v "$PWD:/lab" launchlab run scenario.yml
#
# launchlab is root in there, and root takes no directory of another user for its store, who could
# exchange what is launched. SUDO_UID names the user who is trusted, as sudo does.
#
# The scenario of `init` launches perl, git and python3, which are in the image. What other scenarios
# launch or build with (Scenarios/README.md lists it for those in /usr/local/share/launchlab) is not:
# begin an image of your own with FROM launchlab. Mail needs a sendmail besides, such as msmtp-mta.
#
# What needs which right (docker run --cap-add ...):
#   reboot-cold            writing /proc/sys/vm/drop_caches, which a container has read-only:
#                          --privileged, and it drops the cache of the whole host
#   whole-tree kill        a writable cgroup: --privileged, or --cgroupns=private with a rw mount;
#                          without it the spawner sweeps its descendants instead
#   verified residency     owning the files, or root in the container: nothing to add
#   counters:              --cap-add PERFMON, and a seccomp profile that allows perf_event_open
#   explain                the same, with --cap-add BPF and bpf(2) allowed
# reinstall-cold and warm need none of these.

FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    libbpf-dev libdw-dev libelf-dev libsqlite3-dev \
    libxcb-damage0-dev libxcb-res0-dev libxcb-shm0-dev libxcb-xfixes0-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN scripts/build

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
    ca-certificates curl git libdw1 libelf1 libsqlite3-0 libstdc++6 perl python3 tzdata zlib1g \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/.build/release/launchlab /usr/local/bin/launchlab
COPY --from=build /src/Scenarios /usr/local/share/launchlab/Scenarios
WORKDIR /lab
ENTRYPOINT ["launchlab"]
CMD ["--help"]
