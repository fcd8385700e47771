#include "server/evidence/mask.h"
#include "schemas/core/json.h"

#include <doctest/doctest.h>

#include "schemas/address/host_name.h"

using band::Answer;
using band::Json;
using band::run::Mask;
using band::run::StreamMask;

namespace {

// Returns the stream's output for `text` in pieces of `size` bytes.
std::string streamed(const Mask& mask, const std::string& text, std::size_t size) {
  StreamMask stream(mask);
  std::string result;
  for (std::size_t at = 0; at < text.size(); at += size) result += stream.add(text.substr(at, size));
  return result + stream.finish();
}

}  // namespace

TEST_CASE("a secret is masked at any position of a text") {
  const Mask mask({"hunter2-hunter2", "s3cr3t-value"});
  CHECK(mask.text("a s3cr3t-value b hunter2-hunter2") == "a [masked] b [masked]");
  CHECK(mask.text("s3cr3t-values3cr3t-value") == "[masked][masked]");
  CHECK(mask.text("s3cr3t-valu") == "s3cr3t-valu");
  CHECK(Mask().text("s3cr3t-value") == "s3cr3t-value");
}

TEST_CASE("a secret that was looked up as a host name is masked in upper and lower case") {
  const Mask mask({"Hunter2-HUNTER2", "s3cr3t-value"});
  CHECK(mask.host("hunter2-hunter2.example and S3CR3T-Value") == "[masked].example and [masked]");
  CHECK(mask.host("Other.Example") == "Other.Example");
  CHECK(mask.text("hunter2-hunter2") == "hunter2-hunter2");
}

TEST_CASE("a secret that is not ASCII and was looked up as a host name is masked in its A-label form") {
  const Mask mask({"Pässwort-Geheim", "zwölf.Döner"});
  for (const char* secret : {"Pässwort-Geheim", "PÄSSWORT-geheim", "zwölf.döner"}) {
    const auto name = band::canonical_name(std::string(secret) + ".example");
    REQUIRE(name.ok());
    CHECK(name->find("xn--") == 0);
    CHECK(mask.host(*name + " refused") == "[masked].example refused");
    CHECK(mask.host("www." + *name) == "www.[masked].example");
  }
  CHECK(mask.host("xn--bcher-kva.example") == "xn--bcher-kva.example");
}

TEST_CASE("a secret that is written in pieces of any size is masked") {
  const Mask mask({"abcdefghijkl", "abcdefgh"});  // the second is a prefix of the first
  const std::string text = "x abcdefghijkl y abcdefgh z \xc3\xa4\xc3\xb6 abcdefg";
  const std::string wanted = "x [masked] y [masked] z \xc3\xa4\xc3\xb6 abcdefg";
  CHECK(mask.text(text) == wanted);
  for (std::size_t size = 1; size <= text.size(); ++size) {
    CAPTURE(size);
    CHECK(streamed(mask, text, size) == wanted);
  }
}

TEST_CASE("a stream does not split a character") {
  const Mask mask;
  StreamMask stream(mask);
  CHECK(stream.add("a\xe2\x82") == "a");
  CHECK(stream.add("\xac") == "\xe2\x82\xac");
  CHECK(stream.add("\xff") == "\xff");  // not the beginning of a character, so it is not held back
}

