#include "server/execution/dying.h"

#include <spdlog/spdlog.h>

namespace band::run {

bool Dying::gone(int ms) {
  std::erase_if(sandboxes_, [ms](Sandbox& sandbox) { return sandbox.end(ms); });
  if (!sandboxes_.empty()) return false;
  if (!network_) return true;
  if (!network_->end(ms)) return false;
  if (const Status removed = network_->remove(); !removed.ok()) spdlog::error("{}", removed.error().message());
  network_.reset();
  return true;
}

void Dying::abandon() {
  for (Sandbox& sandbox : sandboxes_) sandbox.abandon();
  sandboxes_.clear();
  network_.reset();
}

}  // namespace band::run
