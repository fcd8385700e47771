#include "client/hints/lost.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "client/terminal/terminal.h"
#include "schemas/core/obeyed_names.h"
#include "schemas/rules/named_path.h"

namespace band::client {
namespace {

constexpr std::size_t kMostGroups = 10;   // each is compared with the rules; kMostHints of them are shown
constexpr std::size_t kMostPath = 1'000;  // bytes; PATH_MAX is 4,096, but a line with more is not readable

// A name with a date or another number of several digits is probably different in the next run.
bool has_number(std::string_view name) {
  constexpr int kDigits = 6;
  int digits = 0;
  for (const char c : name) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : c == '-' || c == '_' ? digits : 0;
    if (digits >= kDigits) return true;
  }
  return false;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

// Returns the directory that contains all paths, or "". A directory with a number in its name is another one in the
// next run.
std::string common_directory(const std::vector<std::string>& paths) {
  std::string common = directory_of(paths.front());
  for (const std::string& path : paths)
    while (!common.empty() && !path.starts_with(common + "/")) common = directory_of(common);
  while (has_number(common.substr(common.rfind('/') + 1)) && !directory_of(common).empty())
    common = directory_of(common);
  return common;
}

// The property of the input that names the file, for the rule `{output}`.
std::string property_of(const std::string& path, const Failure& run) {
  for (const learn::InputValue& value : learn::values_of(*run.input, *run.given))
    if (value.is_text && !value.property.empty() && value.property != "args" &&
        path_for_script(value.text, *run.workspace) == path)
      return value.property;
  return "";
}

void add_file(const std::string& path, const Inquiry& inquiry, Hints& hints) {
  const std::string write = inquiry.mend.written_file(path, property_of(path, inquiry.failure));
  if (write.empty()) return;
  const std::string shown = printable_line(path);
  const auto missing = unsent(path, inquiry.failure);
  if (!missing) {
    hints.add(Likelihood::Given, shown + " was not written back; if it is a result, " + write, path);
    return;
  }
  hints.add(Likelihood::Given,
            "the " + shown + " of the workspace was not sent to the sandbox, so the script has made a new one" +
                mend_of(*missing, inquiry.mend) + "; for writing it back, " + write,
            path);
}

// Whether the author has written the path, or its first name that begins with a dot: ".agent" of `mkdir .agent`.
bool is_authored(const std::string& path, const Authored& authored) {
  if (authored.names_path(path)) return true;
  const std::size_t dot = path.starts_with('.') ? 0 : path.find("/.");
  if (dot == std::string::npos) return false;
  const std::size_t begin = dot == 0 ? 0 : dot + 1, end = path.find('/', begin);
  return authored.names_path(path.substr(begin, end == std::string::npos ? end : end - begin));
}

// A name that programs execute or obey: only a rule that spells it writes it back.
void add_obeyed(const std::string& path, const ObeyedName& obeyed, const Inquiry& inquiry, Hints& hints) {
  const std::string write = inquiry.mend.written_file(path);
  if (!write.empty())
    hints.add(Likelihood::Reported,
              printable_line(path) + " was not written back, because `" + std::string(obeyed.name) + "` " +
                  std::string(obeyed.reason) + "; if you want this, " + write,
              path);
}

void add_directory(const std::vector<std::string>& paths, const Inquiry& inquiry, Hints& hints) {
  const std::string directory = common_directory(paths);
  const std::string write = directory.empty() ? "" : inquiry.mend.written_directory(directory);
  if (write.empty()) return;
  const std::string what = paths.size() == 1
                               ? printable_line(paths.front()) + " was"
                               : std::to_string(paths.size()) + " files below " + printable_line(directory) + " were";
  hints.add(Likelihood::Given,
            what + " not written back; if " + (paths.size() == 1 ? "it is a result, " : "they are results, ") + write,
            directory);
}

}  // namespace

void find_conflicts(const Inquiry& inquiry, Hints& hints) {
  const Failure& run = inquiry.failure;
  std::size_t added = 0;
  for (const ShippedFile& file : run.answer.files) {
    if (added >= kMostOfKind) return;
    const auto missing = file.path.size() <= kMostPath ? unsent(file.path, run) : std::nullopt;
    if (!missing || missing->directory || (has_hidden_name(file.path) && !is_authored(file.path, inquiry.authored)))
      continue;
    if (hints.add(Likelihood::Given,
                  "the script has written " + printable_line(file.path) + ", which" + kUnsent +
                      ", so that band does not replace it" +
                      mend_of(*missing, inquiry.mend, property_of(file.path, run)),
                  file.path))
      ++added;
  }
}

void find_lost(const Inquiry& inquiry, const std::vector<std::string>& paths, Hints& hints) {
  if (inquiry.failure.workspace == nullptr) return;
  std::map<std::string, std::vector<std::string>> groups;  // by the first directory, or by the file
  std::size_t examined = 0;
  for (const std::string& path : paths) {
    const ObeyedName* const obeyed = obeyed_name(path);
    const bool by_spelling = obeyed != nullptr && obeyed->opened_by == OpenedBy::Spelling;
    if (path.size() > kMostPath || (obeyed != nullptr && obeyed->opened_by == OpenedBy::NoRule)) continue;
    // The script has chosen the name. The author must have written one that begins with a dot, or that programs obey.
    if ((has_hidden_name(path) || by_spelling) && !is_authored(path, inquiry.authored)) continue;
    if (by_spelling && ++examined <= kMostGroups) add_obeyed(path, *obeyed, inquiry, hints);
    // A pattern for a directory does not match a name that begins with a dot.
    if (!by_spelling) groups[has_hidden_name(path) ? path : path.substr(0, path.find('/'))].push_back(path);
  }
  examined = 0;
  for (const auto& [first, group] : groups) {
    if (++examined > kMostGroups) return;
    const bool in_directory = group.front() != first;
    if (in_directory && (group.size() > 1 || has_number(group.front())))
      add_directory(group, inquiry, hints);
    else
      add_file(group.front(), inquiry, hints);
  }
}

}  // namespace band::client
