// Checks SKILL.md against the Agent Skills specification, https://agentskills.io/specification. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "client/checks/findings.h"
#include "client/checks/markdown.h"

namespace band::client {

// `skill`: the name of the skill's directory; `has_file` returns whether a file with this relative path exists in the
// skill. Returns the lines of the text after the frontmatter, as views of `text`; an empty list when SKILL.md has no
// complete frontmatter.
std::vector<MarkdownLine> check_skill_md(const std::string& skill, std::string_view text,
                                         const std::function<bool(const std::string&)>& has_file, Findings& found);

}  // namespace band::client
