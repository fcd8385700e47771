// The reports of `band test`: text for the terminal, JSON, JUnit XML for CI. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/skill_tests/judging.h"
#include "client/skill_tests/skill_case.h"
#include "schemas/core/result.h"

namespace band::client {

struct CaseReport {
  SkillCase tested;
  std::string skill;
  std::vector<Mismatch> mismatches;
  double ms = 0;

  bool passed() const { return mismatches.empty(); }
  std::string script() const { return skill + "/" + tested.script; }
};

struct RunReport {
  std::vector<CaseReport> cases;
  double ms = 0;

  std::size_t passed() const;
  std::size_t failed() const { return cases.size() - passed(); }
};

// "FAILED hello/tests/greet.yaml:7: greets (hello/greet)", followed by the mismatches. Control characters are escaped.
std::string failure_text(const CaseReport& report);
std::string summary_text(const RunReport& report);  // "12 passed, 1 failed in 3.4 s"
// {"passed", "failed", "ms", "cases": [{"name", "script", "file", "line", "passed", "ms", "mismatches": [{"what",
// "detail"}]}]}
std::string report_json(const RunReport& report);
// Returns XML with one test suite for each test file. Cases of the same file must be adjacent. The XML has the form
// that the JUnit plugins of Jenkins, GitLab and GitHub parse.
std::string junit_xml(const RunReport& report);
// Returns XML with one test case, which contains the error. Use it for a `band test` that ended with an error before it
// had results: CI tools treat a file without a test suite as a run without failures.
std::string junit_error_xml(const Error& error);

// Escapes text as content of an element, or as an attribute value in double quotes. In an attribute, also escapes line
// feeds and tabs, because parsers replace unescaped ones by blanks. Characters that could control a terminal, also
// those that XML 1.0 allows (DEL and C1), become visible escapes, as in printable(). The result has only characters
// that XML 1.0 allows (section 2.2, "Char"): U+FFFE, U+FFFF and bytes that are not UTF-8 become U+FFFD.
enum class XmlPlace { Content, Attribute };
std::string xml_text(std::string_view text, XmlPlace place);

}  // namespace band::client
