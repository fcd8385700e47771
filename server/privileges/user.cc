#include "server/privileges/user.h"

#include <pwd.h>

#include <cerrno>

namespace band::privileges {

Result<Ids> ids_of(const std::string& user) {
  errno = 0;
  const passwd* entry = ::getpwnam(user.c_str());
  if (entry == nullptr || entry->pw_uid == 0)
    return layer_error(
        "privileges",
        "cannot become user " + user + (entry == nullptr ? ": there is no such user" : ": this user is root"), errno,
        "run `band setup --target local`, which creates the user");
  return Ids{entry->pw_uid, entry->pw_gid};
}

}  // namespace band::privileges
