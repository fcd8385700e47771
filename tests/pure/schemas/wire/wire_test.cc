#include "schemas/wire/wire.h"
#include "schemas/core/json.h"

#include <doctest/doctest.h>

#include "schemas/core/embedded.h"
#include "schemas/json_schema/input_schema.h"

using namespace band;

namespace {

const std::string kToken = "band_01234567_" + std::string(64, 'a');

ExecRequest small_request() {
  ExecRequest request;
  request.script = "text/split";
  request.source = "echo '{}' > \"$OUTPUT_PATH\"\n";
  request.input = Json{{"n", 9007199254740993}};
  request.rules.read.opened = {{{"./in/**", "text/BAND.md:5"}}};
  request.rules.env = {{"MODE", true, false, std::nullopt, "", "text/BAND.md:9"},
                       {"API_KEY", true, true, std::nullopt, "", "text/BAND.md:10"}};
  request.env = {{"MODE", "fast"}};
  request.secrets = {{"API_KEY", "s3cret"}};
  request.files = {{"in/a.txt", 0644, std::string("a\0\xff", 3)}, {"in/run", 0755, ""}};
  request.lib = {{"shared.sh", 0644, "x=1\n"}};
  request.skill_files = {{"assets/logo.svg", 0644, "<svg/>"}, {"scripts/split/helper.py", 0755, ""}};
  return request;
}

std::string refusal(const Json& value) {
  const auto request = request_from_json(value);
  return request.ok() ? "accepted" : request.error().message();
}

}  // namespace

TEST_CASE("a path is safe only when it is plain, relative and printable") {
  for (const char* path : {"a", "a/b.txt", ".hidden", "a/..b", "a b", "\xC3\xA9", "...", "a\\b"}) {
    CAPTURE(path);
    CHECK(is_safe_relative_path(path));
  }
  const std::string long_segment(256, 'a');
  for (const std::string& path :
       {std::string(), std::string("/a"), std::string("a/"), std::string("a//b"), std::string("."), std::string(".."),
        std::string("a/../b"), std::string("./a"), std::string("a/."), std::string("a\nb"), std::string("a\x1b[2J"),
        std::string("a\x7f"), std::string("a\0b", 3), std::string("a\xC2\x9B"), std::string("\xff"),
        std::string("\xC0\xAF"), std::string("\xED\xA0\x80"), long_segment, std::string(5000, 'a')}) {
    CAPTURE(path);
    CHECK_FALSE(is_safe_relative_path(path));
  }
  CHECK(is_safe_relative_path(std::string(255, 'a')));
}

TEST_CASE("a script's name has two parts of plain characters") {
  for (const char* name : {"a/b", "github/issue-create", "A.b_c-9/0"}) CHECK(is_script_name(name));
  for (const char* name : {"", "a", "a/", "/b", "a/b/c", "../b", "a/..", "-a/b", "a/b c", "a/_lib", ".a/b"})
    CHECK_FALSE(is_script_name(name));
  CHECK_FALSE(is_script_name(std::string(65, 'a') + "/b"));
}

TEST_CASE("a request is unchanged after serialising and parsing, bytes included") {
  const ExecRequest before = small_request();
  const auto parsed = parse_json(dump_json(request_to_json(before)), "request");
  REQUIRE(parsed.ok());
  const auto after = request_from_json(*parsed);
  REQUIRE_MESSAGE(after.ok(), (after.ok() ? "" : after.error().message()));
  CHECK(after->script == before.script);
  CHECK(after->source == before.source);
  CHECK((*after->input)["n"] == 9007199254740993);
  CHECK(after->env == before.env);
  CHECK(after->secrets == before.secrets);
  REQUIRE(after->files.size() == 2);
  CHECK(after->files[0].content == std::string("a\0\xff", 3));
  CHECK(after->files[1].mode == 0755);
  CHECK(after->lib[0].path == "shared.sh");
  CHECK(after->skill_files[0].content == "<svg/>");
  CHECK(after->skill_files[1].path == "scripts/split/helper.py");
  CHECK(after->rules.read.opened[0][0].origin == "text/BAND.md:5");
}

