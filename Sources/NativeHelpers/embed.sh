#!/bin/sh
# Compiles one native helper and writes it as a Swift string literal.
# usage: embed.sh HELPER SOURCE_DIRECTORY OUTPUT.swift
set -eu
helper=$1 sources=$2 output=$3

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

# The symbol reader starts after the launches, and only it may use what is shared.
case $helper in
  symbols) flags="-Wl,--as-needed -ldw -lelf -Wl,-Bstatic -lsupc++ -Wl,-Bdynamic" ;;
  *) flags=-static ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086 # flags are words
if ! "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -s \
  -o "$work/$helper" "$sources/$helper"*.c $flags 2>"$work/log"; then
  cat "$work/log" >&2
  if grep -q -e 'elfutils/' -e 'gelf' -e '-ldw' -e '-lelf' "$work/log"; then
    echo "error: the libraries libdw and libelf, or their headers, are missing" >&2
    echo "  help: install them, such as with \`apt-get install libdw-dev libelf-dev\`" >&2
  elif grep -q -e '-lsupc++' "$work/log"; then
    echo "error: the static C++ support library libsupc++.a is missing" >&2
    echo "  help: install it, such as with \`apt-get install libstdc++-12-dev\`" >&2
  elif grep -q -e '-lc' "$work/log"; then
    echo "error: the static C library libc.a is missing" >&2
    echo "  help: install it, such as with \`apt-get install libc6-dev\`" >&2
  fi
  exit 1
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
