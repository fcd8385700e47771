// The completion of `band` in real interactive shells, at a pseudo-terminal, with the key TAB.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "tests/end_to_end/pty.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

// A caller with `band` in its PATH and an untrusted skill. The skill's values would create files if a shell evaluated
// them.
class Author : public Caller {
 public:
  Author() {
    env["PATH"] = BAND_BIN_DIR ":/usr/bin:/bin";
    env["TERM"] = "dumb";
    script("tool/go", kEmptyOutput);
    schema(
        "tool/go", "input",
        R"({"properties": {"level": {"enum": ["low", "high"]}, "deepDown": {"type": "boolean"}, "file": {"type": "string"}}})");
    script("evil/go", kEmptyOutput);
    schema(
        "evil/go", "input",
        R"json({"properties": {"kinship": {}, "kind": {"description": "\u001b[31m$(touch made) %Sure 100%", "enum": ["$(touch made)", "`touch made`",
                  "x;touch made", "it's \"two\" words", "a\nb", "\u001b[31m"]}}})json");
    write_file(work("in.json"), "{}");
    write_file(work("dir/inner.txt"), "");
  }

  // Returns whether no value of the skill was executed: each would create this file.
  bool nothing_made() const { return !exists(work("made")) && !exists(home("made")); }

  Ran run(const Words& words) const { return Running(words, env, work("")).wait(); }
};

// The values of evil/go that can be offered.
const char* const kEvil[] = {"$(touch made)", "`touch made`", "x;touch made", "it's \"two\" words"};

// Keys typed after `band run evil/go --kind `, and the completed value.
struct Row {
  const char *begin, *wanted;
};

const char* const kBand = "band() { printf 'got<%s>\\n' \"$@\"; echo 'do''ne'; }";

// A prompt of a shell in which `band` is a function that prints its arguments, one a line. Completion calls the
// program.
class Prompt {
 public:
  Prompt(const Author& author, const Words& shell, const std::string& set_up, const std::string& band = kBand)
      : terminal_(shell, author.env, author.work(""), 500) {
    terminal_.type(set_up + "\n" + band + "\necho 'rea''dy'\n");
    SEES(terminal_, "ready");
  }

  // Returns the arguments of the command after `keys` were typed; \t is TAB.
  Words typed(const std::string& keys) {
    const std::size_t from = terminal_.screen().size();
    terminal_.type(keys + "\n");
    SEES(terminal_, "done");
    Words words;
    const std::string screen = terminal_.screen().substr(from);
    for (std::size_t at = screen.find("got<"); at != std::string::npos; at = screen.find("got<", at + 1))
      words.push_back(screen.substr(at + 4, screen.find(">\r", at) - at - 4));
    return words;
  }

  Pty& terminal() { return terminal_; }

 private:
  Pty terminal_;
};

Prompt bash(const Author& author, const std::string& set_up = "source <(band completion bash)") {
  return {author, {"/bin/bash", "--norc", "--noprofile", "-i"}, set_up};
}

Prompt zsh(const Author& author) {
  write_file(author.home("functions/_band"), author.band({"completion", "zsh"}).out);
  return {author,
          {"/usr/bin/zsh", "-f", "-i"},
          "fpath=(~/functions $fpath); autoload -Uz compinit; compinit -u -D; unsetopt auto_remove_slash"};
}

Prompt fish(const Author& author) {
  write_file(author.home(".config/fish/completions/band.fish"), author.band({"completion", "fish"}).out);
  return {author,
          {"/usr/bin/fish", "-i"},
          "set fish_greeting",
          "function band; printf 'got<%s>\\n' $argv; echo 'do''ne'; end"};
}

}  // namespace

