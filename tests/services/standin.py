"""Common part of the stand-ins of services: HTTP over TLS, strict checks of requests, and a state that tests can read.

A stand-in answers registered operations. Each operation lists the parts of a request that it supports: names in the query,
headers, fields of the body. They are checked before any answer, also before a planned error or an error of the operation.
An unsupported part is written to DIR/violations and answered with 599; a test that finds this file with content fails.

In DIR, for a service NAME:
  NAME.json    its state, after each request
  NAME.log     a line for each request: METHOD PATH?QUERY
  NAME.next    written by a test: {"on": "REGEX of METHOD PATH", "times": 1, "status": 429, "headers": {...}, "body": ...};
               the next requests that match get this answer (a body that is a string is sent unchanged, others as JSON)
  violations   the violations of all services
"""
import email.parser
import email.policy
import fnmatch
import http.server
import json
import os
import re
import ssl
import threading
import traceback
import urllib.parse

# Headers that clients send by default; they are not checked.
HARMLESS = {"host", "user-agent", "accept", "accept-encoding", "content-length", "content-type", "connection", "expect"}

FORM, JSON, MULTIPART = "application/x-www-form-urlencoded", "application/json", "multipart/form-data"


class Refused(Exception):
    """An answer that ends the operation."""

    def __init__(self, status, body, headers=None):
        super().__init__(status)
        self.reply = Reply(status, body, headers)


class Violation(Exception):
    """The client sent a part that the stand-in does not support."""


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


def pairs(text):
    """Returns {name: value} of a query or a form."""
    found = urllib.parse.parse_qs(text, keep_blank_values=True, strict_parsing=bool(text))
    for name, values in found.items():
        if len(values) != 1:
            raise Violation("%s occurs %d times" % (name, len(values)))
    return {name: values[0] for name, values in found.items()}


def members(value, place=""):
    """Yields the names in a JSON object; for a nested object its names, as outer/inner."""
    for name, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield from members(inner, place + name + "/")
        else:
            yield place + name


class Request:
    """One request. read() sets `query` and `fields`: {name: value} of a form or of JSON, [(name, file name or None, bytes)] of a
    multipart form, empty for another type of body. `body` has the received bytes."""

    def __init__(self, method, target, headers, body):
        self.method, self.target, self.body = method, target, body
        self.path = urllib.parse.unquote(target.partition("?")[0])
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.query, self.fields = {}, {}

    def type(self):
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def read(self, query="", headers="", body=None, fields=""):
        """Parses the request; an unsupported part is a Violation. `query`, `headers` and `fields` are the supported names, separated by
        blanks; `body` is the type of the body, None for no body. * in them matches any text, also /. Elements of lists are not
        checked here, but by the operation."""
        if body is None and self.body:
            raise Violation("a body of %d bytes" % len(self.body))
        if body is not None and not fnmatch.fnmatchcase(self.type(), body):
            raise Violation("a body of type %r where %s is expected" % (self.headers.get("content-type"), body))
        self.query = pairs(self.target.partition("?")[2])
        parts = [("query", self.query, query), ("header", set(self.headers) - HARMLESS, headers),
                 ("field", self.read_fields(body), fields)]
        unknown = ["%s %s" % (kind, name) for kind, names, known in parts for name in names
                   if not any(fnmatch.fnmatchcase(name, pattern) for pattern in known.split())]
        if unknown:
            raise Violation(", ".join(unknown))

    def read_fields(self, kind):
        """Sets `fields`, and returns their names."""
        if kind == MULTIPART:
            self.fields = self.multipart()
            return [name for name, _, _ in self.fields]
        if kind == FORM:
            self.fields = pairs(self.body.decode())
        elif kind == JSON:
            self.fields = json.loads(self.body)
        return list(members(self.fields))

    def multipart(self):
        head = ("Content-Type: %s\r\n\r\n" % self.headers["content-type"]).encode()
        found = []
        for part in email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + self.body).iter_parts():
            if part.get_content_disposition() != "form-data":
                raise Violation("a part that is not form-data")
            found.append((part.get_param("name", header="content-disposition"), part.get_filename(), part.get_payload(decode=True)))
        return found


class Service:
    """A service. Operations are functions that are registered with `on`; they run one at a time, and change `self.state`."""

    def __init__(self, name, directory, state):
        self.name, self.directory, self.state = name, directory, state
        self.routes, self.lock = [], threading.Lock()
        self.save()

    def on(self, method, pattern, **known):
        """Registers a function of (request, match) that returns a Reply or a body. `pattern` matches the whole path; `known` are the
        arguments of Request.read()."""
        def register(operation):
            self.routes.append((method, re.compile(pattern), known, operation))
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
        return Reply(599, {"message": "not supported by the stand-in: " + text})

    def planned(self, request):
        """Returns the answer of NAME.next if it matches this request, otherwise None."""
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

    def operation_of(self, request):
        """Returns the operation and its match. The request has then been read, and has only supported parts."""
        for method, pattern, known, operation in self.routes:
            match = pattern.fullmatch(request.path) if method == request.method else None
            if match is not None:
                request.read(**known)
                return operation, match
        raise Violation("no such operation")

    def answer(self, request):
        with self.lock:
            with open(self.file(".log"), "a", encoding="utf-8") as file:
                file.write("%s %s\n" % (request.method, request.target))
            try:
                operation, match = self.operation_of(request)
                reply = self.planned(request) or operation(request, match)
                return reply if isinstance(reply, Reply) else Reply(200, reply)
            except Refused as refused:
                return refused.reply
            except Exception as error:  # pylint: disable=broad-except
                return self.violation("%s %s: %s %s" % (request.method, request.target, error, traceback.format_exc(limit=-2)))
            finally:
                self.save()


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
    """Serves `service` with the certificate of the tests' internet; returns its thread."""
    server = Server((address, port), handler_of(service))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(service.directory, "web.pem"), os.path.join(service.directory, "web.key"))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    return thread
