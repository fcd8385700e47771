# shellcheck shell=bash
# The users that a server needs, for tests and benchmarks on a machine without `band setup`.

made_users=()

# Creates the users of server/admin/setup.cc, each with a group of the same name.
make_users() {
  local user
  for user in band-http band-gateway band-runner; do
    if getent passwd "$user" > /dev/null; then continue; fi
    if ! getent group "$user" > /dev/null; then groupadd --system "$user"; fi
    useradd --system --gid "$user" --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
    made_users+=("$user")
  done
}

# Removes only the users that make_users created.
remove_users() {
  local user
  for user in "${made_users[@]}"; do
    userdel "$user" || true
    if getent group "$user" > /dev/null; then groupdel "$user" || true; fi
  done
  made_users=()
}
