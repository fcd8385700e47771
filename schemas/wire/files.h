// The files of a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "schemas/wire/wire.h"

namespace band::wire {

// Converts a file's modification time to and from its wire form (ShippedFile::modified_us). Times outside the range are
// clamped to it.
std::int64_t modified_us(const std::timespec& time);
std::timespec modified_time(std::int64_t us);

Json files_to_json(const std::vector<ShippedFile>& files);
// A null `list` is an empty list. Refused with Code::BadRequest: more than `max_files`, unsafe paths, duplicate paths,
// and a path that is also the directory of another one. `where` names the list in messages.
Result<std::vector<ShippedFile>> files_from_json(const Json* list, const std::string& where, std::size_t max_files);

}  // namespace band::wire
