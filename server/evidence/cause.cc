#include "server/evidence/cause.h"

#include <algorithm>
#include <string_view>

#include "schemas/core/network_messages.h"
#include "schemas/core/words.h"

namespace band::run {
namespace {

constexpr std::size_t kMostSearched = 256 << 10;  // bytes at the end of each log

std::string_view end_of(std::string_view log) { return log.substr(log.size() - std::min(log.size(), kMostSearched)); }

}  // namespace

const ledger::Ledger::Denied* cause_of_failure(const std::vector<ledger::Ledger::Denied>& denied, int status,
                                               const Answer& answer) {
  if (denied.empty()) return nullptr;
  const std::string_view out = end_of(answer.stdout_log), err = end_of(answer.stderr_log);
  for (const ledger::Ledger::Denied& one : denied)
    if (contains_word(err, one.subject, one.network) || contains_word(out, one.subject, one.network)) return &one;
  if (reports_network_failure(err) || reports_network_failure(out))
    for (const ledger::Ledger::Denied& one : denied)
      if (one.network) return &one;
  return err.empty() && (status != 1 || out.empty()) ? &denied.front() : nullptr;
}

}  // namespace band::run
