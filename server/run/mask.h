// Secrets out of everything that leaves the server (design section 9). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/json.h"
#include "schemas/wire.h"

namespace band::run {

inline constexpr std::string_view kMasked = "[masked]";

class Mask {
 public:
  Mask() = default;
  // Values of eight characters and more, the longest first.
  explicit Mask(std::vector<std::string> values) : values_(std::move(values)) {}

  bool empty() const { return values_.empty(); }
  std::size_t longest() const { return values_.empty() ? 0 : values_.front().size(); }
  std::string text(std::string_view text) const;
  // Strings, member names, and numbers whose digits spell a secret.
  void json(Json& value) const;
  // Everything in the answer. A changed file whose path holds a secret is named, masked, and not sent.
  void answer(Answer& answer) const;

  // Where the first secret at or after `from` begins and ends; both npos when there is none.
  struct Match {
    std::size_t begin = std::string_view::npos, end = std::string_view::npos;
  };
  Match find(std::string_view text, std::size_t from) const;

 private:
  std::vector<std::string> values_;
};

// Masks a stream piece by piece: what could be the beginning of a secret is held back until more is known, and so is
// an unfinished UTF-8 character.
class StreamMask {
 public:
  explicit StreamMask(const Mask& mask) : mask_(mask) {}
  std::string add(std::string_view piece);
  std::string finish();

 private:
  const Mask& mask_;
  std::string held_;
};

}  // namespace band::run
