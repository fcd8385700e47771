#include "client/convert/band_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "schemas/core/json_text.h"

namespace band::client {
namespace {

struct Line {
  std::string rule;     // as YAML
  bool open = false;    // else a comment
  std::string because;  // behind it
  std::string note;     // what to check; "" for what is no guess
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
      lines.push_back(
          {json_string(program.name + " *"), false, place_of(script, program) + " starts it",
           "`" + one_line(program.name, 60) + "` is closed: open it with the arguments that the script gives it"});
  return lines;
}

void path_lines(const NewScript& script, std::vector<Line>& read, std::vector<Line>& write) {
  const std::vector<const Argument*> all = script.arguments();
  // A script that writes somewhere, and is given no other place than a file that it seems to read, writes that.
  const bool writes_named = std::any_of(all.begin(), all.end(), [](const Argument* argument) {
    return argument->path == PathUse::Writes || argument->path == PathUse::WritesDirectory;
  });
  const bool changes = script.found->facts.writes_computed && !writes_named;
  for (const Argument* argument : all) {
    const std::string placeholder = json_string("{" + argument->property + "}"), shown = "`" + argument->property + "`";
    switch (argument->path) {
      case PathUse::None:
        break;
      case PathUse::Reads:
        read.push_back({changes ? "{path: " + placeholder + ", optional: true}" : placeholder, true, "",
                        shown + " is opened as a file that the script reads: check this line"});
        if (changes)
          write.push_back(
              {placeholder, true, "", shown + " is opened as a file that the script writes, too: check this line"});
        break;
      case PathUse::Writes:
        write.push_back(
            {placeholder, true, "", shown + " is opened as a file that the script writes: check this line"});
        read.push_back({"{path: " + placeholder + ", optional: true}", true, "where it is there already", ""});
        break;
      case PathUse::ReadsDirectory:
        read.push_back({"\"./**\"", true, "the directory of " + shown,
                        shown + " names a directory, and this line opens the whole workspace for reading: name the "
                                "directories that are wanted"});
        break;
      case PathUse::WritesDirectory:
        write.push_back(
            {"\"./DIRECTORY/**\"", false, "the directory of " + shown,
             shown + " names a directory that the script writes in: name it in this line, and remove the `#`"});
        break;
    }
  }
  for (const Mention& mention : script.found->facts.reads)
    read.push_back({json_string("./" + mention.name), false, place_of(script, mention),
                    "the script reads `" + mention.name + "`: remove the `#` to open it"});
  for (const Mention& mention : script.found->facts.writes)
    write.push_back({json_string("./" + mention.name), false, place_of(script, mention),
                     "the script writes `" + mention.name + "`: remove the `#` to open it"});
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
      if (!one.note.empty()) note(one.note);
    }
  }

  void note(const std::string& what) {
    notes_.push_back({file_, number_, 0, what, "`band learn` compares it with what a run needs"});
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
    net.push_back({json_string(host.name), false, place_of(script, host),
                   "the network is closed: remove the `#` to open `" + host.name + "`"});
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
              " is not passed: remove the `#` here and in front of `env:` to pass the caller's");
  }
  text.line("limit:");
  text.line("  maxRuntimeMs: 60s");
  text.line("---");
  text.line("");
  text.line("Made by `band convert` from scripts/" + script.found->file +
            ", which lies in scripts/_lib. Say here what each line above is for.");
  return text.release();
}

}  // namespace band::client
