# Writes OUT, a C++ file with the text of each of FILES.
set(text "#include \"schemas/core/embedded.h\"\n\nnamespace band {\n\nstd::string_view schema_text(std::string_view name) {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "  if (name == \"${name}\")\n    return R\"BANDSCHEMA(${content})BANDSCHEMA\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace band\n")
file(WRITE ${OUT} "${text}")
