# Creates the content of $ERROR_PATH from gh's message (the input), the headers ($head) and the text ($out) of an answer, GitHub's
# rate limits ($limits), and a description of the completed steps ($so_far).
def header(name): [$head | match("(?i)\n\(name): *([^\r\n]+)") | .captures[0].string][0];

# Removes gh's additions to GitHub's message: the path of the refused field, in brackets (2.23 adds it only for queries), and, from
# 2.46 on, the issue or pull request with its repository.
def without_path:
  sub("^failed to update https://[^ ]+: "; "") | sub("^(?<what>X Pull request )[^ #]+/[^ #]+#"; "\(.what)#")
  | if test("GraphQL: ") then
      gsub(" \\((repository|node|nodes|search|viewer|user|organization|(add|close|create|delete|mark|merge|remove|reopen|request|update)"
        + "[A-Z][A-Za-z]*)([.[][A-Za-z0-9_\\]]+)*\\)(?<end>,|\n|$)"; .end) else . end;

# Extracts GitHub's message from gh's message.
def message:
  split("\n")
  | map(select(test("^- |^$|^failed to update 1 issue$|gh auth (login|refresh)|add the `--(auto|admin)` flag") | not)) | join("\n")
  | without_path
  | sub("; use `--force` .*"; "")
  | (capture("^(?<before>.*)non-200 OK status code: (?<status>.*?) +body: (?<body>\".*\")$"; "m") as $strict
     | try ($strict.before + ($strict.body | fromjson | fromjson | .message)) catch .) // .
  | sub("failed to create review: "; "") | sub("^gh: |^X |GraphQL: "; "") | sub("Message: "; "") | sub(", Locations: \\[.*"; "")
  | . as $words | [$words, ($out | fromjson? | .errors? // [] | .[] | strings // .message // "\(.resource) \(.field) \(.code)"
      | select(inside($words) | not))] | join("; ")
  | if . == "" then "gh failed without a message" else .[:2000] end;

# Seconds until a retry can succeed; null when the failure has another cause.
def wait:
  ([$limits.resources // {} | to_entries[] | .value | select(.remaining == 0) | .reset - now] | max) as $known
  | header("retry-after") as $after
  | if test("(API|secondary) rate limit"; "i") | not then null
    elif $after then try ($after | tonumber) catch 60
    elif header("x-ratelimit-remaining") == "0" then (header("x-ratelimit-reset") | tonumber) - now
    else $known // 60 end
  | if . then ([., 1] | max | ceil) else null end;

. as $said | message as $message | ($said | wait) as $seconds
| (([$said | capture("needs the \"(?<scope>[^\"]+)\" scope")][0].scope) // null) as $scope
| [if $so_far != "" then $so_far
   elif $out | test("^https://[^\n]+\n?$") then "created before the failure: \($out | rtrimstr("\n"))" else empty end,
   if $seconds then "GitHub accepts calls again in \($seconds) s"
   elif $scope then "GITHUB_TOKEN needs the scope `\($scope)`"
   elif $said | test("HTTP 401|Bad credentials|401 Unauthorized") then "GITHUB_TOKEN is wrong, or has expired"
   elif $said | test("not accessible|HTTP 403|FORBIDDEN") then "GITHUB_TOKEN has no permission for this"
   elif $said | test("Could not resolve|HTTP 404|not found"; "i") then "it does not exist, or GITHUB_TOKEN has no access to it"
   else empty end] as $hints
| {message: $message}
  + if $hints == [] then {} else {hint: ($hints | join("; "))} end
  + if $seconds then {retryAfterMs: ($seconds * 1000)} else {} end
