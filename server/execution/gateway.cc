#include "server/execution/gateway.h"

#include <string>

#include "server/privileges/user.h"

namespace band::run {
namespace {

constexpr const char* kUser = "band-gateway";
constexpr int kSendTimeoutS = 5;  // send timeout for orders that no gateway process reads

}  // namespace

Result<Gateway> Gateway::start(const std::string& program) {
  Gateway gateway;
  BAND_TRY(const privileges::Ids ids, privileges::ids_of(kUser));
  gateway.user_ = ids.uid;
  BAND_TRY(gateway.process_, base::ServiceProcess::start({program, "--user", kUser}));
  BAND_CHECK(gateway.process_.bound_sends(kSendTimeoutS));
  return gateway;
}

}  // namespace band::run
