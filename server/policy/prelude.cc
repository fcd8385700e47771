#include "server/policy/prelude.h"

#include <string_view>

#include "server/layout/places.h"

namespace band::policy {

static_assert(std::string_view(layout::kShim).ends_with(kShimName));

std::string prelude(const CommandPlan& plan) {
  // bash runs the handler in a child process, so changes of options or variables do not affect the script.
  std::string text = std::string("command_not_found_handle() { ") + layout::kShim + " --not-found \"$@\"; }\n";
  if (plan.builtins.empty()) return text;
  text += "{ builtin enable -n";
  for (const std::string& name : plan.builtins) text += " " + name;
  return text + "; } 2> /dev/null\n";  // discards the trace of `bash -x`
}

}  // namespace band::policy
