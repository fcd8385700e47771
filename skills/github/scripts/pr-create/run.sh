#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--title=\(.title)", "--body-file=-", "--head=\(.head)", (.base // empty | "--base=\(.)"),
  (if .draft then "--draft" else empty end), (.labels[]? | "--label=\(one)"), (.assignees[]? | "--assignee=\(.)"),
  (.reviewers[]? | "--reviewer=\(.)"), (.milestone // empty | "--milestone=\(.)")'
body body | run pr create "${words[@]}"
made
