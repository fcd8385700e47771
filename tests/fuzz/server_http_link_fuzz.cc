// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. Messages between the engine and band-http. Reading them
// ends without a crash, and an accepted message is within its documented bounds. The first byte selects the message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/http/config.h"
#include "server/http/reply_reader.h"
#include "server/http_link/input.h"
#include "server/http_link/question.h"

namespace {

using namespace band::http;

void read(std::string_view json) {
  const auto question = read_question(json);
  if (!question.ok()) return;
  if (question->kind == Question::Kind::Listening && question->port == 0) std::abort();
  if (question->number < 0 || descriptors_of(question->kind) > 2) std::abort();
}

void read_config(std::string_view json) {
  const auto config = parse_config(json);
  if (!config.ok()) return;
  if (config->connections < 1 || config->connections > kMaxConnections) std::abort();
  for (const Token& token : config->tokens)
    if (token.id.size() != 8 || token.hash.size() != 64) std::abort();
}

// The client gets the same bytes for any split of the lines.
void filter(ReplyFilter::Mode mode, std::string_view lines) {
  ReplyFilter whole(mode), cut(mode);
  std::string bytes, pieces;
  whole.feed(lines, bytes);
  const std::size_t step = lines.empty() ? 1 : 1 + static_cast<unsigned char>(lines[0]) % 7;
  for (std::size_t at = 0; at < lines.size(); at += step) cut.feed(lines.substr(at, step), pieces);
  if (whole.failed() != cut.failed() || whole.complete() != cut.complete()) std::abort();
  if (!whole.failed() && bytes != pieces) std::abort();
}

// The output is the same for any split of the stream, never longer than the input, and ends at the stream's end.
void read_input(std::string_view stream) {
  InputReader whole, cut;
  std::string bytes, pieces;
  const bool good = whole.feed(stream, bytes).ok();
  if (bytes.size() > stream.size()) std::abort();
  for (std::size_t at = 0; at < stream.size(); ++at)
    if (!cut.feed(stream.substr(at, 1), pieces).ok()) {
      if (good) std::abort();
      return;
    }
  if (!good || bytes != pieces || whole.ended() != cut.ended()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      read(bytes);
      break;
    case 1:
      read_config(bytes);
      break;
    case 2:
      filter(ReplyFilter::Mode::Events, bytes);
      break;
    case 3:
      filter(ReplyFilter::Mode::Answer, bytes);
      break;
    default:
      read_input(bytes);
  }
  return 0;
}
