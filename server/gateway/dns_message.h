// DNS messages of an execution's resolver (resolver.h): reads hostile queries and writes answers, with ldns. Pure.
//
// Promise: reading any input terminates, and an answer has at most 512 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace band::gateway {

// REFUSED and SERVFAIL are not used: after such an answer musl waits five seconds, and glibc repeats the query.
enum class Rcode { NoError = 0, FormErr = 1, NxDomain = 3, NotImp = 4, BadVers = 16 };

struct Question {
  std::string name;  // in the notation of ldns: `a.example.` with the final dot; not canonical; special bytes escaped
  std::uint16_t type = 0;

  bool asks_for_ipv4() const;  // A, or ANY
  bool asks_where() const;     // A, ANY, AAAA or HTTPS: programs send queries of these types before they connect
};

struct Query {
  std::uint16_t id = 0;
  std::uint8_t opcode = 0;
  bool recursion_desired = false;
  bool edns = false;
  Rcode fault = Rcode::NoError;  // if not NoError: send answer(query, query.fault)
  Question question;             // valid when `fault` is NoError; class IN
  std::string question_wire;     // copied unchanged into the answer; empty when `fault` is FormErr
};

// Returns nullopt for messages that get no answer (shorter than a header, or answers themselves). Query::fault is:
//   - FormErr for a message with no question or several questions, with a name that is compressed or longer than 255
//     bytes, with records that a query cannot have, or with bytes after the last record
//   - NotImp for an opcode other than QUERY, or a class other than IN
//   - BadVers for an EDNS version other than 0
std::optional<Query> read_query(std::span<const std::uint8_t> message);

// Returns the bytes of the answer to `query`; "" on an error. NoError without `address` is NODATA: the name exists but
// has no record of this type.
std::string answer(const Query& query, Rcode rcode, std::optional<std::array<std::uint8_t, 4>> address = {},
                   std::uint32_t ttl_s = 0);

}  // namespace band::gateway
