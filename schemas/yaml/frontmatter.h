// Splits a BAND.md or SKILL.md, which is Markdown with YAML frontmatter: a line `---`, YAML, a line `---`, text.
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
  int body_line = 0;  // the line on which `body` begins
};

// Adds an error and returns nullopt if there is no complete frontmatter. `contents` describes the expected frontmatter
// in messages: "`band: NAME` and the rules". A byte order mark at the beginning is skipped.
std::optional<Frontmatter> split_frontmatter(std::string_view text, const std::string& file,
                                             const std::string& contents, std::vector<Diagnostic>& errors);

}  // namespace band
