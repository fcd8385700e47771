#include "schemas/json_schema/bundle.h"

#include <cctype>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/core/json_pointer.h"
#include "schemas/core/json_text.h"
#include "schemas/core/percent.h"
#include "schemas/json_schema/keywords.h"

namespace band {
namespace {

using Document = SchemaFiles::Document;

constexpr std::size_t kMaxBundleValues = 200'000;
constexpr std::size_t kMaxHereDepth = 32;  // nested schemas for the same value, through allOf, anyOf, $ref ...

std::size_t count_values(const Json& value) {
  std::size_t count = 1;
  if (value.is_structured())
    for (const Json& part : value) count += count_values(part);
  return count;
}

class Bundler {
 public:
  Bundler(SchemaFiles& files, const Document& first) : files_(files), first_(first) {}
  Result<Bundle> run();

 private:
  struct Target {
    const Document* document;
    std::string pointer;
    std::string name;  // in the bundle's definitions
  };

  // Returns a checked copy of a part of a document, with rewritten references and without the definitions within it.
  Result<Json> take_in(const Document& document, const std::string& pointer, bool keep_definitions);
  Status rewrite(Json& schema, const Document& document, const std::string& pointer, bool keep_definitions);
  Result<std::string> rewritten(const std::string& reference, const Document& document, const std::string& where);
  std::string name_for(const Document& document, const std::string& pointer, const std::vector<std::string>& tokens);
  static std::string where(const Document& document, const std::string& pointer) {
    return document.name + "#" + pointer;
  }

  SchemaFiles& files_;
  const Document& first_;
  std::map<std::string, std::string> names_;  // where -> name
  std::set<std::string> taken_;               // names in use
  std::deque<Target> waiting_;
  Bundle bundle_;
  std::size_t values_ = 0;
};

std::string Bundler::name_for(const Document& document, const std::string& pointer,
                              const std::vector<std::string>& tokens) {
  const std::string key = where(document, pointer);
  if (const auto known = names_.find(key); known != names_.end()) return known->second;
  std::string base;
  std::string file = document.name;
  if (file.ends_with(".json")) file.resize(file.size() - 5);
  if (file.starts_with("defs/")) file.erase(0, 5);
  for (const char c : tokens.empty() ? file : file + "." + tokens.back())
    base += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ? c : '.';
  if (base.size() > 100) base.resize(100);
  std::string name = base;
  for (int i = 2; !taken_.insert(name).second; ++i) name = base + "-" + std::to_string(i);
  names_[key] = name;
  bundle_.origins[name] = key;
  waiting_.push_back({&document, pointer, name});
  return name;
}

// Converts a reference in `document` to one within the bundle.
Result<std::string> Bundler::rewritten(const std::string& reference, const Document& document, const std::string& at) {
  const std::size_t hash = reference.find('#');
  const auto path = percent_decoded(std::string_view(reference).substr(0, hash));
  const auto pointer = percent_decoded(hash == std::string::npos ? "" : std::string_view(reference).substr(hash + 1));
  const auto refuse = [&](std::string problem, std::string hint) {
    return schema_error(at + "/$ref", shown_string(reference) + " " + std::move(problem), std::move(hint));
  };
  if (!path || !pointer || path->find('\0') != std::string::npos)
    return refuse("is not a valid reference: a '%' without two hex digits after it", "write %25 for a percent sign");
  if (path->find("://") != std::string::npos || path->starts_with("urn:"))
    return refuse("is a URL, and band does not fetch schemas",
                  "copy the schema to schemas/defs and refer to that file");
  const auto tokens = pointer_tokens(*pointer);
  if (!tokens) return refuse("has no JSON pointer after '#'", "write \"file.json#/definitions/name\"");
  const Document* target = &document;
  if (!path->empty()) {
    auto opened = files_.open_from(document, *path);
    if (!opened.ok()) {
      Error error = std::move(opened).error();
      error.doing = "schema " + shown_pointer(at) + "/$ref: " + error.doing;
      return error;
    }
    target = *opened;
  }
  const Json* schema = value_at(target->content, *tokens);
  if (schema == nullptr) return refuse("has no target", target->name + " has no value at that pointer");
  if (!schema->is_object() && !schema->is_boolean())
    return refuse("refers to " + shown_with_type(*schema), "refer to a schema");
  if (target == &first_ && tokens->empty()) return std::string("#");
  std::string name;
  if (target == &first_ && tokens->size() == 2 && tokens->front() == "definitions")
    name = tokens->back();
  else
    name = name_for(*target, *pointer, *tokens);
  std::string local = "#/definitions";
  append_pointer_token(local, name);
  return local;
}

Status Bundler::rewrite(Json& schema, const Document& document, const std::string& pointer, bool keep_definitions) {
  if (!schema.is_object()) return done();
  if (!keep_definitions) schema.erase("definitions");
  schema.erase("$defs");
  if (const auto reference = schema.find("$ref"); reference != schema.end()) {
    BAND_TRY(*reference, rewritten(reference->get<std::string>(), document, where(document, pointer)));
  }
  Status status = done();
  for_each_subschema(schema, [&](const Keyword&, const std::string& below, Json& subschema) {
    if (status.ok()) status = rewrite(subschema, document, pointer + below, false);
  });
  return status;
}

Result<Json> Bundler::take_in(const Document& document, const std::string& pointer, bool keep_definitions) {
  const Json& original = *value_at(document.content, *pointer_tokens(pointer));
  BAND_CHECK(check_schema_form(original, where(document, pointer), pointer.empty()));
  values_ += count_values(original);
  if (values_ > kMaxBundleValues)
    return schema_error(where(document, pointer), "too large together with all schemas to which it refers",
                        "refer to whole definitions instead of their parts");
  Json copy = original;
  BAND_CHECK(rewrite(copy, document, pointer, keep_definitions));
  return copy;
}

Result<Bundle> Bundler::run() {
  bundle_.name = first_.name;
  if (first_.content->is_object())
    if (const auto own = first_.content->find("definitions"); own != first_.content->end() && own->is_object())
      for (auto it = own->begin(); it != own->end(); ++it) {
        taken_.insert(it.key());
        bundle_.origins[it.key()] = first_.name + "#/definitions/" + it.key();
      }
  BAND_TRY(bundle_.schema, take_in(first_, "", true));
  while (!waiting_.empty()) {
    const Target target = waiting_.front();
    waiting_.pop_front();
    BAND_TRY(Json schema, take_in(*target.document, target.pointer, false));
    (*bundle_.schema)["definitions"][target.name] = std::move(schema);
  }
  return std::move(bundle_);
}

// Finds cycles of references that do not descend into the value: {"a": {"$ref": b}, "b": {"allOf": [{"$ref": a}]}}.
class CycleSearch {
 public:
  explicit CycleSearch(const Bundle& bundle) : bundle_(bundle) {}