TEST_CASE("data is masked in strings, names and numbers, and names stay unique") {
  const Mask mask({"12345678", "topsecret"});
  Json data = Json::parse(R"({"topsecret": 1, "x-topsecret": 2, "n": 123456789, "list": ["a topsecret b", 1234567]})");
  CHECK(mask.json(data) == std::vector<std::string>{"/[masked]#1", "/x-[masked]#2", "/n", "/list/0"});
  CHECK(data.dump() == R"({"[masked]#1":1,"x-[masked]#2":2,"n":"[masked]","list":["a [masked] b",1234567]})");
  Json numbers = *band::parse_json("[123456780000000000000000000000,1234567e8,0.12345678000000000000000001]", "data");
  CHECK(mask.json(numbers) == std::vector<std::string>{"/0", "/2"});  // compared with their text
  CHECK(band::dump_json(numbers) == R"(["[masked]",1234567e8,"[masked]"])");
}

TEST_CASE("the places of masked texts are bounded in number and length, and have no secret") {
  const Mask mask({"top/secret"});
  Json text = "is top/secret";
  CHECK(mask.json(text) == std::vector<std::string>{""});
  Json escaped = Json::parse(R"({"a/~b": {"c": "top/secret"}, "top": {"secret": "top/secret"}})");
  CHECK(mask.json(escaped) == std::vector<std::string>{"/a~1~0b/c", "/[masked]"});
  Json many = Json::array();
  for (int i = 0; i < 50; ++i) many.push_back("top/secret");
  CHECK(mask.json(many).size() == 20);
  Json deep = "top/secret";
  for (int i = 0; i < 200; ++i) deep = Json::array({std::move(deep)});
  Json wide = {{"x", {{std::string(1'000, 'n'), {{"y", "top/secret"}}}}}};
  const auto at_depth = mask.json(deep);
  REQUIRE(at_depth.size() == 1);
  CHECK(at_depth[0].size() <= 256);
  CHECK(mask.json(wide) == std::vector<std::string>{"/x"});
  CHECK(wide.dump().find("[masked]") != std::string::npos);
  Json clean = Json::parse(R"({"a": [1, "x"]})");
  CHECK(mask.json(clean).empty());
}

TEST_CASE("a changed file with a secret in its name is listed with a masked name, and not sent") {
  const Mask mask({"topsecret"});
  Answer answer;
  answer.files = {{"out/topsecret.txt", 0644, "x"}, {"out/b.txt", 0644, "is topsecret"}};
  SUBCASE("the content of files is not changed if the request has whole_files") {
    mask.answer(answer, true);
    REQUIRE(answer.files.size() == 1);
    CHECK(answer.files[0].content == "is topsecret");
  }
  SUBCASE("otherwise it is masked, as for clients that do not search for secrets") {
    mask.answer(answer, false);
    REQUIRE(answer.files.size() == 1);
    CHECK(answer.files[0].content == "is [masked]");
  }
  REQUIRE(answer.not_written.size() == 1);
  CHECK(answer.not_written[0] == "out/[masked].txt");
}

TEST_CASE("files that were removed, renamed or set to another mode are listed with secrets masked") {
  const Mask mask({"topsecret"});
  Answer answer;
  answer.removed = {"a-topsecret"};
  answer.renamed = {{"topsecret", "b"}, {"c", "d-topsecret"}};
  answer.mode_changed = {"e/topsecret"};
  mask.answer(answer, true);
  CHECK(answer.removed == std::vector<std::string>{"a-[masked]"});
  CHECK(answer.renamed == std::vector<band::RenamedFile>{{"[masked]", "b"}, {"c", "d-[masked]"}});
  CHECK(answer.mode_changed == std::vector<std::string>{"e/[masked]"});
}

TEST_CASE("masking needs linear time: many names, many matches, a secret that never occurs") {
  const Mask mask({"never-occurs-here", "aaaaaaaa"});
  Json data = Json::object();
  auto& members = data.get_ref<Json::object_t&>();
  members.reserve(200'000);
  for (int i = 0; i < 200'000; ++i)
    static_cast<std::vector<std::pair<const std::string, Json>>&>(members).emplace_back("aaaaaaaa" + std::to_string(i),
                                                                                        1);
  mask.json(data);  // operator[] would need 2 * 10^10 comparisons
  CHECK(data.size() == 200'000);
  CHECK(mask.text(std::string(8'000'000, 'a')).size() == 1'000'000 * band::kMasked.size());
}

TEST_CASE("a stream holds back only bytes that may be the beginning of a secret") {
  const Mask mask({"hunter22-hunter22", "abcabcabd"});
  CHECK(mask.begun("") == 0);
  CHECK(mask.begun("a prompt $ ") == 0);
  CHECK(mask.begun("x hunter22-hunter2") == 17 - 1);
  CHECK(mask.begun("hunter22-hunter22-hunter") == 15);  // the end of one occurrence begins the next
  CHECK(mask.begun("abcabcabcab") == 8);                // the first three bytes cannot be part of it
  CHECK(mask.begun("abcabcabd") == 0);

  StreamMask stream(mask);
  CHECK(stream.add("user@host:~$ ") == "user@host:~$ ");  // a prompt is shown immediately
  CHECK(stream.add("h") == "");
  CHECK(stream.add("ello") == "hello");
  CHECK(stream.add("abcabc").empty());
  CHECK(stream.add("abcabd.") == "abc[masked].");
  CHECK(stream.add("hunter22-").empty());
  CHECK(stream.finish() == "hunter22-");
}

TEST_CASE("a stream masks the same text for all sizes of its pieces") {
  const Mask mask({"abababac", "babababa", "ccccdddd"});
  const std::string text = "xabababababacx ccccccccdddd abababab ababaababac babababababa cccc";
  const std::string want = mask.text(text);
  for (std::size_t first = 0; first <= text.size(); ++first)
    for (std::size_t second = first; second <= text.size(); ++second) {
      StreamMask stream(mask, StreamMask::Cut::Bytes);
      std::string got = stream.add(text.substr(0, first));
      got += stream.add(text.substr(first, second - first));
      got += stream.add(text.substr(second));
      got += stream.finish();
      if (got != want) CHECK_MESSAGE(got == want, first, " ", second);
    }
}

TEST_CASE("a stream of bytes does not wait for the rest of a character") {
  const Mask mask({"topsecret"});
  StreamMask bytes(mask, StreamMask::Cut::Bytes), characters(mask);
  CHECK(bytes.add("a\xc3") == "a\xc3");
  CHECK(characters.add("a\xc3") == "a");
}

TEST_CASE("a secret with line feeds is masked in the form that a terminal prints, too") {
  const std::vector<std::string> forms = band::run::with_terminal_forms({"-----KEY\nabc\n", "plain-secret"});
  REQUIRE(forms.size() == 3);
  CHECK(forms[0] == "-----KEY\r\nabc\r\n");
  const Mask mask(forms);
  StreamMask stream(mask, StreamMask::Cut::Bytes);
  CHECK(stream.add("a -----KEY\r\nabc\r\n b plain-secret -----KEY\nabc\n") + stream.finish() ==
        "a [masked] b [masked] [masked]");
}
