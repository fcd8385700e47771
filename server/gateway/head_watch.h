// Finds the end of an HTTP head in the bytes of a client that were recognised as another protocol. Pure.
//
// Some HTTP servers accept bytes as a request line that other protocols begin with: any bytes as a method (the JDK's
// HttpServer, Twisted, WEBrick), or any first line (waitress). These bytes alone cannot be distinguished from another
// protocol. But such a server reads `Host` only from a complete head. Therefore the relay does not forward the end of a
// head before the server has sent data of another protocol (server_bytes.h).
//
// Promise: feed() never lets the last byte of a head pass that one of the servers in tests/web accepts. Not covered: a
// server that answers a first line without `Host` (HTTP/0.9).
#pragma once

#include <cstddef>
#include <string_view>

namespace band::gateway {

class HeadWatch {
 public:
  enum class State {
    Watching,
    Found,      // the next byte would complete a head
    Different,  // the bytes are not the beginning of a head
  };

  // Reads the next bytes of the client, any number. Returns the number of bytes, from the beginning of `bytes`, that
  // may be forwarded: all of them unless the state becomes Found. Call it only while the state is Watching.
  std::size_t feed(std::string_view bytes);
  State state() const { return state_; }

 private:
  std::size_t without_effect(std::string_view next) const;
  void take(unsigned char byte);
  void add(unsigned char byte);
  void end_line();

  State state_ = State::Watching;
  bool began_ = false;       // a byte other than a line end has been read
  bool first_ = true;        // the current line is the first one
  bool bare_lf_ = false;     // the first line has an LF without CR
  bool words_ = false;       // the first line has a separator of words
  bool version_ = false;     // HTTP/ and a digit follow a separator in the first line, before a bare LF
  std::size_t matched_ = 0;  // number of characters of a separator and `HTTP/` that match the last bytes
  bool colon_ = false;       // the current line has a colon; not read in the first line, or when words_
  bool folded_ = false;      // the current line begins with a blank
  std::size_t length_ = 0;   // length of the current line
  bool cr_ = false;          // the last byte was CR; it is not yet added to the line
};

}  // namespace band::gateway
