// Makes a BAND.md for one script of a skill. Use it when the BAND.md that now applies to the script also applies to
// other scripts. Pure.
#pragma once

#include <string>

#include "schemas/permit/compose.h"

namespace band::client::learn {

// Returns the text of a new BAND.md. `own_file` is its name in the form of an origin: "tool/scripts/go/BAND.md".
// `shared` is the band that now applies to the script, with everything that it extends and includes. The new BAND.md
// includes the shared BAND.md, and allows exactly what `shared` allows. `includes` does not take over the keys
// `extends`, targets, schemas and the required version of band, and an included limit only lowers a limit; therefore
// these keys and the limits are repeated in the text.
std::string own_band_text(const ComposedBand& shared, const std::string& own_file);

}  // namespace band::client::learn
