"""The initial state of the stand-in for GitHub, and its search. All of it is invented.

ann owns three repositories: `project` has a few objects of each kind, `many` more than a page of each, `quiet` has no issues.
Ann's token is token-of-ann; bob's, token-of-bob, may read only.
"""
import re
import shlex

from standin import Violation

THEN = "2026-01-02T03:04:05Z"


def sha(number):
    return "%040x" % (0xabc000000000000000000000000000000000000 + number)


def issue(number, title, body="", **more):
    return {"number": number, "title": title, "body": body, "state": "OPEN", "stateReason": None, "author": "bob", "labels": [],
            "assignees": [], "milestone": None, "comments": [], "createdAt": THEN, "updatedAt": THEN, "closedAt": None, **more}


def pull(number, title, head, body="Please merge.", **more):
    return issue(number, title, body, **{
        "head": head, "base": "main", "headOid": sha(number), "draft": False, "mergeStateStatus": "CLEAN", "mergeCommit": None,
        "mergedAt": None, "mergedBy": None, "mergeMethod": None, "reviews": [], "reviewers": [], "checks": [], "author": "bob",
        "files": [{"path": "src/main.c", "additions": 1, "deletions": 1}],
        "diff": "diff --git a/src/main.c b/src/main.c\n--- a/src/main.c\n+++ b/src/main.c\n@@ -1 +1 @@\n-int mian;\n+int main;\n",
        **more})


def comment(number, body, author="bob"):
    return {"id": "IC_%d" % number, "number": number, "author": author, "body": body, "createdAt": THEN}


def check(name, status="COMPLETED", conclusion="SUCCESS"):
    return {"__typename": "CheckRun", "name": name, "status": status, "conclusion": conclusion, "workflow": "CI",
            "startedAt": THEN, "completedAt": THEN if status == "COMPLETED" else None,
            "detailsUrl": "https://github.com/ann/project/actions/runs/500/job/%d" % len(name)}


def release(number, tag, **more):
    return {"id": number, "tag": tag, "name": "Version " + tag, "body": "What is new in %s." % tag, "draft": False, "prerelease": False,
            "target": "main", "author": "ann", "createdAt": THEN, "publishedAt": THEN, "assets": [], **more}


def job(number, name, conclusion="success"):
    return {"id": number, "name": name, "status": "completed", "conclusion": conclusion, "steps": [
        {"name": "Set up job", "status": "completed", "conclusion": "success", "number": 1},
        {"name": "Run tests", "status": "completed", "conclusion": conclusion, "number": 2}]}


def run(number, conclusion="success", **more):
    return {"id": number, "workflow": 70, "title": "Fix the build", "status": "completed", "conclusion": conclusion, "event": "push",
            "branch": "main", "actor": "ann", "sha": sha(number), "createdAt": THEN,
            "jobs": [job(number * 10, "build", conclusion)], **more}


def labels(*names):
    return {name: {"color": "d73a4a", "description": "About " + name} for name in names}


def repository(name, **more):
    return {"name": name, "description": "Of Ann", "homepage": "", "private": False, "issuesEnabled": True, "stars": 3, "forks": 1,
            "language": "C", "topics": ["tools"], "labels": labels("bug", "help wanted"), "milestones": {"v1": 1}, "issues": {},
            "pulls": {}, "next": 1, "branches": {"main": sha(1)}, "tags": {}, "releases": [], "workflows": {"70": "CI"}, "runs": [],
            "files": {}, **more}


def gist(name, content, **more):
    return {"description": "", "public": False, "owner": "ann", "files": {name: content}, "createdAt": THEN, "updatedAt": THEN, **more}


