// `band learn --apply`: where the lines are written, and that only lines which a run had are written.
#include <filesystem>

#include "tests/end_to_end/learn_stage.h"

using namespace band::test;

TEST_CASE("--apply writes nothing if a run failed or a line was not tried, and prints what to run") {
  const Caller caller(server());
  caller.script("tool/go", "set -e\ngit --version\nexit 7\n");
  // 3: a further run would have the line. With the line the script fails, and the exit code is that of the run.
  for (const auto& [runs, code] : {std::pair("1", 3), std::pair("4", 1)}) {
    const std::string before = band_of(caller);
    const Ran learnt = caller.band(learn({"--runs", runs, "--apply"}));
    CHECK_STATUS(learnt, code);
    CHECK_HAS(learnt.out, "+    - \"git --version\"");
    CHECK_HAS(learnt.out, "--apply wrote nothing: run ");
    CHECK_HAS(learnt.out, code == 3 ? "--apply` tries them" : "Fix that error; then `band learn ");
    CHECK(band_of(caller) == before);
    const Ran json = caller.band(learn({"--runs", runs, "--apply", "--json"}));
    CHECK_STATUS(json, code);
    CHECK_HAS(json.out, R"("applied":false)");
    CHECK_HAS(json.out, R"("notApplied":"--apply wrote nothing)");
    CHECK(band_of(caller) == before);
  }
}

TEST_CASE("--apply fails if the text of the BAND.md cannot be edited") {
  const Caller caller(server());
  caller.script("tool/go", "set -e\ngit --version\n" + std::string(kEmptyOutput));
  const std::string before = "---\n{band: tool}\n---\n";
  write_file(caller.skills() + "/tool/scripts/go/BAND.md", before);
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  CHECK_STATUS(learnt, 2);
  CHECK_HAS(learnt.out, "git --version");  // the line to write
  CHECK_HAS(learnt.out, "--apply wrote nothing: ");
  const Ran json = caller.band(learn({"--runs", "4", "--apply", "--json"}));
  CHECK_STATUS(json, 2);
  CHECK_HAS(json.out, R"("applied":false)");
  CHECK(band_of(caller) == before);
  CHECK_STATUS(caller.band(learn({"--runs", "4"})), 0);  // the control: without --apply
  // Lines that were not tried are reported first.
  const Ran once = caller.band(learn({"--runs", "1", "--apply"}));
  CHECK_STATUS(once, 3);
  CHECK_HAS(once.out, "--apply` tries them");
}

TEST_CASE("--apply fails if a line cannot be removed, although there is no line to add") {
  const Caller caller(server());
  caller.script("tool/go", std::string(kEmptyOutput), "allow: {cli: [git --version]}\n");
  const std::string before = band_of(caller);
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  CHECK_STATUS(learnt, 2);
  CHECK_HAS(learnt.out, "--apply wrote nothing: ");
  CHECK_HAS_NOT(learnt.out, "nothing to remove");
  CHECK_HAS_NOT(learnt.out, "tries the lines that were left out");
  CHECK(band_of(caller) == before);
  CHECK_STATUS(caller.band(learn({"--runs", "4"})), 0);  // the control: without --apply
}