  Status visit(const std::string& reference) {
    if (finished_.contains(reference)) return done();
    for (std::size_t i = 0; i < path_.size(); ++i)
      if (path_[i] == reference) return cycle_from(i);
    if (path_.size() >= kMaxHereDepth)
      return schema_error(shown(path_.front()), "a chain of more than " + std::to_string(kMaxHereDepth) + " references",
                          "refer directly to the last schema of the chain");
    path_.push_back(reference);
    BAND_CHECK(walk(bundled_target(bundle_.schema, reference)));
    path_.pop_back();
    finished_.insert(reference);
    return done();
  }

 private:
  Status walk(const Json& schema) {
    if (!schema.is_object()) return done();
    if (const auto next = schema.find("$ref"); next != schema.end()) return visit(next->get<std::string>());
    Status status = done();
    for_each_subschema(schema, [&](const Keyword& keyword, const std::string&, const Json& subschema) {
      if (status.ok() && keyword.applies == Applies::Here) status = walk(subschema);
    });
    return status;
  }

  Status cycle_from(std::size_t first) const {
    std::string text;
    for (std::size_t i = first; i < path_.size(); ++i) text += shown(path_[i]) + " -> ";
    return schema_error(
        shown(path_[first]), "a cycle of references: " + text + shown(path_[first]),
        "refer to the schema from `properties` or `items`: a recursive schema must describe a part of the value");
  }

  std::string shown(const std::string& reference) const {
    if (reference == "#") return bundle_.name + "#";
    const auto tokens = pointer_tokens(std::string_view(reference).substr(1));
    const auto origin = bundle_.origins.find(tokens->back());
    return origin == bundle_.origins.end() ? reference : origin->second;
  }

  const Bundle& bundle_;
  std::vector<std::string> path_;
  std::set<std::string> finished_;
};

}  // namespace

const Json& bundled_target(const Json& bundle, const std::string& reference) {
  if (reference == "#") return bundle;
  return bundle.at("definitions").at(pointer_tokens(std::string_view(reference).substr(1))->back());
}

Result<Bundle> bundle_schema(SchemaFiles& files, const Document& first) {
  BAND_TRY(Bundle bundle, Bundler(files, first).run());
  CycleSearch search(bundle);
  BAND_CHECK(search.visit("#"));
  for (const auto& [name, origin] : bundle.origins) {
    std::string reference = "#/definitions";
    append_pointer_token(reference, name);
    BAND_CHECK(search.visit(reference));
  }
  return bundle;
}

}  // namespace band
