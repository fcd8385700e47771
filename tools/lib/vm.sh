# shellcheck shell=bash
# Disks of virtual machines for tests, kept from run to run. Sourced after common.sh, as root.
# shellcheck disable=SC2154  # root: of common.sh

vm_cache=${XDG_CACHE_HOME:-$HOME/.cache}/band-vm

# The Debian packages that have the shared libraries of these programs; static ones have none.
library_packages() {
  local library
  { ldd "$@" 2> /dev/null || true; } | awk '$2 == "=>" { print $3 }' | sort -u | while read -r library; do
    # dpkg knows some as /lib/..., others as /usr/lib/...
    dpkg-query -S "$library" "/usr$library" 2> /dev/null || true
  done | sed 's/:.*//' | sort -u
}

# vm_disk NAME RELEASE FURNISH PACKAGE...: sets `disk` to the directory of such a disk (tests/vm/root-disk), which is made when
# there is none of these packages yet. The one before of that name goes.
vm_disk() {
  local name=$1 release=$2 furnish=$3 key
  key=$({ cat "$root/tests/vm/root-disk" "$furnish" && printf '%s\n' "${@:2}"; } | sha256sum | cut -c 1-16)
  disk=$vm_cache/$name/$key
  if [[ -e $disk/root.img ]]; then return 0; fi
  mkdir -p "$vm_cache/$name"
  find "$vm_cache/$name" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
  quietly "a Debian $release of $(($# - 3)) packages and what they need" "$root/tests/vm/root-disk" "$disk.new" "$release" \
    "$furnish" "${@:4}" || return
  mv -- "$disk.new" "$disk"
}
