// A Markdown file with YAML in front: a line `---`, YAML, a line `---`, text. BAND.md and SKILL.md are such files.
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

// `contents` is what belongs into it, for the messages: "`band: NAME` and the rules". A byte order mark is left out.
std::optional<Frontmatter> split_frontmatter(std::string_view text, const std::string& file,
                                             const std::string& contents, std::vector<Diagnostic>& errors);

}  // namespace band
