# shellcheck shell=bash
# Functions for the scripts of this skill. Sourced: . "$BAND_LIB/slack.sh"
#
#   check KEYS                   checks the configuration; KEYS is a jq filter of the settings that must be true: '"search"', empty
#   open_channel KEYS            the same, and finds the channel that the input names, which must be open
#   ask METHOD ARGUMENTS RESULT  one call of Slack; ARGUMENTS and RESULT are jq filters, RESULT's input is the answer
#   program FILTER [OPTION...]   jq
#
# Filters have `asked` (the input), `channel` (the result of open_channel), and the shell variables `cursor`, `id`, `size` and
# `status`. On an error, each of the functions ends the script with the reason in $ERROR_PATH.

readonly dir=${TMPDIR:-/tmp}
method="" status="" retry="" cursor="" id="" size=""
: > "$dir/channel"

definitions=$(
  cat << 'END'
def refuse($message; $hint): {$message, $hint} | halt_error(1);
def user_writes($yaml): "the user can open it: \($yaml) in ~/.config/band/skills/slack.yaml";
def asked: $in[0];
def channel: $resolved[0];
def cursor: $cursor | select(. != "") // null;
def id: $id;
def status: $status;
def size: $size | tonumber;
def given: asked.channel | ltrimstr("#");
def is_id: test("\\A[CDG][A-Z0-9]{8,}\\z");

# The configuration with all its keys: {allow: [...], deny: [...], dm: false, threads: false, ...}. Unknown or invalid
# settings are refused, because they could be intended to close something.
def settings:
  def wrong($what): refuse("the configuration of slack is wrong: " + $what;
    "~/.config/band/skills/slack.yaml has the keys channels: {allow, deny}, dm, threads, reactions, files and search");
  def has_only($names; $at): if type != "object" then wrong("\($at) is not a map") else . end
    | (keys - $names) as $more | if $more == [] then . else wrong("\($at) has the unknown key \($more[0])") end;
  def switch: if . == null then false elif type == "boolean" then . else wrong("\(tojson) is neither true nor false") end;
  def entry: if type != "string" then wrong("\(tojson) is not text; write it in quotes") else ltrimstr("#") end
    | if . == "*" or is_id then .
      elif test("\\A[UW][A-Z0-9]{8,}\\z") then wrong("\(.) is a user; direct messages have the key dm and their own ids (D...)")
      else ascii_downcase
        # No capitals and no combining marks: Slack's names have none, so `deny` would not match.
        | if test("\\A[\\p{Ll}\\p{Lo}\\p{Lm}\\p{N}_.-]{1,80}\\z") then . else wrong("\(tojson) is not the name of a channel; write its id (C...)") end
      end;
  def list: if . == null then [] elif type == "array" then map(entry) else wrong("\(tojson) is not a list") end;
  def map_of($names; $at): if . == null then {} else has_only($names; $at) end;
  $config[0] | map_of(["channels", "dm", "files", "reactions", "search", "threads"]; "slack")
  | (.channels | map_of(["allow", "deny"]; "slack.channels") | {allow: (.allow | list), deny: (.deny | list)})
    + {dm: (.dm | switch), files: (.files | switch), reactions: (.reactions | switch), search: (.search | switch), threads: (.threads | switch)};

# THE POLICY. Input: a channel in Slack's description. Returns null when it is open, else the reason why it is closed. No other
# code opens a channel.
#   deny   has precedence. Compared with the id, the name and the former names of the channel, in lower case.
#   dm     is the only setting for conversations of two (D...) and of several users (mpdm-...): `allow` does not open them.
#   allow  is compared exactly with the id and the current name. Ids have capitals and names do not, so they cannot be confused.
def why_closed($may):
  . as {$id, $name}
  | ([$id, $name, .name_normalized, .previous_names[]?] | map(strings | ascii_downcase)) as $words
  | if ($id | type) != "string" or ($id | is_id | not) then "unknown"
    elif any($may.deny[]; . == "*" or (ascii_downcase | IN($words[]))) then "denied"
    elif .is_im == true or .is_mpim == true or ($id | startswith("D")) or any($words[]; startswith("mpdm-"))
      then if $may.dm then null else "direct" end
    elif ($name | type) != "string" or $name == "" then "nameless"
    elif any($may.allow[]; . == "*" or . == $id or . == ($name | ascii_downcase)) then null
    elif $may.allow == [] then "nothing allowed"
    else "not allowed" end;

# Returns the channel that the input names, if it is open.
def opened:
  settings as $may | why_closed($may) as $why | "the channel \(asked.channel) is closed: " as $closed
  | "slack: {channels: {allow: [\(given | tojson)]}}" as $yaml
  | if $why == null then .
    elif $why == "direct" then refuse("direct messages are closed"; user_writes("slack: {dm: true}"))
    elif $why == "denied" then refuse($closed + "slack.channels.deny names it"; "use another channel; channel-list shows the open ones")
    elif $why == "nothing allowed" then refuse($closed + "no channel is open unless slack.channels.allow names it"; user_writes($yaml))
    elif $why == "not allowed" then refuse($closed + "slack.channels.allow does not name it"; user_writes($yaml))
    else refuse($closed + "Slack returns no description of it"; "channel-list shows the open channels") end;

def open_ones: settings as $may | map(select(why_closed($may) == null));
def need(keys): settings as $may
  | [keys | select($may[.] != true)] as $closed
  | if $closed == [] then empty
    else refuse("closed: the configuration does not have slack.\($closed[0]): true"; user_writes("slack: {\($closed[0]): true}")) end;

# How to request the input's channel from Slack: by id or by name.
def how:
  if given | is_id then "id"
  elif given | test("\\A[UW][A-Z0-9]{8,}\\z") then
    refuse("\(asked.channel) is a user, not a channel"; "a direct message has its own id (D...); channel-list shows the open ones")
  else "name" end;

def form: to_entries | map(select(.value != null) | "\(.key)=\(.value | tostring | @uri)") | join("&");

def answer:
  (try fromjson catch null) as $said
  | (($said | objects | .error | strings) // "") as $error
  | {missing_scope: "the token lacks the scope \($said.needed?) and has \($said.provided?)",
     not_in_channel: "the app is not in the channel: invite it there (/invite)",
     not_allowed_token_type: "this call needs another type of token; a search needs a user token (xoxp-)",
     channel_not_found: "no such channel, or the token cannot see it",
     already_reacted: "the reaction already exists", no_reaction: "the reaction does not exist",
     thread_not_found: "no thread begins at that ts in this channel", message_not_found: "no message has that ts in this channel",
     cannot_reply_to_message: "that message cannot have a thread"} as $hints
  | if $status == "429" or $error == "ratelimited" or $error == "rate_limited" then
      (try ($retry | tonumber) catch 30 | if . >= 1 then ceil else 1 end) as $seconds
      | {message: "Slack: \($method): ratelimited", hint: "try again in \($seconds) s", retryAfterMs: ($seconds * 1000)} | halt_error(1)
    elif $error != "" then
      refuse("Slack: \($method): " + ([$error, ($said.response_metadata?.messages? | arrays | .[] | strings)] | join("; "));
        $hints[$error] // (if $error | test("auth|token|account") then "is SLACK_TOKEN right?" else "" end))
    elif $status == "200" and $said.ok? == true then $said
    else refuse("Slack: \($method): HTTP status \($status), and the answer does not have the form of the API"; "try again later") end;

# ---- sent texts ----------------------------------------------------------------------------------------------------

# The text is sent unchanged: & < > are escaped, so it cannot mention users and hide links. With `markup` they have Slack's meaning.
def sent_text:
  asked.text
  | if asked.markup != true then reduce (["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"]) as [$a, $b] (.; split($a) | join($b))
    elif contains("<!") then refuse("the text has <!, which notifies all members of a channel or group"; "remove it; <@U...> mentions one user")
    else . end
  | if length > 40000 then refuse("the text has \(length) characters in Slack's counting, and the maximum is 40000";
      "& < and > count as 5, 4 and 4; split the text") else . end;
def message: {channel: channel.id, text: sent_text, parse: "none", link_names: false, unfurl_links: false, unfurl_media: false};

# ---- outputs ------------------------------------------------------------------------------------------------------

def present: with_entries(select(.value | . != null and . != "" and . != []));
def place: {id, name, user} | present;
def described: (place + {type: (if .is_im == true then "direct" elif .is_mpim == true then "group"
      elif .is_private == true then "private" else "public" end),
    member: .is_member, archived: .is_archived, external: (.is_ext_shared == true or .is_pending_ext_shared == true),
    members: .num_members, topic: .topic.value?, purpose: .purpose.value?}) | present;
# Texts are as stored by Slack. Attachments are only counted: they can quote messages of closed channels.
def messages: [.messages[] | ({ts, user, bot: .bot_id, subtype, thread: .thread_ts, replies: .reply_count, edited: .edited.ts?,
    reactions: [.reactions[]? | {name, count}], files: [.files[]? | {id, name: (.name // "")}],
    attachments: (.attachments // [] | length | select(. > 0) // null)} | present) + {text: (.text // "")}];
def next: (.response_metadata.next_cursor? // "") as $next | {more: ($next != "" or .has_more == true), cursor: $next} | present;
END
)

# fail MESSAGE HINT
fail() {
  jq -n --arg message "$1" --arg hint "$2" '{$message, $hint}' > "$ERROR_PATH"
  exit 1
}

# program FILTER [OPTION...]: runs jq with the common definitions.
program() {
  if ! jq -rc --slurpfile config "$CONFIG_PATH" --slurpfile in "$INPUT_PATH" --slurpfile resolved "$dir/channel" \
    --arg method "$method" --arg status "$status" --arg retry "$retry" --arg cursor "$cursor" --arg id "$id" --arg size "$size" \
    "$definitions $1" "${@:2}" 2> "$dir/refusal"; then
    if [[ $(head -c 1 "$dir/refusal") == "{" ]]; then cp "$dir/refusal" "$ERROR_PATH"; else cat "$dir/refusal" >&2; fi
    exit 1
  fi
}

# fetch LINE...: runs curl with these lines of configuration; sets status and retry, and writes the body to $dir/answer.
fetch() {
  local said
  : > "$dir/answer"
  said=$(printf '%s\n' silent show-error 'proto = "=https"' "output = \"$dir/answer\"" \
    'write-out = "%{http_code} %header{retry-after}"' "$@" | curl --config -) ||
    fail "curl could not reach Slack: exit status $?" "--explain shows what the network refused"
  read -r status retry <<< "$said" || true
}

ask() {
  method=$1
  [[ $SLACK_TOKEN =~ ^[A-Za-z0-9._-]+$ ]] || fail "SLACK_TOKEN is not a token of Slack" "a token has the form xoxb-..."
  program "$2 | form" -nj > "$dir/form"
  fetch 'max-time = 25' "url = \"https://slack.com/api/$1\"" "header = \"Authorization: Bearer $SLACK_TOKEN\"" \
    "data-binary = \"@$dir/form\""
  program "answer | $3" -Rs "$dir/answer"
}

check() { program "need($1)" -n; }

open_channel() {
  local found page
  found=$(program "need($1), how" -n)
  if [[ $found == id ]]; then
    found=$(ask conversations.info '{channel: given, include_num_members: true}' \
      'if .channel.id? == given then .channel else {} end | opened')
  else
    # 10 pages: half of the calls that Slack allows in a minute.
    for ((page = 0; page < 10; page++)); do
      found=$(ask conversations.list '{types: "public_channel,private_channel", limit: 999, cursor: cursor}' \
        'first(.channels[] | select(.name == (given | ascii_downcase)) | opened) // next.cursor // ""')
      if [[ -z $found ]]; then fail "Slack has no channel with the name in the input" "channel-list shows the open channels"; fi
      if [[ $found == "{"* ]]; then break; fi
      cursor=$found
    done
    if ((page == 10)); then fail "the channel is not among the first ones that Slack lists" "use its id (C...)"; fi
    cursor=""
  fi
  printf '%s\n' "$found" > "$dir/channel"
}
