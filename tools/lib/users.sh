# shellcheck shell=bash
# The users that a server needs, for tests and measures on a machine where `band setup` has not been run.

made_users=()

# Those of server/admin/setup.cc; each with a group of its own name.
make_users() {
  local user
  for user in band-http band-gateway band-runner; do
    if getent passwd "$user" > /dev/null; then continue; fi
    if ! getent group "$user" > /dev/null; then groupadd --system "$user"; fi
    useradd --system --gid "$user" --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
    made_users+=("$user")
  done
}

# Only what make_users made: a machine is left as it was found.
remove_users() {
  local user
  for user in "${made_users[@]}"; do
    userdel "$user" || true
    if getent group "$user" > /dev/null; then groupdel "$user" || true; fi
  done
  made_users=()
}
