// Makes the page and the plot of docs/benchmarks from the output of `tools/bench --json`.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "schemas/core/json.h"

namespace {

struct Bar {
  std::string name, bound;
  double value = 0, limit = 0;
  bool holds = false;
  // The part of the limit that was used; above 1 the limit was missed.
  double used() const { return bound == "at most" ? value / limit : value > 0 ? limit / value : 100; }
};

std::vector<Bar> bars_of(const band::Json& report) {
  std::vector<Bar> bars;
  for (const band::Json& bar : report.at("bars"))
    bars.push_back({bar.at("name").get<std::string>(), bar.at("bound").get<std::string>(),
                    bar.at("value").get<double>(), bar.at("limit").get<double>(), bar.at("holds").get<bool>()});
  return bars;
}

std::string page(const band::Json& report) {
  const band::Json& machine = report.at("machine");
  std::string text = fmt::format(
      "# Benchmarks\n\nMade by `tools/bench --publish` from one run; do not edit. Ratios are to bare `bwrap` with the "
      "same floor, "
      "taken in the same run, unless the\nname states another base. The meaning of the figures, and the lessons: "
      "[performance.md](../performance.md).\n\n"
      "- {}, commit {}\n- {} cores, {}\n- Linux {}, {}\n\n![Each measure as a part of its limit](bars.svg)\n\n"
      "| measure | value | limit | |\n| --- | --- | --- | --- |\n",
      report.at("date").get<std::string>(), report.at("commit").get<std::string>(), machine.at("cores").get<int>(),
      machine.at("cpu").get<std::string>(), machine.at("kernel").get<std::string>(),
      machine.at("bwrap").get<std::string>());
  for (const Bar& bar : bars_of(report))
    text += fmt::format("| {} | {:.2f} | {} {} | {} |\n", bar.name, bar.value, bar.bound, bar.limit,
                        bar.holds ? "holds" : "**missed**");
  return text;
}

std::string for_svg(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

// Readable on light and dark pages: no background, and a grey with contrast to both.
std::string plot(const std::vector<Bar>& bars) {
  constexpr int kRow = 20, kText = 430, kLimit = 300, kWidth = kText + 2 * kLimit;
  const int height = kRow * static_cast<int>(bars.size()) + 40;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<text x=\"{}\" y=\"14\" fill=\"#808080\" text-anchor=\"middle\">limit</text>\n",
      kWidth, height, kText + kLimit);
  int y = 24;
  for (const Bar& bar : bars) {
    const double length = std::min(bar.used(), 1.9) * kLimit;
    svg += fmt::format(
        "<text x=\"{}\" y=\"{}\" fill=\"#808080\" text-anchor=\"end\">{}</text>\n"
        "<rect x=\"{}\" y=\"{}\" width=\"{:.0f}\" height=\"{}\" fill=\"{}\"/>\n"
        "<text x=\"{:.0f}\" y=\"{}\" fill=\"#808080\">{:.2f}</text>\n",
        kText - 8, y + 12, for_svg(bar.name), kText, y + 2, length, kRow - 6, bar.holds ? "#3a9a5b" : "#d0683c",
        kText + length + 6, y + 12, bar.value);
    y += kRow;
  }
  return svg +
         fmt::format(
             "<line x1=\"{0}\" y1=\"20\" x2=\"{0}\" y2=\"{1}\" stroke=\"#808080\" stroke-dasharray=\"4 3\"/>\n</svg>\n",
             kText + kLimit, y);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: band-bench-report JSON DIR (see tools/bench)\n");
    return 2;
  }
  std::ifstream in(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto report = band::parse_json(text, argv[1]);
  if (!report.ok()) {
    fmt::print(stderr, "bench: {}\n", report.error().message());
    return 1;
  }
  const std::string directory = argv[2];
  std::ofstream(directory + "/README.md") << page(*report);
  std::ofstream(directory + "/bars.svg") << plot(bars_of(*report));
  return 0;
}
