"""Servers that no Debian package has: echo servers, a server that sends first, a name whose address changes."""
import socket
import socketserver
import struct
import threading


class Echo(socketserver.BaseRequestHandler):
    """Sends all data back, and closes only after the end of the received data: tests half-close in both directions."""

    def handle(self):
        total = 0
        while data := self.request.recv(65536):
            total += len(data)
            self.request.sendall(data)
        self.request.sendall(b"end after %d\n" % total)


class Banner(socketserver.BaseRequestHandler):
    """Sends the first line, as SMTP does, then echoes one line."""

    def handle(self):
        self.request.sendall(b"220 odd.example.com\r\n")
        line = self.request.recv(65536)
        self.request.sendall(b"250 " + line)


class Rebinding(socketserver.BaseRequestHandler):
    """DNS: answers the A queries of a name alternately with a public address (first) and a private one."""

    asked = {}

    def handle(self):
        packet, sock = self.request
        end = packet.index(b"\0", 12) + 5
        name, kind = packet[12 : end - 4], struct.unpack("!H", packet[end - 4 : end - 2])[0]
        answer = b""
        if kind == 1:
            turn = Rebinding.asked[name] = Rebinding.asked.get(name, 0) + 1
            address = "5.5.5.5" if turn % 2 else "10.20.30.40"
            answer = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 0, 4) + socket.inet_aton(address)
        head = packet[:2] + struct.pack("!HHHHH", 0x8580, 1, 1 if answer else 0, 0, 0)
        sock.sendto(head + packet[12:end] + answer, self.client_address)


class UdpEcho(socketserver.BaseRequestHandler):
    def handle(self):
        packet, sock = self.request
        sock.sendto(packet, self.client_address)


class Threads(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024


servers = [
    Threads(("6.6.6.6", 7), Echo),
    Threads(("6.6.6.6", 2525), Banner),
    socketserver.UDPServer(("127.0.0.1", 5354), Rebinding),
    socketserver.UDPServer(("6.6.6.6", 443), UdpEcho),
]
for server in servers[1:]:
    threading.Thread(target=server.serve_forever, daemon=True).start()
servers[0].serve_forever()
