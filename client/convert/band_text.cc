#include "client/convert/band_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "schemas/core/json_text.h"

namespace band::client {
namespace {

struct Line {
  std::string rule;     // as YAML
  bool open = false;    // false: written as a comment
  std::string because;  // the reason, written after it
  std::string note;     // what to check, or what is closed; "" for a line that is not a guess
};

std::string place_of(const NewScript& script, const Mention& mention) {
  return "scripts/" + (mention.file.empty() ? script.found->file : mention.file) + ":" + std::to_string(mention.line);
}

std::vector<Line> cli_lines(const NewScript& script) {
  std::vector<Line> lines;
  const Interpreter& interpreter = script.found->interpreter;
  if (interpreter.language != Language::Shell)
    lines.push_back({json_string(interpreter.command + " /band/skill/lib/" + script.found->file + " *"), true, "", ""});
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '+';
  };
  for (const Mention& program : script.found->facts.programs)
    if (std::all_of(program.name.begin(), program.name.end(), plain))
      lines.push_back({json_string(program.name + " *"), false, place_of(script, program) + " starts it",
                       "`" + one_line(program.name, 60) +
                           "` is not allowed yet; write the arguments with which the script calls it"});
  return lines;
}

std::string optional_path(const std::string& path) { return "{path: " + path + ", optional: true}"; }

void file_lines(const Argument& argument, bool reads, bool writes, std::vector<Line>& read, std::vector<Line>& write) {
  const std::string placeholder = json_string("{" + argument.property + "}"), shown = "`" + argument.property + "`";
  const std::string path = default_path(argument);
  const std::string what = "without " + shown + " the script uses its default " + one_line(argument.fallback);
  std::string check = "; check this line";
  if (path.empty() && !argument.fallback.empty()) check += "; " + what + ", which no line allows";
  if (reads) {
    read.push_back({writes ? optional_path(placeholder) : placeholder, true, "",
                    shown + " is allowed as a file that the script reads" + check});
  } else {
    read.push_back({optional_path(placeholder), true, "if it exists already", ""});
  }
  if (writes)
    write.push_back(
        {placeholder, true, "",
         shown + " is allowed as a file that the script writes" + (reads ? ", too; check this line" : check)});
  if (path.empty()) return;
  const std::string rule = json_string(path), of = "the script's default of " + shown;
  read.push_back({writes ? optional_path(rule) : rule, false, of, what + ", which the script may not read"});
  if (writes) write.push_back({rule, false, of, what + ", which the script may not write"});
}

Line directory_line(const Argument& argument, const std::string& does) {
  const std::string path = default_path(argument), shown = "`" + argument.property + "`";
  std::string note = shown + " names a directory that the script " + does + "; this directory is not allowed";
  if (path.empty()) note += "; write its name in this line";
  return {json_string((path.empty() ? "./DIRECTORY" : path) + "/**"), false, "the directory of " + shown, note};
}

void path_lines(const NewScript& script, std::vector<Line>& read, std::vector<Line>& write) {
  const std::vector<const Argument*> all = script.arguments();
  // A script that writes, and has no other path argument than a file that it seems to read, writes that file.
  const bool writes_named = std::any_of(all.begin(), all.end(), [](const Argument* argument) {
    return argument->path == PathUse::Writes || argument->path == PathUse::WritesDirectory;
  });
  const bool changes = script.found->facts.writes_computed && !writes_named;
  for (const Argument* argument : all) {
    switch (argument->path) {
      case PathUse::None:
        break;
      case PathUse::Reads:
        file_lines(*argument, true, changes, read, write);
        break;
      case PathUse::Writes:
        file_lines(*argument, false, true, read, write);
        break;
      case PathUse::ReadsDirectory:
        read.push_back(directory_line(*argument, "reads"));
        break;
      case PathUse::WritesDirectory:
        write.push_back(directory_line(*argument, "writes in"));
        break;
    }
  }
  for (const Mention& mention : script.found->facts.reads)
    if (const std::string path = workspace_path(mention.name); !path.empty())
      read.push_back({json_string(path), false, place_of(script, mention),
                      "the script reads `" + mention.name + "`, which is not allowed"});
  for (const Mention& mention : script.found->facts.writes)
    if (const std::string path = workspace_path(mention.name); !path.empty())
      write.push_back({json_string(path), false, place_of(script, mention),
                       "the script writes `" + mention.name + "`, which is not allowed"});
}

class Text {
 public:
  Text(std::string file, std::vector<Diagnostic>& notes) : file_(std::move(file)), notes_(notes) {}

  void line(const std::string& text) {
    text_ += text + "\n";
    ++number_;
  }

  void section(const std::string& name, const std::vector<Line>& lines, bool inside_comment) {
    if (lines.empty()) return;
    const bool open = std::any_of(lines.begin(), lines.end(), [](const Line& one) { return one.open; });
    const std::string begin = inside_comment ? "#   " : open ? "  " : "  # ";
    line(begin + name + ":");
    for (const Line& one : lines) {
      const bool comment = open && !one.open;
      line(begin + "  " + (comment ? "# " : "") + "- " + one.rule + (one.because.empty() ? "" : "  # " + one.because));
      if (one.note.empty()) continue;
      std::string to_open;
      if (!one.open) to_open = "; remove the `#` here";
      if (!open) to_open += " and before `" + name + (inside_comment ? ":` and `allow:`" : ":`");
      note(one.note + to_open + (one.open ? "" : " to allow it"));
    }
  }

  void note(const std::string& what) {
    notes_.push_back({file_, number_, 0, what, "`band learn` checks what a run needs"});
  }

  std::string release() { return std::move(text_); }

 private:
  std::string file_, text_;
  int number_ = 0;
  std::vector<Diagnostic>& notes_;
};

}  // namespace

std::string band_text(const NewScript& script, const std::string& skill, std::vector<Diagnostic>& notes) {
  const std::vector<Line> cli = cli_lines(script);
  std::vector<Line> read, write, net;
  path_lines(script, read, write);
  const Facts& facts = script.found->facts;
  for (const Mention& host : facts.hosts)
    net.push_back(
        {json_string(host.name), false, place_of(script, host), "no host is allowed, not even `" + host.name + "`"});
  const auto opens = [](const std::vector<Line>& lines) {
    return std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.open; });
  };
  const bool any = opens(cli) || opens(read) || opens(write);
  Text text("scripts/" + script.name + "/BAND.md", notes);
  text.line("---");
  text.line("band: " + skill);
  text.line("description: " + json_string(script.description()));
  const bool nothing = cli.empty() && read.empty() && write.empty() && net.empty();
  if (!nothing) text.line(any ? "allow:" : "# allow:");
  text.section("cli", cli, !any);
  text.section("read", read, !any);
  text.section("write", write, !any);
  text.section("net", net, !any);
  if (!facts.variables.empty()) text.line("# env:");
  for (const Mention& variable : facts.variables) {
    text.line("#   " + variable.name + ": {required: false}  # " + place_of(script, variable));
    text.note("the variable " + variable.name +
              " is not passed; remove the `#` here and before `env:` to pass the caller's variable");
  }
  text.line("limit:");
  text.line("  maxRuntimeMs: 60s");
  text.line("---");
  text.line("");
  text.line("Made by `band convert` from scripts/" + script.found->file +
            ", which is now in scripts/_lib. Explain here why each line above is needed.");
  return text.release();
}

}  // namespace band::client
