#include "server/gateway/dns_message.h"

#include <doctest/doctest.h>

#include <string_view>

using namespace band::gateway;
using namespace std::string_literals;

namespace {

constexpr std::array<std::uint8_t, 4> kAddress{198, 18, 0, 1};

std::optional<Query> read(const std::string& bytes) {
  return read_query({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

int fault(const std::string& bytes) {
  const auto query = read(bytes);
  return query ? static_cast<int>(query->fault) : -1;
}

// flags: both bytes; counts: of questions, answers, authorities, additionals.
std::string header(const std::string& flags = "\x01\x00"s, const std::string& counts = "\0\1\0\0\0\0\0\0"s) {
  return "\x12\x34" + flags + counts;
}

std::string name(std::initializer_list<std::string> labels) {
  std::string wire;
  for (const std::string& label : labels) wire += static_cast<char>(label.size()) + label;
  return wire + '\0';
}

const std::string kA = "\0\1\0\1"s, kAaaa = "\0\x1c\0\1"s;
const std::string kExample = name({"www", "Example", "com"});
const std::string kOneExtra = "\0\1\0\0\0\0\0\1"s;

// EDNS: root, type 41, 4096 bytes, extended rcode 0, `version`, flags, options.
std::string edns(const std::string& options = "", char version = 0) {
  return "\0\0\x29\x10\0\0"s + version + "\x80\0"s + static_cast<char>(options.size() >> 8) +
         static_cast<char>(options.size()) + options;
}

}  // namespace

TEST_CASE("name, type, flags and EDNS of a query are read") {
  const auto query = read(header() + kExample + kAaaa);
  REQUIRE(query);
  CHECK(query->fault == Rcode::NoError);
  CHECK(query->id == 0x1234);
  CHECK(query->recursion_desired);
  CHECK_FALSE(query->edns);
  CHECK(query->question.name == "www.Example.com.");
  CHECK(query->question.type == 28);
  CHECK_FALSE(query->question.asks_for_ipv4());
  CHECK(read(header() + kExample + kA)->question.asks_for_ipv4());
  CHECK(read(header() + kExample + "\0\xff\0\1"s)->question.asks_for_ipv4());

  const auto with_edns = read(header("\0\0"s, kOneExtra) + name({}) + kA + edns("\0\x0a\0\x08"s + "cookie!!"));
  REQUIRE(with_edns);
  CHECK(with_edns->fault == Rcode::NoError);
  CHECK(with_edns->edns);
  CHECK_FALSE(with_edns->recursion_desired);
  CHECK(with_edns->question.name == ".");
}

TEST_CASE("special characters in a name are escaped and never read as a separator") {
  // A dot, a backslash, a null and a control character inside labels.
  CHECK(read(header() + name({"a.b", "c"}) + kA)->question.name == "a\\.b.c.");
  CHECK(read(header() + name({"a\0b"s, "c"}) + kA)->question.name == "a\\000b.c.");
  CHECK(read(header() + name({"a\\", "\x1b\xff"}) + kA)->question.name == "a\\\\.\\027\\255.");
}

TEST_CASE("malformed queries get the error of RFC 1035 or no answer") {
  const std::string label(63, 'a');
  const std::string longest = name({label, label, label, std::string(61, 'b')});
  REQUIRE(longest.size() == 255);
  const struct {
    const char* what;
    std::string bytes;
    int fault;
  } cases[] = {
      {"control: a question", header() + kExample + kA, 0},
      {"control: the longest name", header() + longest + kA, 0},
      {"control: an unknown type", header() + kExample + "\xff\xfe\0\1"s, 0},
      {"nothing", "", -1},
      {"half a header", header().substr(0, 11), -1},
      {"an answer", header("\x81\x80") + kExample + kA, -1},
      {"a header alone", header(), 1},
      {"no question", header("\1\0"s, "\0\0\0\0\0\0\0\0"s), 1},
      {"two questions", header("\1\0"s, "\0\2\0\0\0\0\0\0"s) + kExample + kA + kExample + kA, 1},
      {"65,535 questions", header("\1\0"s, "\xff\xff\0\0\0\0\0\0"s) + kExample + kA, 1},
      {"a query with an answer", header("\1\0"s, "\0\1\0\1\0\0\0\0"s) + kExample + kA + kExample + kA + "\0\0\0\0\0\0"s,
       1},
      {"an authority", header("\1\0"s, "\0\1\0\0\0\1\0\0"s) + kExample + kA + kExample + kA + "\0\0\0\0\0\0"s, 1},
      {"no class", header() + kExample + "\0\1"s, 1},
      {"a byte left over", header() + kExample + kA + "x", 1},
      {"a label of 64", header() + "\x40"s + std::string(64, 'a') + "\0"s + kA, 1},
      {"a name of 256", header() + name({label, label, label, std::string(62, 'b')}) + kA, 1},
      {"a name without end", header() + "\3www", 1},
      {"a label over the end", header() + "\x3fwww"s + kA, 1},
      {"a name that points at itself", header() + "\xc0\x0c"s + kA, 1},
      {"two pointers in a cycle", header() + "\1a\xc0\x10\xc0\x0c"s + kA, 1},
      {"a pointer into the header", header() + "\xc0\x04"s + kA, 1},
      {"a pointer past the end", header() + "\xff\xff"s + kA, 1},
      {"an old extended label", header() + "\x41xyz"s + kA, 1},
      {"a missing extra record", header("\1\0"s, kOneExtra) + kExample + kA, 1},
      {"an extra record that is not EDNS",
       header("\1\0"s, kOneExtra) + kExample + kA + "\0\0\1\0\1\0\0\0\0\0\4\1\2\3\4"s, 1},
      {"EDNS with a name", header("\1\0"s, kOneExtra) + kExample + kA + "\1a" + edns(), 1},
      {"EDNS twice", header("\1\0"s, "\0\1\0\0\0\0\0\2"s) + kExample + kA + edns() + edns(), 1},
      {"EDNS cut short", header("\1\0"s, kOneExtra) + kExample + kA + edns("abcd").substr(0, 12), 1},
      {"EDNS of version 1", header("\1\0"s, kOneExtra) + kExample + kA + edns("", 1), 16},
      {"an update", header("\x28\0"s) + kExample + kA, 4},
      {"opcode 15", header("\x78\0"s), 4},
      {"class CHAOS", header() + kExample + "\0\1\0\3"s, 4},
      {"class ANY", header() + kExample + "\0\1\0\xff"s, 4},
  };
  for (const auto& one : cases) {
    CAPTURE(one.what);
    CHECK(fault(one.bytes) == one.fault);
    if (const auto query = read(one.bytes)) {
      const std::string reply = answer(*query, query->fault);
      REQUIRE(reply.size() >= 12);
      CHECK(reply.substr(0, 2) == "\x12\x34");
      CHECK((static_cast<unsigned char>(reply[2]) & 0x80) != 0);
      CHECK((reply[2] & 0x78) == (one.bytes[2] & 0x78));
      CHECK((reply[3] & 0xf) == (one.fault & 0xf));
      CHECK(reply.size() <= 512);
    }
  }
}

TEST_CASE("answers follow RFC 1035 and repeat the question byte by byte") {
  const auto query = read(header() + kExample + kA);
  REQUIRE(query);
  const std::string one_answer = "\0\1\0\1\0\0\0\0"s;
  CHECK(answer(*query, Rcode::NoError, kAddress, 60) ==
        "\x12\x34\x81\x80"s + one_answer + kExample + kA + "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc6\x12\0\1"s);
  const std::string question_only = "\0\1\0\0\0\0\0\0"s + kExample + kA;
  CHECK(answer(*query, Rcode::NoError) == "\x12\x34\x81\x80"s + question_only);
  CHECK(answer(*query, Rcode::NxDomain) == "\x12\x34\x81\x83"s + question_only);

  const auto root = read(header("\0\0"s) + name({}) + kA);
  CHECK(answer(*root, Rcode::NxDomain) == "\x12\x34\x80\x83\0\1\0\0\0\0\0\0\0"s + kA);

  const auto with_edns = read(header("\1\0"s, kOneExtra) + kExample + kA + edns());
  CHECK(answer(*with_edns, Rcode::NxDomain) ==
        "\x12\x34\x81\x83"s + kOneExtra + kExample + kA + "\0\0\x29\x04\xd0\0\0\0\0\0\0"s);
  const auto future = read(header("\1\0"s, kOneExtra) + kExample + kA + edns("", 7));
  CHECK(answer(*future, future->fault) ==
        "\x12\x34\x81\x80"s + kOneExtra + kExample + kA + "\0\0\x29\x04\xd0\1\0\0\0\0\0"s);
  CHECK(answer(*read(header()), Rcode::FormErr) == "\x12\x34\x81\x81\0\0\0\0\0\0\0\0"s);
}

TEST_CASE("the longest name is answered within 512 bytes") {
  const std::string label(63, '\x01');  // each byte is written as \001
  const auto query =
      read(header("\1\0"s, kOneExtra) + name({label, label, label, std::string(61, '\x01')}) + kA + edns());
  REQUIRE(query);
  const std::string reply = answer(*query, Rcode::NoError, kAddress, 1);
  CHECK(reply.size() > 255);
  CHECK(reply.size() <= 512);
}
