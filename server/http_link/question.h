// What the http process asks of the engine (link.h), as it comes from the control channel.
//
// Promises: the http process is not trusted, so a message that is not exactly as link.h has it is refused, whatever its
// members are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band::http {

struct Question {
  enum class Kind { Listening, Configured, Exec, Cancel, Input, Health, Metrics };
  Kind kind = Kind::Health;
  std::string token = {}, token_id = {};  // Exec, Cancel, Input: the caller's
  std::string id = {};                    // Cancel, Input: of an execution
  std::uint16_t port = 0;                 // Listening: never 0
  std::int64_t number = 0;                // Configured
};

std::size_t descriptors_of(Question::Kind kind);  // that are attached to it

Result<Question> read_question(std::string_view json);  // Code::BadRequest

}  // namespace band::http
