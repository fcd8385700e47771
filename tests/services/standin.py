"""What the stand-ins of services have in common: HTTP over TLS, strict about what they are sent, with a state to look at.

A stand-in answers the operations that it knows, and every part of a request (query, form field, member of a JSON body, header)
has to be taken by the operation. What it does not know, or nobody takes, is written to DIR/violations and answered with 599:
the test looks at that file, and fails.

In DIR, for a service NAME:
  NAME.json    its state, after each request
  NAME.log     a line for each request: METHOD PATH?QUERY
  NAME.next    written by a test: {"on": "REGEX of METHOD PATH", "times": 1, "status": 429, "headers": {...}, "body": ...};
               the next requests that match are answered so (a body that is a text is sent as it is, others as JSON)
  violations   of all services
"""
import http.server
import json
import os
import re
import ssl
import threading
import traceback
import urllib.parse

# What clients send without being asked: never a part of an operation.
HARMLESS = {"host", "user-agent", "accept", "accept-encoding", "content-length", "content-type", "connection", "expect"}


class Refused(Exception):
    """An answer that ends the operation."""

    def __init__(self, status, body, headers=None):
        super().__init__(status)
        self.reply = Reply(status, body, headers)


class Violation(Exception):
    """The client sent what the stand-in does not know."""


class Reply:
    def __init__(self, status=200, body=None, headers=None):
        self.status, self.body, self.headers = status, body, dict(headers or {})

    def content(self):
        if self.body is None:
            return b""
        if isinstance(self.body, (bytes, str)):
            return self.body if isinstance(self.body, bytes) else self.body.encode()
        self.headers.setdefault("Content-Type", "application/json; charset=utf-8")
        return json.dumps(self.body, ensure_ascii=False).encode()


class Request:
    """One request. take_*() returns a part and counts as knowing it; what is left when the operation ends is a violation."""

    def __init__(self, method, target, headers, body):
        self.method, self.body = method, body
        path, _, query = target.partition("?")
        self.path, self.target = urllib.parse.unquote(path), target
        self.raw_path = path
        self.query = urllib.parse.parse_qs(query, keep_blank_values=True, strict_parsing=bool(query))
        self.headers = {name.lower(): value for name, value in headers.items()}
        self._form = self._json = None

    def type(self):
        return self.headers.get("content-type", "").partition(";")[0].strip()

    def take_header(self, name, default=None):
        return self.headers.pop(name.lower(), default)

    def take_query(self, name, default=None):
        return self._one(self.query, name, default)

    @property
    def form(self):
        if self._form is None:
            if self.type() != "application/x-www-form-urlencoded":
                raise Violation("a body of type %r where a form is expected" % self.headers.get("content-type"))
            self._form = urllib.parse.parse_qs(self.body.decode(), keep_blank_values=True, strict_parsing=bool(self.body))
        return self._form

    def take_form(self, name, default=None):
        return self._one(self.form, name, default)

    @property
    def json(self):
        if self._json is None:
            if self.type() != "application/json":
                raise Violation("a body of type %r where JSON is expected" % self.headers.get("content-type"))
            self._json = json.loads(self.body)
        return self._json

    def take_json(self, name, default=None):
        return self.json.pop(name, default)

    def take_body(self):
        """The bytes as they are; whoever takes them has looked at all of them."""
        body, self.body = self.body, b""
        self._json = {}
        return body

    @staticmethod
    def _one(parts, name, default):
        values = parts.pop(name, None)
        if values is None:
            return default
        if len(values) != 1:
            raise Violation("%s is there %d times" % (name, len(values)))
        return values[0]

    def left(self):
        rest = ["query %s" % name for name in self.query]
        rest += ["header %s" % name for name in self.headers if name not in HARMLESS]
        if self._form is not None:
            rest += ["form field %s" % name for name in self._form]
        elif self._json is not None:
            rest += ["member %s" % name for name in self._json]
        elif self.body:
            rest.append("a body of %d bytes" % len(self.body))
        return rest


class Service:
    """Operations are methods that are registered with `on`; they run one at a time, and change `self.state`."""

    def __init__(self, name, directory, state):
        self.name, self.directory, self.state = name, directory, state
        self.routes, self.lock = [], threading.Lock()
        self.save()

    def on(self, method, pattern):
        """For a function of (request, match) that returns a Reply, or a body. `pattern` is of the whole path."""
        def register(operation):
            self.routes.append((method, re.compile(pattern), operation))
            return operation
        return register

    def file(self, suffix):
        return os.path.join(self.directory, self.name + suffix)

    def save(self):
        with open(self.file(".json.new"), "w", encoding="utf-8") as file:
            json.dump(self.state, file, ensure_ascii=False, indent=1)
        os.rename(self.file(".json.new"), self.file(".json"))

    def violation(self, text):
        with open(os.path.join(self.directory, "violations"), "a", encoding="utf-8") as file:
            file.write("%s: %s\n" % (self.name, text))
        return Reply(599, {"message": "the stand-in does not know this: " + text})

    def planned(self, request):
        """The answer that a test has put into NAME.next, if it is for this request."""
        try:
            with open(self.file(".next"), encoding="utf-8") as file:
                plan = json.load(file)
        except FileNotFoundError:
            return None
        if not re.search(plan["on"], request.method + " " + request.path):
            return None
        plan["times"] = plan.get("times", 1) - 1
        if plan["times"] <= 0:
            os.unlink(self.file(".next"))
        else:
            with open(self.file(".next"), "w", encoding="utf-8") as file:
                json.dump(plan, file)
        return Reply(plan.get("status", 200), plan.get("body"), plan.get("headers"))

    def answer(self, request):
        with self.lock:
            with open(self.file(".log"), "a", encoding="utf-8") as file:
                file.write("%s %s\n" % (request.method, request.target))
            planned = self.planned(request)
            if planned is not None:
                return planned
            what = "%s %s" % (request.method, request.target)
            for method, pattern, operation in self.routes:
                match = pattern.fullmatch(request.path) if method == request.method else None
                if match is None:
                    continue
                try:
                    reply = operation(request, match)
                    if not isinstance(reply, Reply):
                        reply = Reply(200, reply)
                    left = request.left()
                except Refused as refused:
                    reply, left = refused.reply, []
                except Exception as error:  # pylint: disable=broad-except
                    return self.violation("%s: %s %s" % (what, error, traceback.format_exc(limit=-2)))
                finally:
                    self.save()
                return self.violation("%s: %s" % (what, ", ".join(left))) if left else reply
            return self.violation(what)


def handler_of(service):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self):
            if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
                body = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                del self.headers["Transfer-Encoding"]
            else:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            reply = service.answer(Request(self.command, self.path, self.headers, body))
            content = reply.content()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.status != 204:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD" and reply.status != 204:
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = handle_any

        def log_message(self, *_):
            pass

    return Handler


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def serve(service, address, port=443):
    """Serves it with the certificate of the tests' internet; returns its thread."""
    server = Server((address, port), handler_of(service))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(service.directory, "web.pem"), os.path.join(service.directory, "web.key"))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    return thread
