// Converts the files in a request or an answer to and from JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/wire/wire.h"

namespace band::wire {

// Converts the modification time of a file to and from ShippedFile::modified_us. A time outside the range of
// `modified_us` becomes the nearest value of the range.
std::int64_t modified_us(const std::timespec& time);
std::timespec modified_time(std::int64_t us);

Json files_to_json(const std::vector<ShippedFile>& files);
Json files_to_json(std::vector<ShippedFile>&& files);  // frees the content of each file when its base64 exists
// In a request, a file with an unknown member is an error. In an answer, unknown members are ignored, as in the other
// parts of an answer: a newer server may send more than this client reads.
enum class From { Request, Answer };
// A null pointer `list` means no files. Returns Code::BadRequest for more than `max_files` files, for a path that
// is_safe_relative_path() refuses, for a path that appears twice, and for a path that is a directory in another path.
// `where` names the list in messages. `parts`: the contents that are parts of the parsed text (json_part()).
Result<std::vector<ShippedFile>> files_from_json(const Json* list, From from, const std::string& where,
                                                 std::size_t max_files, std::span<const std::string_view> parts = {});

}  // namespace band::wire
