#!/usr/bin/env python3
"""A list of tasks."""
import argparse
import sys

import store


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--file", default="tasks.json", help="the file of the tasks")
    parser.add_argument("-v", "--verbose", action="count", default=0)
    sub = parser.add_subparsers(dest="command", required=True)

    add = sub.add_parser("add", help="add a task")
    add.add_argument("title")
    add.add_argument("tags", nargs="*")

    show = sub.add_parser("list", help="print the tasks")
    show.add_argument("--tag")

    done = sub.add_parser("done", help="mark a task as done")
    done.add_argument("number", type=int)

    args = parser.parse_args(argv)
    tasks = store.load(args.file)
    if args.command == "add":
        tasks.append({"title": args.title, "tags": args.tags, "done": False})
        store.save(args.file, tasks)
        print(f"added {len(tasks)}")
    elif args.command == "list":
        for number, task in enumerate(tasks, 1):
            if args.tag and args.tag not in task["tags"]:
                continue
            mark = "x" if task["done"] else " "
            print(f"{number}. [{mark}] {task['title']}" + (f" ({', '.join(task['tags'])})" if args.verbose else ""))
    else:
        if not 1 <= args.number <= len(tasks):
            sys.exit(f"no task {args.number}")
        tasks[args.number - 1]["done"] = True
        store.save(args.file, tasks)
        print("done")


if __name__ == "__main__":
    main()