TEST_CASE("the size that a file adds to a request is computed without its content") {
  ExecRequest request = small_request();
  request.files = {{"first", 0644, "x"}};
  const std::size_t before = dump_json(request_to_json(request)).size();
  for (const std::string& path : {std::string("a"), std::string("in/\"quoted\" \\.txt"), std::string("in/\xC3\xA9")})
    for (const std::size_t bytes : {0, 1, 2, 3, 1'000}) {
      request.files.push_back({path, 0755, std::string(bytes, 'x'), kMostModifiedUs});
      CHECK(dump_json(request_to_json(request)).size() == before + bytes_in_request(path, bytes));
      request.files.pop_back();
    }
}

TEST_CASE("a hostile request is refused with a message that names the place") {
  struct Row {
    const char* what;
    void (*change)(Json&);
    const char* expected;
  };
  const Row rows[] = {
      {"no object", [](Json& r) { r = Json::array(); }, "expected an object, got array"},
      {"no script", [](Json& r) { r.erase("script"); }, "\"script\" is missing"},
      {"script walks", [](Json& r) { r["script"] = "../x"; }, "not of the form skill/script"},
      {"script is a number", [](Json& r) { r["script"] = 5; }, "request.script: expected a string"},
      {"empty source", [](Json& r) { r["source"] = " \n"; }, "request.source: is empty"},
      {"NUL in source", [](Json& r) { r["source"] = std::string("a\0b", 3); }, "NUL"},
      {"long source", [](Json& r) { r["source"] = std::string(kMaxSourceBytes + 1, 'a'); }, "at most 1048576"},
      {"unknown member", [](Json& r) { r["sudo"] = true; }, "unknown member \"sudo\""},
      {"no input", [](Json& r) { r.erase("input"); }, "\"input\" is missing"},
      {"config no object", [](Json& r) { r["config"] = 1; }, "request.config: expected an object"},
      {"file outside", [](Json& r) { r["files"][0]["path"] = "../a"; },
       "request.files[0].path: \"../a\" is not a plain relative path"},
      {"absolute file", [](Json& r) { r["files"][0]["path"] = "/etc/passwd"; }, "is not a plain relative path"},
      {"escape in a name", [](Json& r) { r["files"][0]["path"] = "a\x1b[2J"; }, "\"a?[2J\""},
      {"setuid file", [](Json& r) { r["files"][0]["mode"] = "4755"; }, "request.files[0].mode"},
      {"mode a number", [](Json& r) { r["files"][0]["mode"] = 420; }, "request.files[0].mode: expected a string"},
      {"not base64", [](Json& r) { r["files"][0]["content"] = "a b"; }, "request.files[0].content"},
      {"file twice", [](Json& r) { r["files"][1]["path"] = "in/a.txt"; }, "appears twice"},
      {"file below a file", [](Json& r) { r["files"][1]["path"] = "in/a.txt/b"; }, "is a file and a directory"},
      {"unknown member of a file", [](Json& r) { r["files"][0]["owner"] = "root"; }, "unknown member \"owner\""},
      {"undeclared variable", [](Json& r) { r["env"]["LD_PRELOAD"] = "/x"; },
       "request.env: \"LD_PRELOAD\" is not a variable"},
      {"undeclared secret", [](Json& r) { r["secrets"]["BASH_ENV"] = "/x"; },
       "request.secrets: \"BASH_ENV\" is not a secret variable"},
      {"a secret among the plain", [](Json& r) { r["env"]["API_KEY"] = "x"; },
       "request.env: \"API_KEY\" is not a variable"},
      {"variable no string", [](Json& r) { r["env"]["MODE"] = 5; }, "request.env.MODE: expected a string"},
      {"NUL in a variable", [](Json& r) { r["env"]["MODE"] = std::string("a\0", 2); }, "NUL"},
      {"long variable", [](Json& r) { r["env"]["MODE"] = std::string(kMaxEnvValueBytes + 1, 'a'); }, "at most 122880"},
      {"files no array", [](Json& r) { r["files"] = Json::object(); }, "request.files: expected an array"},
      {"rules missing", [](Json& r) { r.erase("rules"); }, "\"rules\" is missing"},
  };
  const Json good = request_to_json(small_request());
  CHECK(refusal(good) == "accepted");
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Json bad = good;
    row.change(bad);
    const std::string message = refusal(bad);
    CAPTURE(message);
    CHECK(message.find(row.expected) != std::string::npos);
  }
}

