#include "schemas/json_schema/input_schema.h"

#include <algorithm>

#include "schemas/core/json.h"
#include "schemas/core/json_text.h"
#include "schemas/json_schema/bundle.h"
#include "schemas/json_schema/defaults.h"
#include "schemas/json_schema/files.h"
#include "schemas/json_schema/keywords.h"
#include "schemas/json_schema/program.h"

namespace band {

struct InputSchema::Compiled {
  Status make(SchemaFiles& files, const SchemaFiles::Document& first);

  Bundle bundle;
  std::shared_ptr<const SchemaProgram> program;
};

namespace {

constexpr std::size_t kMaxDefaults = 1'000'000;        // members that defaults may add to one value
constexpr std::size_t kMaxDefaultsOfDefault = 10'000;  // members that other defaults may add to one default
constexpr std::size_t kMaxDefaultsChecked = 1'000;     // checking a default may cost as much as checking a value

// Checks that every default stays finite when defaults are applied to it, and is valid under its schema. Otherwise the
// caller would get an error for a part of the input that the caller did not write.
Status check_defaults(const Bundle& bundle, const SchemaProgram& program) {
  const auto& defaults = program.nodes().defaults;
  if (defaults.size() > kMaxDefaultsChecked)
    return schema_error(bundle.name + "#", "more than " + std::to_string(kMaxDefaultsChecked) + " defaults",
                        "remove some");
  for (const auto& given : defaults) {
    Json value = given.schema->at("default");
    const std::string where = bundle.name + "#" + given.pointer + "/default";
    if (!fill_defaults(bundle.schema, program.nodes(), *given.schema, value, kMaxDefaultsOfDefault))
      return schema_error(where, "the default contains further defaults without end", "remove one of the defaults");
    const auto violations = program.validate(value, given.node);
    if (!violations.empty())
      return schema_error(where, "the default is not valid under its own schema: " + violations[0].message,
                          "change the default, or the schema");
  }
  return done();
}

}  // namespace

Result<InputSchema> InputSchema::load(const std::filesystem::path& file, const std::filesystem::path& root) {
  BAND_TRY(SchemaFiles files, SchemaFiles::beneath(root));
  BAND_TRY(const SchemaFiles::Document* first, files.open(file));
  auto compiled = std::make_shared<Compiled>();
  BAND_CHECK(compiled->make(files, *first));
  InputSchema schema;
  schema.compiled_ = std::move(compiled);
  return schema;
}

Result<InputSchema> InputSchema::from_json(const Json& schema, std::string name) {
  SchemaFiles files;
  auto compiled = std::make_shared<Compiled>();
  BAND_CHECK(compiled->make(files, *files.add(std::move(name), schema)));
  InputSchema out;
  out.compiled_ = std::move(compiled);
  return out;
}

Result<InputSchema> InputSchema::from_json_in(const Json& schema, const std::string& directory,
                                              const std::filesystem::path& root) {
  BAND_TRY(SchemaFiles files, SchemaFiles::beneath(root));
  auto compiled = std::make_shared<Compiled>();
  const std::filesystem::path name = std::filesystem::path(directory) / "(a part)";
  BAND_CHECK(compiled->make(files, *files.add(name.generic_string(), schema)));
  InputSchema out;
  out.compiled_ = std::move(compiled);
  return out;
}

// Files -> bundle (only local references) -> nodes (for valijson's parser) -> program.
Status InputSchema::Compiled::make(SchemaFiles& files, const SchemaFiles::Document& first) {
  try {
    BAND_TRY(bundle, bundle_schema(files, first));
    BAND_TRY(SchemaNodes nodes, take_apart(bundle));
    BAND_TRY(program, SchemaProgram::build(std::move(nodes)));
    return check_defaults(bundle, *program);
  } catch (const std::exception& error) {  // from nlohmann, in case that the form check is incomplete
    return schema_error(first.name + "#", escaped(error.what()), "write it in JSON Schema draft-07");
  }
}

void InputSchema::apply_defaults(Json& value) const {
  const Json& schema = compiled_->bundle.schema;
  fill_defaults(schema, compiled_->program->nodes(), schema, value, kMaxDefaults);
}

std::vector<Violation> InputSchema::validate(const Json& value) const { return compiled_->program->validate(value); }

const Json& InputSchema::bundled() const { return compiled_->bundle.schema; }

}  // namespace band
