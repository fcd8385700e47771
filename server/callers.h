// Who may call: the tokens file, carried to band-http and the engine, and announced when both have it.
//
// The engine is told first: from then on it starts nothing for a token that is gone, whatever band-http still sends,
// and ends what runs and waits for it. band-http answers each config when its requests are judged by it. Not covered:
// an http process that was taken over can say so and lie; which requests have a token is its word alone.
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

  // The first config. A tokens file that cannot be read is an error.
  Status start();
  // Each second, and when somebody says that the file has changed. A file that cannot be read leaves nobody a token,
  // but ends no execution. An error: band-http has not answered for half a minute, so tokens may be valid that are
  // revoked.
  Status look();
  // What band-http says, which is not trusted; any other number than the one that is waited for is dropped.
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
  std::int64_t number_ = 0,
               asked_us_ = 0;  // asked_us_: since when an answer to `number_` is waited for; 0: it has come
  std::string trouble_;        // why the file cannot be read, as it was logged
};

}  // namespace band::server
