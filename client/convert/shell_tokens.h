// Splits the text of a shell script into tokens, without running it. Pure. Use it for the arms of `case`,
// here-documents and comments; client/shell/reading.h returns only commands, files and variables. Linear in the size of
// the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct ShellToken {
  enum class Kind { Word, Operator, LineEnd, Comment, HereDocument };
  Kind kind = Kind::Word;
  std::string raw;           // verbatim; for a here-document, its lines
  std::string plain;         // for a word: without quotes and backslashes, expansions unchanged
  int line = 0, column = 0;  // from 1; columns in bytes

  bool is_word(std::string_view text) const { return kind == Kind::Word && raw == text; }
  bool is_operator(std::string_view text) const { return kind == Kind::Operator && raw == text; }
};

std::vector<ShellToken> shell_tokens(std::string_view text);

}  // namespace band::client