TEST_CASE("too many or too large library files are refused") {
  ExecRequest request = small_request();
  request.lib.clear();
  for (std::size_t i = 0; i <= kMaxLibFiles; ++i) request.lib.push_back({"f" + std::to_string(i), 0644, ""});
  CHECK(refusal(request_to_json(request)).find("201 files, at most 200") != std::string::npos);
  request.lib = {{"big", 0644, std::string(kMaxLibBytes + 1, 'x')}};
  CHECK(refusal(request_to_json(request)).find("bytes, at most 8388608") != std::string::npos);
}

TEST_CASE("too many or too large files of the skill are refused") {
  ExecRequest request = small_request();
  for (std::size_t i = 0; i <= kMaxSkillFiles; ++i)
    request.skill_files.push_back({"assets/f" + std::to_string(i), 0644, ""});
  CHECK(refusal(request_to_json(request)).find("203 files, at most 200") != std::string::npos);
  const std::string half(kMaxSkillBytes / 2 + 1, 'x');
  request.skill_files = {{"assets/big", 0644, half}, {"references/big", 0644, half}};
  CHECK(refusal(request_to_json(request)).find("request.skillFiles: 8388610 bytes, at most 8388608") !=
        std::string::npos);
}

TEST_CASE("files of the skill are next to run.sh, or below assets or references") {
  ExecRequest request = small_request();
  for (const char* path : {"assets/a", "assets/b/c", "references/a", "scripts/split/a", "scripts/split/x/run.sh"}) {
    CAPTURE(path);
    request.skill_files = {{path, 0644, ""}};
    CHECK(refusal(request_to_json(request)) == "accepted");
  }
  for (const char* path : {"a", "assets", "lib/a", "scripts/a", "scripts/split", "scripts/split/run.sh",
                           "scripts/split2/a", "scripts/_lib/a", "scripts/other/run.sh", "schemas/a", "asset/a"}) {
    CAPTURE(path);
    request.skill_files = {{path, 0644, ""}};
    CHECK(refusal(request_to_json(request)).find("is not one of the files that this script may use") !=
          std::string::npos);
  }
}

TEST_CASE("an answer is unchanged after serialising and parsing") {
  Answer before;
  before.id = "0123456789abcdef";
  before.error = Error{.code = Code::ScriptFailed, .doing = "exit 3", .hint = "look", .details = "[1,2]"};
  before.data = Json{{"a", 1}};
  before.masked = {"/a", ""};
  before.files = {{"out/a", 0644, "x"}};
  before.files[0].modified_us = kMostModifiedUs;
  before.not_written = {"b"};
  before.removed = {"c"};
  before.renamed = {{"d", "e"}};
  before.mode_changed = {"f"};
  before.unnamed = 8;
  before.home_files = {"~/.g"};
  before.stderr_log = "oops";
  before.stderr_cut = 7;
  before.exit_status = 3;
  before.metrics.runMs = 1.5;
  before.metrics.changedFiles = 2;
  before.metrics.steps.chain = 0.25;
  before.ledger = {{"write", "wrote out/a", Json{{"bytes", 1}}}};
  const auto after = answer_from_json(answer_to_json(before));
  REQUIRE_MESSAGE(after.ok(), (after.ok() ? "" : after.error().message()));
  REQUIRE(after->error.has_value());
  CHECK(after->error->code == Code::ScriptFailed);
  CHECK(after->error->message() == "exit 3");
  CHECK(after->error->details == "[1,2]");
  CHECK(*after->data == *before.data);
  CHECK(after->masked == before.masked);
  CHECK(after->files[0].content == "x");
  CHECK(after->files[0].modified_us == kMostModifiedUs);
  CHECK(after->not_written == before.not_written);
  CHECK(after->removed == before.removed);
  CHECK(after->renamed == before.renamed);
  CHECK(after->mode_changed == before.mode_changed);
  CHECK(after->unnamed == 8);
  CHECK(after->home_files == before.home_files);
  CHECK(after->stderr_cut == 7);
  CHECK(after->exit_status == 3);
  CHECK(after->metrics.runMs == 1.5);
  CHECK(after->metrics.changedFiles == 2);
  CHECK(after->metrics.steps.chain == 0.25);
  CHECK(after->ledger[0].text == "wrote out/a");
}

