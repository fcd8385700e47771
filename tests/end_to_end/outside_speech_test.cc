// The data on an allowed connection: TLS to exactly this name, HTTP with exactly this Host, one request; another
// protocol only if a rule names the port.
#include "tests/outside/outside.h"

using namespace band::test;

namespace {

// A payload that makes a real server serve PLACE, for another Host or form, when it is sent unchanged. PLACE is
// replaced by a path that names the sender.
struct Payload {
  const char *what, *bytes;
};

const Payload kSmuggled[] = {
    {"another Host", R"(GET /PLACE HTTP/1.1\r\nHost: evil.example.com\r\n\r\n)"},
    {"an absolute form", R"(GET http://evil.example.com/PLACE HTTP/1.1\r\nHost: api.example.com\r\n\r\n)"},
    {"an absolute form of the own name",
     R"(GET http://api.example.com/PLACE HTTP/1.1\r\nHost: api.example.com\r\n\r\n)"},
    {"no Host", R"(GET /PLACE HTTP/1.0\r\n\r\n)"},
    {"a Host with a user", R"(GET /PLACE HTTP/1.1\r\nHost: api.example.com:80@evil.example.com\r\n\r\n)"},
    {"bare line feeds", R"(GET /PLACE HTTP/1.1\nHost: evil.example.com\n\n)"},
    {"bare line feeds after a valid Host",
     R"(GET /ok HTTP/1.1\r\nHost: api.example.com\r\nX: y\n\nGET /PLACE HTTP/1.1\nHost: evil.example.com\n\n)"},
    {"a second request",
     R"(GET /ok HTTP/1.1\r\nHost: api.example.com\r\n\r\nGET /PLACE HTTP/1.1\r\nHost: evil.example.com\r\n\r\n)"},
    {"a second request after a body",
     R"(POST /ok HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 2\r\n\r\nhiGET /PLACE HTTP/1.1\r\nHost: evil.example.com\r\n\r\n)"},
    {"a second request after chunks",
     R"(POST /ok HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nGET /PLACE HTTP/1.1\r\nHost: evil.example.com\r\n\r\n)"},
    {"a leading empty line", R"(\r\nGET /PLACE HTTP/1.1\r\nHost: evil.example.com\r\n\r\n)"},
};

// Sends the payload and waits until the peer closes, or sends nothing for one second.
std::string sender(const Payload& payload, const std::string& place) {
  std::string bytes = payload.bytes;
  bytes.replace(bytes.find("PLACE"), 5, place);
  return "exec 3<>/dev/tcp/api.example.com/80; printf '" + bytes +
         "' >&3; timeout 1 cat <&3 | head -c 300; exec 3>&-\n";
}

constexpr const char* kCurl =
    "allow: {net: [api.example.com, \"api.example.com:8081\", \"api.example.com:3128\", "
    "\"odd.example.com:7\", \"odd.example.com:443\"], cli: [\"curl *\", \"openssl *\", \"python3 *\"]}";

}  // namespace

TEST_CASE("a request for another host does not reach a server through a plain connection") {
  const Caller caller(networked_server());
  std::string inside, control;
  int number = 0;
  for (const Payload& payload : kSmuggled) {
    control += sender(payload, "control-" + std::to_string(number) + "-");
    inside += "(" + sender(payload, "inside-" + std::to_string(number++) + "-") + ")\n";
  }
  inside += "(" + sender({"", R"(GET /PLACE HTTP/1.1\r\nHost: api.example.com\r\n\r\n)"}, "inside-good-") + ")";
  outside().shell(control);
  for (int i = 0; i < number; ++i) {
    CAPTURE(kSmuggled[i].what);
    CHECK_HAS(outside().log("web.log"), "/control-" + std::to_string(i) + "-");
  }
  const Ran ran = explain(caller, inside, "allow: {net: [api.example.com]}");
  REQUIRE_STATUS(ran, 0);
  const std::string log = outside().log("web.log");
  CHECK_HAS(log, "/inside-good-");
  for (int i = 0; i < number; ++i) CHECK_HAS_NOT(log, "/inside-" + std::to_string(i) + "-");
  CHECK_HAS(ran.err, "Host evil.example.com on a connection to api.example.com:80 refused");
}

