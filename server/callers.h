// Distributes the tokens file to the engine and to band-http, and announces it when both have applied it.
//
// The engine is informed first: from then on it starts nothing for a removed token, regardless of what band-http still
// sends, and ends that token's waiting and running executions. band-http answers each config when its requests use it.
// Not covered: a compromised http process can acknowledge a config that it did not apply, and the engine has no other
// evidence of which token a request carried.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/admin/tokens_file.h"
#include "server/engine/engine.h"
#include "server/policy/site_config.h"

namespace band::server {

class Callers {
 public:
  // `http`: the control channel of band-http (server/http_link/link.h).
  Callers(const admin::Paths& paths, const policy::SiteConfig& config, run::Engine& engine, int http)
      : paths_(paths), config_(config), engine_(engine), http_(http), file_(paths.tokens) {}

  // Sends the first config. A tokens file that cannot be read is an error.
  Status start();
  // Called each second and on each notification of a change. When the file cannot be read, no token is valid;
  // executions that already run finish. Error: band-http has not answered for 30 s, so revoked tokens may still be
  // accepted.
  Status look();
  // The answer of band-http, which is not trusted: a number other than the expected one is ignored.
  Status configured(std::int64_t number);

 private:
  Status send(const std::vector<admin::Token>& tokens);
  Status announce();

  const admin::Paths& paths_;
  const policy::SiteConfig& config_;
  run::Engine& engine_;
  const int http_;
  admin::TokensFile file_;
  std::vector<admin::Token> sent_;
  std::int64_t number_ = 0, asked_us_ = 0;  // asked_us_: when `number_` was sent; 0: it has been answered
  std::string trouble_;                     // why the file cannot be read, as it was logged
};

}  // namespace band::server
