#include "client/checks/known_notes.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "client/host/tree.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxFileBytes = 1u << 20;

// Lines that carry the comment; for one that is nothing else, the line below.
std::vector<int> marked_lines(const std::string& text) {
  std::vector<int> marked;
  int line = 1;
  for (std::size_t start = 0; start < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view content = std::string_view(text).substr(start, end - start);
    start = end + 1;
    const std::size_t mark = content.find("# band validate: known");
    if (mark == std::string_view::npos) continue;
    const bool alone = content.find_first_not_of(" \t") == mark;
    if (alone || content[mark - 1] == ' ' || content[mark - 1] == '\t') marked.push_back(alone ? line + 1 : line);
  }
  return marked;
}

}  // namespace

void split_known_notes(const std::string& skill, const std::string& directory, std::vector<Diagnostic>& notes,
                       std::vector<Diagnostic>& known) {
  const auto tree = Tree::open(directory);
  if (!tree.ok()) return;
  std::map<std::string, std::vector<int>> marked;  // by file
  const auto is_known = [&](const Diagnostic& note) {
    if (note.line == 0 || !note.file.starts_with(skill + "/")) return false;
    const auto [lines, is_new] = marked.try_emplace(note.file);
    if (is_new) {
      int err = 0;
      const Tree::Found found = tree->resolve(note.file.substr(skill.size() + 1));
      const auto file = found.kind == Tree::Kind::File ? tree->read(found.path, kMaxFileBytes, err) : std::nullopt;
      if (file) lines->second = marked_lines(file->content);
    }
    return std::find(lines->second.begin(), lines->second.end(), note.line) != lines->second.end();
  };
  const auto first =
      std::stable_partition(notes.begin(), notes.end(), [&](const Diagnostic& n) { return !is_known(n); });
  known.insert(known.end(), std::make_move_iterator(first), std::make_move_iterator(notes.end()));
  notes.erase(first, notes.end());
}

}  // namespace band::client
