// Makes a BAND.md for one script of a skill. Use it when the BAND.md that now applies to the script also applies to
// other scripts. Pure.
#pragma once

#include <string>

#include "schemas/band/band.h"

namespace band::client::learn {

// Returns the text of `own_file` ("tool/scripts/go/BAND.md", as origins name files). This new BAND.md allows exactly
// what `shared` allows, because it includes the BAND.md that now applies to the script. `includes` does not take over
// the keys `extends`, targets, schemas and the required version of band; therefore they are repeated in the text.
std::string own_band_text(const ComposedBand& shared, const std::string& own_file);

}  // namespace band::client::learn
