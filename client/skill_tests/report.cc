#include "client/skill_tests/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "client/terminal/terminal.h"
#include "schemas/core/json_text.h"
#include "schemas/core/lines.h"
#include "schemas/core/utf8.h"

namespace band::client {
namespace {

std::string seconds(double ms, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, ms / 1000);
  return buffer;
}

std::string milliseconds(double ms) { return std::to_string(std::llround(ms)); }

std::string detail_lines(const std::string& detail, const char* indent) {
  std::string out;
  for (const std::string_view line : lines_of(detail)) out += indent + printable_line(line) + "\n";
  return out;
}

std::string mismatch_text(const CaseReport& report) {
  std::string text;
  for (const Mismatch& mismatch : report.mismatches)
    text += "  " + printable_line(mismatch.what) + "\n" + detail_lines(mismatch.detail, "    ");
  return text;
}

std::string case_json(const CaseReport& report) {
  std::vector<std::string> list;
  for (const Mismatch& mismatch : report.mismatches)
    list.push_back(json_object({{"what", json_string(mismatch.what)}, {"detail", json_string(mismatch.detail)}}));
  return json_object({{"name", json_string(report.tested.name)},
                      {"script", json_string(report.script())},
                      {"file", json_string(report.tested.file)},
                      {"line", std::to_string(report.tested.line)},
                      {"passed", report.passed() ? "true" : "false"},
                      {"ms", milliseconds(report.ms)},
                      {"mismatches", json_array(list)}});
}

// ---- XML ----------------------------------------------------------------------------------------------------------

std::string attribute(const char* name, std::string_view value) {
  return std::string(" ") + name + "=\"" + xml_text(value, XmlPlace::Attribute) + "\"";
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0;
  double ms = 0;
};

std::string attributes(const Counts& counts) {
  return attribute("tests", std::to_string(counts.tests)) + attribute("failures", std::to_string(counts.failures)) +
         attribute("errors", std::to_string(counts.errors)) + attribute("skipped", "0") +
         attribute("time", seconds(counts.ms, 3));
}

std::string suite_xml(const std::string& name, const Counts& counts, const std::string& cases) {
  return "  <testsuite" + attribute("name", name) + attributes(counts) + ">\n" + cases + "  </testsuite>\n";
}

std::string document(const Counts& counts, const std::string& suites) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attribute("name", "band test") +
         attributes(counts) + ">\n" + suites + "</testsuites>\n";
}

std::string case_xml(const CaseReport& report) {
  std::string classname = report.skill + "." + report.tested.script;
  std::string xml = "    <testcase" + attribute("name", report.tested.name) + attribute("classname", classname) +
                    attribute("file", report.tested.file) + attribute("line", std::to_string(report.tested.line)) +
                    attribute("time", seconds(report.ms, 3));
  if (report.passed()) return xml + "/>\n";
  xml += ">\n      <failure" + attribute("message", printable_line(report.mismatches.front().what)) +
         attribute("type", "failure") + ">" +
         xml_text(report.tested.place() + "\n" + mismatch_text(report), XmlPlace::Content);
  return xml + "</failure>\n    </testcase>\n";
}

}  // namespace

std::size_t RunReport::passed() const {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [](const CaseReport& one) { return one.passed(); }));
}

std::string failure_text(const CaseReport& report) {
  return "FAILED " + printable_line(report.tested.place()) + ": " + printable_line(report.tested.name) + " (" +
         report.script() + ")\n" + mismatch_text(report);
}

std::string summary_text(const RunReport& report) {
  return std::to_string(report.passed()) + " passed, " + std::to_string(report.failed()) + " failed in " +
         seconds(report.ms, 1) + " s\n";
}

std::string report_json(const RunReport& report) {
  std::vector<std::string> cases;
  for (const CaseReport& one : report.cases) cases.push_back(case_json(one));
  return json_object({{"passed", std::to_string(report.passed())},
                      {"failed", std::to_string(report.failed())},
                      {"ms", milliseconds(report.ms)},
                      {"cases", json_array(cases)}});
}

std::string xml_text(std::string_view text, XmlPlace place) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_at(text, at);
    const std::string_view bytes = text.substr(at, c.bytes);
    at += c.bytes;
    if (!c.valid || c.code == 0xFFFE || c.code == 0xFFFF)
      out += "\xEF\xBF\xBD";
    else if (c.code == '&')
      out += "&amp;";
    else if (c.code == '<')
      out += "&lt;";
    else if (c.code == '>')
      out += "&gt;";
    else if (c.code == '"')
      out += "&quot;";
    else if (c.code == '\r' || (place == XmlPlace::Attribute && (c.code == '\t' || c.code == '\n')))
      out += "&#" + std::to_string(static_cast<unsigned>(c.code)) + ";";
    else
      out += printable(bytes);
  }
  return out;
}

std::string junit_xml(const RunReport& report) {
  std::string suites;
  for (std::size_t first = 0; first < report.cases.size();) {
    const std::string& file = report.cases[first].tested.file;
    std::size_t end = first;
    Counts counts;
    std::string cases;
    for (; end < report.cases.size() && report.cases[end].tested.file == file; ++end) {
      counts.failures += report.cases[end].passed() ? 0 : 1;
      counts.ms += report.cases[end].ms;
      cases += case_xml(report.cases[end]);
    }
    counts.tests = end - first;
    suites += suite_xml(file, counts, cases);
    first = end;
  }
  return document({report.cases.size(), report.failed(), 0, report.ms}, suites);
}

std::string junit_error_xml(const Error& error) {
  constexpr Counts kOne{1, 0, 1, 0};
  const std::string message = error.message();
  const std::string text = message + (error.hint.empty() ? "" : "\n" + error.hint) + "\n";
  const std::string one = "    <testcase" + attribute("name", "band test") + attribute("classname", "band") +
                          attribute("time", "0.000") + ">\n      <error" +
                          attribute("message", printable_line(message.substr(0, message.find('\n')))) +
                          attribute("type", code_name(error.code)) + ">" +
                          xml_text(printable(text), XmlPlace::Content) + "</error>\n    </testcase>\n";
  return document(kOne, suite_xml("band test", kOne, one));
}

}  // namespace band::client
