"""A stand-in for api.anthropic.com: POST /v1/messages as `claude -p` sends it, as JSON or as a stream of events.

Keys: "sk-ant-ann" is valid, all others are refused. The reply is "Summary N of B bytes: " and the beginning of the question's text, so
that a test can assign each summary to its text. The question must have the form that skills/summarize sends: a prompt that begins with
"Summarize", then the text between two lines with the same mark, which occurs only there.
"""
import hashlib
import json
import os
import re

from standin import JSON, Refused, Reply, Service, Violation

KEYS = {"sk-ant-ann"}
MODELS = {"haiku": "claude-haiku-4-5", "sonnet": "claude-sonnet-4-5", "opus": "claude-opus-4-5"}
# The second and further lines: headers and fields that the real claude sends, too. The stand-in ignores them.
HEADERS = """x-api-key anthropic-version
  anthropic-beta anthropic-dangerous-direct-browser-access x-app x-client-request-id x-claude-code-session-id accept-language
  sec-fetch-mode x-stainless-*"""
FIELDS = """model max_tokens metadata metadata/* messages stream tools
  system thinking thinking/* context_management context_management/* output_config output_config/* temperature tool_choice
  tool_choice/*"""
MARK = re.compile(r"=== [0-9a-f]{32} ===")


def error(http, kind, message):
    return Refused(http, {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})


def question_of(messages):
    """Returns (prompt, text) of the last text block of the last user message."""
    if not messages or messages[-1]["role"] != "user":
        raise Violation("the last message is not the user's")
    content = messages[-1]["content"]
    whole = content if isinstance(content, str) else [block["text"] for block in content if block["type"] == "text"][-1]
    found = MARK.search(whole)
    if found is None and len(messages) > 2 and whole.startswith("Output token limit hit."):  # sent by claude itself
        return "continued", ""
    if found is None:
        raise Violation("no mark in %r" % whole[:200])
    pieces = whole.split(found[0])
    if len(pieces) != 3 or pieces[2].strip() or not pieces[0].startswith("Summarize "):
        raise Violation("%d marks, prompt %r, after them %r" % (len(pieces) - 1, pieces[0][:200], pieces[-1][:200]))
    return pieces[0].rstrip("\n"), pieces[1][1:-1]


def events_of(message):
    """Returns the message as server-sent events."""
    text = message["content"][0]["text"]
    start = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    events = [("message_start", {"message": start}),
              ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
              ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": text}}),
              ("content_block_stop", {"index": 0}),
              ("message_delta", {"delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": message["usage"]}),
              ("message_stop", {})]
    return "".join("event: %s\ndata: %s\n\n" % (name, json.dumps({"type": name, **data}, ensure_ascii=False)) for name, data in events)


def make(directory):
    if os.path.exists(os.path.join(directory, "anthropic.json")):
        raise RuntimeError("the state file exists already")
    service = Service("anthropic", directory, {"questions": []})
    state = service.state

    @service.on("HEAD", "/")
    def _alive(_, __):
        return Reply(200)

    @service.on("GET", "/api/claude_code/(settings|policy_limits)", headers="*")  # only the real claude calls this
    def _managed(_, __):
        raise error(404, "not_found_error", "Not found")

    @service.on("POST", "/v1/messages", query="beta", headers=HEADERS, body=JSON, fields=FIELDS)
    def _ask(request, _):
        if request.headers.get("x-api-key") not in KEYS:
            raise error(401, "authentication_error", "invalid x-api-key")
        if request.headers.get("anthropic-version") != "2023-06-01" or request.query.get("beta", "true") != "true":
            raise Violation("anthropic-version or beta")
        if request.fields.get("tools"):
            raise Violation("tools")
        model = request.fields["model"]
        model = MODELS.get(model, model)
        if not any(model.startswith(name) for name in MODELS.values()):
            raise error(404, "not_found_error", "model: %s" % model)
        if not isinstance(request.fields.get("max_tokens"), int):
            raise error(400, "invalid_request_error", "max_tokens: Field required")
        metadata = request.fields.get("metadata") or {}
        prompt, text = question_of(request.fields["messages"])
        number = len(state["questions"]) + 1
        reply = "Summary %d of %d bytes: %s" % (number, len(text.encode()), text[:40])
        state["questions"].append({"model": model, "prompt": prompt, "bytes": len(text.encode()), "text": text[:2000],
                                   "sha256": hashlib.sha256(text.encode()).hexdigest(), "reply": reply,
                                   "metadata": metadata.get("user_id")})
        # Assumes four bytes per token.
        message = {"id": "msg_%d" % number, "type": "message", "role": "assistant", "model": model,
                   "content": [{"type": "text", "text": reply}], "stop_reason": "end_turn", "stop_sequence": None,
                   "usage": {"input_tokens": len(text.encode()) // 4, "output_tokens": len(reply) // 4,
                             "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "service_tier": "standard"}}
        if not request.fields.get("stream", False):
            return message
        return Reply(200, events_of(message), {"Content-Type": "text/event-stream; charset=utf-8"})

    return service
