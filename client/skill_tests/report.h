// What `band test` says of its cases: text for people, JSON, JUnit XML for CI. Pure.
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

// "FAILED hello/tests/greet.yaml:7: greets (hello/greet)", and below it what differs; printable.
std::string failure_text(const CaseReport& report);
std::string summary_text(const RunReport& report);  // "12 passed, 1 failed in 3.4 s"
// {"passed", "failed", "ms", "cases": [{"name", "script", "file", "line", "passed", "ms", "mismatches": [{"what",
// "detail"}]}]}
std::string report_json(const RunReport& report);
// A test suite for each file of tests/, as the JUnit plugins of Jenkins, GitLab and GitHub read it.
std::string junit_xml(const RunReport& report);
// Of a run that gave no report: one case, which has the error. A file without a suite reads as a run without failures.
std::string junit_error_xml(const Error& error);

// As content of an element, or as the value of an attribute in double quotes, where a reader would make blanks of line
// feeds and tabs. Characters that XML 1.0 does not allow are left out (section 2.2, "Char"); bytes that are not UTF-8
// become U+FFFD.
enum class XmlPlace { Content, Attribute };
std::string xml_text(std::string_view text, XmlPlace place);

}  // namespace band::client
