// The answers of `band why` for command lines: for the programs that a line starts, and for those that it may start.
#include "tests/pure/client/answers/judgement_test.h"

using namespace band;
using namespace band::client;

TEST_CASE("programs that a command starts are checked, too, and the worst outcome is the answer") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\", timeout *]\n");
  for (const Words& before : std::vector<Words>{{"exec"},
                                                {"command"},
                                                {"env"},
                                                {"/usr/bin/env", "A=b"},
                                                {"timeout", "5"},
                                                {"nice", "-n", "5", "nohup", "env"},
                                                {"exec", "-a", "ls"}}) {
    Words argv = before;
    argv.insert(argv.end(), {"gh", "repo", "delete", "x"});
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Refused);
    CHECK(judgement.reason.find("it starts `gh repo delete x`: no rule of allow.cli matches") == 0);
    CHECK(lines(judgement) == Words{R"(s/BAND.md: allow: {cli: ["gh repo delete x"]})"});
    CHECK(judgement.question.argv == argv);
    argv = before;
    argv.insert(argv.end(), {"gh", "issue", "list"});
    CHECK(skill.ask(command(argv)).outcome == Outcome::Allowed);
  }
  Words many(15, "env");
  many.insert(many.end(), {"gh", "repo"});
  CHECK(skill.ask(command(many)).outcome == Outcome::Refused);
  many.insert(many.begin(), 100, "env");
  CHECK(skill.ask(command(many)).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-exec", "env", "curl", "{}", ";"})).outcome == Outcome::Refused);
  CHECK(skill.ask(command({"env", "find", ".", "-exec", "nice", "xargs", "curl", ";"})).outcome == Outcome::Refused);
  CHECK(skill.ask(command({"xargs", "curl"})).outcome == Outcome::Refused);
  CHECK(skill.ask(command({"xargs", "cat"})).outcome == Outcome::Allowed);
  CHECK(skill.ask(command({"env", "cd", "/"})).outcome == Outcome::Refused);  // env starts programs, not builtins
  CHECK(skill.ask(command({"command", "-v", "gh"})).outcome == Outcome::Allowed);
}

TEST_CASE(
    "the command is found after all words that bash reads before it, and after each form of a wrapper's options") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n");
  for (const Words& before : std::vector<Words>{{"time"},
                                                {"time", "-p"},
                                                {"!", "time"},
                                                {"FOO=1", "BAR="},
                                                {"FOO+=1", "a[1]=x", "a[$((i + 1))]+=x"},
                                                {"PATH[0]=/x"},
                                                {"env", "FOO=1"},
                                                {"env", "-u", "X"},
                                                {"env", "--unset", "X"},
                                                {"timeout", "--kill-after", "5", "5"},
                                                {"timeout", "--kill-after=5", "5"},
                                                {"timeout", "-vk5", "5"},
                                                {"nice", "--adjustment", "5"},
                                                {"nice", "-5"},
                                                {"stdbuf", "--output", "L"},
                                                {"FOO=1", "timeout", "5", "nice"}}) {
    Words argv = before;
    argv.insert(argv.end(), {"gh", "issue", "list"});
    CAPTURE(command(argv).text());
    const Judgement allowed = skill.ask(command(argv));
    CHECK(allowed.outcome == Outcome::Allowed);
    CHECK(allowed.rule.has_value());
    argv[before.size() + 1] = "repo";
    const Judgement refused = skill.ask(command(argv));
    CHECK(refused.outcome == Outcome::Refused);
    CHECK(lines(refused) == Words{R"(s/BAND.md: allow: {cli: ["gh repo list"]})"});
  }
  CHECK(skill.ask(command({"xargs", "--max-args", "1", "cat"})).outcome == Outcome::Allowed);
  CHECK(skill.ask(command({"xargs", "--max-args", "1", "gh", "issue", "list"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"xargs", "-I%", "%", "x"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-exec", "{}", ";"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-unheard", "-exec", "cat", ";"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-name", "-exec", "-exec", "cat", "{}", ";", "-exec", "curl", "x", ";"}))
            .outcome == Outcome::Refused);
}

TEST_CASE("a line that removes PATH does not find a declared program, and no rule is proposed") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n");
  for (const Words& before :
       std::vector<Words>{{"env", "-"}, {"env", "-i"}, {"env", "-u", "PATH"}, {"command", "-p"}}) {
    Words argv = before;
    argv.insert(argv.end(), {"gh", "issue", "list"});
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Refused);
    CHECK(judgement.remedies.empty());
    CHECK(judgement.mend == "keep PATH, as in: env -i PATH=\"$PATH\" gh");
    argv = before;
    argv.insert(argv.end(), {"cat", "x"});
    CHECK(skill.ask(command(argv)).outcome == Outcome::Allowed);
  }
  for (const Words& before : std::vector<Words>{{"PATH=/x"}, {"PATH+=:/x"}, {"PATH=/x", "find", ".", "-exec", "env"}}) {
    Words argv = before;
    argv.insert(argv.end(), {"gh", "issue", "list", ";"});
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Depends);
    CHECK(judgement.reason.find("the line sets PATH, which decides how `gh` is found") != std::string::npos);
  }
  CHECK(skill.ask(command({"env", "-i", "PATH=/x", "gh", "issue", "list"})).outcome == Outcome::Depends);
}

