// The text of a shell script as tokens, read without running it. Pure. Where client/shell/reading.h has the commands,
// this has what stands between them: the arms of `case`, here-documents, comments. Linear in the size of the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct ShellToken {
  enum class Kind { Word, Operator, LineEnd, Comment, HereDocument };
  Kind kind = Kind::Word;
  std::string raw;           // as it is written; of a here-document its lines
  std::string plain;         // of a word: without quotes and backslashes, expansions as they are written
  int line = 0, column = 0;  // from 1; columns in bytes

  bool is_word(std::string_view text) const { return kind == Kind::Word && raw == text; }
  bool is_operator(std::string_view text) const { return kind == Kind::Operator && raw == text; }
};

std::vector<ShellToken> shell_tokens(std::string_view text);

}  // namespace band::client
