// A BAND.md for one script of a skill, for the case that the nearest one also governs other scripts. Pure.
#pragma once

#include <string>

#include "schemas/band/band.h"

namespace band::client::learn {

// Returns the text of `own_file` ("tool/scripts/go/BAND.md", as origins name files) that opens exactly what `shared`
// opens: it includes the file that governs the script now. Keys that count only in the nearest file (`extends`,
// targets, schemas, the required version of band) are repeated.
std::string own_band_text(const ComposedBand& shared, const std::string& own_file);

}  // namespace band::client::learn
