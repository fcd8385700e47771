// Runs a script and its conversion by `band convert`, and compares the arguments that both get, for any order of the
// words that run.sh writes. Uses python3, bash and jq of this machine, without a sandbox.
#include <doctest/doctest.h>

#include "client/convert/convert.h"
#include "client/host/spawn.h"
#include "schemas/core/json.h"
#include "schemas/json_schema/input_schema.h"
#include "tests/pure/client/client_test.h"

using namespace band::client;
using band::test::TempDir;

namespace {

using Words = std::vector<std::string>;

struct Call {
  std::string script;    // script of the new skill: "x", "x-add"
  Words original;        // the words that a user writes after the file's name
  std::string input;     // for the converted script
  bool as_args = false;  // the arguments could not be read: the input is {args, stdin}
};

struct Made {
  TempDir directory;
  std::string file;                                // "x.py"
  std::map<std::string, std::string> by, schemas;  // for each script

  explicit Made(const std::string& name, const std::string& content) : file(name) {
    const auto made = convert_skill({{"SKILL.md", "# T\n"}, {"scripts/" + file, content}}, "made", {}, "src", "/made");
    REQUIRE_MESSAGE(made.ok(), made.error().message());
    for (const SkillFile& each : made->files) directory.write(each.path, each.content, 0755);
    for (const ConvertedScript& script : made->scripts) {
      by[script.name] = script.by;
      schemas[script.name] = directory.read("schemas/input/" + script.name + ".json");
    }
  }

  std::string original(const Words& words) const {
    Words all{directory.path("scripts/_lib/" + file)};
    all.insert(all.end(), words.begin(), words.end());
    const auto ran = examine(file.ends_with(".py") ? "/usr/bin/python3" : "/bin/bash", all, "", {});
    REQUIRE_MESSAGE(ran.ok(), ran.error().message());
    CHECK_MESSAGE(ran->exit_status == 0, ran->text);
    return ran->text;
  }

  Examined run(const std::string& script, const std::string& input) const {
    directory.write("input.json", input);
    auto ran =
        examine("/usr/bin/env",
                {"PATH=/usr/bin:/bin", "TMPDIR=" + directory.path(), "BAND_LIB=" + directory.path("scripts/_lib"),
                 "INPUT_PATH=" + directory.path("input.json"), "OUTPUT_PATH=" + directory.path("output"),
                 "ERROR_PATH=" + directory.path("error"), "bash", directory.path("scripts/" + script + "/run.sh")},
                "", {});
    REQUIRE_MESSAGE(ran.ok(), ran.error().message());
    return *ran;
  }

  std::string converted(const std::string& script, const std::string& input) const {
    const Examined ran = run(script, input);
    CHECK_MESSAGE(ran.exit_status == 0, ran.text);
    if (ran.exit_status != 0) return ran.text;
    const auto output = band::parse_json(directory.read("output"), "output");
    REQUIRE_MESSAGE(output.ok(), output.error().message());
    return output->at("text").get<std::string>();
  }

  bool takes(const std::string& script, const std::string& input) const {
    const auto schema = band::InputSchema::from_json(*band::parse_json(schemas.at(script), "schema"), "input");
    REQUIRE_MESSAGE(schema.ok(), schema.error().message());
    return schema->validate(*band::parse_json(input, "input")).empty();
  }
};

void compare(const std::string& file, const std::string& content, const std::vector<Call>& calls) {
  const Made made(file, content);
  for (const Call& call : calls) {
    CAPTURE(content);
    CAPTURE(call.input);
    REQUIRE(made.by.contains(call.script));
    CHECK(made.by.at(call.script).empty() == call.as_args);
    CHECK(made.takes(call.script, call.input));
    CHECK(made.converted(call.script, call.input) == made.original(call.original));
  }
}

// Prints the result of argparse.
std::string parser(const std::string& arguments) {
  return "import argparse\np = argparse.ArgumentParser()\n" + arguments + "\nprint(vars(p.parse_args()))\n";
}

}  // namespace

