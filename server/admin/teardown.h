// `band-server teardown`: takes away what setup installed, in reverse order. Safe to repeat.
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

// The files part: run and state directory and the log; with `purge` also configuration and tokens. Their directories go
// when nothing else is in them. Never follows a link and never walks into a mounted file system: one below a directory
// to be removed is an error that names it, before anything in it is touched.
Status remove_files(const Paths& paths, bool purge, const Progress& progress);

// What a teardown without `purge` leaves, as a line for people; "" when nothing of it is there.
std::string kept(const Paths& paths);

// Stops the server, then removes the unit and the files; with `purge` also the users; without it, the last line of
// progress is kept(). Root only.
Status teardown(const Paths& paths, bool purge, const Progress& progress);

}  // namespace band::admin
