// A message of the http process to the engine (link.h), decoded from the control channel.
//
// Promises: the http process is not trusted, so a message that is not exactly in the form of link.h is refused.
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
  std::string id = {};                    // Cancel, Input: the execution's
  std::uint16_t port = 0;                 // Listening: never 0
  std::int64_t number = 0;                // Configured
};

std::size_t descriptors_of(Question::Kind kind);  // returns the number of attached descriptors

Result<Question> read_question(std::string_view json);  // Code::BadRequest

}  // namespace band::http
