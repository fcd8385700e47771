#include "server/admin/setup.h"

namespace band::admin {

std::string default_config() {
  return "# Settings of band-server. Each line below is the default; take the # away to change it, then\n"
         "# `band-server stop && band-server start`. schemas/server.schema.json is what is accepted; docs/server.md\n"
         "# explains it.\n"
         "{}\n";
}

}  // namespace band::admin