def world():
    project = repository(
        "project",
        issues={"1": issue(1, "Crash at the start", "It **crashes**.\nAlways.", labels=["bug"], assignees=["ann"], milestone="v1",
                           comments=[comment(11, "Here, too."), comment(12, "Fixed \U0001f600 soon", "ann")]),
                "2": issue(2, "An idea", "Dark mode", labels=["help wanted"]),
                "3": issue(3, "An old one", "Done.", state="CLOSED", stateReason="COMPLETED", closedAt=THEN)},
        pulls={"4": pull(4, "Fix the crash", "fix", labels=["bug"], files=[
                   {"path": "src/main.c", "additions": 1, "deletions": 1}, {"path": "README", "additions": 2, "deletions": 0}],
                   comments=[comment(41, "Nice.", "ann")],
                   checks=[check("build"), check("lint", conclusion="FAILURE"), check("slow", "IN_PROGRESS", ""),
                           {"__typename": "StatusContext", "context": "coverage", "state": "SUCCESS", "createdAt": THEN,
                            "description": "More than before",  # requested by gh 2.46, but not by 2.23
                            "targetUrl": "https://ci.example.com/1"}]),
               "5": pull(5, "Of Ann", "of-ann", author="ann", draft=True),
               "6": pull(6, "Has conflicts", "conflicts", mergeStateStatus="DIRTY"),
               "7": pull(7, "Was merged", "old", state="MERGED", mergedAt=THEN, mergeCommit=sha(77), closedAt=THEN),
               "8": pull(8, "Ready", "ready")},
        next=9,
        branches={name: sha(place) for place, name in enumerate(["main", "fix", "of-ann", "conflicts", "ready", "new"])},
        tags={"v1": sha(1), "v2": sha(2)},
        releases=[release(902, "v2", assets=[{"id": 9001, "name": "tool.tgz", "type": "application/gzip", "size": 5, "downloads": 2}]),
                  release(901, "v1")],
        runs=[run(501, "failure"), run(500)],
        files={"src/main.c": "int main;\n", "README": "Read me, says Ann.\n"})
    many = repository(
        "many", description="More of it",
        labels=labels(*["label-%03d" % number for number in range(1, 131)]),
        issues={str(number): issue(number, "Issue %d" % number) for number in range(1, 121)},
        pulls={str(number): pull(number, "Pull %d" % number, "branch-%d" % number) for number in range(121, 251)},
        next=251,
        releases=[release(number, "r%d" % number) for number in range(130, 0, -1)],
        runs=[run(number) for number in range(130, 1, -1)] + [run(1, jobs=[job(number, "job %d" % number) for number in range(1, 131)])])
    numbers = range(1, 131)
    many["issues"]["120"]["comments"] = [comment(number, "Comment %d" % number) for number in numbers]
    many["pulls"]["250"].update({
        "comments": [comment(number, "Comment %d" % number) for number in numbers],
        "checks": [check("check %d" % number) for number in numbers],
        "files": [{"path": "file-%d" % number, "additions": 1, "deletions": 0} for number in numbers],
        "reviews": [{"id": "PRR_%d" % number, "author": "carol", "body": "Review %d" % number, "state": "COMMENTED",
                     "submittedAt": THEN, "commit": sha(250)} for number in numbers]})
    return {
        "tokens": {"token-of-ann": "ann", "token-of-bob": "bob"},
        "users": {"ann": "Ann", "bob": "Bob", "carol": "Carol"},
        "repositories": {"ann/project": project, "ann/many": many, "ann/quiet": repository("quiet", issuesEnabled=False, labels={})},
        "gists": {"aa11": gist("hello.py", "print('hello')\n", description="Says hello", public=True),
                  "bb22": gist("notes.md", "# Notes\n"),
                  **{"cc%02d" % number: gist("part.txt", "Part %d\n" % number) for number in range(30)}},
        "next": 1000,
        "exhausted": {},
    }


QUALIFIERS = {
    "repo": lambda item, repo, word: repo == word,
    "user": lambda item, repo, word: repo.startswith(word + "/"),
    "type": lambda item, repo, word: ("head" in item) == (word == "pr"),
    "is": lambda item, repo, word: item["state"] == word.upper(),
    "state": lambda item, repo, word: (item["state"] == "OPEN") == (word == "open"),
    "label": lambda item, repo, word: word in item["labels"],
    "author": lambda item, repo, word: item["author"] == word,
    "assignee": lambda item, repo, word: word in item["assignees"],
    "milestone": lambda item, repo, word: item["milestone"] == word,
    "base": lambda item, repo, word: item.get("base") == word,
    "head": lambda item, repo, word: item.get("head") == word,
    "draft": lambda item, repo, word: item.get("draft") == (word == "true"),
    "language": lambda item, repo, word: item["language"].lower() == word.lower(),
    "path": lambda item, repo, word: item["path"].startswith(word),
}


def search(query, items, text, viewer):
    """Returns the elements of `items`, a list of (repository, item), that match the query. Words are searched in text(item)."""
    words, conditions = [], []
    for word in shlex.split(query.replace("'", "\\'")):
        match = re.fullmatch(r"([a-z]+):(.*)", word)
        if match is None:
            words.append(word.lower())
        elif match.group(1) in QUALIFIERS:
            conditions.append((QUALIFIERS[match.group(1)], match.group(2).replace("@me", viewer)))
        else:
            raise Violation("a search by %s" % word)
    return [(repo, item) for repo, item in items
            if all(word in text(item).lower() for word in words) and all(test(item, repo, word) for test, word in conditions)]
