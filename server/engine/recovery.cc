#include "server/engine/recovery.h"

#include "server/base/overloaded.h"

namespace band::run {

Recovery::Action Recovery::on(const Event& event, std::int64_t now_us) {
  return std::visit(base::Overloaded{
                        [&](const Awaited& awaited) {
                          if (awaited.gone) {
                            dying_ = false;
                            return Action::ReleaseToken;
                          }
                          const bool late = awaited.stopping && now_us >= awaited.stopped_us + kDeathTimeoutUs;
                          return late ? Action::Abandon : Action::AwaitDeath;
                        },
                        [&](const Abandoned&) {
                          abandoned_ = true;
                          return Action::ReleaseToken;
                        },
                        [&](const Released&) {
                          if (abandoned_) return Action::Leave;
                          return had_network_ ? Action::RenewNetwork : Action::Serve;
                        },
                        [&](const Renewed& renewed) {
                          broken_ = !renewed.ok;
                          return renewed.ok ? Action::Serve : Action::Pause;
                        },
                        [&](const Paused& paused) { return paused.stopping ? Action::Leave : Action::RenewNetwork; },
                    },
                    event);
}

}  // namespace band::run
