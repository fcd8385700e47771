#!/usr/bin/env python3
"""Pick fields of a list of JSON records on stdin."""
import argparse
import json
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--fields", nargs="+", metavar="FIELD", required=True, help="the fields that are kept")
parser.add_argument("--sort", help="the field to sort by")
parser.add_argument("--limit", type=int)
parser.add_argument("--indent", type=int, default=2)
parser.add_argument("--reverse", action=argparse.BooleanOptionalAction, default=False)
args = parser.parse_args()

try:
    records = json.load(sys.stdin)
except json.JSONDecodeError as error:
    print(f"stdin is not JSON: {error}", file=sys.stderr)
    sys.exit(1)
if args.sort:
    records.sort(key=lambda record: record.get(args.sort), reverse=args.reverse)
picked = [{field: record.get(field) for field in args.fields} for record in records]
json.dump(picked[: args.limit], sys.stdout, indent=args.indent, ensure_ascii=False)
print()
