// Reports of `band test`: text, JSON, JUnit XML.
#include "client/skill_tests/report.h"

#include <doctest/doctest.h>

#include "schemas/core/json.h"

using namespace band;
using namespace band::client;

namespace {

CaseReport report(const std::string& name, const std::string& file, int line, std::vector<Mismatch> mismatches = {}) {
  CaseReport one;
  one.tested.name = name;
  one.tested.script = "greet";
  one.tested.file = file;
  one.tested.line = line;
  one.skill = "hello";
  one.mismatches = std::move(mismatches);
  one.ms = 12.4;
  return one;
}

RunReport three() {
  return {{report("a", "t/a.yaml", 3), report("b <&> \"x\"\x1b", "t/a.yaml", 7, {{"differs", "-1\n+\x1b[2J\n"}}),
           report("c", "t/b.yaml", 3)},
          3449};
}

}  // namespace

TEST_CASE("a failure is reported with file and line, escaped for terminals") {
  const std::string text = failure_text(three().cases[1]);
  CHECK(text == "FAILED t/a.yaml:7: b <&> \"x\"\\x1b (hello/greet)\n  differs\n    -1\n    +\\x1b[2J\n");
  CHECK(summary_text(three()) == "2 passed, 1 failed in 3.4 s\n");
}

TEST_CASE("the report is JSON") {
  const auto json = parse_json(report_json(three()), "report");
  REQUIRE(json.ok());
  CHECK((*json)["passed"] == Json(2));
  CHECK((*json)["failed"] == Json(1));
  CHECK((*json)["ms"] == Json(3449));
  CHECK((*json)["cases"].size() == 3);
  CHECK((*json)["cases"][1]["passed"] == Json(false));
  CHECK((*json)["cases"][1]["script"] == Json("hello/greet"));
  CHECK((*json)["cases"][1]["line"] == Json(7));
  CHECK((*json)["cases"][1]["mismatches"][0]["detail"] == Json("-1\n+\x1b[2J\n"));
}

TEST_CASE("JUnit XML has a suite for each file, with its counts") {
  const std::string xml = junit_xml(three());
  const auto has = [&](const std::string& part) { CHECK_MESSAGE(xml.find(part) != std::string::npos, xml); };
  has("<testsuites name=\"band test\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"3.449\">\n");
  has("<testsuite name=\"t/a.yaml\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"0.025\">\n");
  has("<testsuite name=\"t/b.yaml\" tests=\"1\" failures=\"0\"");
  has("<testcase name=\"a\" classname=\"hello.greet\" file=\"t/a.yaml\" line=\"3\" time=\"0.012\"/>\n");
  has("<testcase name=\"b &lt;&amp;&gt; &quot;x&quot;\\x1b\" classname");
  has("<failure message=\"differs\" type=\"failure\">t/a.yaml:7\n  differs\n    -1\n    +\\x1b[2J\n</failure>");
}

TEST_CASE("a run without a report is an error in JUnit XML, with message and hint") {
  const std::string xml = junit_error_xml({.code = Code::SkillInvalid,
                                           .doing = "t/c.yaml:1: unknown key `<bad>`\nt/c.yaml:2: \x1b[2J\xFF\x01",
                                           .hint = "a \"file\" & a remedy"});
  const auto has = [&](const std::string& part) { CHECK_MESSAGE(xml.find(part) != std::string::npos, xml); };
  has("<testsuites name=\"band test\" tests=\"1\" failures=\"0\" errors=\"1\" ");
  has("<testsuite name=\"band test\" tests=\"1\" failures=\"0\" errors=\"1\" ");
  has("<error message=\"t/c.yaml:1: unknown key `&lt;bad&gt;`\" type=\"SKILL_INVALID\">t/c.yaml:1: ");
  has("\nt/c.yaml:2: \\x1b[2J\\xff\\x01\na &quot;file&quot; &amp; a remedy\n</error>");
}

TEST_CASE("XML output has only characters that XML allows and that do not control a terminal") {
  const auto content = [](std::string_view text) { return xml_text(text, XmlPlace::Content); };
  CHECK(content(std::string_view("a\0\x01\x08\x0b\x0c\x1f\x7f"
                                 "b",
                                 9)) == "a\\x00\\x01\\x08\\x0b\\x0c\\x1f\\x7fb");
  for (unsigned char c1 = 0x80; c1 < 0xA0; ++c1) {  // U+0080 to U+009F; U+009B begins a control sequence
    const std::string character = {'\xC2', static_cast<char>(c1)};
    CAPTURE(static_cast<int>(c1));
    for (const XmlPlace place : {XmlPlace::Content, XmlPlace::Attribute})
      CHECK(xml_text("a" + character, place).starts_with("a\\u{"));
  }
  CHECK(content("\xC2\x9B"
                "2J") == "\\u{9b}2J");
  CHECK(content("\xE2\x80\xAE") == "\\u{202e}");             // right-to-left override
  CHECK(content("\xC2\xA0\xC3\xA4") == "\xC2\xA0\xC3\xA4");  // the control: other characters are unchanged
  CHECK(content("\t\n") == "\t\n");
  CHECK(content("\r") == "&#13;");
  CHECK(xml_text("\t\n", XmlPlace::Attribute) == "&#9;&#10;");
  CHECK(content("\xEF\xBF\xBE\xEF\xBF\xBF") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // U+FFFE, U+FFFF
  CHECK(content("\xFF\xC0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // not UTF-8
  CHECK(content("\xF0\x9F\x91\x8B]]>") == "\xF0\x9F\x91\x8B]]&gt;");
}
