// Programs that options name.
#include "client/shell/named_programs.h"

#include <doctest/doctest.h>

#include <vector>

using namespace band::client;
using Words = std::vector<std::string>;

namespace {

// "-u: gh x"; "" when there is none.
std::string named(const Words& argv) {
  std::vector<ShellWord> words;
  for (const std::string& text : argv) words.push_back({.text = text});
  const auto program = named_program(argv.front(), words);
  if (!program) return "";
  return program->by + (program->text.empty() ? "" : ": " + program->text);
}

}  // namespace

TEST_CASE("options and subcommands of git that start a program are found, with the program") {
  struct Row {
    Words words;
    std::string named;
  };
  for (const Row& row : std::vector<Row>{
           {{"-c", "init.templateDir=x", "init"}, "-c init.templateDir"},
           {{"-c", "core.sshCommand=gh x", "fetch"}, "-c core.sshCommand"},
           {{"-c", "alias.x=!gh x", "x"}, "-c alias.x: gh x"},
           {{"--config-env=core.editor=E", "commit"}, "-c core.editor"},
           {{"--exec-path=x", "log"}, "--exec-path: git's programs in that directory"},
           {{"clone", "-c", "core.sshCommand=gh x", "y"}, "-c core.sshCommand"},
           {{"clone", "--config=core.fsmonitor=gh x", "y"}, "-c core.fsmonitor"},
           {{"clone", "--template", "d", "y"}, "--template: the hooks in that directory"},
           {{"init", "--templ=d"}, "--template: the hooks in that directory"},
           {{"clone", "-u", "gh x", "y"}, "-u: gh x"},
           {{"clone", "-qugh", "y"}, "-u: gh"},
           {{"-C", "d", "fetch", "--upload-pack", "gh x", "y"}, "--upload-pack: gh x"},
           {{"fetch-pack", "--exec=gh", "y"}, "--exec: gh"},
           {{"pull", "--upload-pack=gh x", "y"}, "--upload-pack: gh x"},
           {{"ls-remote", "--upload-pack=gh x", "y"}, "--upload-pack: gh x"},
           {{"push", "--receive-pack=gh x", "y"}, "--receive-pack: gh x"},
           {{"push", "--exec", "gh x", "y"}, "--exec: gh x"},
           {{"send-pack", "--exec", "gh x", "y"}, "--exec: gh x"},
           {{"archive", "--remote=.", "--exec=gh x", "HEAD"}, "--exec: gh x"},
           {{"rebase", "--exec", "gh x", "main"}, "--exec: gh x"},
           {{"rebase", "-ix", "gh x", "main"}, "-x: gh x"},
           {{"bisect", "run", "gh", "x"}, "bisect run: gh x"},
           {{"submodule", "--quiet", "foreach", "--recursive", "gh x"}, "submodule foreach: gh x"},
           {{"filter-branch", "--tree-filter", "gh x", "HEAD"}, "--tree-filter: gh x"},
           {{"filter-branch", "-f", "--msg-filter=gh x"}, "--msg-filter: gh x"},
           {{"difftool", "-x", "gh x"}, "-x: gh x"},
           {{"difftool", "-y", "HEAD"}, "difftool"},
           {{"mergetool"}, "mergetool"},
           {{"grep", "-O", "x"}, "-O: the pager"},
           {{"grep", "-Ogh", "x"}, "-O: gh"},
           {{"grep", "--open-files-in-pager=gh", "x"}, "--open-files-in-pager: gh"},
           {{"send-email", "--to-cmd=gh x", "y"}, "--to-cmd: gh x"},
           {{"send-email", "--smtp-server=/x/y", "y"}, "--smtp-server: /x/y"},
       }) {
    Words argv = row.words;
    argv.insert(argv.begin(), "git");
    CHECK(named(argv) == row.named);
  }
}

TEST_CASE("similar options of git name no program") {
  for (const Words& words : std::vector<Words>{{"-c", "user.name=x", "log"},
                                               {"-c", "init.defaultBranch=x", "init"},
                                               {"init", "--template="},
                                               {"clone", "-bu", "x", "y"},
                                               {"clone", "-c", "user.name=x", "y"},
                                               {"clone", "--", "-u", "y"},
                                               {"fetch", "-u", "y"},
                                               {"rebase", "-X", "ours", "-Cx", "main"},
                                               {"rebase", "main"},
                                               {"grep", "-eO", "x"},
                                               {"log", "--exec"},
                                               {"bisect", "start"},
                                               {"submodule", "update"},
                                               {"filter-branch", "--subdirectory-filter", "x"},
                                               {"send-email", "--to=x", "--smtp-server=a.example", "y"},
                                               {"push", "origin", "main"}}) {
    Words argv = words;
    argv.insert(argv.begin(), "git");
    CAPTURE(argv[1]);
    CHECK(named(argv).empty());
  }
}
