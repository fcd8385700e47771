"""A WSGI application that serves any method, for gunicorn and others."""


def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"served " + environ.get("HTTP_HOST", "none").encode() + b"\n"]