TEST_CASE("lines that no run used are removed, the line of a file that is only tested for is kept") {
  const Caller caller(server());
  write_file(caller.work("a.txt"), "a\n");
  write_file(caller.work("b.txt"), "b\n");
  caller.script("tool/go", "set -e\n[ -f a.txt ]\ngit --version\n" + std::string(kEmptyOutput),
                "# what it is for\nallow:\n  cli: [git --version, git log *]\n  read:\n    - ./b.txt   # unused\n");
  const Ran learnt = caller.band(learn({"--runs", "8", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  const std::string band = band_of(caller);
  CHECK_HAS(band, "# what it is for\n");
  CHECK_HAS(band, "cli: [git --version]\n");
  CHECK_HAS_NOT(band, "b.txt");
  // A watched action that did not happen is not a failure of the script.
  CHECK_HAS_NOT(learnt.err, "INSIST_NOT_SATISFIED");
  CHECK_HAS(
      learnt.err,
      "ended: a watched action did not happen; the script succeeded, and learn repeats the run without that watch\n");
  CHECK_HAS(learnt.err, "  did not happen: read \"./a.txt\"\n");
  CHECK_HAS(learnt.err, "  did not happen: read \"./b.txt\"\n");
  // The note for every run is printed once.
  for (const char* once : {"the script can create, send or pay", "so that the ledger shows whether the file was read",
                           "insists on reading ./b.txt"}) {
    CAPTURE(once);
    CHECK(learnt.err.find(once) != std::string::npos);
    CHECK(learnt.err.find(once) == learnt.err.rfind(once));
  }
  CHECK_HAS(learnt.err, "watches read: insists on reading ./a.txt");
  // Without a further run it is not reported either that the script failed.
  write_file(caller.work("c.txt"), "c\n");
  caller.script("tool/one", "[ -f c.txt ]\n" + std::string(kEmptyOutput), "allow: {read: [./c.txt]}\n");
  const Ran one = caller.band(learn({"--apply"}, "tool/one"));
  CHECK_STATUS(one, 3);
  CHECK_HAS(one.out,
            "; the last run failed only because a watched action did not happen; a further run needs --runs N");
  CHECK_HAS_NOT(one.out + one.err, "INSIST_NOT_SATISFIED");
  CHECK_HAS(band, "./a.txt");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);
}

TEST_CASE("a line `{property}` is removed after an input with the property, and not after one without it") {
  const Caller caller(server());
  const std::string source =
      "set -e\nout=$(jq -r '.out // \"\"' \"$INPUT_PATH\")\n[ -z \"$out\" ] || echo sum > \"$out\"\n";
  const std::string rules = "allow: {write: [\"{out}\"], read: [\"{name}\", \"./cfg/*.yaml\"]}\n";
  caller.script("tool/go", source + kEmptyOutput, rules);
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {
      "out": {"type": "string"}, "name": {"type": "string"}}})");
  write_file(caller.work("a.txt"), "a\n");
  const std::string before = band_of(caller);
  const Ran without = caller.band(learn({"--runs", "8", "--apply"}));
  REQUIRE_STATUS(without, 0);
  CHECK(band_of(caller) == before);
  CHECK_HAS(without.out, "nothing to add, nothing to remove");
  CHECK_HAS(without.out, "whether the script writes what `{out}` allows (tool/scripts/go/BAND.md:");
  CHECK_HAS(without.out, "give an --input with that property to find out");
  CHECK_STATUS(caller.band({"run", "tool/go", "--out", "out.csv"}), 0);
  CHECK(read_file(caller.work("out.csv")) == "sum\n");
  // A line whose property was given and not used is removed.
  const Ran given = caller.band(learn({"--runs", "8", "--apply", "--name", "a.txt", "--out", "new.csv"}));
  REQUIRE_STATUS(given, 0);
  CHECK_HAS(given.out, "allow.read \"{name}\"");
  CHECK_HAS_NOT(band_of(caller), "{name}");
  CHECK_HAS(band_of(caller), "{out}");
}

