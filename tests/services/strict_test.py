"""The stand-ins are strict: each request here has one part that its operation does not support, and is answered with 599."""
import json
import os
import tempfile

from standin import FORM, JSON, Reply, Request, Service


def ask(service, method, target, headers=None, body=b""):
    return service.answer(Request(method, target, headers or {}, body)).status


def main():
    with tempfile.TemporaryDirectory() as directory:
        service = Service("strict", directory, {"calls": 0})

        @service.on("GET", "/list", query="page", headers="token")
        @service.on("POST", "/form", body=FORM, fields="name")
        @service.on("POST", "/json", body=JSON, fields="name settings/speed")
        def _count(_, __):
            service.state["calls"] += 1
            return Reply(200, {})

        form, text = {"Content-Type": FORM}, {"Content-Type": JSON}
        known = [("GET", "/list?page=1", {"token": "x"}), ("POST", "/form", form, b"name=x"),
                 ("POST", "/json", text, b'{"name": "x", "settings": {"speed": 1}}')]
        unknown = [("GET", "/other"), ("DELETE", "/list"), ("GET", "/list?size=1"), ("GET", "/list?page=1&page=2"),
                   ("GET", "/list", {"x-more": "1"}), ("GET", "/list", text, b"{}"), ("POST", "/form", form, b"name=x&more=y"),
                   ("POST", "/form", text, b"{}"), ("POST", "/json", text, b'{"more": 1}'),
                   ("POST", "/json", text, b'{"settings": {"more": 1}}'), ("POST", "/json?page=1", text, b"{}")]
        assert [ask(service, *request) for request in known] == [200] * len(known)
        # A planned reply is not used for such a request; it remains for the next one.
        with open(os.path.join(directory, "strict.next"), "w", encoding="utf-8") as file:
            json.dump({"on": ".", "status": 429}, file)
        for request in unknown:
            assert ask(service, *request) == 599, request
        assert ask(service, *known[0]) == 429
        assert service.state["calls"] == len(known)
        with open(os.path.join(directory, "violations"), encoding="utf-8") as file:
            violations = [line for line in file if line.startswith("strict: ")]
        assert len(violations) == len(unknown), violations


main()
