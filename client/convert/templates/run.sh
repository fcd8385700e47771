#!/bin/bash
# Made by `band convert` for scripts/_lib/@FILE@. scripts/_lib/band-convert.sh has the functions.
# shellcheck source-path=SCRIPTDIR source=../_lib/band-convert.sh
. "$BAND_LIB/band-convert.sh"

@ARGUMENTS@@STDIN@@CALL@ @INTERPRETER@ "$BAND_LIB/@FILE@" "${words[@]}"
