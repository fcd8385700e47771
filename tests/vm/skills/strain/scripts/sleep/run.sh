#!/bin/bash
# A script that takes no notice of being told to end, with a child in a process group of its own.
trap '' TERM
set -m
sleep 600 &
while true; do sleep 600; done