TEST_CASE("TAB in bash and in zsh completes commands, flags, skills, scripts, parameters, their values, and files") {
  const Author author;
  struct Line {
    const char* keys;
    Words wanted;
  };
  const Line lines[] = {
      {"band val\t", {"validate"}},
      {"band run too\t", {"run", "tool/go"}},
      {"band run tool/go --le\thi\t", {"run", "tool/go", "--level", "high"}},
      {"band run tool/go --level=hi\t", {"run", "tool/go", "--level=high"}},
      {"band run tool/go --no\t", {"run", "tool/go", "--no-deep-down"}},
      {"band run tool/go --file in\t", {"run", "tool/go", "--file", "in.json"}},
      {"band run tool/go --file=in\t", {"run", "tool/go", "--file=in.json"}},
      {"band run tool/go --input @in\t", {"run", "tool/go", "--input", "@in.json"}},
      {"band run tool/go --work\tdi\t", {"run", "tool/go", "--workspace", "dir/"}},
      {"band run --target=local-\ttoo\t", {"run", "--target=local-lima", "tool/go"}},
      {"band exec --limit maxRun\t5s -- base64\t", {"exec", "--limit", "maxRuntimeMs=5s", "--", "base64"}},
      {"band new script too\tx", {"new", "script", "tool/x"}},
      {"band call too\t", {"call", "too"}},  // not an installed skill
      {"true && A='x y' band run too\t", {"run", "tool/go"}},
      {"true; (band run too\t)", {"run", "tool/go"}},
  };
  Prompt in_bash = bash(author), in_zsh = zsh(author);
  for (const Line& line : lines) {
    CAPTURE(line.keys);
    CHECK(in_bash.typed(line.keys) == line.wanted);
    CHECK(in_zsh.typed(line.keys) == line.wanted);
  }
}

TEST_CASE("values of a hostile skill are completed as one unchanged argument, and not executed in bash or zsh") {
  const Author author;
  Prompt in_bash = bash(author), in_zsh = zsh(author);
  for (const Row& row :
       {Row{"\\$\t", kEvil[0]}, Row{"'$\t", kEvil[0]}, Row{"\"\\$\t", kEvil[0]}, Row{"\\`\t", kEvil[1]},
        Row{"x\t", kEvil[2]}, Row{"it\t", kEvil[3]}, Row{"\"it\t", kEvil[3]}, Row{"'it\t", kEvil[3]}}) {
    CAPTURE(row.begin);
    const std::string keys = std::string("band run evil/go --kind ") + row.begin;
    const Words wanted = {"run", "evil/go", "--kind", row.wanted};
    CHECK(in_bash.typed(keys) == wanted);
    CHECK(in_zsh.typed(keys) == wanted);
  }
  // All values are listed; the line is abandoned without Enter.
  for (Prompt* prompt : {&in_bash, &in_zsh}) {
    prompt->terminal().type("band run evil/go --kind \t\t");
    SEES(prompt->terminal(), "touch");
    prompt->terminal().type("\x15");  // ctrl-U
    CHECK(prompt->typed("band x") == Words{"x"});
    CHECK(prompt->terminal().screen().find("\x1b[31m") == std::string::npos);
  }
  in_zsh.terminal().type("band run evil/go --kin\t");
  SEES(in_zsh.terminal(), "--kind     -- \\x1b[31m$(touch made) %Sure 100%");
  in_zsh.terminal().type("\x15");
  // A typed line that was not entered is not executed, either.
  for (Prompt* prompt : {&in_bash, &in_zsh}) {
    prompt->terminal().type("band run --skills \"$(touch made)\" `touch made` $(touch made) too\t\x15");
    CHECK(prompt->typed("band x") == Words{"x"});
  }
  CHECK(author.nothing_made());
  // The control: bash's compgen -W would have executed it.
  CHECK_STATUS(author.run({"/bin/bash", "-c", "compgen -W '$(touch made)'"}), 1);
  CHECK(!author.nothing_made());
}

TEST_CASE(
    "bash-completion loads the installed file for bash, and `band` with a path is completed by the `band` in PATH") {
  const Author author;
  write_file(author.home("user/completions/band"), author.band({"completion", "bash"}).out);
  write_file(author.work("band"), "#!/bin/sh\ntouch made\n", 0755);
  Prompt prompt = bash(author, "BASH_COMPLETION_USER_DIR=~/user; . /usr/share/bash-completion/bash_completion");
  CHECK(prompt.typed("band run too\t") == Words{"run", "tool/go"});
  CHECK(prompt.typed("band run --target=local-\t") == Words{"run", "--target=local-lima"});
  prompt.terminal().type("./band run too\t");
  SEES(prompt.terminal(), "tool/go");
  CHECK(author.nothing_made());
}

