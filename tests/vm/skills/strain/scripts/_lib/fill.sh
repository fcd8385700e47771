# shellcheck shell=bash
# 100 MiB in tail, which has to remember all that could be the end; prints how many bytes that were.
fill() { head -c 100M /dev/zero | tail -c 100M | wc -c; }
