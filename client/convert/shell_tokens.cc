#include "client/convert/shell_tokens.h"

#include <algorithm>
#include <utility>

namespace band::client {
namespace {

constexpr int kMaxDepth = 50;                  // nesting of expansions
constexpr std::size_t kMaxArithmetic = 1'000;  // bytes between (( and ))

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<ShellToken> read() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  // Consumes and returns the next character.
  char next() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      line_start_ = at_;
    }
    return c;
  }

  void step() {
    const char c = peek();
    if (c == '\n') {
      add(ShellToken::Kind::LineEnd, "\n");
      next();
      here_documents();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      next();
    } else if (c == '\\' && peek(1) == '\n') {
      next(), next();
    } else if (c == '#') {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      add(ShellToken::Kind::Comment, std::string(text_.substr(at_, end - at_)));
      at_ = end;
    } else if (const std::size_t size = c == '(' ? arithmetic_size() : 0; size > 0) {
      arithmetic(size);
    } else if (std::string_view(";&|()<>").find(c) != std::string_view::npos &&
               !((c == '<' || c == '>') && peek(1) == '(')) {  // except <(...), which is a word
      operation();
    } else {
      word();
    }
  }

  ShellToken& add(ShellToken::Kind kind, std::string raw) {
    tokens_.push_back({kind, std::move(raw), "", line_, static_cast<int>(at_ - line_start_) + 1});
    return tokens_.back();
  }

  // Returns the length of the text between `((` and `))` here; 0 for another construct: `((a); b)` has subshells.
  std::size_t arithmetic_size() const {
    if (peek(1) != '(') return 0;
    int open = 2;
    for (std::size_t at = at_ + 2; at < std::min(text_.size(), at_ + kMaxArithmetic); ++at) {
      if (text_[at] == '(') ++open;
      if (text_[at] == ')' && --open == 1) return text_.substr(at).starts_with("))") ? at - at_ - 2 : 0;
    }
    return 0;
  }

  // Reads `((n << 2))` as the tokens `(`, `(`, one word, `)`, `)`: its operators are arithmetic, also `<<`.
  void arithmetic(std::size_t size) {
    for (int i = 0; i < 2; ++i) operation();
    ShellToken& token = add(ShellToken::Kind::Word, std::string(text_.substr(at_, size)));
    token.plain = token.raw;
    for (const std::size_t end = at_ + size; at_ < end;) next();
    for (int i = 0; i < 2; ++i) operation();
  }

  void operation() {
    for (const std::string_view one :
         {";;&", "<<<", "<<-", ";;", ";&", "&&", "||", "|&", "<<", ">>", ">|", "&>", "<>", ">&", "<&"})
      if (text_.substr(at_).starts_with(one)) {
        add(ShellToken::Kind::Operator, std::string(one));
        at_ += one.size();
        if (one == "<<" || one == "<<-") awaits_.push_back({"", one == "<<-"});
        return;
      }
    add(ShellToken::Kind::Operator, std::string(1, peek()));
    next();
  }

  void word() {
    ShellToken& token = add(ShellToken::Kind::Word, "");
    const std::size_t begin = at_;
    std::string plain;
    if (peek() == '<' || peek() == '>') expansion(plain, 0);
    while (at_ < text_.size() && std::string_view(" \t\r\n;&|()<>").find(peek()) == std::string_view::npos)
      piece(plain, 0);
    if (at_ == begin) plain += next();
    token.raw = std::string(text_.substr(begin, at_ - begin));
    token.plain = std::move(plain);
    if (!awaits_.empty() && awaits_.back().delimiter.empty()) awaits_.back().delimiter = token.plain;
  }

  // Reads one quoted or unquoted part of a word.
  void piece(std::string& plain, int depth) {
    const char c = peek();
    if (c == '\\') {
      next();
      if (at_ < text_.size()) {
        if (const char quoted = next(); quoted != '\n') plain += quoted;
      }
    } else if (c == '\'') {
      next();
      while (at_ < text_.size() && peek() != '\'') plain += next();
      if (at_ < text_.size()) next();
    } else if (c == '"') {
      double_quoted(plain, depth);
    } else if (c == '$' && (peek(1) == '(' || peek(1) == '{') && depth < kMaxDepth) {
      plain += next();
      expansion(plain, depth + 1);
    } else if (c == '`') {
      plain += next();
      while (at_ < text_.size() && peek() != '`') plain += next();
      if (at_ < text_.size()) plain += next();
    } else {
      plain += next();
    }
  }

  void double_quoted(std::string& plain, int depth) {
    next();
    while (at_ < text_.size() && peek() != '"') {
      if (peek() == '\\' && std::string_view("\"\\$`").find(peek(1)) != std::string_view::npos && peek(1) != '\0') {
        next();
        plain += next();
      } else if (peek() == '$' && (peek(1) == '(' || peek(1) == '{') && depth < kMaxDepth) {
        plain += next();
        expansion(plain, depth + 1);
      } else {
        plain += next();
      }
    }
    if (at_ < text_.size()) next();
  }

  // Reads from `(` or `{` to its closing bracket; also for `<(` and `>(`.
  void expansion(std::string& plain, int depth) {
    if (peek() == '<' || peek() == '>') plain += next();
    const char open = peek(), close = open == '(' ? ')' : '}';
    plain += next();
    int level = 1;
    while (at_ < text_.size() && level > 0) {
      const char c = peek();
      if (c == '\'' || c == '"' || c == '\\' || c == '`' || (c == '$' && peek(1) != open)) {
        const std::size_t begin = at_;
        std::string ignored;
        piece(ignored, depth + 1);
        plain += text_.substr(begin, at_ - begin);
        continue;
      }
      if (c == open) ++level;
      if (c == close) --level;
      plain += next();
    }
  }

  void here_documents() {
    for (const Awaited& awaited : awaits_) {
      ShellToken& token = add(ShellToken::Kind::HereDocument, "");
      std::string lines;
      while (at_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, end - at_);
        while (at_ < std::min(end + 1, text_.size())) next();
        if (awaited.strips_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        if (line == awaited.delimiter) break;
        (lines += line) += '\n';
      }
      token.raw = std::move(lines);
    }
    awaits_.clear();
  }

  struct Awaited {
    std::string delimiter;
    bool strips_tabs = false;
  };
  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  std::vector<ShellToken> tokens_;
  std::vector<Awaited> awaits_;
};

}  // namespace

std::vector<ShellToken> shell_tokens(std::string_view text) { return Lexer(text).read(); }

}  // namespace band::client
