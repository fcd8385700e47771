#include "client/skill_tests/judging.h"

#include <algorithm>

#include "client/terminal/terminal.h"
#include "client/terminal/text_diff.h"
#include "schemas/core/json_compare.h"
#include "schemas/core/json_pointer.h"
#include "schemas/core/json_text.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

constexpr std::size_t kShownValue = 300;                   // bytes of a JSON value
constexpr std::size_t kTailLines = 10, kTailBytes = 2048;  // tail of a log
constexpr std::size_t kListed = 10;                        // names

std::string ending_name(const std::optional<Code>& code) { return code ? std::string(code_name(*code)) : "SUCCESS"; }

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string_view line : lines_of(text)) out.append("  ").append(line).append("\n");
  return out;
}

std::string end_of_log(const char* name, const std::string& log) {
  const std::string last = tail(lines_for_carriage_returns(log), kTailLines, kTailBytes);
  return last.empty() ? "" : std::string("the end of ") + name + ":\n" + indented(last);
}

std::string refusal_lines(const std::vector<std::string>& refusals) {
  std::string text;
  for (std::size_t i = 0; i < refusals.size() && i < kListed; ++i) text += "  " + printable_line(refusals[i]) + "\n";
  if (refusals.size() > kListed) text += "  ... and " + std::to_string(refusals.size() - kListed) + " more\n";
  return text;
}

std::string explanation(const RunEnd& end) {
  std::string text;
  if (end.error) {
    text += "message:\n" + indented(end.error->message());
    if (!end.error->hint.empty()) text += "hint:\n" + indented(end.error->hint);
  } else {
    text += "output: " + shown_value(end.output, kShownValue) + "\n";
  }
  if (!end.refusals.empty()) text += "the sandbox refused:\n" + refusal_lines(end.refusals);
  return text + end_of_log("stdout", end.stdout_log) + end_of_log("stderr", end.stderr_log);
}

std::string value_line(const char* which, const Json* value) {
  return which + (value == nullptr ? std::string("nothing") : shown_value(*value, kShownValue)) + "\n";
}

std::string difference_text(const JsonDifference& difference) {
  const auto wanted = difference.wanted ? text_of_string(*difference.wanted) : std::nullopt;
  const auto got = difference.got ? text_of_string(*difference.got) : std::nullopt;
  if (wanted && got && (wanted->find('\n') != std::string::npos || got->find('\n') != std::string::npos))
    return text_diff(*wanted, *got);
  return value_line("- expected: ", difference.wanted) + value_line("+ got:      ", difference.got);
}

class Judge {
 public:
  Judge(const Expectation& expect, const RunEnd& end) : expect_(expect), end_(end) {}

  std::vector<Mismatch> judge() {
    const std::optional<Code> code = end_.error ? std::optional(end_.error->code) : std::nullopt;
    if (code != expect_.code) {
      const std::string status = end_.exit_status ? ", exit status " + std::to_string(*end_.exit_status) : "";
      return {{"the run ended with " + ending_name(code) + status + "; expected: " + ending_name(expect_.code),
               explanation(end_)}};
    }
    exit_status();
    if (expect_.output) output(*expect_.output, Members::All);
    if (expect_.contains) output(*expect_.contains, Members::Named);
    parts("message", expect_.message, end_.error ? end_.error->message() : "");
    parts("hint", expect_.hint, end_.error ? end_.error->hint : "");
    parts("stdout", expect_.stdout_log, end_.stdout_log);
    parts("stderr", expect_.stderr_log, end_.stderr_log);
    refusals();
    for (const ExpectedFile& file : expect_.files) this->file(file);
    if (expect_.no_other_files) other_files();
    return std::move(found_);
  }

 private:
  void add(std::string what, std::string detail = "") { found_.push_back({std::move(what), std::move(detail)}); }

  void exit_status() {
    if (!expect_.exit_status || expect_.exit_status == end_.exit_status) return;
    add("the exit status is " + (end_.exit_status ? std::to_string(*end_.exit_status) : "not known") +
            "; expected: " + std::to_string(*expect_.exit_status),
        explanation(end_));
  }

  void output(const Json& wanted, Members members) {
    const auto difference = first_difference(wanted, end_.output, members);
    if (!difference) return;
    add(difference->pointer.empty() ? "the output differs"
                                    : "the output differs at " + shown_pointer(difference->pointer),
        difference_text(*difference));
  }

  void parts(const char* name, const std::vector<std::string>& wanted, const std::string& got) {
    for (const std::string& part : wanted)
      if (got.find(part) == std::string::npos)
        add(std::string(name) + " does not contain " + shown_string(part, kShownValue),
            got.empty() ? "it is empty\n" : "got:\n" + indented(tail(got, kTailLines, kTailBytes)));
  }

  void refusals() {
    for (const std::string& part : expect_.refused)
      if (!is_in_any(part, end_.refusals))
        add("no refusal in the ledger contains " + shown_string(part, kShownValue),
            end_.refusals.empty() ? "nothing was refused\n" : "refusals:\n" + refusal_lines(end_.refusals));
    if (expect_.code) return;
    std::vector<std::string> unexpected;
    for (const std::string& text : end_.refusals)
      if (std::none_of(expect_.refused.begin(), expect_.refused.end(),
                       [&](const std::string& part) { return text.find(part) != std::string::npos; }))
        unexpected.push_back(text);
    if (!unexpected.empty())
      add("the sandbox refused something that `refused` does not list",
          refusal_lines(unexpected) + "allow it in BAND.md, or expect the refusal: `refused: [\"...\"]`\n");
  }

  static bool is_in_any(const std::string& part, const std::vector<std::string>& texts) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return text.find(part) != std::string::npos; });
  }

  void file(const ExpectedFile& wanted) {
    using Want = ExpectedFile::Want;
    const auto found = end_.files.find(wanted.path);
    const std::optional<std::string> got = found == end_.files.end() ? std::nullopt : found->second;
    const std::string name = printable_line(wanted.path);
    if (wanted.want == Want::Absent) {
      if (got) add("file " + name + " exists; expected: no file");
    } else if (!got) {
      add("file " + name + " does not exist", written_lines());
    } else if (wanted.want == Want::Content) {
      if (*got != wanted.texts.front()) add("file " + name + " differs", text_diff(wanted.texts.front(), *got));
    } else {
      parts(("file " + name).c_str(), wanted.texts, *got);
    }
  }

  void other_files() {
    std::vector<std::string> others;
    for (const std::string& path : end_.written)
      if (std::none_of(expect_.files.begin(), expect_.files.end(),
                       [&](const ExpectedFile& file) { return file.path == path; }))
        others.push_back(path);
    if (!others.empty()) add("files were written back that `files` does not list", name_lines(others));
  }

  std::string written_lines() const {
    return end_.written.empty() ? "no file was written back\n" : "written back:\n" + name_lines(end_.written);
  }

  static std::string name_lines(const std::vector<std::string>& paths) {
    std::string text;
    for (std::size_t i = 0; i < paths.size() && i < kListed; ++i) text += "  " + printable_line(paths[i]) + "\n";
    if (paths.size() > kListed) text += "  ... and " + std::to_string(paths.size() - kListed) + " more\n";
    return text;
  }

  const Expectation& expect_;
  const RunEnd& end_;
  std::vector<Mismatch> found_;
};

}  // namespace

std::vector<Mismatch> mismatches(const Expectation& expect, const RunEnd& end) { return Judge(expect, end).judge(); }

}  // namespace band::client
