// A connection over which HTTP/1.1 requests are sent, one after the other (RFC 9112). Only http.cc includes
// Boost.Beast.
//
// Promises: there is only one connection. When it is closed, later requests fail; no new connection is made. The head
// of a response may have at most 16 KiB, a chunk-size line at most 64 KiB; the caller limits the length of a response's
// body. No content coding is requested or decoded, no redirect is followed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace band::client {

struct HttpRequest {
  std::string method, target;                               // target: the path and the query
  std::vector<std::pair<std::string, std::string>> fields;  // send() adds the fields for the body's length
  std::string_view body;
  // If set, the body has no known length and is sent in chunks. Returns the next part of the body, "" at its end. If it
  // returns nullopt, send() closes the connection and returns Step::Abandoned.
  std::function<std::optional<std::string>()> next;
};

struct HttpHead {
  int status = 0;
  std::string retry_after;  // the field Retry-After, or ""
};

struct HttpFailure {
  // Abandoned: `next` returned nullopt or `body` returned false. When stop() ends a request, `step` can have any value.
  enum class Step { Connect, Send, Receive, Abandoned };
  Step step = Step::Connect;
  bool timed_out = false;
  bool closed = false;  // the peer has closed the connection
  std::string text;     // from the system or from the library, for the user
};

class HttpConnection {
 public:
  using Seconds = std::chrono::seconds;

  // `host`: an IP address, or the path of a Unix socket if `port` is 0. The first request connects.
  HttpConnection(std::string host, std::uint16_t port);
  ~HttpConnection();

  // Limits of the time for one step, 15 s by default: to send a head, a chunk, or the next bytes of a body with a known
  // length; to receive the head of an answer, or the next bytes of its body.
  void limit_pauses(Seconds sending, Seconds receiving);

  // Returns nullopt when a complete response, of any status, was received. `body` receives the parts of the response's
  // body; it returns false to abandon the request. When `body` is called, `head` is complete. An answer that the peer
  // sends before it has read the whole request is received, too.
  std::optional<HttpFailure> send(const HttpRequest& request, HttpHead& head,
                                  const std::function<bool(std::string_view)>& body);

  bool alive() const;  // the connection exists, and the peer has not closed it
  int socket() const;  // -1: not connected
  void stop();         // may be called from another thread; the current request fails, and all later ones

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace band::client