TEST_CASE("a hostile answer is refused") {
  Answer good;
  good.exit_status = 0;
  good.id = "0123456789abcdef";
  good.files = {{"a", 0644, ""}};
  const Json json = answer_to_json(good);
  REQUIRE(answer_from_json(json).ok());
  const auto refused = [&](void (*change)(Json&)) {
    Json bad = json;
    change(bad);
    return !answer_from_json(bad).ok();
  };
  CHECK(refused([](Json& a) { a["id"] = "x"; }));
  CHECK(refused([](Json& a) { a.erase("id"); }));
  CHECK(refused([](Json& a) { a["files"][0]["path"] = "a/../../b"; }));
  CHECK(refused([](Json& a) { a["files"][0]["path"] = "/a"; }));
  CHECK(refused([](Json& a) { a["exitStatus"] = 300; }));
  CHECK(refused([](Json& a) { a["exitStatus"] = 1.5; }));
  CHECK(refused([](Json& a) { a["exitStatus"] = nullptr; }));  // and there is no error
  CHECK(refused([](Json& a) { a["stdoutCut"] = -1; }));
  CHECK(refused([](Json& a) { a["metrics"]["runMs"] = -1; }));
  CHECK(refused([](Json& a) { a["metrics"] = 1; }));
  CHECK(refused([](Json& a) { a["metrics"]["steps"]["chain"] = -1; }));
  CHECK(refused([](Json& a) { a["metrics"]["steps"] = 1; }));
  CHECK(refused([](Json& a) { a["metrics"]["outputBytes"] = 18446744073709551615ull; }));
  CHECK(refused([](Json& a) { a["ledger"] = Json::array({1}); }));
  CHECK(refused([](Json& a) { a["error"] = "no"; }));
  CHECK(refused([](Json& a) { a["notWritten"] = Json::array({1}); }));
  CHECK(refused([](Json& a) { a["removed"] = "b"; }));
  CHECK(refused([](Json& a) { a["homeFiles"] = Json::array({1}); }));
  CHECK(refused([](Json& a) { a["renamed"] = Json::array({"b"}); }));
  CHECK(refused([](Json& a) { a["renamed"] = Json::array({{{"from", "b"}}}); }));
  CHECK(refused([](Json& a) { a["modeChanged"] = Json::array({Json::object()}); }));
  CHECK(refused([](Json& a) { a["unnamed"] = -1; }));
  CHECK(refused([](Json& a) { a["files"][0]["modifiedUs"] = kMostModifiedUs + 1; }));
  CHECK(refused([](Json& a) { a["files"][0]["modifiedUs"] = -1; }));
  CHECK(refused([](Json& a) { a["files"][0]["modifiedUs"] = "now"; }));
  CHECK_FALSE(refused([](Json& a) { a["fromTheFuture"] = 1; }));
}

TEST_CASE("an unknown member of a request is refused with the hint that the client may be newer") {
  const Json good = request_to_json(small_request());
  REQUIRE(refusal(good) == "accepted");  // the control
  for (const char* place :
       {"", "/files/0", "/lib/0", "/rules", "/rules/read", "/rules/read/opened/0/0", "/rules/env/0", "/rules/limit"}) {
    CAPTURE(place);
    Json request = good;
    request[Json::json_pointer(place)]["later"] = true;
    const auto read = request_from_json(request);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == Code::BadRequest);
    CHECK(read.error().message().find("unknown member \"later\"") != std::string::npos);
    CHECK(read.error().hint.find("the client is newer than the server: update the server") != std::string::npos);
  }
  Json wrong = good;
  wrong["stdin"] = 1;
  CHECK(request_from_json(wrong).error().hint == "");  // another error
}

