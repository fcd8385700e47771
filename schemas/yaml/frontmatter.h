// Splits a Markdown file with YAML frontmatter: a line `---`, YAML, a line `---`, text. For BAND.md and SKILL.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/diagnostic.h"

namespace band {

struct Frontmatter {
  std::string_view yaml;  // begins on line 2
  std::string_view body;
  int body_line = 0;  // on which `body` begins
};

// `contents` describes the frontmatter in messages: "`band: NAME` and the rules". A byte order mark is skipped.
std::optional<Frontmatter> split_frontmatter(std::string_view text, const std::string& file,
                                             const std::string& contents, std::vector<Diagnostic>& errors);

}  // namespace band