TEST_CASE("lines for one of several scripts are written into its own BAND.md, and the others run as before") {
  const Caller caller(server());
  const std::string skill = caller.skills() + "/tool";
  const std::string source = "set -e\ngit --version\n";
  caller.script("tool/go", source + "cat \"$(jq -r .path \"$INPUT_PATH\")\"\n" + kEmptyOutput);
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"path": {"type": "string"}}})");
  caller.script("tool/other", source + kEmptyOutput);
  for (const char* script : {"go", "other"}) std::filesystem::remove(skill + "/scripts/" + script + "/BAND.md");
  const std::string shared = "---\nband: tool\nallow: {net: [x.example], cli: [git --version]}\n---\n";
  write_file(skill + "/BAND.md", shared);
  write_file(caller.work("a.txt"), "a\n");
  const Words input = {"--path", "a.txt"}, apply = {"--path", "a.txt", "--runs", "4", "--apply"};
  Words runs = input;
  runs.insert(runs.end(), {"--runs", "4"});
  const Ran shown = caller.band(learn(runs));
  REQUIRE_STATUS(shown, 0);
  CHECK_HAS(shown.out, "tool/scripts/go/BAND.md is a new file: tool/BAND.md is also the band of tool/other\n");
  CHECK_HAS(shown.out, "which lines no run used: tool/BAND.md is also the band of tool/other");
  CHECK(!exists(skill + "/scripts/go/BAND.md"));
  // The diff, applied by patch(1), has the same result as --apply.
  const std::size_t at = shown.out.find("--- ");
  write_file(caller.work("diff"), shown.out.substr(at, shown.out.find("tool/scripts/go/BAND.md is a new file") - at));
  const Ran patched =
      Running({"/usr/bin/patch", "-p0", "-d", caller.skills(), "-i", caller.work("diff")}, caller.env, "/").wait();
  REQUIRE_STATUS(patched, 0);
  const std::string own = band_of(caller);
  CHECK_HAS(own, "includes: \"../../BAND.md\"\n");
  CHECK_HAS(own, "    - \"{path}\"   # run 1: ");
  std::filesystem::remove(skill + "/scripts/go/BAND.md");
  const Ran learnt = caller.band(learn(apply));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(learnt.err, "wrote " + skill + "/scripts/go/BAND.md");
  CHECK(band_of(caller) == own);
  CHECK(read_file(skill + "/BAND.md") == shared);
  CHECK_STATUS(caller.band({"run", "tool/go", "--path", "a.txt"}), 0);
  CHECK_STATUS(caller.band({"run", "tool/other"}), 0);  // its input has no `path`
  CHECK_STATUS(caller.band({"validate", skill}), 0);
  // An existing BAND.md is used then.
  CHECK_HAS(caller.band(learn(runs)).out, "tool/scripts/go/BAND.md: nothing to add, nothing to remove");
}

TEST_CASE("the BAND.md of a skill with one script gets the lines, that of another skill is not written") {
  const Caller caller(server());
  const std::string source = "set -e\ngit --version\n" + std::string(kEmptyOutput);
  caller.script("tool/go", source);
  std::filesystem::remove(caller.skills() + "/tool/scripts/go/BAND.md");
  const std::string shared = "---\nband: tool\nallow: {read: [./x]}\n---\n";
  write_file(caller.skills() + "/tool/BAND.md", shared);
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(read_file(caller.skills() + "/tool/BAND.md"),
            "allow: {read: [./x], cli: [\"git --version\"]}   # \"git --version\": run 1: ");
  CHECK(!exists(caller.skills() + "/tool/scripts/go/BAND.md"));
  write_file(caller.skills() + "/tool/BAND.md", shared);
  caller.script("third/go", source);
  const std::string delegating = "---\nband: third\npath: ../../../tool/BAND.md\n---\n";
  write_file(caller.skills() + "/third/scripts/go/BAND.md", delegating);
  const Ran foreign = caller.band(learn({"--runs", "4", "--apply"}, "third/go"));
  CHECK_STATUS(foreign, 2);
  CHECK_HAS(foreign.out, "--apply wrote nothing: third/scripts/go/BAND.md points to tool/BAND.md");
  CHECK_HAS(foreign.out, "third/scripts/go/BAND.md points to tool/BAND.md, which also applies to other scripts");
  CHECK_HAS(foreign.out, "allow: {cli: [\"git --version\"]}   # run 1: ");
  CHECK(read_file(caller.skills() + "/tool/BAND.md") == shared);
  CHECK(band_of(caller, "third/scripts/go") == delegating);
}

