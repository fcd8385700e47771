# shellcheck shell=bash
# Makes disks of virtual machines for tests, and directories with other releases of Debian, in which programs for these
# releases are built. Disks and directories are kept for later runs. Sourced after common.sh, as root.
# shellcheck disable=SC2154  # root: set by common.sh

vm_cache=${XDG_CACHE_HOME:-$HOME/.cache}/band-vm

# library_packages PROGRAM...: prints the Debian packages of the shared libraries that the programs need.
library_packages() {
  local library
  { ldd "$@" 2> /dev/null || true; } | awk '$2 == "=>" { print $3 }' | sort -u | while read -r library; do
    # dpkg lists some libraries as /lib/..., others as /usr/lib/...
    dpkg-query -S "$library" "/usr$library" 2> /dev/null || true
  done | sed 's/:.*//' | sort -u
}

# vm_disk NAME RELEASE FURNISH PACKAGE...: sets `disk` to the directory of a disk (tests/vm/root-disk) with these packages.
# If the disk does not exist, creates it and removes other disks with this NAME.
vm_disk() {
  local name=$1 release=$2 furnish=$3 key
  key=$({ cat "$root/tests/vm/root-disk" "$furnish" && printf '%s\n' "${@:2}"; } | sha256sum | cut -c 1-16)
  disk=$vm_cache/$name/$key
  if [[ -e $disk/root.img ]]; then return 0; fi
  mkdir -p "$vm_cache/$name"
  find "$vm_cache/$name" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
  quietly "a Debian $release with $(($# - 3)) packages and their dependencies" "$root/tests/vm/root-disk" "$disk.new" "$release" \
    "$furnish" "${@:4}" || return
  mv -- "$disk.new" "$disk"
}

own_release() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# in_release RELEASE COMMAND...: if this machine has that release of Debian, runs COMMAND directly. Else runs COMMAND in a
# directory with that release and with the packages for building band. In this directory, the clone has the same path.
in_release() {
  local release=$1 place=$vm_cache/build/$1 packages
  shift
  if [[ $release == "$(own_release)" ]]; then
    env -C "$root" "$@"
    return
  fi
  packages=$("$root/tools/install-packages" --list build run commands && echo doctest-dev ccache musl-tools) || return
  if [[ ! -e $place/packages || $(< "$place/packages") != "$packages" ]]; then
    rm -rf --one-file-system -- "$place" && mkdir -p "$place" || return
    quietly "a Debian $release to build in" debootstrap --variant=minbase --include="$(tr '\n' ',' <<< "$packages")" "$release" \
      "$place/root" http://deb.debian.org/debian || return
    echo "$packages" > "$place/packages"
  fi
  mkdir -p "$place/root$root"
  # shellcheck disable=SC2016
  unshare --mount --propagation private bash -c '
    mount --bind "$2" "$1$2" && mount -t proc proc "$1/proc" && exec chroot "$1" env -C "$2" "${@:3}"' \
    - "$place/root" "$root" "$@"
}
