// Serves requests with cpp-httplib. serve.cc is the only file of the server that includes httplib.h.
//
// cpp-httplib receives a request only after read_head(), parse_head() and admit() have accepted the request.
// cpp-httplib receives a generated head (clean_head) and never the body: secrets in a body would remain in the buffers
// of cpp-httplib, which does not wipe them.
// The following list has the weaknesses of cpp-httplib 0.11.4 (Debian 12). The text after the last colon of each item
// is the protection against the weakness:
//   - any number of headers, lines terminated by a bare LF, folded lines, "Content-Length: +5", the same header twice,
//     both Content-Length and Transfer-Encoding (request smuggling): parse_head, admit
//   - chunk size lines of any length, with signs or "0x"; reading after a body's end: BodyFrame
//   - decompresses a body with Content-Encoding, parses forms and multipart: cpp-httplib receives no body
//   - a Range header can multiply an answer, and the parser of Range is a std::regex (stack overflow): requests with
//     Range are refused. Routing also uses std::regex, but its input is one of six constant paths
//   - decodes percent signs in header values, accepts CR LF in set_header: cpp-httplib receives and sends no header of
//     a client
//   - parses the unread body of a refused request as the next request: the connection is closed after a refusal
//   - reads a request without a length until EOF: clean_head adds a length
//   - an unbounded job queue, and one thread pool for all connections: listener.h starts a thread for each connection
//   - answers of a failed handler contain the exception's text (EXCEPTION_WHAT): no handler throws, and the answer is a
//     constant 500
//   - select(2) does not support descriptors of 1024 and more: cpp-httplib waits for no descriptor, because it reads
//     and writes through a GuardedStream (serve.cc)
#pragma once

#include <memory>

#include "server/http/config.h"
#include "server/http/connections.h"
#include "server/http/engine.h"
#include "server/http/log.h"
#include "server/http/upload.h"

namespace band::http {

struct Services {
  const EngineClient& engine;
  const Settings& settings;
  Connections& connections;
  AccessLog& log;
  std::string decoy_key;  // random; proofs for token ids that do not exist have keys made from it
  std::uint16_t port;     // the bound port
};

class Server {
 public:
  explicit Server(Services services);
  ~Server();

  // Serves one connection until it ends. Called by many threads concurrently.
  void serve(Connection& connection);
  // Returns the number of requests in progress; idle connections do not count.
  int busy() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace band::http
