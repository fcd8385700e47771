# shellcheck shell=bash
# Functions for the scripts of this skill. Sourced: . "$BAND_LIB/api.sh"

answer=/tmp/answer  # the body of the last answer; a file, because it may be audio

# fail MESSAGE [HINT]: writes the error for the caller, in the form that band reads, and ends the script.
fail() {
  jq -n --arg message "$1" --arg hint "${2-}" '{$message} + if $hint == "" then {} else {$hint} end' > "$ERROR_PATH"
  exit 1
}

# api_error STATUS RETRY_AFTER: the same with the service's message. `detail` is an object, a list or a text.
api_error() {
  jq -n --arg status "$1" --arg after "$2" --rawfile body <(head -c 65536 "$answer") '
    ($body | try fromjson catch null | .detail? // null) as $detail
    | (if ($detail | type) == "object" then $detail.status // "" else "" end) as $word
    | (if ($detail | type) == "object" then $detail.message // ($detail | tojson)
       elif ($detail | type) == "array" then
         [$detail[] | "\([.loc[]? | tostring] | join(".")): \(.msg? // tojson)"] | join("; ")
       elif ($detail | type) == "string" then $detail
       else $body[0:300] end) as $text
    | {message: "ElevenLabs answered \($status)\(if $word == "" then "" else " (\($word))" end): \($text)"}
    + (if $after | test("^[0-9]{1,5}$") then {retryAfterMs: ($after | tonumber * 1000)}
       elif $status == "429" then {retryAfterMs: (if $word == "too_many_concurrent_requests" then 5000 else 10000 end)}
       elif $status | startswith("5") then {retryAfterMs: 10000}
       else {} end)
    + ({
        invalid_api_key: "set ELEVENLABS_API_KEY to a key of elevenlabs.io",
        missing_permissions: "the key is valid: add this permission to it at elevenlabs.io, or use another key",
        quota_exceeded: "elevenlabs/user-info shows when the characters are reset",
        voice_not_found: "elevenlabs/voice-list lists the ids of the voices",
        too_many_concurrent_requests:
          "other calls with this key must end first; ElevenLabs names no time, and retryAfterMs is an estimate"
      }[$word] // (if $status == "429" and $after == "" then
        "ElevenLabs is busy and names no time: retryAfterMs is an estimate; wait twice as long after each further refusal"
        else null end) | if . == null then {} else {hint: .} end)' > "$ERROR_PATH"
  exit 1
}

# call METHOD PATH LINE...: calls the API; each LINE is added to curl's configuration. Returns only after HTTP status 200, with
# the body in $answer and its type in $type.
call() {
  local method=$1 path=$2 status=0 written http after
  shift 2
  if [[ ! $ELEVENLABS_API_KEY =~ ^[A-Za-z0-9_.-]+$ ]]; then
    fail "ELEVENLABS_API_KEY has an invalid character" "a key consists of letters, digits, _, . and -, without blanks or quotes"
  fi
  written=$({
    printf 'silent\nshow-error\ngloboff\nconnect-timeout = 15\nmax-filesize = 67108864\nproto = "=https"\n'
    printf 'max-time = %s\n' "$(if [[ $method == GET ]]; then echo 50; else echo 240; fi)"  # below the limits of the bands
    printf 'request = "%s"\nurl = "https://api.elevenlabs.io%s"\noutput = "%s"\n' "$method" "$path" "$answer"
    printf 'write-out = "%%{http_code}|%%header{retry-after}|%%{content_type}"\nheader = "xi-api-key: %s"\n' "$ELEVENLABS_API_KEY"
    printf '%s\n' "$@"
  } | curl --config -) || status=$?
  if ((status != 0)); then
    fail "curl received no answer of api.elevenlabs.io: exit status $status, see the log" \
      "--explain shows what the network refused; a POST may have succeeded: check elevenlabs/user-info or voice-list first"
  fi
  IFS='|' read -r http after type <<< "$written"
  if [[ $http != 200 ]]; then api_error "$http" "$after"; fi
}

# Sets `out`, the file to create, with the prefix ./, and `format`; called before any request.
new_audio_file() {
  out="" format="" codec=""
  eval "$(jq -r '(.out | ltrimstr("./")) as $out
    | ($out | split(".")[-1]) as $codec
    | @sh "out=\("./" + $out) codec=\($codec) format=\(.format //
        {mp3: "mp3_44100_128", opus: "opus_48000_128", pcm: "pcm_24000", ulaw: "ulaw_8000", alaw: "alaw_8000"}[$codec])"' "$INPUT_PATH")"
  if [[ -e $out || -L $out ]]; then
    fail "${out#./} already exists; no request was sent to ElevenLabs" "name a new file, or remove the existing one first"
  fi
  if [[ ${format%%_*} != "$codec" ]]; then fail "the format $format is not for .$codec files" "name the file *.${format%%_*}"; fi
}

# Moves the answer to `out`, if it is audio, and writes the output.
keep_audio() {
  if [[ $type != audio/* && $type != application/octet-stream ]] || [[ ! -s $answer ]]; then
    fail "ElevenLabs answered 200 without audio (${type:-no type}); no file was written"
  fi
  mkdir -p -- "${out%/*}"
  mv -T -- "$answer" "$out"
  jq -n --arg path "${out#./}" --arg format "$format" --argjson bytes "$(stat -c %s -- "$out")" '{$path, $format, $bytes}' \
    > "$OUTPUT_PATH"
}
