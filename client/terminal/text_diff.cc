#include "client/terminal/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace band::client {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kMostLineBytes = 300, kWhole = ~std::size_t{0};
constexpr std::size_t kMostCells =
    1'000'000;  // limit of the table; above it all lines between the common head and tail differ

constexpr std::string_view kNoLineFeed = "\\ no line feed at the end";  // as diff(1)

std::vector<std::string_view> lines_with_ends(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));  // with the line feed, so that a missing one is a difference
    text.remove_prefix(end);
  }
  return lines;
}

struct Line {
  char sign;  // '-', '+' or ' '
  std::string_view text;
  std::size_t wanted, got;  // the line number in each text, from 1: its own, or that of the next line
};

// All lines of both texts, using a longest common subsequence of the part between their common head and tail.
class Comparison {
 public:
  Comparison(std::string_view wanted, std::string_view got)
      : wanted_(lines_with_ends(wanted)), got_(lines_with_ends(got)) {}

  std::vector<Line> lines() {
    std::size_t head = 0, tail = 0;
    const std::size_t least = std::min(wanted_.size(), got_.size());
    while (head < least && wanted_[head] == got_[head]) ++head;
    while (tail < least - head && wanted_[wanted_.size() - 1 - tail] == got_[got_.size() - 1 - tail]) ++tail;
    while (at_wanted_ < head) both();
    middle(wanted_.size() - tail, got_.size() - tail);
    while (at_wanted_ < wanted_.size()) both();
    return std::move(lines_);
  }

 private:
  void both() { lines_.push_back({' ', wanted_[at_wanted_], ++at_wanted_, ++at_got_}); }
  void only_wanted() { lines_.push_back({'-', wanted_[at_wanted_], at_wanted_ + 1, at_got_ + 1}), ++at_wanted_; }
  void only_got() { lines_.push_back({'+', got_[at_got_], at_wanted_ + 1, at_got_ + 1}), ++at_got_; }

  void middle(std::size_t wanted_end, std::size_t got_end) {
    const std::size_t first_wanted = at_wanted_, first_got = at_got_;
    const std::size_t rows = wanted_end - first_wanted, columns = got_end - first_got;
    if ((rows + 1) * (columns + 1) <= kMostCells) {
      // common[i][j]: length of the longest common subsequence of the suffixes from i and j.
      std::vector<std::vector<std::uint32_t>> common(rows + 1, std::vector<std::uint32_t>(columns + 1));
      for (std::size_t i = rows; i-- > 0;)
        for (std::size_t j = columns; j-- > 0;)
          common[i][j] = wanted_[first_wanted + i] == got_[first_got + j]
                             ? common[i + 1][j + 1] + 1
                             : std::max(common[i + 1][j], common[i][j + 1]);
      while (at_wanted_ < wanted_end && at_got_ < got_end) {
        const std::size_t i = at_wanted_ - first_wanted, j = at_got_ - first_got;
        if (wanted_[at_wanted_] == got_[at_got_])
          both();
        else if (common[i + 1][j] >= common[i][j + 1])
          only_wanted();
        else
          only_got();
      }
    }
    while (at_wanted_ < wanted_end) only_wanted();
    while (at_got_ < got_end) only_got();
  }

  const std::vector<std::string_view> wanted_, got_;
  std::size_t at_wanted_ = 0, at_got_ = 0;
  std::vector<Line> lines_;
};

std::string shown(const Line& line, std::size_t most_bytes) {
  std::string_view text = line.text;
  const bool ends = text.ends_with('\n');
  if (ends) text.remove_suffix(1);
  const bool returns = text.ends_with('\r');
  if (returns) text.remove_suffix(1);
  std::string out(1, line.sign);
  out += text.substr(0, most_bytes);
  if (text.size() > most_bytes) out += "...";
  if (returns) out += "\\r";
  out += '\n';
  if (!ends) out.append(kNoLineFeed).append("\n");
  return out;
}

// "3,4": first line and number of lines in one text; "3" for one line, "2,0" for none.
std::string range(std::size_t first, std::size_t count) {
  if (count == 1) return std::to_string(first);
  return std::to_string(count == 0 ? first - 1 : first) + "," + std::to_string(count);
}

// The heading of the adjacent lines from `first` to `end` (exclusive).
std::string heading(const std::vector<Line>& lines, std::size_t first, std::size_t end) {
  std::size_t wanted = 0, got = 0;
  for (std::size_t i = first; i < end; ++i) {
    wanted += lines[i].sign != '+';
    got += lines[i].sign != '-';
  }
  return "@@ -" + range(lines[first].wanted, wanted) + " +" + range(lines[first].got, got) + " @@\n";
}

// Lines that differ, with kContext lines before and after.
std::vector<bool> kept_of(const std::vector<Line>& lines) {
  std::vector<bool> kept(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].sign != ' ')
      for (std::size_t k = i - std::min(i, kContext); k < std::min(lines.size(), i + kContext + 1); ++k) kept[k] = true;
  return kept;
}

std::string diff(std::string_view wanted, std::string_view got, std::size_t most, std::size_t most_bytes) {
  if (wanted == got) return "";
  const std::vector<Line> lines = Comparison(wanted, got).lines();
  const std::vector<bool> kept = kept_of(lines);
  std::string text;
  std::size_t shown_lines = 0, left = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!kept[i]) continue;
    if (shown_lines == most) {
      ++left;
      continue;
    }
    if (i == 0 || !kept[i - 1]) {
      const auto end = std::find(kept.begin() + static_cast<std::ptrdiff_t>(i), kept.end(), false);
      text += heading(lines, i, static_cast<std::size_t>(end - kept.begin()));
    }
    text += shown(lines[i], most_bytes);
    ++shown_lines;
  }
  if (left > 0) text += "... and " + std::to_string(left) + (left == 1 ? " line more\n" : " lines more\n");
  return text;
}

}  // namespace

std::string text_diff(std::string_view wanted, std::string_view got, std::size_t most) {
  return diff(wanted, got, most, kMostLineBytes);
}

std::string unified_diff(const std::string& file, std::string_view before, std::string_view after) {
  const std::string text = diff(before, after, kWhole, kWhole);
  return text.empty() ? "" : "--- " + file + "\n+++ " + file + "\n" + text;
}

}  // namespace band::client
