// The holder: pid 1 of a command view. It starts what the broker has allowed and says when it has ended.
//
// Promises: every command runs with the slot's ids, in the Landlock domain of its program, under the filter, and with
// the descriptors that its shim sent; a command's whole tree is dead before its end is reported, and dies when its shim
// goes away; everything dies with the holder.
// It stays uid 0, so that kill(-1) of a command cannot reach it, with the capabilities to become the slot and to kill
// what is the slot's; both count inside this view's pid namespace only.
#pragma once

#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

[[noreturn]] void hold_commands(const Setup& setup, const base::Fd& deaths);

}  // namespace band::init
