"""HTTP servers in Python: http.server, waitress, cheroot, tornado, twisted and aiohttp. Arguments: their ports, in this order."""
import http.server
import multiprocessing
import sys

from wsgi import application


class Handler(http.server.BaseHTTPRequestHandler):
    def __getattr__(self, name):  # any method is served
        if not name.startswith("do_"):
            raise AttributeError(name)
        return self.serve

    def serve(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"served " + (self.headers.get("Host") or "none").encode() + b"\n")


def of_python(port):
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


def of_waitress(port):
    import waitress

    waitress.serve(application, listen=f"127.0.0.1:{port}", _quiet=True)


def of_cheroot(port):
    from cheroot import wsgi

    wsgi.Server(("127.0.0.1", port), application).start()


def of_tornado(port):
    import asyncio

    import tornado.web

    class Serve(tornado.web.RequestHandler):
        async def _execute(self, *arguments, **more):  # any method is served
            self._transforms = []
            self.finish(f"served {self.request.host}\n")

    async def run():
        tornado.web.Application([(".*", Serve)]).listen(port, "127.0.0.1")
        await asyncio.Event().wait()

    asyncio.run(run())


def of_twisted(port):
    from twisted.internet import reactor
    from twisted.web import resource, server

    class Serve(resource.Resource):
        isLeaf = True

        def render(self, request):
            return b"served " + (request.getHeader("host") or "none").encode() + b"\n"

    reactor.listenTCP(port, server.Site(Serve()), interface="127.0.0.1")
    reactor.run()


def of_aiohttp(port):
    from aiohttp import web

    async def serve(request):
        return web.Response(text=f"served {request.headers.get('Host')}\n")

    async def make():
        return web.Server(serve)

    application = web.Application()
    application.router.add_route("*", "/{rest:.*}", serve)
    web.run_app(application, host="127.0.0.1", port=port, print=None)


if __name__ == "__main__":
    for run, port in zip([of_python, of_waitress, of_cheroot, of_tornado, of_twisted, of_aiohttp], sys.argv[1:]):
        multiprocessing.Process(target=run, args=(int(port),)).start()
