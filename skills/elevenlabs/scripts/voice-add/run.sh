#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/api.sh
. "$BAND_LIB/api.sh"
# Each text is written to a file and each sample gets a fixed name below /tmp, so no text of the caller becomes part of curl's
# configuration. @sh quotes for bash.
samples=() number=0
eval "$(jq -r '.samples[] | @sh "samples+=(\("./" + ltrimstr("./")))"' "$INPUT_PATH")"
jq -j .name "$INPUT_PATH" > /tmp/name
jq -j '.description // empty' "$INPUT_PATH" > /tmp/description
jq -jc '.labels // empty' "$INPUT_PATH" > /tmp/labels
lines=("form = \"remove_background_noise=$(jq .removeBackgroundNoise "$INPUT_PATH")\"" 'form = "name=</tmp/name"')
for part in description labels; do
  if [[ -s /tmp/$part ]]; then lines+=("form = \"$part=</tmp/$part\""); fi
done
for sample in "${samples[@]}"; do
  if [[ ! -f $sample ]]; then fail "there is no file ${sample#./} in the workspace; nothing was sent"; fi
  if [[ ! -s $sample ]]; then fail "the file ${sample#./} is empty; nothing was sent"; fi
  name=sample-$((++number)).${sample##*.}
  cp -- "$sample" "/tmp/$name"
  lines+=("form = \"files=@/tmp/$name\"")
done
call POST /v1/voices/add "${lines[@]}"
jq --argjson samples "${#samples[@]}" '{voice: .voice_id, requiresVerification: (.requires_verification // false), $samples}' "$answer" > "$OUTPUT_PATH"
