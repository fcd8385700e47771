#include "server/callers.h"

#include <spdlog/spdlog.h>

#include <set>

#include "schemas/core/json_text.h"
#include "schemas/wire/features.h"
#include "server/base/channel.h"
#include "server/base/io.h"

namespace band::server {
namespace {

constexpr std::int64_t kAnswerTimeoutUs = 30'000'000;  // band-http answers in milliseconds, except on a stalled machine

std::set<std::string> callers_in(const std::vector<admin::Token>& tokens) {
  std::set<std::string> callers;
  for (const admin::Token& token : tokens) callers.insert(run::caller(token.name, token.id));
  return callers;
}

}  // namespace

Status Callers::send(const std::vector<admin::Token>& tokens) {
  std::vector<std::string> list;
  list.reserve(tokens.size());
  for (const admin::Token& token : tokens)
    list.push_back(json_object(
        {{"name", json_string(token.name)}, {"id", json_string(token.id)}, {"hash", json_string(token.hash)}}));
  std::vector<std::string> features;
  features.reserve(kFeatures.size());
  for (const Feature& feature : kFeatures) features.push_back(json_string(feature.name));
  asked_us_ = base::monotonic_us();
  sent_ = tokens;
  return base::send(http_, json_object({{"op", json_string("config")},
                                        {"number", std::to_string(++number_)},
                                        {"address", json_string(config_.address)},
                                        {"port", std::to_string(config_.port)},
                                        {"connections", std::to_string(config_.max_connections)},
                                        {"tokens", json_array(list)},
                                        {"source", json_string(paths_.source)},
                                        {"features", json_array(features)}}));
}

Status Callers::start() {
  BAND_TRY(const auto tokens, file_.load());
  engine_.accept_only(callers_in(tokens), run::Others::End);
  engine_.serves_tokens(static_cast<int>(tokens.size()));
  return send(tokens);
}

Status Callers::look() {
  if (asked_us_ != 0) {
    if (base::monotonic_us() - asked_us_ < kAnswerTimeoutUs) return done();
    return layer_error("serve", "band-http did not confirm the changed tokens within 30 s", 0, "restart the server");
  }
  if (!file_.changed()) return done();
  auto tokens = file_.load();
  if (!tokens.ok()) {
    if (const std::string why = tokens.error().message(); why != trouble_)
      spdlog::error("{}; all tokens are refused until the file is repaired", trouble_ = why);
    engine_.accept_only({}, run::Others::Finish);
    return sent_.empty() ? done() : send({});
  }
  trouble_.clear();
  engine_.accept_only(callers_in(*tokens), run::Others::End);
  engine_.serves_tokens(static_cast<int>(tokens->size()));
  return *tokens == sent_ ? announce() : send(*tokens);
}

Status Callers::configured(std::int64_t number) {
  if (asked_us_ == 0 || number != number_) return done();
  asked_us_ = 0;
  BAND_CHECK(announce());
  return look();  // the file may have changed again in the meantime
}

Status Callers::announce() {
  if (!file_.identity()) return done();  // no file is loaded and no token is valid: there is nothing to confirm
  return admin::announce_tokens(paths_, *file_.identity());
}

}  // namespace band::server
