#include "client/checks/known_notes.h"

#include <map>

#include "client/host/tree.h"
#include "schemas/core/json_text.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxFileBytes = 1u << 20;

constexpr std::string_view kMark = "# band validate: known";
constexpr std::size_t kMaxReason = 200;  // bytes

std::string reason_of(std::string_view behind) {
  const std::size_t start = behind.find_first_not_of(" \t.,:;");
  if (start == std::string_view::npos) return "no reason is given";
  return escaped(std::string(behind.substr(start, kMaxReason)));
}

// Reasons by line. A comment alone on its line marks the line below.
std::map<int, std::string> marked_lines(const std::string& text) {
  std::map<int, std::string> marked;
  int line = 0;
  for (const std::string_view content : lines_of(text)) {
    ++line;
    const std::size_t mark = content.find(kMark);
    if (mark == std::string_view::npos) continue;
    const bool alone = content.find_first_not_of(" \t") == mark;
    if (alone || content[mark - 1] == ' ' || content[mark - 1] == '\t')
      marked[alone ? line + 1 : line] = reason_of(content.substr(mark + kMark.size()));
  }
  return marked;
}

}  // namespace

void split_known_notes(const std::string& skill, const std::string& directory, std::vector<Diagnostic>& notes,
                       std::vector<Diagnostic>& known) {
  const auto tree = Tree::open(directory);
  if (!tree.ok()) return;
  std::map<std::string, std::map<int, std::string>> marked;  // by file
  const auto reason = [&](const Diagnostic& note) -> const std::string* {
    if (note.line == 0 || !note.file.starts_with(skill + "/")) return nullptr;
    const auto [lines, is_new] = marked.try_emplace(note.file);
    if (is_new) {
      int err = 0;
      const Tree::Found found = tree->resolve(note.file.substr(skill.size() + 1));
      const auto file = found.kind == Tree::Kind::File ? tree->read(found.path, kMaxFileBytes, err) : std::nullopt;
      if (file) lines->second = marked_lines(file->content);
    }
    const auto found = lines->second.find(note.line);
    return found == lines->second.end() ? nullptr : &found->second;
  };
  std::erase_if(notes, [&](Diagnostic& note) {
    const std::string* why = reason(note);
    if (why == nullptr) return false;
    note.message += " (known: " + *why + ")";
    known.push_back(std::move(note));
    return true;
  });
}

}  // namespace band::client
