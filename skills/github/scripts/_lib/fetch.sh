# shellcheck shell=bash
# fetch URL HEADER...: what is there, on stdout. With the caller's token, if there is one.
fetch() {
  local url=$1 header status=0
  shift
  if [[ -n ${GITHUB_TOKEN-} && ! $GITHUB_TOKEN =~ ^[A-Za-z0-9_.-]+$ ]]; then
    jq -n '{message: "GITHUB_TOKEN has a character that no token has",
      hint: "a token is letters, digits, _, . and -, without blanks or quotes"}' > "$ERROR_PATH"
    return 1
  fi
  if [[ -n ${GITHUB_TOKEN-} ]]; then set -- "$@" "Authorization: Bearer $GITHUB_TOKEN"; fi
  {
    printf 'silent\nshow-error\nfail\nlocation\nmax-time = 25\nproto = "=https"\nurl = "%s"\n' "$url"
    for header in "$@"; do printf 'header = "%s"\n' "$header"; done
  } | curl --config - || status=$?
  if ((status != 0)); then
    jq -n --arg url "$url" --arg status "$status" '{message: "curl could not get \($url): exit status \($status)",
      hint: "is the repository public, or GITHUB_TOKEN set? --explain shows what the network refused"}' > "$ERROR_PATH"
  fi
  return "$status"
}