TEST_CASE("a program that an option or a script names is checked separately") {
  const Skill skill("allow:\n  cli: [\"git **\", \"python3 **\"]\n");
  for (const Words& argv : std::vector<Words>{{"tar", "-xf", "x", "--to-command=gh x"},
                                              {"tar", "cf", "x", "--checkpoint-action=exec=gh x", "y"},
                                              {"sort", "--compress-program", "gh", "x"},
                                              {"split", "--filter=gh x", "y"},
                                              {"sed", "1e gh x", "y"},
                                              {"sed", ":a\n1e gh x", "y"},
                                              {"sed", "ba;1e gh x\n:a", "y"},
                                              {"sed", "{ta}\n1e gh x\n:a", "y"},
                                              {"sed", "-n", "s/a/b/e", "y"}}) {
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Depends);
    CHECK(judgement.reason.find("starts a program by") != std::string::npos);
    CHECK(judgement.notes ==
          Words{"each command that the program starts is checked separately: ask about that command after `--`"});
  }
  for (const Words& argv : std::vector<Words>{{"tar", "-xf", "x"},
                                              {"tar", "cf", "x", "--checkpoint=5", "y"},
                                              {"sort", "-k2", "x"},
                                              {"sed", "s/e/x/g;2d", "y"},
                                              {"sed", ":a;N;$!ba;s/x/y/", "y"},
                                              {"sed", "-i", "-e", "/end/d", "y"}}) {
    CAPTURE(command(argv).text());
    CHECK(skill.ask(command(argv)).outcome == Outcome::Allowed);
  }
  const auto notes = [&](const Words& argv) {
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Allowed);
    std::string text;
    for (const std::string& note : judgement.notes) text += note + "\n";
    return text;
  };
  CHECK(notes({"git", "-c", "core.pager=gh x", "log"}).find("`git` starts a program by -c core.pager") !=
        std::string::npos);
  CHECK(notes({"git", "rebase", "-x", "gh x", "main"}).find("`git` starts a program by -x: \"gh x\"") !=
        std::string::npos);
  CHECK(notes({"git", "log"}).find("starts a program") == std::string::npos);
  CHECK(notes({"python3", "x.py"}).find("`python3` runs the code that its arguments, a file or its input contain") !=
        std::string::npos);
  CHECK(notes({"nice", "python3", "x.py"}).find("`python3` runs the code") != std::string::npos);
}

TEST_CASE("a whole command line in one word is an error with the correct form") {
  const Skill skill("allow:\n  cli: [\"gh pr list\"]\n");
  const auto judgement = judge(command({"gh pr list"}), skill.grounds());
  REQUIRE_FALSE(judgement.ok());
  CHECK(judgement.error().code == Code::Usage);
  CHECK(judgement.error().hint == "write it without quotes around the whole line: -- gh pr list");
  CHECK(judge(command({"/opt/a b/tool"}), skill.grounds()).ok());
}

