"""A stand-in of Slack's Web API and of files.slack.com, as strict as skills/slack promises to be.

It knows two tokens: BOT, and USER, which alone may search. All calls are forms that are POSTed to /api/METHOD. A violation is
also what the skill promises never to send: a name or a user in the place of a channel's id, text that calls everybody, the
token to files.slack.com.
"""
import functools
import json
import re

import standin

BOT, USER = "xoxb-2345678901-stand-in-bot", "xoxp-2345678901-stand-in-user"
BOT_USER = "U0BOT00001"
PAGE = 4  # a page of conversations.list has at most so many, whatever `limit` says, as Slack's may
MAX_TEXT = 40000


def conversation(id_, name, **more):
    """As conversations.info and conversations.list tell of one."""
    return {"id": id_, "name": name, "name_normalized": name, "is_channel": id_[0] == "C", "is_group": id_[0] == "G",
            "is_im": False, "is_mpim": False, "is_private": False, "is_archived": False, "is_member": True,
            "is_shared": False, "is_ext_shared": False, "is_pending_ext_shared": False, "is_org_shared": False,
            "created": 1700000000, "creator": "U012AB3CD", "previous_names": [], "num_members": 3,
            "topic": {"value": "", "creator": "", "last_set": 0}, "purpose": {"value": "", "creator": "", "last_set": 0},
            **more}


CHANNELS = [
    conversation("C012AB3CD", "general", is_general=True, purpose={"value": "All of us", "creator": "", "last_set": 0}),
    conversation("C0RANDOM1", "random"),
    conversation("C0SECRET1", "secret", is_private=True),
    conversation("C0RENAMED", "lunch", previous_names=["payroll"]),
    conversation("C0PARTNER", "partner", is_shared=True, is_ext_shared=True),
    conversation("C0UNICODE", "équipe-1", is_private=True),
    conversation("C0OUTSIDE", "outside", is_member=False),
    conversation("C0OLDONE1", "old", is_archived=True),
    conversation("C0SHADOW1", "c012ab3cd"),  # a name that looks like an id in small letters
    conversation("C0LASTONE", "deploys", topic={"value": "What we ship", "creator": "U012AB3CD", "last_set": 1700000000}),
    conversation("G0GROUPS1", "mpdm-ann--ben--bot-1", is_mpim=True, is_private=True),
    {"id": "D0DIRECT1", "created": 1700000000, "is_im": True, "is_archived": False, "is_org_shared": False,
     "user": "U012AB3CD", "is_user_deleted": False, "priority": 0},
]

USERS = {
    "U012AB3CD": {"id": "U012AB3CD", "team_id": "T012AB3CD", "name": "ann", "deleted": False, "real_name": "Ann Example",
                  "tz": "Europe/Berlin", "tz_label": "Central European Time", "tz_offset": 3600, "is_bot": False,
                  "profile": {"title": "Engineer", "real_name": "Ann Example", "display_name": "Ann “A” \\n <E>",
                              "status_text": "", "email": "ann@example.com"}},
}


def said(ts, text, **more):
    return {"type": "message", "user": "U012AB3CD", "ts": ts, "text": text, **more}


# Newest last. Thread replies are with the others; only conversations.replies and a search tell of them.
MESSAGES = {
    "C012AB3CD": [
        said("1700000000.000100", "Shall we ship the release?", thread_ts="1700000000.000100", reply_count=2),
        said("1700000001.000200", "The release is good", thread_ts="1700000000.000100", parent_user_id="U012AB3CD"),
        said("1700000002.000300", "Ship it &lt;now&gt;", thread_ts="1700000000.000100", parent_user_id="U012AB3CD"),
        said("1700000003.000400", "", subtype="bot_message", bot_id="B012AB3CD",
             attachments=[{"id": 1, "channel_id": "C0SECRET1", "is_msg_unfurl": True, "text": "the password is swordfish"}]),
        said("1700000004.000500", "Lunch?", reactions=[{"name": "taco", "users": ["U012AB3CD"], "count": 1}],
             files=[{"id": "F0MENU0001", "name": "menu.pdf", "url_private": "https://files.slack.com/files-pri/menu.pdf"}],
             edited={"user": "U012AB3CD", "ts": "1700000005.000000"}),
    ],
    "C0RANDOM1": [said("1700000010.000100", "A release party")],
    "C0SECRET1": [said("1700000020.000100", "The release is called off", thread_ts="1700000020.000100", reply_count=1),
                  said("1700000021.000200", "the password is swordfish", thread_ts="1700000020.000100")],
    "C0RENAMED": [said("1700000030.000100", "salaries of the release team")],
    "D0DIRECT1": [said("1700000040.000100", "just between us: the release")],
    "G0GROUPS1": [said("1700000050.000100", "among us three: the release")],
    # A result of a search whose channel has no name.
    "C0PARTNER": [said("1700000060.000100", "the partner's release", nameless=True)],
}


