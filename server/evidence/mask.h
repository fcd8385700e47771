// Masks secrets in all data that leaves the server: replaces each occurrence by `[masked]` (docs/architecture.md 6.7).
// The content of files is masked unless the client requests it unmasked (ExecRequest::whole_files). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/wire/masked.h"
#include "schemas/wire/wire.h"

namespace band::run {

// For an execution with a terminal. Returns `values`, and for each value that contains line feeds also the form that a
// terminal prints, with a carriage return before each line feed. The result is sorted, the longest first.
std::vector<std::string> with_terminal_forms(std::vector<std::string> values);

class Mask {
 public:
  Mask() = default;
  // `values`: the secrets, each with eight bytes or more, the longest first. Where two secrets begin at the same
  // position of a text, the longer one is masked.
  explicit Mask(std::vector<std::string> values);

  bool empty() const { return values_.empty(); }
  std::string text(std::string_view text) const;
  // Masks a text that contains host names. The gateway reports names in lower case, and non-ASCII labels as A-labels
  // (xn--...). Therefore host() finds a secret also if its ASCII letters have another case. For a secret with non-ASCII
  // characters, host() also searches for the secret in its A-label form, and finds this form if the secret consists of
  // whole labels of the host name.
  std::string host(std::string_view text) const;
  // Masks strings and member names. A number whose text contains a secret becomes the string `[masked]`. A masked
  // member name gets the suffix `#1`, `#2` ..., because the names in an object must be unique. Returns the places of
  // the masked strings, numbers and names, as Answer::masked.
  std::vector<std::string> json(Json& value) const;
  // Masks all texts of the answer, and sets Answer::masked. `whole_files`: does not change the content of files,
  // because a file with a part replaced would be another file. If the path of a changed file contains a secret, the
  // file is removed from the answer and its masked path is added to Answer::not_written.
  void answer(Answer& answer, bool whole_files) const;

  struct Match {
    std::size_t begin = 0, end = 0;
  };
  // Returns all secrets in the text, from left to right, without overlaps. The time is proportional to the length of
  // the text times the number of secrets; the number of occurrences does not matter.
  std::vector<Match> matches(std::string_view text) const;
  bool occurs_in(std::string_view text) const;
  // Returns the length of the longest suffix of the text that is a proper prefix of a secret.
  std::size_t begun(std::string_view text) const;

 private:
  static std::string replaced(std::string_view text, const std::vector<Match>& matches);

  std::vector<std::string> values_, host_values_;  // host_values_: the forms of the secrets for which host() searches
  // For each value in values_ the result of borders_of() (mask.cc). Used by begun().
  std::vector<std::vector<std::uint32_t>> borders_;
};

// Masks a stream. Each call of add() gets the next piece of the stream. If a piece ends with bytes that may be the
// beginning of a secret, these bytes are held back until the next piece. The Mask must outlive the StreamMask.
class StreamMask {
 public:
  // Characters: an incomplete UTF-8 character at the end of a piece is held back, too.
  enum class Cut { Characters, Bytes };
  explicit StreamMask(const Mask& mask, Cut cut = Cut::Characters) : mask_(mask), cut_(cut) {}
  std::string add(std::string_view piece);  // returns the masked text, without the bytes that are held back
  std::string finish();                     // call it at the end of the stream: returns the bytes that are held back

 private:
  const Mask& mask_;
  Cut cut_;
  std::string held_;
};

}  // namespace band::run
