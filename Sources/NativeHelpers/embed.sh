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

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -static -s \
  -o "$work/$helper" "$sources/$helper"*.c 2>"$work/log"; then
  cat "$work/log" >&2
  if grep -q -e '-lc' "$work/log"; then
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
