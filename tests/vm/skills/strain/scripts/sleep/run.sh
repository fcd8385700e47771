#!/bin/bash
# A script that ignores SIGTERM, with a child process in another process group.
trap '' TERM
set -m
sleep 600 &
while true; do sleep 600; done
