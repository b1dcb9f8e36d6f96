# Builds the program and its library beside their sources, and makes the text that it reads.
set -eu
cd "$(dirname "$0")"
flags="-std=c11 -O2 -Wall -Wextra -I../../../Sources/LaunchMarks/include"
cc $flags -shared -fPIC -o libtext.so text.c
cc $flags -o reader reader.c -L. -ltext -Wl,-rpath,'$ORIGIN'
grep '^|' ../../../docs/glossary.md | tail -n +3 | cut -d '|' -f 2-3 | sed 's/^ *//; s/ *$//' >glossary.txt
