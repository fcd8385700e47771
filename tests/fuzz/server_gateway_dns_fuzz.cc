// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. A script's DNS query can be any bytes: reading it ends;
// every answer is a DNS answer, has at most 512 bytes, and repeats the question byte by byte.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "server/gateway/dns_message.h"

using namespace band::gateway;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_answer(const Query& query, const std::string& reply) {
  require(reply.size() >= 12 && reply.size() <= 512);
  require((static_cast<unsigned char>(reply[2]) & 0x80) != 0);
  require(reply.compare(12, query.question_wire.size(), query.question_wire) == 0);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(reply.data());
  require(!read_query({bytes, reply.size()}));  // an answer gets no answer
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto query = read_query({data, size});
  if (!query) return 0;
  require(std::memcmp(data, answer(*query, query->fault).data(), 2) == 0);
  check_answer(*query, answer(*query, query->fault));
  if (query->fault != Rcode::NoError) return 0;
  require(query->question.name.ends_with('.'));
  require(query->question_wire.size() >= 5 && query->question_wire.size() <= 259);
  check_answer(*query, answer(*query, Rcode::NxDomain));
  check_answer(*query, answer(*query, Rcode::NoError, std::array<std::uint8_t, 4>{198, 18, 0, 1}, 60));
  // With its answer bit cleared, an answer without records is the same query.
  std::string again = answer(*query, Rcode::NoError);
  again[2] = static_cast<char>(again[2] & 0x7f);
  const auto second = read_query({reinterpret_cast<const std::uint8_t*>(again.data()), again.size()});
  require(second && second->fault == Rcode::NoError && second->question_wire == query->question_wire &&
          second->question.name == query->question.name && second->edns == query->edns);
  return 0;
}
