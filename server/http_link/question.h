// A message of band-http to the engine (link.h), decoded from the control channel.
//
// Promises: a message that is not exactly in the form of link.h is refused, because band-http is not trusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band::http {

struct Question {
  enum class Kind { Listening, Configured, Exec, Cancel, Input, Health, Metrics };
  Kind kind = Kind::Health;
  std::string token = {}, token_id = {};  // Exec, Cancel, Input, Health: of the caller
  std::string id = {};                    // Cancel, Input: of the execution
  bool events = false;                    // Exec: the client requests the events before the result, too
  std::uint16_t port = 0;                 // Listening: never 0
  std::int64_t number = 0;                // Configured: of the config
};

std::size_t descriptors_of(Question::Kind kind);  // how many descriptors are attached to a message of this kind

Result<Question> read_question(std::string_view json);  // Code::BadRequest

}  // namespace band::http