TEST_CASE("requests of curl are refused with another Host, with clear-text HTTP/2, through CONNECT, and to a proxy") {
  const Caller caller(networked_server());
  const Ran ran = try_acts(
      caller, kCurl,
      {.did = {"curl -fsS http://api.example.com/", "curl -fsS -H 'Host: API.example.com:80' http://api.example.com/"},
       .refused = {"curl -fsS -H 'Host: evil.example.com' http://api.example.com/",
                   "curl -fsS --connect-to evil.example.com:80:api.example.com:80 http://evil.example.com/",
                   "curl -fsS --http2-prior-knowledge http://api.example.com:8081/",
                   "curl -fsS -p -x http://api.example.com:3128 https://evil.example.com/",
                   "curl -fsS -x http://api.example.com:3128 http://evil.example.com/",
                   "curl -fsS -x http://api.example.com:80 http://api.example.com/"}});
  CHECK_HAS(ran.err, "Host evil.example.com on a connection to api.example.com:80 refused");
}

TEST_CASE("TLS for another name, or without a name, is refused on an allowed connection") {
  const Caller caller(networked_server());
  const std::string tls = "openssl s_client -connect api.example.com:443 -brief ";
  const Ran ran = try_acts(
      caller, kCurl,
      {.did = {tls + "-servername api.example.com < /dev/null", tls + "-servername API.example.com < /dev/null",
               tls + "-tls1_2 -servername api.example.com < /dev/null"},
       .refused = {"curl -fsS --connect-to evil.example.com:443:api.example.com:443 https://evil.example.com/",
                   tls + "-servername evil.example.com < /dev/null", tls + "-noservername < /dev/null"}});
  CHECK_HAS(ran.err, "net: SNI evil.example.com on a connection to api.example.com:443 refused");
}

TEST_CASE("a ClientHello with an encrypted name is refused, and the ledger names the setting to switch off") {
  const Caller caller(networked_server());
  // Sends the ClientHello of Python with one more extension, the argument; exits with 0 if the server sends its hello.
  const std::string say = R"(python3 -c '
import socket, ssl, struct, sys
first = ssl.MemoryBIO()
client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), first, server_hostname="api.example.com")
try:
  client.do_handshake()
except ssl.SSLWantReadError:
  body = first.read()[9:]
at = 35 + body[34]
at += 2 + int.from_bytes(body[at:at + 2], "big")
at += 1 + body[at]
extensions = body[at + 2:] + bytes.fromhex(sys.argv[1])
body = body[:at] + struct.pack("!H", len(extensions)) + extensions
hello = b"\1\0" + struct.pack("!H", len(body)) + body
with socket.create_connection(("api.example.com", 443), 5) as server:
  server.sendall(b"\x16\3\1" + struct.pack("!H", len(hello)) + hello)
  answer = server.recv(1024)
  print("answer", answer[:7].hex())
  sys.exit(answer[:1] != b"\x16")
' )";
  // encrypted_client_hello as browsers send it without a key (GREASE): outer, HKDF-SHA256, AES-128-GCM.
  const std::string ech = "fe0d00ba00000100012a0020" + std::string(64, 'a') + "0090" + std::string(288, 'b');
  const Ran ran = try_acts(caller, kCurl, {.did = {say + "''", say + "0a0a0000"}, .refused = {say + ech}});
  CHECK_HAS(ran.err, "answer 15030100020270");  // fatal, unrecognized_name
  CHECK_HAS(ran.err,
            "net: encrypted_client_hello on a connection to api.example.com:443 refused (switch Encrypted ClientHello "
            "off in the client (curl: --ech false; Firefox:");
  CHECK_HAS_NOT(ran.err, "net: SNI");
}

TEST_CASE("a protocol other than TLS is refused on port 443, and its client does not wait without a timeout") {
  const Caller caller(networked_server());
  // The control is in other tests: the echo server at port 7 answers bytes that are not TLS.
  const Ran ran = explain(
      caller,
      "for bytes in 'hello\\n' 'SSH-2.0-x\\r\\n' '\\x16\\x03\\x01\\xff\\xffgarbage garbage garbage'; do\n"
      "  (exec 3<>/dev/tcp/api.example.com/443; printf \"$bytes\" >&3; timeout 15 cat <&3 | wc -c | sed 's/^/got /'; "
      "echo \"ended ${PIPESTATUS[0]}\")\ndone",
      "allow: {net: [api.example.com]}");
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS_NOT(ran.err, "ended 124");
  CHECK_HAS(ran.err, "net: ");
}
