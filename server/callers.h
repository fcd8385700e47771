// Distributes the tokens of the tokens file to the engine and to band-http. When both have applied a change, announces
// the change to the operator's commands (admin::announce_tokens).
//
// The engine receives the tokens first. From then on the engine starts no execution of a removed token, even if
// band-http still sends a request with that token. The engine also ends the waiting and running executions of that
// token. band-http receives the tokens in a numbered message, the config (server/http_link/link.h). band-http confirms
// a config when it checks all requests with that config.
// Does not cover: a compromised band-http can confirm a config that it does not use, and can name any token for a
// request. The engine has no other evidence of the token with which a request was sent.
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
  // `http`: the control channel of band-http (server/http_link/link.h), not owned. The references must outlive this
  // object.
  Callers(const admin::Paths& paths, const policy::SiteConfig& config, run::Engine& engine, int http)
      : paths_(paths), config_(config), engine_(engine), http_(http), file_(paths.tokens) {}

  // Sends the first config. Returns an error when the tokens file cannot be read.
  Status start();
  // Checks whether the tokens file has changed, and distributes the changed tokens. Call look() each second and on
  // SIGHUP. While band-http has not confirmed the most recent config, look() does nothing; after 30 s it returns an
  // error, because band-http may still accept revoked tokens. While the file cannot be read, no token is valid;
  // executions that already run finish.
  Status look();
  // Call configured() when band-http has confirmed the config with this number. Ignores a number other than that of the
  // most recent config, because band-http is not trusted.
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
  std::int64_t number_ = 0, asked_us_ = 0;  // asked_us_: when the config `number_` was sent; 0: confirmed
  std::string trouble_;                     // the last logged reason why the file cannot be read
};

}  // namespace band::server
