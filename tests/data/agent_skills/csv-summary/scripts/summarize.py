#!/usr/bin/env python3
"""Summarise a CSV file.

Usage:
    python summarize.py data.csv --top 5
"""
import argparse
import csv
import sys
from collections import Counter
from pathlib import Path


def load(path, delimiter):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f, delimiter=delimiter))


def main():
    parser = argparse.ArgumentParser(description="Summarise a CSV file")
    parser.add_argument("file", help="the CSV file")
    parser.add_argument("--top", "-t", type=int, default=3,
                        help="how many values of each column (default: %(default)s)")
    parser.add_argument("-c", "--column", action="append", help="only this column; can be repeated")
    parser.add_argument("--delimiter", default=",", choices=[",", ";", "|"])
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--no-header", action="store_true", help="leave out the title")
    group.add_argument("--upper", action="store_true", help="the title in capitals")
    args = parser.parse_args()

    try:
        rows = load(args.file, args.delimiter)
    except OSError as error:
        print(f"cannot read {args.file}: {error.strerror}", file=sys.stderr)
        return 1
    if not args.no_header:
        title = (Path(__file__).resolve().parent.parent / "assets" / "header.txt").read_text()
        print(title.upper() if args.upper else title, end="")
    print(f"{len(rows)} rows")
    for column in args.column or (rows[0].keys() if rows else []):
        if rows and column not in rows[0]:
            sys.exit(f"no column {column!r}")
        print(f"{column}:")
        for value, count in Counter(row[column] for row in rows).most_common(args.top):
            print(f"  {count:4d}  {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