def make(directory):
    state = {"messages": {channel["id"]: [dict(m) for m in MESSAGES.get(channel["id"], [])] for channel in CHANNELS},
             "uploads": {}, "files": {}, "next_ts": 1}
    return Slack(directory, state)


def need(condition, what):
    if not condition:
        raise standin.Violation(what)


class Slack(standin.Service):
    def __init__(self, directory, state):
        super().__init__("slack", directory, state)
        for name, (method, fields) in METHODS.items():
            self.on("POST", "/api/" + re.escape(name), headers="authorization", body=standin.FORM,
                    fields=fields)(functools.partial(self.call, method))
        self.on("POST", r"/upload/v1/([A-Za-z0-9]+)", body="application/octet-stream")(self.upload)

    def call(self, method, request, _):
        need(request.headers.get("host") == "slack.com", "the API is at slack.com, not at %s" % request.headers.get("host"))
        authorization = request.headers.get("authorization", "")
        need(authorization.startswith("Bearer "), "no token")
        arguments = Arguments(request)
        token = authorization[len("Bearer "):]
        if token not in (BOT, USER):
            self.refuse("invalid_auth", headers={"x-slack-failure": "invalid_auth"})
        arguments.token = token
        reply = method(self, arguments)
        return {"ok": True, **reply}

    @staticmethod
    def refuse(error, headers=None, **more):
        raise standin.Refused(200, {"ok": False, "error": error, **more}, headers)

    def conversation(self, id_):
        """An id, and nothing else, is what the skill sends in the place of a channel."""
        need(re.fullmatch(r"[CDG][A-Z0-9]{8,}", id_ or "") is not None, "%r in the place of a channel's id" % id_)
        for channel in CHANNELS:
            if channel["id"] == id_:
                return channel
        return self.refuse("channel_not_found")

    def writable(self, id_):
        channel = self.conversation(id_)
        if channel.get("is_archived"):
            self.refuse("is_archived")
        if not channel.get("is_member", True):
            self.refuse("not_in_channel")
        return channel

    def find(self, channel, ts):
        for message in self.state["messages"][channel["id"]]:
            if message["ts"] == ts:
                return message
        return None

    def post(self, channel, text, **more):
        ts = "1800000000.%06d" % self.state["next_ts"]
        self.state["next_ts"] += 1
        message = {"type": "message", "user": BOT_USER, "bot_id": "B012AB3CD", "ts": ts, "text": text, **more}
        self.state["messages"][channel["id"]].append(message)
        return message

    def upload(self, request, match):
        need(request.headers.get("host") == "files.slack.com", "bytes go to files.slack.com")
        place = next((u for u in self.state["uploads"].values() if u["place"] == match[1]), None)
        need(place is not None, "an upload that nobody asked for")
        body = request.body
        need(len(body) == place["length"], "%d bytes, and %d were promised" % (len(body), place["length"]))
        place["bytes"] = body.decode("latin-1")
        return standin.Reply(200, b"OK - %d" % len(body), {"Content-Type": "text/plain; charset=utf-8"})


class Arguments:
    """Takes form fields with their types."""
    token = None

    def __init__(self, request):
        self.request = request

    def text(self, name, pattern=None, required=True):
        value = self.request.fields.get(name)
        need(value is not None or not required, "without %s" % name)
        need(value is None or pattern is None or re.fullmatch(pattern, value, re.DOTALL) is not None, "%s=%r" % (name, value))
        return value

    def ts(self, name, required=True):
        return self.text(name, r"[0-9]{10}\.[0-9]{6}", required)

    def number(self, name, low, high):
        value = int(self.text(name, "[0-9]+"))
        need(low <= value <= high, "%s=%d" % (name, value))
        return value

    def exactly(self, name, value):
        self.text(name, re.escape(value))


def page_of(service, entries, cursor, limit):
    """The page of `entries` that begins at `cursor`, and the next cursor."""
    begin = 0
    if cursor is not None:
        if re.fullmatch(r"page:[0-9]+=", cursor) is None:
            service.refuse("invalid_cursor")
        begin = int(cursor[5:-1])
    end = begin + limit
    return entries[begin:end], "page:%d=" % end if end < len(entries) else ""