TEST_CASE("a band that another skill includes is not widened: the lines go into the script's own") {
  const Caller caller(server());
  caller.script("tool/go", "set -e\ngit --version\n" + std::string(kEmptyOutput));
  std::filesystem::remove(caller.skills() + "/tool/scripts/go/BAND.md");
  const std::string shared = "---\nband: tool\nallow: {net: [x.example]}\n---\n";
  write_file(caller.skills() + "/tool/BAND.md", shared);
  caller.script("second/go", "true\n", "includes: ../../../tool/BAND.md\n");
  caller.script("third/go", "true\n", "includes: ../../../tool/BAND.md\nallow: {reed: [./x]}\n");
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(learnt.out,
            "tool/scripts/go/BAND.md is a new file: tool/BAND.md is also the band of second/go and others\n");
  CHECK_HAS(learnt.out,
            "which lines no run used: tool/BAND.md is also the band of second/go, third/go (not known, because "
            "its band is not valid: third/scripts/go/BAND.md:");
  CHECK(read_file(caller.skills() + "/tool/BAND.md") == shared);
  CHECK_HAS(band_of(caller), "git --version");
}

TEST_CASE("a command that the script does not need is written if it succeeded, and not if it only failed") {
  const Caller caller(server());
  std::string source = "set -e\ngit --version > version.txt\n";
  for (const char* name : {"a1", "b2", "c3", "d4", "e5"})
    source += std::string("git cat-file -t ") + name + " || true\n";
  source +=
      "branch=$(git check-ref-format --branch main || echo none)\n"
      "jq -n --arg branch \"$branch\" '{branch: $branch}' > \"$OUTPUT_PATH\"\n";
  caller.script("tool/go", source);
  const Words words = learn({"--runs", "9", "--apply"});
  const Ran learnt = caller.band(words);
  REQUIRE_STATUS(learnt, 0);
  const std::string band = band_of(caller);
  CAPTURE(band);
  // Five calls that only failed: without them the script has the same result.
  CHECK_HAS_NOT(band, "cat-file");
  for (const char* name : {"a1", "b2", "c3", "d4", "e5"})
    CHECK_HAS(learnt.out, std::string("  cli: [\"git cat-file -t ") + name +
                              "\"]   # the script succeeded without this line (run ");
  CHECK_HAS(learnt.out, "for you to decide (not written):\n");
  // It also succeeded without this one, but did something else then.
  CHECK_HAS(band, "- \"git check-ref-format --branch main\"   # run 2: the script called it, and succeeded without it");
  CHECK_HAS(learnt.out,
            "the script also succeeded without these lines; remove the lines that the script must not have:\n"
            "  allow.cli \"git check-ref-format --branch main\"  (run 2 succeeded without it)\n");
  CHECK_HAS_NOT(learnt.out, "allow.cli \"git --version\"  (run");
  const auto run = [&] { return caller.band({"run", "tool/go"}); };
  CHECK_HAS(run().out, "main");
  // Without any one of the lines the result is incomplete.
  const Words rows = rows_of(band);
  CHECK(rows.size() == 4);  // the file has a line of write and one of read
  for (const std::string& row : rows) {
    CAPTURE(row);
    if (contains(row, "version.txt")) continue;  // learn_write_test
    write_file(caller.skills() + "/tool/scripts/go/BAND.md", without(band, row));
    const Ran ran = run();
    CHECK((ran.status != 0 || !contains(ran.out, "main")));
  }
  // A line that a person wrote is kept, even if its calls failed.
  std::string by_hand = band;
  by_hand.insert(by_hand.find("    - \"git --version\""), "    - \"git cat-file -t a1\"\n");
  write_file(caller.skills() + "/tool/scripts/go/BAND.md", by_hand);
  REQUIRE_STATUS(caller.band(words), 0);
  CHECK_HAS(band_of(caller), "git cat-file -t a1");
}