TEST_CASE("unknown members of an answer are ignored in each of its objects, because the server may be newer") {
  Answer answer;
  answer.id = "0123456789abcdef";
  answer.error = Error{.code = Code::ScriptFailed, .doing = "exit 3", .details = "{}"};
  answer.data = Json{{"a", 1}};
  answer.files = {{"out/a", 0644, "x", 1}};
  answer.renamed = {{"d", "e"}};
  answer.exit_status = 3;
  answer.ledger = {{"write", "wrote out/a", Json{{"bytes", 1}}}};
  const Json whole = answer_to_json(answer);
  REQUIRE(answer_from_json(whole).ok());  // the control
  int objects = 0;
  const Json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    for (Json::json_pointer at(pointer); !at.empty();) {
      at.pop_back();
      Json more = whole;
      if (!more[at].is_object()) continue;
      more[at]["later"] = {{"list", {1, 2}}};
      CAPTURE(at.to_string());
      const auto read = answer_from_json(more);
      CHECK_MESSAGE(read.ok(), (read.ok() ? "" : read.error().message()));
      ++objects;
    }
  }
  CHECK(objects > 20);
}

TEST_CASE("an error has one form, and an unknown code keeps its message") {
  const Json json =
      error_to_json(Error{.code = Code::ServerBusy, .layer = "slot", .doing = "take a slot", .hint = "try again"});
  CHECK(dump_json(json) ==
        R"({"error":{"code":"SERVER_BUSY","message":"slot: take a slot","hint":"try again","details":null}})");
  Error error;
  REQUIRE(error_from_json(json, error).ok());
  CHECK(error.code == Code::ServerBusy);
  REQUIRE(error_from_json(Json{{"error", {{"code", "NEW"}, {"message", "m"}}}}, error).ok());
  CHECK(error.code == Code::Internal);
  CHECK(error.message() == "m");
  CHECK_FALSE(error_from_json(Json{{"error", 5}}, error).ok());
  CHECK_FALSE(error_from_json(Json::array(), error).ok());
}

TEST_CASE("a token is split only when every character is valid") {
  REQUIRE(split_token(kToken).has_value());
  CHECK(split_token(kToken)->id == "01234567");
  for (const std::string& bad :
       {std::string(), std::string("band_"), kToken.substr(1), kToken + "a", kToken.substr(0, kToken.size() - 1)})
    CHECK_FALSE(split_token(bad).has_value());
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}, std::size_t{6}, std::size_t{13}, kToken.size() - 1}) {
    std::string bad = kToken;
    bad[at] = 'G';
    CHECK_FALSE(split_token(bad).has_value());
  }
}

