# Writes OUT, a C++ file that defines FUNCTION (declared in HEADER, in NAMESPACE). FUNCTION(name) returns the text of the
# file of FILES with this name.
set(text "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\nstd::string_view ${FUNCTION}(std::string_view name) {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "  if (name == \"${name}\")\n    return R\"BANDTEXT(${content})BANDTEXT\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUT} "${text}")
