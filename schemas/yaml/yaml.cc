#include "schemas/yaml/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "schemas/core/json.h"
#include "schemas/core/utf8.h"
#include "schemas/yaml/scalar.h"

namespace band {
namespace {

// YamlDocument has a pointer for each value. The key of a map is in the pointers of all values within the map, so one
// long key could need too much memory.
constexpr std::size_t kMaxPointerBytes = 1024;

struct Stop {};  // thrown through yaml-cpp to stop parsing a refused document; caught in parse_yaml

// Builds the value from yaml-cpp's events, which are always well formed.
class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& file, int first_line, std::vector<Diagnostic>& errors)
      : file_(file), first_line_(first_line), errors_(errors) {}

  YamlDocument release() {
    document_.values.emplace("", YamlPlace{first_line_, 1});  // for an empty text
    return std::move(document_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ == 0) return;
    complain(mark, "a second YAML document", "keep one; remove the `---` or `...` before it");
    throw Stop{};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (awaits_key()) {
      complain(mark, "a key that is null or missing", "write a key before the `:`");
      return begin_value(mark, "", false);
    }
    add(mark, Json(nullptr), nullptr);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    complain(mark, "a YAML alias (`*name`)", "write the value itself; a pattern that begins with `*` needs quotes");
    if (awaits_key()) return begin_value(mark, "", false);
    add(mark, Json(nullptr), nullptr);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (awaits_key()) return begin_value(mark, text, true);
    if (tag != "?") return add(mark, Json(text), nullptr);  // "!": quoted, or a block scalar
    std::string problem;
    Json value = plain_scalar(text, problem);
    if (!problem.empty()) complain(mark, problem, "put it in quotes if it is text");
    add(mark, std::move(value), &text);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, Json::array(), style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, Json::object(), style);
  }
  void OnMapEnd() override { close(); }

  YamlPlace place(const YAML::Mark& mark) const { return {mark.line + first_line_, mark.column + 1}; }

  void complain(const YAML::Mark& mark, std::string message, std::string hint) {
    const YamlPlace at = place(mark);
    errors_.push_back({file_, at.line, at.column, std::move(message), std::move(hint)});
  }

 private:
  struct Frame {
    Json value;
    std::string pointer;
    bool has_key = false;  // for a map: the next event is the value of `key`
    bool keep = true;      // false: the key was refused, so its value is not kept
    std::string key;
    YAML::Mark key_mark;
    bool is_key = false;  // a sequence or a map in the place of a key
  };

  bool awaits_key() const { return !stack_.empty() && stack_.back().value.is_object() && !stack_.back().has_key; }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) complain(mark, "a YAML anchor (`&name`)", "remove it, and write the value where it is needed");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      complain(mark, "a YAML tag (`!...`)", "remove it; text that begins with `!` needs quotes");
  }

  void begin_value(const YAML::Mark& mark, std::string key, bool keep) {
    Frame& frame = stack_.back();
    frame.has_key = true;
    frame.key_mark = mark;
    frame.keep = keep;
    if (keep) {
      const std::string pointer = join_pointer(frame.pointer, key);
      if (pointer.size() > kMaxPointerBytes) {
        complain(mark, "keys of more than 1,024 bytes in all", "shorten them");
        throw Stop{};
      }
      if (auto first = document_.keys.find(pointer); first != document_.keys.end()) {
        frame.keep = false;
        complain(mark, "duplicate key `" + key + "`",
                 "it is also on line " + std::to_string(first->second.line) + "; merge the two");
      } else {
        document_.keys[pointer] = place(mark);
      }
    }
    frame.key = std::move(key);
  }

  // Returns the pointer of the next value.
  std::string next_pointer() const {
    if (stack_.empty()) return "";
    const Frame& frame = stack_.back();
    return frame.value.is_array() ? join_pointer(frame.pointer, frame.value.size())
                                  : join_pointer(frame.pointer, frame.key);
  }

  void add(const YAML::Mark& mark, Json value, const std::string* plain) {
    if (stack_.empty()) {
      document_.values[""] = place(mark);
      if (plain != nullptr) document_.plain[""] = *plain;
      document_.value = std::move(value);
      return;
    }
    Frame& frame = stack_.back();
    const bool in_map = frame.value.is_object();
    if (!in_map || frame.keep) {
      const std::string pointer = next_pointer();
      // yaml-cpp reports a missing value at the position of the following token; the position of its key is better.
      document_.values[pointer] = place(in_map && value.is_null() ? frame.key_mark : mark);
      if (plain != nullptr) document_.plain[pointer] = *plain;
      if (in_map)  // the key is new (begin_value checked it); operator[] would search all members linearly
        frame.value.get_ref<Json::object_t&>().Container::emplace_back(frame.key, std::move(value));
      else
        frame.value.push_back(std::move(value));
    }
    frame.has_key = false;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Json empty,
            YAML::EmitterStyle::value style) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (stack_.size() >= static_cast<std::size_t>(kMaxYamlDepth)) {
      complain(mark, "more than 32 levels of lists and maps", "nest less deep");
      throw Stop{};
    }
    Frame frame;
    frame.is_key = awaits_key();
    if (frame.is_key) complain(mark, "a list or a map as a key", "use text as the key; `{` and `[` need quotes");
    frame.pointer = next_pointer();
    frame.value = std::move(empty);
    // Pointers within a refused value must differ from those of kept values.
    if (frame.is_key || (!stack_.empty() && stack_.back().value.is_object() && !stack_.back().keep))
      frame.pointer += "/~refused" + std::to_string(refused_++);
    frame.key_mark = mark;
    if (style == YAML::EmitterStyle::Flow) document_.flow.insert(frame.pointer);
    stack_.push_back(std::move(frame));
    opened_.push_back(mark);
  }

  void close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    const YAML::Mark mark = opened_.back();
    opened_.pop_back();
    if (frame.is_key) return begin_value(mark, "", false);
    add(mark, std::move(frame.value), nullptr);
  }

  const std::string& file_;
  int first_line_;
  std::vector<Diagnostic>& errors_;
  int documents_ = 0, refused_ = 0;
  YamlDocument document_;
  std::vector<Frame> stack_;
  std::vector<YAML::Mark> opened_;  // the start of each frame of the stack
};

