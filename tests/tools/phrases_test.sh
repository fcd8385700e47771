#!/bin/bash
# Tests tools/lib/phrases-check: in each kind of file, it finds phrases in prose and not in code.
set -euo pipefail

check=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)/tools/lib/phrases-check
work=$(mktemp -d "${TMPDIR:-/tmp}/band-phrases-XXXXXX")
trap 'rm -rf -- "$work"' EXIT
cd "$work"
failed=0

# expect NAME STATUS OUTPUT ARGUMENT...: checks the exit status and the standard output of phrases-check with these arguments.
expect() {
  local name=$1 status=$2 output=$3 got got_status=0
  shift 3
  got=$("$check" --list list "$@" 2> errors) || got_status=$?
  if [[ $got == "$output" && $got_status == "$status" ]]; then return; fi
  printf '%s: status %s, expected %s\n--- printed\n%s\n--- expected\n%s\n--- stderr\n%s\n' \
    "$name" "$got_status" "$status" "$got" "$output" "$(< errors)" >&2
  failed=1
}

printf '%s\t%s\n' '# a comment' 'ignored' '(?<!there )\bis no (?!longer)' 'is not a' '\bnobody\b|\bwithout a word\b' 'no process' \
  '^of (?!course)' 'name the thing' skip skipped/ > list
printf 'allow\t%s\t%s\n' quoting.md 'without a word' >> list

cat > banned.cc << 'END'
int size;  // of one execution
// A socket is
// no file. There is no file, and it is no longer one.
const char* kText = "exited without "
                    "a word";
const auto message = "nobody reads it";
END
expect "phrases are found in comments and string literals, across lines" 1 "banned.cc:1: of -> name the thing
banned.cc:2: is no -> is not a
banned.cc:4: without a word -> no process
banned.cc:6: nobody -> no process" banned.cc
grep -qx '4 banned phrases' errors || { printf 'the number of phrases is not on stderr: %s\n' "$(< errors)" >&2 && failed=1; }

cat > code.cc << 'END'
bool nobody = is no ? of : kNobody;  // A clean comment.
#include "server/nobody_here.h"
const int million = 1'000'000; const char quote = '"'; bool nobody_else = x is no;
const char* raw = R"(A raw string is not a file.)"; int of = nobody;
// Ends.
int nobody;
END
expect "identifiers of C++ are not prose" 0 "" code.cc

cat > raw.h << 'END'
const char* kHelp = R"(first line
this is no file)";
/* a comment of two lines:
   nobody */
END
expect "phrases are found in raw strings and block comments" 1 "raw.h:2: is no -> is not a
raw.h:4: nobody -> no process" raw.h

cat > page.md << 'END'
# Of course
A file is
no directory.

| of a table | clean |
- of a list
END
expect "phrases are found in paragraphs, table cells and list items of Markdown" 1 "page.md:2: is no -> is not a
page.md:5: of -> name the thing
page.md:6: of -> name the thing" page.md

printf '%s\n' '#!/bin/bash' '# This is' '# no program.' 'say "nobody"' > script
expect "phrases are found in comments and messages of a shell script" 1 "script:2: is no -> is not a
script:4: nobody -> no process" script
printf '%s\n' 'description: >-' '  This is' '  no key.' > keys.yaml
expect "phrases are found in a text of several lines in YAML" 1 "keys.yaml:2: is no -> is not a" keys.yaml

mkdir skipped below
printf 'nobody\n' | tee skipped/a.md > below/a.md
printf 'It ended without a word.\n' > quoting.md
expect "with a directory as the argument, each file below it is searched" 1 "below/a.md:1: nobody -> no process" below
expect "with several arguments, all of them are searched" 1 "below/a.md:1: nobody -> no process
page.md:2: is no -> is not a
page.md:5: of -> name the thing
page.md:6: of -> name the thing" below page.md
expect "a file that the list skips is not searched" 0 "" skipped
expect "a phrase that the list allows in this file is not reported" 0 "" quoting.md
cp quoting.md other.md
expect "a phrase that the list allows in one file is reported in another file" 1 "other.md:1: without a word -> no process" other.md
expect "--count prints the number of hits of each entry" 1 "    0  (?<!there )\bis no (?!longer)
    1  \bnobody\b|\bwithout a word\b
    0  ^of (?!course)" --count below

expect "a path that does not exist is an error" 2 "" missing.md
printf 'no remedy\n' > list
expect "an entry of the list without a remedy is an error" 2 "" below
printf '(\tunclosed\n' > list
expect "a pattern that Perl does not accept is an error" 2 "" below

# The list of this repository has at least 60 entries, and none of them twice.
list=$(dirname -- "$check")/phrases
entries=$(grep -Pv '^(#|$|skip\t|allow\t)' "$list" | cut -f1)
if (($(wc -l <<< "$entries") < 60)); then printf 'the list has fewer than 60 entries\n' >&2 && failed=1; fi
if [[ -n $(sort <<< "$entries" | uniq -d) ]]; then printf 'twice in the list: %s\n' "$(sort <<< "$entries" | uniq -d)" >&2 && failed=1; fi

exit "$failed"