TEST_CASE("the answer for a program that runs a text depends on the text") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n");
  for (const Words& argv : std::vector<Words>{{"bash", "-c", "gh repo delete x"},
                                              {"sh", "-c", "gh repo delete x"},
                                              {"/usr/bin/sh", "x.sh"},
                                              {"eval", "gh repo delete x"},
                                              {"builtin", "eval", "gh repo delete x"},
                                              {"env", "-S", "gh repo delete x"},
                                              {"env", "--unheard", "ls", "cat", "x"},
                                              {"timeout", "5", "bash", "-c", "gh"},
                                              {"awk", "BEGIN { system(\"gh\") }"}}) {
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Depends);
    REQUIRE(judgement.notes.size() == 1);
    CHECK(judgement.notes[0].find("starts is checked separately: ask about that command after `--`") !=
          std::string::npos);
  }
  CHECK(skill.ask(command({"find", ".", "-exec", "gh", "repo", "{}", ";"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-exec", "curl", "{}", ";"})).outcome == Outcome::Refused);
  const Judgement appended = skill.ask(command({"xargs", "gh", "issue", "list"}));
  CHECK(appended.outcome == Outcome::Depends);
  CHECK(appended.mend == "ask about the whole line: -- gh issue list ARGUMENTS");
}

TEST_CASE("arguments that find and xargs neither append to nor replace are known, at any depth") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n");
  const auto outcome = [&](const Words& argv) {
    const Judgement judgement = skill.ask(command(argv));
    return judgement.outcome == Outcome::Allowed ? "yes" : judgement.outcome == Outcome::Refused ? "no" : "depends";
  };
  const Words gh = {"gh", "issue", "list"};
  const auto find = [&](const Words& before, const Words& after) {
    Words argv = {"find", "."};
    for (const Words& words : {before, gh, after}) argv.insert(argv.end(), words.begin(), words.end());
    return outcome(argv);
  };
  for (const std::string& action : Words{"-exec", "-execdir", "-ok", "-okdir"}) {
    CAPTURE(action);
    CHECK(find({action}, {"x", ";"}) == std::string("yes"));
    CHECK(find({action}, {"{}", ";"}) == std::string("depends"));
    CHECK(find({action}, {"--json={}", ";"}) == std::string("depends"));
    CHECK(find({action, "env", "A={}"}, {";"}) == std::string("yes"));
  }
  CHECK(find({"-exec"}, {"{}", "+"}) == std::string("depends"));
  CHECK(find({"-exec", "env"}, {"{}", ";"}) == std::string("depends"));
  // The first program has all its arguments, the arguments of the second are unknown, in either order.
  CHECK(find({"-exec"}, {";", "-exec", "gh", "issue", "list", "{}", ";"}) == std::string("depends"));
  CHECK(find({"-exec", "nice", "gh", "issue", "list", "{}", ";", "-exec", "nice"}, {";"}) == std::string("depends"));
  CHECK(outcome({"find", ".", "-exec", "env", "{}", ";"}) == std::string("depends"));  // it starts each found file
  CHECK(outcome({"find", ".", "-exec", "env", ";"}) == std::string("yes"));
  CHECK(outcome({"find", ".", "-exec", "timeout", "5", "{}", "+"}) == std::string("depends"));
  CHECK(outcome({"find", ".", "-exec", "find", "x", "-exec", "gh", "issue", "list", ";"}) == std::string("yes"));
  CHECK(outcome({"xargs", "-I%", "gh", "issue", "list"}) == std::string("yes"));
  CHECK(outcome({"xargs", "-I%", "gh", "issue", "list", "x%"}) == std::string("depends"));
  CHECK(outcome({"xargs", "-I%", "-L", "1", "gh", "issue", "list"}) == std::string("depends"));
  CHECK(outcome({"xargs", "-I%", "env", "%"}) == std::string("depends"));
  CHECK(outcome({"xargs", "env"}) == std::string("depends"));
  CHECK(outcome({"xargs", "find"}) == std::string("depends"));
  CHECK(outcome({"xargs", "find", ".", "-exec", "curl", ";"}) == std::string("no"));
}