TEST_CASE("an option with many values does not consume the positional arguments") {
  for (const char* many : {"'+'", "'*'"}) {
    const std::string nargs = std::string("nargs=") + many;
    compare("x.py", parser("p.add_argument('files', nargs='*'); p.add_argument('--exclude', " + nargs + ")"),
            {{"x", {"a", "b", "--exclude", "c"}, R"({"files":["a","b"],"exclude":["c"]})"},
             {"x", {"--exclude", "c", "d"}, R"({"exclude":["c","d"]})"},
             {"x", {"a"}, R"({"files":["a"]})"},
             {"x", {"--exclude", "c", "--", "-a", "b"}, R"({"files":["-a","b"],"exclude":["c"]})"},
             {"x", {}, "{}"}});
    compare("x.py", parser("p.add_argument('name'); p.add_argument('--tags', " + nargs + ")"),
            {{"x", {"N", "--tags", "a", "b"}, R"({"name":"N","tags":["a","b"]})"},
             {"x", {"N"}, R"({"name":"N"})"},
             {"x", {"--", "-N"}, R"({"name":"-N"})"}});
    compare("x.py",
            parser(std::string("p.add_argument('logs', nargs='+'); p.add_argument('-f', '--fields', ")
                       .append(nargs)
                       .append(", type=int); p.add_argument('-t', ")
                       .append(nargs)
                       .append("); p.add_argument('--top', type=int)")),
            {{"x", {"l", "m", "--fields", "1", "2"}, R"({"logs":["l","m"],"fields":[1,2]})"},
             {"x", {"l", "-t", "a", "--fields", "1"}, R"({"logs":["l"],"fields":[1],"t":["a"]})"},
             {"x", {"l", "-t", "a", "b"}, R"({"logs":["l"],"t":["a","b"]})"},
             {"x", {"l", "--fields", "1", "--top", "-3"}, R"({"logs":["l"],"fields":[1],"top":-3})"}});
    compare("x.py", parser("p.add_argument('a', nargs='?'); p.add_argument('--tags', " + nargs + ")"),
            {{"x", {"A", "--tags", "b"}, R"({"a":"A","tags":["b"]})"}, {"x", {"--tags", "b"}, R"({"tags":["b"]})"}});
  }
  compare("x.py", parser("p.add_argument('files', nargs='*'); p.add_argument('--exclude', nargs='*')"),
          {{"x", {"a", "--exclude"}, R"({"files":["a"],"exclude":[]})"}});
}

TEST_CASE("an option with one value, or a fixed number of values, consumes no others") {
  compare("x.py",
          parser("p.add_argument('file'); p.add_argument('--level', nargs='?', const='C'); "
                 "p.add_argument('-l', nargs='?', const='C')"),
          {{"x", {"--level", "1", "f"}, R"({"level":"1","file":"f"})"},
           {"x", {"-l", "1", "f"}, R"({"l":"1","file":"f"})"},
           {"x", {"-l-1", "--level=-2", "f"}, R"({"l":"-1","level":"-2","file":"f"})"},
           {"x", {"--level", "", "-l", "", "f"}, R"({"l":"","level":"","file":"f"})"},
           {"x", {"f"}, R"({"file":"f"})"}});
  compare("x.py", parser("p.add_argument('file'); p.add_argument('--pair', nargs=2)"),
          {{"x", {"--pair", "a", "b", "f"}, R"({"pair":["a","b"],"file":"f"})"}});
  compare("x.py",
          parser("p.add_argument('file'); p.add_argument('--add', action='extend'); "
                 "p.add_argument('--more', action='append', nargs='?')"),
          {{"x",
            {"--add", "ab", "--add", "c", "--more", "d", "--more", "e", "f"},
            R"({"add":["ab","c"],"more":["d","e"],"file":"f"})"}});
  compare("x.py", parser("p.add_argument('file'); p.add_argument('--add', action='extend', nargs='+')"),
          {{"x", {"--add", "ab", "c", "--", "f"}, R"({"add":["ab","c"],"file":"f"})"}});
}

TEST_CASE("the rest of the line is unchanged after an option with many values and after a dash") {
  const std::string rest = "p.add_argument('rest', nargs=argparse.REMAINDER)";
  compare("x.py", parser("p.add_argument('--tags', nargs='+'); p.add_argument('name'); " + rest),
          {{"x", {"--tags", "a", "b", "--", "N", "x", "--y"}, R"({"tags":["a","b"],"name":"N","rest":["x","--y"]})"},
           {"x", {"N", "--y", "z"}, R"({"name":"N","rest":["--y","z"]})"},
           {"x", {"--", "-N", "z"}, R"({"name":"-N","rest":["z"]})"}});
  // Without a positional argument before it, `--` would be the first word of the rest.
  compare("x.py", parser("p.add_argument('--tags', nargs='+'); " + rest),
          {{"x", {"x", "--tags", "a"}, R"({"args":["x","--tags","a"]})", true},
           {"x", {"--tags", "a", "b"}, R"({"args":["--tags","a","b"]})", true}});
}

TEST_CASE("an option of the main parser with many values does not consume the subcommand") {
  const std::string add =
      "; s = p.add_subparsers(dest='cmd', required=True); a = s.add_parser('add'); a.add_argument('title')";
  const std::string tags = "p.add_argument('--tags', nargs='+'); p.add_argument('--top', type=int)";
  // `--` is not allowed before a subcommand, and another option may be missing.
  compare("x.py", parser(tags + add),
          {{"x", {"--tags", "a", "--top", "1", "add", "T"}, R"({"args":["--tags","a","--top","1","add","T"]})", true}});
  compare("x.py", parser("p.add_argument('--file', required=True); " + tags + add),
          {{"x-add",
            {"--tags", "a", "b", "--file", "f", "--top", "1", "add", "T"},
            R"({"tags":["a","b"],"file":"f","top":1,"title":"T"})"},
           {"x-add", {"--tags", "a", "--file", "f", "add", "T"}, R"({"tags":["a"],"file":"f","title":"T"})"},
           {"x-add", {"--file", "f", "add", "--", "-T"}, R"({"file":"f","title":"-T"})"}});
  compare("x.py", parser("p.add_argument('--top')" + add + "; a.add_argument('--tags', nargs='+')"),
          {{"x-add", {"--top", "1", "add", "T", "--tags", "a", "b"}, R"({"top":"1","title":"T","tags":["a","b"]})"},
           {"x-add", {"add", "--tags", "a", "b", "--", "-T"}, R"({"title":"-T","tags":["a","b"]})"}});
  compare("x.py", parser("p.add_argument('--level', nargs='?'); p.add_argument('-l', nargs='?')" + add),
          {{"x-add", {"--level", "1", "-l", "2", "add", "T"}, R"({"level":"1","l":"2","title":"T"})"}});
}

