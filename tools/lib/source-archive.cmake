# cmake -DSOURCE=DIR -DFILES=LIST-FILE -DOUT=DIR -DHEADER=FILE -P source-archive.cmake
#
# Writes the sources from which a virtual machine builds band-server: OUT/source.tar.gz, and OUT/source.digest. The digest is
# the SHA-256 of the lines "SHA256 PATH" of the files in the archive, ordered by path. The digest does not depend on how the
# archive is compressed: a build from the unpacked archive computes the same digest. HEADER is a C++ header that defines the
# digest for the server (GET /v1/health). Each file is written only when its content changes.
file(STRINGS "${FILES}" files)
set(lines "")
foreach(file IN LISTS files)
  file(SHA256 "${SOURCE}/${file}" hash)
  string(APPEND lines "${hash} ${file}\n")
endforeach()
string(SHA256 digest "${lines}")

set(text "// Made by tools/lib/source-archive.cmake.\n#pragma once\n\ninline constexpr const char* kSourceDigest = \"${digest}\";\n")
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "${text}" @ONLY)
if(EXISTS "${OUT}/source.digest" AND EXISTS "${OUT}/source.tar.gz")
  file(READ "${OUT}/source.digest" before)
  if(before STREQUAL "${digest}\n")
    return()
  endif()
endif()
file(MAKE_DIRECTORY "${OUT}")
execute_process(COMMAND ${CMAKE_COMMAND} -E tar czf "${OUT}/source.tar.gz" --format=gnutar --mtime=1970-01-01 --files-from=${FILES}
                WORKING_DIRECTORY "${SOURCE}" COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${OUT}/source.digest" "${digest}\n")  # written last, so that an archive without a digest is known to be incomplete
