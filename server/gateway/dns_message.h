// DNS messages of the script's resolver: a hostile query in, an answer out. ldns reads and writes them. Pure.
//
// Promise: whatever the bytes are, reading ends, and an answer has at most 512 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace band::gateway {

// REFUSED and SERVFAIL are not among them: musl waits five seconds after one, and glibc asks again.
enum class Rcode { NoError = 0, FormErr = 1, NxDomain = 3, NotImp = 4, BadVers = 16 };

struct Question {
  std::string
      name;  // as ldns writes it, with the dot at the end: `a.example.`; not canonical, odd bytes as \ and a number
  std::uint16_t type = 0;

  bool asks_for_ipv4() const;  // A, or ANY
  bool asks_where() const;     // also AAAA and HTTPS: who asks so wants to connect
};

struct Query {
  std::uint16_t id = 0;
  std::uint8_t opcode = 0;
  bool recursion_desired = false;
  bool edns = false;
  Rcode fault = Rcode::NoError;  // not NoError: answer(query, query.fault) is all that there is to say
  Question question;             // when there is no fault; of class IN
  std::string question_wire;     // to be repeated letter by letter; empty with FormErr
};

// nullopt: not to be answered at all (shorter than a header, or itself an answer).
// FormErr: not exactly one question, a name over 255 bytes or compressed, records that no query has, bytes left over.
// NotImp: another opcode than QUERY, another class than IN. BadVers: EDNS of another version than 0.
std::optional<Query> read_query(std::span<const std::uint8_t> message);

// NoError without an address is NODATA: the name exists and has nothing of this type.
std::string answer(const Query& query, Rcode rcode, std::optional<std::array<std::uint8_t, 4>> address = {},
                   std::uint32_t ttl_s = 0);

}  // namespace band::gateway