TEST_CASE("new insists and removals are written only after a run that had them, and listed otherwise") {
  const Caller caller(server());
  const std::string source = "set -e\ngit --version\n" + std::string(kEmptyOutput),
                    rules = "allow:\n  cli: [git log *]\n";
  caller.script("tool/go", source, rules);
  const Words two = {"--input", "{}", "--input", "{}"};
  const auto with = [&](const char* runs) {
    Words words = {"--runs", runs, "--apply"};
    words.insert(words.end(), two.begin(), two.end());
    return caller.band(learn(words));
  };
  // Three runs: a refused one, and one for each input. None had the insist, and all had `git log *`.
  const Ran few = with("3");
  REQUIRE_STATUS(few, 0);
  CHECK_HAS(few.out,
            "left out, because no successful run had these changes (--runs 3 allows no further run):\n"
            "  insist: {cli: [\"git --version\"]}\n"
            "  without allow.cli \"git log *\"");
  CHECK_HAS(few.out, "tries the lines that were left out");
  CHECK_HAS(band_of(caller), "git log *");
  CHECK_HAS_NOT(band_of(caller), "insist");
  caller.script("tool/go", source, rules);
  Tap tap(server());
  tap.stand_before(caller);
  const Ran enough = with("5");
  REQUIRE_STATUS(enough, 0);
  CHECK_HAS(enough.err, "run 5: input 2 of 2, {}\n  with the band as it would be written\n");
  CHECK_HAS(enough.err, "  no longer allows cli \"git log *\"");
  CHECK_HAS(enough.err, "  insists on cli \"git --version\"");
  CHECK_HAS_NOT(enough.out, "left out");
  CHECK_HAS(band_of(caller), "insist:\n  cli:\n    - \"git --version\"");
  CHECK_HAS_NOT(band_of(caller), "git log");
  const std::vector<std::string> requests = tap.requests();
  REQUIRE(requests.size() == 5);
  for (const std::size_t i : {3u, 4u}) {
    CHECK(opened_by(requests[i]) == std::set<std::string>{"cli \"git --version\""});
    CHECK_HAS(json_part(json_part(json_part(requests[i], "rules"), "cli"), "insist"), "git --version");
  }
}

TEST_CASE("a line that no run used and without which the script fails is not removed") {
  const Caller caller(server());
  // It only tests whether the command exists.
  caller.script("tool/go", "set -e\ncommand -v git\n" + std::string(kEmptyOutput), "allow: \n  cli: [git log *]\n");
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(
      learnt.out,
      "left out, because no successful run had these changes (run 2, with the band as it would be written, ended with "
      "SCRIPT_FAILED):\n  without allow.cli \"git log *\"");
  CHECK_HAS(band_of(caller), "git log *");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);
}

TEST_CASE("after a run that sent data nothing is removed") {
  const Caller caller(server());
  caller.script("tool/go",
                "set -e\nexec 3<>/dev/tcp/api.learn.example/80\n"
                "printf 'GET / HTTP/1.1\\r\\nHost: api.learn.example\\r\\nConnection: close\\r\\n\\r\\n' >&3\n"
                "grep -q hi <&3\n" +
                    std::string(kEmptyOutput),
                "allow:\n  net: [api.learn.example, other.example]\n");
  const std::string before = band_of(caller);
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK(shown_runs(learnt.err).size() == 1);
  CHECK_HAS(learnt.out, "so no further run is made):\n  without allow.net \"other.example\"");
  CHECK(band_of(caller) == before);
}

namespace {

// Its second input names a path of the machine. No run with a line `{path}` can start with it, so the line is removed.
void write_two_paths(const Caller& caller, const std::string& source, const std::string& band) {
  caller.script("tool/go", "path=$(jq -r .path \"$INPUT_PATH\")\n" + source + kEmptyOutput, band);
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"path": {"type": "string"}}})");
  write_file(caller.work("a.txt"), "a\n");
}

