// Secrets out of everything that leaves the server (design section 9). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/wire/masked.h"
#include "schemas/wire/wire.h"

namespace band::run {

// `values`, and what a terminal makes of those with line feeds (a carriage return before each); the longest first.
std::vector<std::string> with_terminal_forms(std::vector<std::string> values);

class Mask {
 public:
  Mask() = default;
  // Values of eight characters and more, the longest first.
  explicit Mask(std::vector<std::string> values);

  bool empty() const { return values_.empty(); }
  std::string text(std::string_view text) const;
  // With host names in it, which come back in lower case, and with A-labels (xn--...) for what is not ASCII: also
  // secrets whose ASCII letters are written large or small instead, and one of other letters that is whole labels.
  std::string host(std::string_view text) const;
  // Strings, member names, and numbers whose digits spell a secret.
  void json(Json& value) const;
  // Everything in the answer. A changed file whose path holds a secret is named, masked, and not sent.
  void answer(Answer& answer) const;

  struct Match {
    std::size_t begin = 0, end = 0;
  };
  // Every secret in the text, left to right, none overlapping; in time of the text's length times the secrets, however
  // often they occur.
  std::vector<Match> matches(std::string_view text) const;
  bool occurs_in(std::string_view text) const;
  // How many bytes at the end of the text are the beginning of a secret, and not all of it.
  std::size_t begun(std::string_view text) const;

 private:
  static std::string replaced(std::string_view text, const std::vector<Match>& matches);
  void members(Json& value) const;

  std::vector<std::string> values_, host_values_;    // the latter: as host() looks for them
  std::vector<std::vector<std::uint32_t>> borders_;  // of values_, see begun()
};

// Masks a stream piece by piece: the beginning of a secret is held back until more is known.
class StreamMask {
 public:
  // Characters: an unfinished UTF-8 character is held back, too.
  enum class Cut { Characters, Bytes };
  explicit StreamMask(const Mask& mask, Cut cut = Cut::Characters) : mask_(mask), cut_(cut) {}
  std::string add(std::string_view piece);
  std::string finish();

 private:
  const Mask& mask_;
  Cut cut_;
  std::string held_;
};

}  // namespace band::run
