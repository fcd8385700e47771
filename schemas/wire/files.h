// The files of a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "schemas/wire/wire.h"

namespace band::wire {

// A file's modification time as it travels (ShippedFile::modified_us), and back. What lies outside of the range is its
// nearest end.
std::int64_t modified_us(const std::timespec& time);
std::timespec modified_time(std::int64_t us);

Json files_to_json(const std::vector<ShippedFile>& files);
// A null `list` is an empty one. Refused with Code::BadRequest: more than `max_files`, paths that are not safe, a path
// that is there twice or is another one's directory. `where` names the list in messages.
Result<std::vector<ShippedFile>> files_from_json(const Json* list, const std::string& where, std::size_t max_files);

}  // namespace band::wire
