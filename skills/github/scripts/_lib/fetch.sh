# shellcheck shell=bash
# fetch URL HEADER...: downloads to stdout, with the caller's token if there is one.
fetch() {
  local url=$1 header status=0
  shift
  if [[ -n ${GITHUB_TOKEN-} && ! $GITHUB_TOKEN =~ ^[A-Za-z0-9_.-]+$ ]]; then
    jq -n '{message: "GITHUB_TOKEN has an invalid character",
      hint: "a token consists of letters, digits, _, . and -, without blanks or quotes"}' > "$ERROR_PATH"
    return 1
  fi
  if [[ -n ${GITHUB_TOKEN-} ]]; then set -- "$@" "Authorization: Bearer $GITHUB_TOKEN"; fi
  {
    printf 'silent\nshow-error\nfail\nlocation\nmax-time = 25\nproto = "=https"\nurl = "%s"\n' "$url"
    for header in "$@"; do printf 'header = "%s"\n' "$header"; done
  } | curl --config - || status=$?
  if ((status != 0)); then
    jq -n --arg url "$url" --arg status "$status" '{message: "curl could not get \($url): exit status \($status)",
      hint: "check that the repository is public or GITHUB_TOKEN is set; --explain shows what the network refused"}' > "$ERROR_PATH"
  fi
  return "$status"
}
