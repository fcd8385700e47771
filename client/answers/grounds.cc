#include "client/answers/grounds.h"

#include "schemas/core/diagnostic.h"
#include "schemas/permit/algebra.h"
#include "schemas/rules/machine_paths.h"
#include "schemas/rules/placeholders.h"

namespace band::client {
namespace {

// Whether a private address is open depends on the server's gateway.allow_private, which is unknown here: assume open.
std::vector<Cidr> every_address() { return {{IpAddress::v4(0), 0}, {*IpAddress::parse("::"), 0}}; }

Result<Permitted> permitted_by(const Rules& rules, const Rules& ceiling) {
  BAND_TRY(Permitted permitted, permit(rules, {}, ceiling, every_address()));
  BAND_CHECK(check_machine_paths(permitted.rules));
  return permitted;
}

// Fills the fields that are derived from `grounds.rules`.
Status conclude(Grounds& grounds) {
  if (const auto wrong = check_insists(grounds.rules); !wrong.empty()) return skill_invalid(wrong);
  auto permitted = permitted_by(grounds.rules, grounds.ceiling);
  if (!permitted.ok()) {
    grounds.refused = std::move(permitted).error();
    permitted = permit(grounds.rules, {}, {}, every_address());
    if (!permitted.ok()) return std::move(permitted).error();
  }
  grounds.permitted = std::move(permitted).value();
  return done();
}

}  // namespace

Result<Grounds> grounds_of(const ComposedBand& band, const std::optional<JsonValue>& input,
                           const std::optional<Rules>& ceiling) {
  Grounds grounds;
  grounds.band = band.band;
  grounds.written = band.rules;
  if (!input) grounds.unfilled = placeholders(band.rules);
  const JsonValue none = JsonValue::object();
  const JsonValue& given = input ? *input : none;
  BAND_TRY(grounds.rules, with_input(band.rules, *given));
  if (ceiling) grounds.ceiling = *ceiling;
  BAND_CHECK(conclude(grounds));
  return grounds;
}

Result<Grounds> with_path(const Grounds& grounds, const std::string& property, const std::string& path) {
  Grounds filled;
  filled.band = grounds.band;
  filled.ceiling = grounds.ceiling;
  BAND_TRY(filled.rules, with_path(grounds.written, property, path));
  BAND_CHECK(conclude(filled));
  return filled;
}

}  // namespace band::client
