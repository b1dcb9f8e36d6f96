# syntax=docker/dockerfile:1
# launchlab in a container.
#
#   docker build -t launchlab .
#   docker run --rm --privileged -v "$PWD:/lab" launchlab run scenario.yml
#
# What needs which right (docker run --cap-add ...):
#   reboot-cold            writing /proc/sys/vm/drop_caches, which a container has read-only:
#                          --privileged, and it drops the cache of the whole host
#   whole-tree kill        a writable cgroup: --privileged, or --cgroupns=private with a rw mount;
#                          without it the spawner sweeps its descendants instead
#   verified residency     owning the files, or root in the container: nothing to add
#   counters:              --cap-add PERFMON, and a seccomp profile that allows perf_event_open
# reinstall-cold and warm need none of these.

FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    libdw-dev libelf-dev libsqlite3-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN scripts/build

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
    ca-certificates git libdw1 libsqlite3-0 libstdc++6 perl python3-minimal tzdata \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/.build/release/launchlab /usr/local/bin/launchlab
COPY --from=build /src/Scenarios /usr/local/share/launchlab/Scenarios
WORKDIR /lab
ENTRYPOINT ["launchlab"]
CMD ["--help"]