def conversations_list(service, arguments):
    types = arguments.text("types").split(",")
    need(set(types) <= {"public_channel", "private_channel", "mpim", "im"}, "types=%r" % types)
    archived = arguments.text("exclude_archived", "true", required=False) is None
    limit = arguments.number("limit", 1, 999)

    def listed(channel):
        kind = "im" if channel.get("is_im") else "mpim" if channel["is_mpim"] else \
            "private_channel" if channel["is_private"] else "public_channel"
        return kind in types and (archived or not channel["is_archived"])
    channels, after = page_of(service, [c for c in CHANNELS if listed(c)], arguments.text("cursor", required=False),
                              min(PAGE, limit))
    return {"channels": channels, "response_metadata": {"next_cursor": after}}


def conversations_info(service, arguments):
    arguments.text("include_num_members", "true", required=False)
    return {"channel": service.conversation(arguments.text("channel"))}


def messages_of(service, channel, replies_of=None):
    for message in service.state["messages"][channel["id"]]:
        thread = message.get("thread_ts")
        if thread == replies_of if replies_of else thread in (None, message["ts"]):
            yield {**message, "blocks": [], "team": "T012AB3CD"}


def conversations_history(service, arguments):
    channel = service.conversation(arguments.text("channel"))
    limit = arguments.number("limit", 1, 999)
    oldest, latest = (arguments.text(name, r"[0-9]{1,10}(\.[0-9]{1,6})?", required=False) for name in ("oldest", "latest"))
    if not channel.get("is_member", True):
        service.refuse("not_in_channel")
    found = [m for m in messages_of(service, channel)
             if float(oldest or 0) < float(m["ts"]) < float(latest or 9999999999)]
    found.reverse()
    found, after = page_of(service, found, arguments.text("cursor", required=False), limit)
    return {"messages": found, "has_more": after != "", "pin_count": 0, "response_metadata": {"next_cursor": after}}


def conversations_replies(service, arguments):
    channel = service.conversation(arguments.text("channel"))
    found = list(messages_of(service, channel, arguments.ts("ts")))
    limit = arguments.number("limit", 1, 1000)
    cursor = arguments.text("cursor", required=False)
    if not found:
        service.refuse("thread_not_found")
    found, after = page_of(service, found, cursor, limit)
    return {"messages": found, "has_more": after != "", "response_metadata": {"next_cursor": after}}


def chat_post_message(service, arguments):
    id_, text, thread = arguments.text("channel"), arguments.text("text", ".+"), arguments.ts("thread_ts", required=False)
    arguments.exactly("parse", "none")
    for name in ("link_names", "unfurl_links", "unfurl_media"):
        arguments.exactly(name, "false")
    need(len(text) <= MAX_TEXT, "a text of %d characters" % len(text))
    need("<!" not in text, "a text that calls everybody")
    channel = service.writable(id_)
    more = {}
    parent = thread and service.find(channel, thread)
    if parent and parent.get("subtype") == "bot_message":
        service.refuse("cannot_reply_to_message")
    if parent:
        more["thread_ts"] = thread
        parent["reply_count"] = parent.get("reply_count", 0) + 1
        parent["thread_ts"] = thread
    message = service.post(channel, text, **more)
    return {"channel": channel["id"], "ts": message["ts"], "message": message}


def reaction(service, arguments):
    channel = service.writable(arguments.text("channel"))
    ts, name = arguments.ts("timestamp"), arguments.text("name", r"[^\s:]+(::skin-tone-[2-6])?")
    if name.startswith("no_such"):
        service.refuse("invalid_name")
    message = service.find(channel, ts) or service.refuse("message_not_found")
    reactions = message.setdefault("reactions", [])
    one = next((r for r in reactions if r["name"] == name), None)
    return reactions, one, name


def reactions_add(service, arguments):
    reactions, one, name = reaction(service, arguments)
    if one is None:
        one = {"name": name, "users": [], "count": 0}
        reactions.append(one)
    if BOT_USER in one["users"]:
        service.refuse("already_reacted")
    one["users"].append(BOT_USER)
    one["count"] += 1
    return {}


def reactions_remove(service, arguments):
    reactions, one, _ = reaction(service, arguments)
    if one is None or BOT_USER not in one["users"]:
        service.refuse("no_reaction")
    one["users"].remove(BOT_USER)
    one["count"] -= 1
    if one["count"] == 0:
        reactions.remove(one)
    return {}


