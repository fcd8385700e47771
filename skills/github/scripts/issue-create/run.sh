#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--repo=\(.repository)", "--title=\(.title)", "--body-file=-", (.labels[]? | "--label=\(one)"),
  (.assignees[]? | "--assignee=\(.)"), (.milestone // empty | "--milestone=\(.)")'
body body | run issue create "${words[@]}"
made