TEST_CASE("fish completes the same, with descriptions, and offers hostile words unchanged") {
  const Author author;
  Prompt prompt = fish(author);
  const Words lines = {"va",
                       "run too",
                       "run tool/go --level ",
                       "run tool/go --level=h",
                       "run tool/go --no",
                       "run tool/go --file in",
                       "run tool/go --file=in",
                       "run tool/go --input @in",
                       "run tool/go --workspace ",
                       "exec --read . base6",
                       "",
                       "run evil/go --",
                       "run evil/go --kind "};
  Words words = {"/usr/bin/fish", "-c",
                 "for line in $argv; printf '<%s>\\n' $line; complete -C \"band $line\"; end; complete --escape -C "
                 "'band run evil/go --kind '"};
  words.insert(words.end(), lines.begin(), lines.end());
  const Ran ran = author.run(words);
  REQUIRE_STATUS(ran, 0);
  const auto completed = [&](const std::string& line) {
    const std::string begin = "<" + line + ">\n";
    const std::size_t from = ran.out.find(begin) + begin.size();
    return ran.out.substr(from, ran.out.find("\n<", from - 1) - from + 1);
  };
  CHECK_HAS(completed("va"), "validate\tcheck skills");
  CHECK_HAS(completed(""), "completion\t");
  CHECK_HAS(completed("run too"), "tool/go");
  CHECK(completed("run tool/go --level ") == "high\nlow\n");  // fish sorts
  CHECK(completed("run tool/go --level=h") == "--level=high\n");
  CHECK_HAS(completed("run tool/go --no"), "--no-deep-down\n");
  CHECK_HAS(completed("run tool/go --file in"), "in.json");
  CHECK_HAS(completed("run tool/go --file=in"), "--file=in.json");
  CHECK_HAS(completed("run tool/go --input @in"), "@in.json");
  CHECK_HAS(completed("run tool/go --workspace "), "dir/");
  CHECK_HAS_NOT(completed("run tool/go --workspace "), "in.json");
  CHECK_HAS(completed("exec --read . base6"), "base64");
  CHECK_HAS(completed("run evil/go --"), "--kind\t\\x1b[31m$(touch made)");
  CHECK_HAS_NOT(ran.out, "\x1b");
  const std::string offered = completed("run evil/go --kind ");
  for (const char* evil : kEvil) CHECK_HAS("\n" + offered, std::string("\n") + evil + "\n");
  CHECK_HAS(offered, "\\$\\(touch\\ made\\)\n");  // with escapes, in the line
  for (const Row& row : {Row{"\\$\t", kEvil[0]}, Row{"'$\t", kEvil[0]}, Row{"\\`\t", kEvil[1]}, Row{"x\t", kEvil[2]},
                         Row{"it\t", kEvil[3]}, Row{"\"it\t", kEvil[3]}}) {
    CAPTURE(row.begin);
    const Words wanted = {"run", "evil/go", "--kind", row.wanted};
    CHECK(prompt.typed(std::string("band run evil/go --kind ") + row.begin) == wanted);
  }
  CHECK(author.nothing_made());
}

TEST_CASE("completion answers without messages, a server or files, for any error") {
  Author author;
  write_file(author.skills() + "/tool/schemas/input/go.json", "{ not JSON");
  write_file(author.skills() + "/evil/scripts/go/BAND.md", "---\nband: [\n---\n");
  fs::remove_all(author.skills() + "/evil/SKILL.md");
  REQUIRE(::mkfifo((author.skills() + "/evil/SKILL.md").c_str(), 0600) == 0);
  const auto files = [&] {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(author.directory.path))
      count += entry.path().empty() ? 0 : 1;
    return count;
  };
  const std::size_t before = files();
  for (const Words& words : std::initializer_list<Words>{{},
                                                         {"run", ""},
                                                         {"run", "tool/go", "--"},
                                                         {"run", "evil/go", "--kind", ""},
                                                         {"run", "tool/"},
                                                         {"no", ""},
                                                         {"run", "--skills", "/nothing", "x"},
                                                         {"run", "../..", ""},
                                                         {"run", "--target", ""},
                                                         {"--", "--", "--"}}) {
    Words all = {"complete", "--"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = author.band(all);
    CHECK_STATUS(ran, 0);
    CHECK(ran.err == "");
  }
  CHECK(author.band({"complete", "--", "run", "tool/go", "--level", ""}).out == "nothing 0\n");
  CHECK(files() == before);
  author.env["BAND_SKILLS"] = "relative";
  const Ran wrong = author.band({"complete", "bash", "--", "band run t", "t"});
  CHECK_STATUS(wrong, 0);
  CHECK(wrong.out == "nothing 0\n");
  CHECK(wrong.err == "");
  const Ran help = author.band({"completion"});
  CHECK_STATUS(help, 2);
  CHECK_HAS(help.err, "source <(band completion bash)");
}
