#!/bin/sh
# Compiles one native helper and writes it as a Swift string literal.
# usage: embed.sh HELPER NATIVE_HELPERS OUTPUT.swift
set -eu
helper=$1 sources=$2/$1 wire=$2/../CLaunchWire/include output=$3

# clang from beside `swift`, then the system's compiler.
swift=$(command -v swift || true)
compiler=
if [ -n "$swift" ]; then
  beside=$(dirname "$(readlink -f "$swift")")/clang
  [ -x "$beside" ] && compiler=$beside
fi
[ -n "$compiler" ] || compiler=$(command -v cc || true)
if [ -z "$compiler" ]; then
  echo "error: no C compiler found beside swift or as cc" >&2
  echo "  help: install gcc, such as with \`apt-get install gcc libc6-dev\`" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Whether a library can be linked statically.
has_archive() {
  case $("$compiler" "-print-file-name=$1.a") in /*) true ;; *) false ;; esac
}

# Writes the names of the system calls by their numbers.
list_calls() {
  echo '#include <sys/syscall.h>' | "$compiler" -dM -E - |
    sed -n 's/^#define SYS_\([a-z0-9_]*\) .*/[SYS_\1] = "\1",/p' >"$work/system_calls.h"
}

# How each helper is compiled and linked; libraries are looked for after the sources.
case $helper in
probe)
  # No C library, nothing that a compiler would call one for, and no more pages than needed; but
  # tables to unwind the stack, or backtraces would end at the probe.
  set -- -ffreestanding -fno-builtin -fno-stack-protector -mgeneral-regs-only -fPIC \
    -fvisibility=hidden -fasynchronous-unwind-tables -shared -nostdlib -s -Wl,--eh-frame-hdr \
    -Wl,-z,defs -Wl,-z,norelro -Wl,-z,noexecstack -Wl,--hash-style=gnu -Wl,--build-id=none \
    -Wl,-init,begin_probe
  case $("$compiler" -dumpmachine) in
  x86_64*) set -- "$@" -fcf-protection=return ;;
  aarch64*) set -- "$@" -mno-outline-atomics ;;
  esac
  # gcc turns loops into calls of memset and strlen; clang knows no such option, and needs none.
  "$compiler" --version | grep -q clang || set -- "$@" -fno-tree-loop-distribute-patterns
  # Code shares its pages with the tables, which linkers are told in different ways.
  for option in -z,noseparate-code --no-rosegment; do
    "$compiler" -shared -nostdlib "-Wl,$option" -o "$work/empty.so" -x c /dev/null \
      2>"$work/log" && set -- "$@" "-Wl,$option"
  done
  ;;
symbols | objects)
  # They start after the launches, so they may map what targets map.
  set -- -s -Wl,--as-needed -ldw -lelf -Wl,-Bstatic -lsupc++ -Wl,-Bdynamic
  ;;
unwinder)
  # It starts after the launches, too, and names functions as the symbol reader does.
  set -- "$2/symbols/names.c" "$2/symbols/table.c" -s -Wl,--as-needed \
    -ldw -lelf -Wl,-Bstatic -lsupc++ -Wl,-Bdynamic
  ;;
timeline)
  # The programs that run in the kernel, in a file that the helper has in itself.
  architecture=$("$compiler" -dumpmachine | sed -e 's/-.*//' -e 's/x86_64/x86/' -e 's/aarch64/arm64/')
  if ! "$compiler" -target bpf -ffreestanding -g -O2 -Wall -Wextra -Wno-unused-parameter -Werror \
    "-D__TARGET_ARCH_$architecture" -I "$wire" -idirafter "/usr/include/$(uname -m)-linux-gnu" \
    -c -o "$work/kernel.o" -x c "$sources/timeline.bpf" 2>"$work/log"; then
    cat "$work/log" >&2
    echo "error: the programs for the kernel cannot be compiled" >&2
    echo "  help: install clang, and libbpf with \`apt-get install libbpf-dev\`" >&2
    exit 1
  fi
  list_calls
  set -- -s -I "$work" "-DKERNEL_PROGRAMS=\"$work/kernel.o\"" -l:libbpf.a -lelf -lz
  # It lives while cold launches are made, which must not find its libraries in memory.
  has_archive libelf && set -- -static "$@"
  has_archive libzstd && set -- "$@" -lzstd
  ;;
tracer)
  # It writes the same file, and says the same of itself.
  list_calls
  set -- "$2/timeline/timeline.c" "$2/timeline/calls.c" "$2/timeline/recorded.c" \
    -I "$2/timeline" -I "$work" -static -pthread -s
  ;;
display)
  # It lives while cold launches are made, too, of programs that need the same libraries.
  set -- -static -s -lxcb-res -lxcb-damage -lxcb-xfixes -lxcb-shm -lxcb -lXau -lXdmcp -lz
  ;;
*) set -- -static -s ;;
esac

if ! "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -I "$wire" \
  -o "$work/$helper" "$sources"/*.c "$@" 2>"$work/log"; then
  cat "$work/log" >&2
  if grep -q -e 'elfutils/' -e 'gelf' -e '-ldw' -e '-lelf' "$work/log"; then
    echo "error: the libraries libdw and libelf, or their headers, are missing" >&2
    echo "  help: install them, such as with \`apt-get install libdw-dev libelf-dev\`" >&2
  elif grep -q -e 'xcb' -e '-lXau' -e '-lXdmcp' -e 'zlib' -e '-lz' "$work/log"; then
    echo "error: the static libraries of XCB or zlib, or their headers, are missing" >&2
    echo "  help: install them, such as with \`apt-get install libxcb-damage0-dev libxcb-res0-dev" \
      "libxcb-shm0-dev libxcb-xfixes0-dev zlib1g-dev\`" >&2
  elif grep -q -e '-lsupc++' "$work/log"; then
    echo "error: the static C++ support library libsupc++.a is missing" >&2
    echo "  help: install it, such as with \`apt-get install libstdc++-12-dev\`" >&2
  elif grep -q -e '-lc' "$work/log"; then
    echo "error: the static C library libc.a is missing" >&2
    echo "  help: install it, such as with \`apt-get install libc6-dev\`" >&2
  fi
  exit 1
fi

# A probe that needs anything of others would stop every target from starting.
if [ "$helper" = probe ]; then
  nm=$(command -v nm || command -v llvm-nm || true)
  if [ -z "$nm" ]; then
    echo "error: no nm found, which checks the probe" >&2
    echo "  help: install it, such as with \`apt-get install binutils\`" >&2
    exit 1
  fi
  undefined=$("$nm" -D --undefined-only "$work/$helper")
  if [ -n "$undefined" ]; then
    echo "error: the probe needs symbols of others: $undefined" >&2
    exit 1
  fi
fi

digest=$(sha256sum "$work/$helper" | cut -c1-64)
{
  echo "extension EmbeddedHelper {"
  echo "  /// The embedded program \`$helper\`."
  echo "  static let $helper = Self("
  echo "    name: \"$helper\","
  echo "    digest: \"$digest\","
  printf '    base64: "'
  base64 -w0 "$work/$helper"
  echo '"'
  echo "  )"
  echo "}"
} >"$output"