// Called before yaml-cpp, which would guess UTF-16 from NUL bytes and accept control characters.
bool is_clean_text(std::string_view text, const std::string& file, int first_line, std::vector<Diagnostic>& errors) {
  int line = first_line;
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_at(text, at);
    const bool control =
        c.valid && (c.code < 0x20 || c.code == 0x7f) && c.code != '\t' && c.code != '\n' && c.code != '\r';
    if (!c.valid || control) {
      errors.push_back(
          {file, line, static_cast<int>(at - line_start) + 1,
           c.valid ? "a control character" : "a byte that is not UTF-8",
           c.valid ? "remove it; in double quotes it can be written as `\\u00XX`" : "save the file as UTF-8"});
      return false;
    }
    at += c.bytes;
    if (c.code == '\n') {
      ++line;
      line_start = at;
    }
  }
  return true;
}

std::string in_quotes(char first, std::string word) {
  word.erase(word.find_last_not_of(" \r\t,") + 1);
  return "text that begins with `" + std::string(1, first) + "` needs quotes: \"" + word + "\"";
}

// yaml-cpp's messages describe its parser; the most common cause in a band is a pattern without quotes.
std::string hint_for(std::string_view text, const YAML::Mark& mark) {
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int i = 0; i <= mark.line && std::getline(lines, line);) ++i;
  const std::size_t value = line.find_first_not_of(" \t-");
  const std::size_t colon = line.find(": ");
  for (const std::size_t at : {value, colon == std::string::npos ? colon : line.find_first_not_of(' ', colon + 1)}) {
    if (at == std::string::npos || std::string_view("*&!%@`").find(line[at]) == std::string_view::npos) continue;
    return in_quotes(line[at], line.substr(at, 60));
  }
  // In a list in brackets the mark is at the start of an unintended alias, or after a single `*`.
  const std::size_t star = line.rfind('*', static_cast<std::size_t>(mark.column));
  const bool near = star != std::string::npos && star > 0 && star + 1 >= static_cast<std::size_t>(mark.column);
  if (near && std::string_view(" [,").find(line[star - 1]) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" ,]}\t\r", star), star + 60);
    return in_quotes('*', line.substr(star, end - star));
  }
  if (line.find('\t') != std::string::npos) return "indent with spaces, not with tabs";
  return "check the indentation and the quotes of this line and the one above";
}

}  // namespace

std::optional<YamlDocument> parse_yaml(std::string_view text, const std::string& file, int first_line,
                                       std::vector<Diagnostic>& errors) {
  if (text.size() > kMaxYamlBytes) {
    errors.push_back({file, first_line, 1, "more than 64 KiB of YAML", "shorten it"});
    return std::nullopt;
  }
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  if (!is_clean_text(text, file, first_line, errors)) return std::nullopt;
  Builder builder(file, first_line, errors);
  try {
    // yaml-cpp accepts the end of the text as the end of a quoted scalar if a line break precedes it: after a missing
    // quote, all following rules would silently become part of that scalar. With a comment at the end it is an error.
    std::istringstream in{std::string(text) + "\n#"};
    YAML::Parser parser(in);
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
  } catch (const Stop&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    const bool placed = !error.mark.is_null();
    const YamlPlace at = placed ? builder.place(error.mark) : YamlPlace{first_line, 1};
    errors.push_back({file, at.line, at.column, "this is not YAML: " + error.msg,
                      placed ? hint_for(text, error.mark) : "check the indentation and the quotes"});
    return std::nullopt;
  } catch (const std::exception& error) {
    errors.push_back({file, first_line, 1, std::string("this is not YAML: ") + error.what(), "rewrite it"});
    return std::nullopt;
  }
  return builder.release();
}

YamlPlace YamlDocument::place_of(const std::string& pointer) const {
  for (std::string at = pointer;; at.erase(at.rfind('/'))) {
    if (auto found = values.find(at); found != values.end()) return found->second;
    if (auto found = keys.find(at); found != keys.end()) return found->second;
    if (at.empty()) return {};
  }
}

}  // namespace band
