// What may be said on an allowed connection: TLS to that very name, HTTP with that very Host, one request; another
// protocol where a rule names the port.
#include "tests/outside/outside.h"

using namespace band::test;

namespace {

// A payload that makes a real server serve /smuggled for a Host of its own when it is sent as it is. PLACE is replaced:
// who sent it.
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
    {"bare line feeds behind a good Host",
     R"(GET /ok HTTP/1.1\r\nHost: api.example.com\r\nX: y\n\nGET /PLACE HTTP/1.1\nHost: evil.example.com\n\n)"},
    {"a second request",
     R"(GET /ok HTTP/1.1\r\nHost: api.example.com\r\n\r\nGET /PLACE HTTP/1.1\r\nHost: evil.example.com\r\n\r\n)"},
    {"a second request behind a body",
     R"(POST /ok HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 2\r\n\r\nhiGET /PLACE HTTP/1.1\r\nHost: evil.example.com\r\n\r\n)"},
    {"a second request behind chunks",
     R"(POST /ok HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nGET /PLACE HTTP/1.1\r\nHost: evil.example.com\r\n\r\n)"},
    {"an empty line in front", R"(\r\nGET /PLACE HTTP/1.1\r\nHost: evil.example.com\r\n\r\n)"},
};

// Sends and waits for the other side to close, or to say nothing for a second.
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

TEST_CASE("no request for another host is smuggled through a plain connection") {
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

TEST_CASE("curl with another Host, with HTTP/2 in the clear, through a proxy's CONNECT, and to a proxy") {
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

TEST_CASE("TLS for another name, or for none, is refused on an allowed connection") {
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

TEST_CASE("a ClientHello that hides its name is refused, and the answer says what to switch off") {
  const Caller caller(networked_server());
  // Says what Python's client says first, with `extension` at its end; good if the server answers with its hello.
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
  // encrypted_client_hello as browsers send it when they know no key (GREASE): outer, HKDF-SHA256, AES-128-GCM.
  const std::string ech = "fe0d00ba00000100012a0020" + std::string(64, 'a') + "0090" + std::string(288, 'b');
  const Ran ran = try_acts(caller, kCurl, {.did = {say + "''", say + "0a0a0000"}, .refused = {say + ech}});
  CHECK_HAS(ran.err, "answer 15030100020270");  // fatal, unrecognized_name
  CHECK_HAS(ran.err,
            "net: encrypted_client_hello on a connection to api.example.com:443 refused (switch Encrypted ClientHello "
            "off in the client (curl: --ech false; Firefox:");
  CHECK_HAS_NOT(ran.err, "net: SNI");
}

TEST_CASE("a protocol of its own is never spoken on 443, and a silent or odd client there does not wait for ever") {
  const Caller caller(networked_server());
  // The control has an echo at 7, which answers what is no TLS.
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