const Words kTwoPaths = {"--input", R"({"path": "a.txt"})", "--input", R"({"path": "/nowhere/x"})", "--apply"};

Words with_runs(const char* runs, Words words = kTwoPaths) {
  words.insert(words.end(), {"--runs", runs});
  return words;
}

}  // namespace

TEST_CASE("if one input removes a line that another needs, nothing is written, and the input is named") {
  const Caller caller(server());
  write_two_paths(caller, "set -e\ngit --version\n[[ $path == /* ]] || cat \"$path\"\n", "");
  const std::string before = band_of(caller);
  const Ran learnt = caller.band(learn(with_runs("12")));
  CHECK_STATUS(learnt, 3);
  CHECK_HAS(learnt.out, "; input 1 of 2 has no successful run with these lines: run ");
  CHECK_HAS(learnt.out, "ended with SCRIPT_FAILED");
  CHECK_HAS(learnt.out, "--apply wrote nothing: input 1 of 2 has no successful run");
  CHECK_HAS(
      learnt.out,
      "with the `--input` of this run first, finds the lines that this input needs; or write the proposed lines into "
      "tool/scripts/go/BAND.md yourself");
  CHECK_HAS_NOT(learnt.out, "the script works with each input");
  CHECK(band_of(caller) == before);
  const Ran json = caller.band(learn(with_runs("12", [] {
    Words words = kTwoPaths;
    words.push_back("--json");
    return words;
  }())));
  CHECK_STATUS(json, 3);
  CHECK_HAS(json.out, R"("works":false)");
  CHECK_HAS(json.out, R"("unfinished":"input 1 of 2 has no successful run)");
  CHECK_HAS(json.out, R"("applied":false)");
  CHECK(band_of(caller) == before);
}

TEST_CASE("each input runs with the written band, even if the last run with all changes failed") {
  const Caller caller(server());
  // Without `git log *`, which no run uses, it fails; without the file it does not.
  write_two_paths(caller, "set -e\ncommand -v git\npython3 --version\ncat \"$path\" || true\n",
                  "allow: \n  cli: [git log *]\n");
  const Ran learnt = caller.band(learn(with_runs("20")));
  REQUIRE_STATUS(learnt, 0);
  const std::string failed = "run 5: input 1 of 2, {\"path\":\"a.txt\"}\n  with the band as it would be written\n";
  CHECK_HAS(learnt.err, failed);
  CHECK_HAS(learnt.err, "run 5 ended: SCRIPT_FAILED");
  // Its earlier run had the file, which no line opens now.
  CHECK_HAS(learnt.err, "run 6: input 1 of 2, {\"path\":\"a.txt\"}\n  ");
  CHECK_HAS(learnt.err, "run 6 ended: success");
  CHECK_HAS(learnt.out, "left out, because no successful run had these changes (run 5, with the band as it would be");
  CHECK_HAS(band_of(caller), "git log *");
  CHECK_HAS(band_of(caller), "python3 --version");
  CHECK_HAS_NOT(band_of(caller), "insist");
  for (const char* path : {"a.txt", "/nowhere/x"}) CHECK_STATUS(caller.band({"run", "tool/go", "--path", path}), 0);
  // Without the sixth run nothing is written.
  write_two_paths(caller, "set -e\ncommand -v git\npython3 --version\ncat \"$path\" || true\n",
                  "allow: \n  cli: [git log *]\n");
  const std::string before = band_of(caller);
  const Ran few = caller.band(learn(with_runs("5")));
  CHECK_STATUS(few, 3);
  CHECK_HAS(few.out, "input 1 of 2 has no successful run with these lines: run 5 ended with SCRIPT_FAILED");
  CHECK_HAS(few.out, "--runs 5 allows no further run");
  CHECK(band_of(caller) == before);
}
