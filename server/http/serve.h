// Requests in, answers out, over cpp-httplib. serve.cc is the only file of the server that includes httplib.h.
//
// cpp-httplib gets a request only after read_head(), parse_head() and admit() have taken it, gets its head written anew
// (clean_head), and never its body: a secret would stay in buffers that nobody else can wipe. What that covers of the
// weaknesses of 0.11.4, Debian 12's:
//   - no total deadline for headers or bodies (slow loris): Connection's deadlines
//   - any number of headers, lines that end with a bare LF, folded lines, "Content-Length: +5", the same header twice,
//     Content-Length beside Transfer-Encoding (request smuggling): parse_head, admit
//   - chunk size lines without bound, with signs or "0x"; reading behind a body's end: BodyFrame
//   - a body is decompressed on Content-Encoding, forms and multipart are parsed: it gets no body
//   - Range multiplies an answer, and its parser is a std::regex (stack overflow): refused. Routing is by std::regex
//     too: it sees six constant paths only
//   - percent-decoding of header values, CR LF in set_header: no header goes in or out that a client wrote
//   - a refused request's unread body is taken for the next request: the connection is closed
//   - a request without a length is read to the end of the connection: clean_head gives it one
//   - a job queue without bound, and one thread pool for all: listener.h has its own threads
//   - answers of a failed handler tell the exception's text (EXCEPTION_WHAT): nothing is left to throw, and the answer
//     is a plain 500
//   - descriptors of 1024 and more do not fit select(2): it waits for none, its stream is GuardedStream
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
  std::string decoy_key;  // random; proofs for ids that do not exist are made with it
  std::uint16_t port;     // as bound
};

class Server {
 public:
  explicit Server(Services services);
  ~Server();

  // Serves one connection to its end. Called by many threads at a time.
  void serve(Connection& connection);
  // Requests that are being answered; idle connections do not count.
  int busy() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace band::http