TEST_CASE("an option of a bash script with many values gets them, and other arguments keep their values") {
  const std::string loop = R"sh(tags=() files=()
while (($#)); do
  case $1 in
    --tags) shift; while (($#)) && [[ $1 != -* ]]; do tags+=("$1"); shift; done ;;
    --top) top=$2; shift 2 ;;
    *) files+=("$1"); shift ;;
  esac
done
echo "${tags[*]} | ${top:-} | ${files[*]}"
)sh";
  compare("x.sh", loop,
          {{"x", {"--tags", "a", "b", "--top", "1", "f"}, R"({"args":["--tags","a","b","--top","1","f"]})", true}});
  const std::string letters = R"sh(while getopts t:n: o; do
  case $o in
    t) tags=$OPTARG; while (($# >= OPTIND)) && [[ ${!OPTIND} != -* ]]; do tags+=" ${!OPTIND}"; OPTIND=$((OPTIND + 1)); done ;;
    n) top=$OPTARG ;;
  esac
done
shift $((OPTIND - 1))
file=$1
echo "$tags | ${top:-} | $file"
)sh";
  compare("x.sh", letters, {{"x", {"-t", "a", "b", "-n", "1", "f"}, R"({"args":["-t","a","b","-n","1","f"]})", true}});
  const std::string command = R"sh(while (($#)); do
  case $1 in
    --name) name=$2; shift 2 ;;
    --run) shift; command=("$@"); break ;;
  esac
done
echo "$name: ${command[*]}"
)sh";
  compare("x.sh", command,
          {{"x", {"--name", "n", "--run", "ls", "-l"}, R"({"args":["--name","n","--run","ls","-l"]})", true}});
}

TEST_CASE("a usage text that does not show where an option's values end is not read") {
  const std::string python = "\nimport sys\nprint(sys.argv[1:])\n", bash = "\nprintf '%s\\n' \"$@\"\n";
  for (const char* usage : {"[--tags TAG [TAG ...]] FILE", "[--tags [TAG ...]] FILE", "[--tags TAG...] FILE",
                            "[--tags [TAG]] FILE", "--tags TAG [TAG ...] FILE"})
    compare("x.py", "'usage: x.py " + std::string(usage) + "'" + python,
            {{"x", {"--tags", "a", "b", "--", "f"}, R"({"args":["--tags","a","b","--","f"]})", true}});
  const std::string input = R"({"tag":["a","b"],"file":"f"})";
  const std::vector<std::pair<std::string, Words>> each{{"[--tag TAG]... FILE", {"--tag", "a", "--tag", "b", "f"}},
                                                        {"[--tag=TAG...] FILE", {"--tag=a", "--tag=b", "f"}}};
  for (const auto& [usage, words] : each) {
    compare("x.py", std::string("'usage: x.py ").append(usage).append("'").append(python), {{"x", words, input}});
    compare("x.sh", std::string("# usage: x.sh ").append(usage).append(bash), {{"x", words, input}});
  }
}

TEST_CASE("the message of a script that fails has the last line of its stderr, and the log has all of it") {
  struct Row {
    const char *stderr_text, *message;
  };
  for (const Row& row :
       {Row{"usage: x [-h]\\n  FILE\\nx: error: no file\\n", "the script ended with status 3: x: error: no file"},
        Row{"a\\nlast\\n\\n \\n", "the script ended with status 3: last"},
        Row{"odd \\0\\377 end", "the script ended with status 3: odd \xEF\xBF\xBD end"},
        Row{"", "the script ended with status 3"}}) {
    CAPTURE(std::string(row.message));
    const std::string print = "printf '" + std::string(row.stderr_text) + "'";
    const Made made("x.sh", print + " >&2\nexit 3\n");
    const Examined ran = made.run("x", "{}");
    CHECK(ran.exit_status == 3);
    CHECK(ran.text == examine("/bin/bash", {"-c", print}, "", {})->text);
    const auto error = band::parse_json(made.directory.read("error"), "error");
    REQUIRE_MESSAGE(error.ok(), error.error().message());
    CHECK(error->at("message").get<std::string>() == row.message);
  }
}
