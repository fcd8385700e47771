# shellcheck shell=bash
# Makes tail hold 100 MiB in memory; prints the number of bytes.
fill() { head -c 100M /dev/zero | tail -c 100M | wc -c; }