TEST_CASE("the proof is the HMAC-SHA256 of the header comment, and includes the port") {
  CHECK(token_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string hash = token_hash(kToken), nonce(32, '7');
  // printf 'band-proof-v1\n77777777777777777777777777777777\n7433' | openssl dgst -sha256 -mac HMAC -macopt
  // hexkey:$HASH
  CHECK(proof_of(hash, nonce, 7433) == "061a00ca3b67da65098d5ac17841868ecad7e57de4e7c5505c6d3856acc709f6");
  CHECK(proof_of(hash, nonce, 7434) != proof_of(hash, nonce, 7433));
  CHECK(proof_of(hash, std::string(32, '8'), 7433) != proof_of(hash, nonce, 7433));
  CHECK(proof_of("", nonce, 7433).empty());
  CHECK(proof_of(hash, "77", 7433).empty());
  CHECK(proof_of(hash, std::string(31, '7') + "\n", 7433).empty());
}

TEST_CASE("comparison and random digits") {
  CHECK(equal_in_constant_time("abc", "abc"));
  CHECK_FALSE(equal_in_constant_time("abc", "abd"));
  CHECK_FALSE(equal_in_constant_time("abc", "ab"));
  const auto a = random_hex(16), b = random_hex(16);
  REQUIRE(a.ok());
  CHECK(a->size() == 32);
  CHECK(*a != *b);
  CHECK(random_hex(256)->size() == 512);
  const auto too_many = random_hex(257);
  REQUIRE_FALSE(too_many.ok());
  CHECK(too_many.error().err == EINVAL);
}

TEST_CASE("wire.schema.json describes the messages") {
  const auto definition = [](const char* name) {
    Json schema = parse_json(schema_text("wire.schema.json"), "wire.schema.json").value();
    schema.erase("anyOf");
    schema["allOf"] = Json::array({Json{{"$ref", std::string("#/definitions/") + name}}});
    auto loaded = InputSchema::from_json(schema, name);
    REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? "" : loaded.error().message()));
    return std::move(loaded).value();
  };
  const auto complaints = [](const InputSchema& schema, const Json& value) {
    std::string text;
    for (const Violation& violation : schema.validate(value))
      text += violation.pointer + ": " + violation.message + "\n";
    return text;
  };
  const InputSchema request = definition("request"), answer = definition("answer"),
                    refusal_schema = definition("refusal");
  Json sent = request_to_json(small_request());
  CHECK(complaints(request, sent) == "");
  sent["sudo"] = true;
  CHECK(complaints(request, sent) != "");
  Answer made;
  made.id = "0123456789abcdef";
  made.error = Error{.code = Code::Timeout, .doing = "too slow", .details = "{}"};
  made.masked = {"/a"};
  made.files = {{"a", 0640, "x"}};
  made.ledger = {{"net", "refused", Json::object()}};
  CHECK(complaints(answer, answer_to_json(made)) == "");
  made.id = "x";
  CHECK(complaints(answer, answer_to_json(made)) != "");
  CHECK(complaints(refusal_schema, error_to_json(*made.error)) == "");
}

TEST_CASE("a terminal is sent in a request, and an invalid one is refused") {
  ExecRequest request;
  request.script = "tool/go";
  request.source = "true";
  request.terminal = TerminalRequest{{132, 50}, "xterm-256color", true};
  request.raw_logs = true;
  const auto came = request_from_json(request_to_json(request));
  REQUIRE(came.ok());
  REQUIRE(came->terminal);
  CHECK((came->terminal->size == TerminalSize{132, 50}));
  CHECK(came->terminal->type == "xterm-256color");
  CHECK(came->runs_shell());
  CHECK(came->raw_logs);
  CHECK(came->takes_input());
  for (const char* bad :
       {R"({"columns":0,"rows":1,"type":"x"})", R"({"columns":1,"rows":10001,"type":"x"})", R"({"columns":1,"rows":1})",
        R"({"rows":1,"type":"x"})", R"({"columns":1,"rows":1,"type":"../x"})", R"({"columns":1,"rows":1,"type":""})",
        R"({"columns":"80","rows":1,"type":"x"})", R"({"columns":1,"rows":1,"type":"x","more":1})", "80"}) {
    Json value = request_to_json(request);
    value["terminal"] = *parse_json(bad, "terminal");
    CHECK_MESSAGE(!request_from_json(value).ok(), bad);
  }
}

TEST_CASE("is_refusal distinguishes refusals from other entries") {
  const auto refusal = [](const std::string& kind, const char* details) {
    return is_refusal({kind, "text", *parse_json(details, "details")});
  };
  CHECK(refusal("command", R"({"argv":["git"],"denied":true})"));
  CHECK_FALSE(refusal("command", R"({"argv":["git"],"denied":false,"status":0})"));
  CHECK(refusal("not-found", "{}"));
  CHECK(refusal("net", R"({"outcome":"refused"})"));
  CHECK(refusal("net", R"({"refusedPackets":3})"));
  CHECK_FALSE(refusal("net", R"({"outcome":"failed"})"));
  CHECK_FALSE(refusal("net", R"({"outcome":"relayed"})"));
  CHECK_FALSE(refusal("net", "[]"));
  CHECK_FALSE(refusal("command", "null"));
  CHECK_FALSE(refusal("write", R"({"denied":true})"));
}