def users_info(service, arguments):
    user = arguments.text("user", r"[UW][A-Z0-9]{8,}")
    return {"user": USERS.get(user) or service.refuse("user_not_found")}


def get_upload_url(service, arguments):
    name, length = arguments.text("filename", ".+"), arguments.number("length", 0, 1 << 30)
    need("/" not in name, "a path as the filename")
    if length == 0:
        service.refuse("missing_argument")
    number = len(service.state["uploads"]) + 1
    id_, place = "F0FILE%04d" % number, "ABC%d" % number
    service.state["uploads"][id_] = {"place": place, "filename": name, "length": length, "bytes": None}
    return {"upload_url": "https://files.slack.com/upload/v1/%s" % place, "file_id": id_}


def complete_upload(service, arguments):
    files = json.loads(arguments.text("files"))
    id_, thread = arguments.text("channel_id"), arguments.ts("thread_ts", required=False)
    need(len(files) == 1 and set(files[0]) == {"id", "title"}, "files=%r" % files)
    upload = service.state["uploads"].get(files[0]["id"])
    need(upload is not None and upload["bytes"] is not None, "the completion of a file that has no bytes yet")
    channel = service.writable(id_)
    del service.state["uploads"][files[0]["id"]]
    service.state["files"][files[0]["id"]] = {**upload, "title": files[0]["title"], "channel": channel["id"], "thread": thread}
    service.post(channel, "", files=[{"id": files[0]["id"], "name": upload["filename"]}], **({"thread_ts": thread} if thread else {}))
    return {"files": files}


def search_messages(service, arguments):
    query, count, page = arguments.text("query", ".+"), arguments.number("count", 1, 100), arguments.number("page", 1, 100)
    arguments.text("sort", "score|timestamp")
    arguments.exactly("sort_dir", "desc")
    arguments.exactly("highlight", "false")
    if arguments.token != USER:
        service.refuse("not_allowed_token_type")
    words = [word for word in query.split() if ":" not in word]
    places = [word[3:].lstrip("#") for word in query.split() if word.startswith("in:")]
    if not words and not places:
        service.refuse("no_query")
    matches = []
    for channel in CHANNELS:
        if places and channel.get("name") not in places:
            continue
        for message in service.state["messages"][channel["id"]]:
            if all(word.lower() in message["text"].lower() for word in words):
                matches.append(match_of(channel, message))
    matches.sort(key=lambda match: match["ts"], reverse=True)
    pages = -(-len(matches) // count)
    return {"query": query, "messages": {"total": len(matches), "matches": matches[(page - 1) * count:page * count],
                                         "paging": {"count": count, "total": len(matches), "page": page, "pages": pages}}}


def match_of(channel, message):
    """As search.messages tells of a message: less of its channel than conversations.info, and a DM's name is its user."""
    where = {key: channel.get(key, False) for key in ("id", "is_ext_shared", "is_mpim", "is_org_shared", "is_private",
                                                      "is_shared", "is_pending_ext_shared")}
    where["name"] = channel.get("name", channel.get("user"))
    if message.get("nameless"):
        del where["name"]
    link = "https://example.slack.com/archives/%s/p%s" % (channel["id"], message["ts"].replace(".", ""))
    if "thread_ts" in message:
        link += "?thread_ts=" + message["thread_ts"]
    return {"iid": "0-0", "team": "T012AB3CD", "type": "message", "channel": where, "user": message["user"], "username": "ann",
            "ts": message["ts"], "text": message["text"], "permalink": link, "blocks": []}


# With the arguments of each.
METHODS = {
    "conversations.list": (conversations_list, "types exclude_archived limit cursor"),
    "conversations.info": (conversations_info, "channel include_num_members"),
    "conversations.history": (conversations_history, "channel limit cursor oldest latest"),
    "conversations.replies": (conversations_replies, "channel ts limit cursor"),
    "chat.postMessage": (chat_post_message, "channel text thread_ts parse link_names unfurl_links unfurl_media"),
    "reactions.add": (reactions_add, "channel timestamp name"),
    "reactions.remove": (reactions_remove, "channel timestamp name"),
    "users.info": (users_info, "user"),
    "files.getUploadURLExternal": (get_upload_url, "filename length"),
    "files.completeUploadExternal": (complete_upload, "files channel_id thread_ts"),
    "search.messages": (search_messages, "query count page sort sort_dir highlight"),
}
