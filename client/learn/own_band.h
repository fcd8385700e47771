// A BAND.md for one script of a skill, where the nearest one is that of other scripts, too. Pure.
#pragma once

#include <string>

#include "schemas/band/band.h"

namespace band::client::learn {

// The text of `own_file` ("tool/scripts/go/BAND.md", as origins name files) that opens what `shared` opens, and nothing
// else: it includes the file that governs the script now. What is only the nearest file's to say (what it extends,
// where it runs, which schemas it names, which band it needs) is said again.
std::string own_band_text(const ComposedBand& shared, const std::string& own_file);

}  // namespace band::client::learn
