"""The stand-in for api.github.com and uploads.github.com, for requests of gh 2.23, gh 2.46 and curl: the REST part; GraphQL is in
github_graphql.py.

A planned answer (standin.py) with the header X-RateLimit-Remaining: 0 exhausts that resource: /rate_limit then reports it as exhausted.
"""
import hashlib
import json
import os
import time

import github_graphql
from github_graphql import all_issues, now
from github_world import release, search, world
from standin import JSON, Refused, Reply, Service, Violation

API = "https://api.github.com"
LONGEST_NOTES = 125000
HEADERS = "authorization time-zone graphql-features x-gh-cache-ttl"
PAGE = "per_page page"
RUNS = "exclude_pull_requests branch actor " + PAGE


def missing():
    return Refused(404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"})


def invalid(**error):
    return Refused(422, {"message": "Validation Failed", "errors": [error], "documentation_url": "https://docs.github.com/rest"})


class GitHub(Service):
    def __init__(self, directory):
        super().__init__("github", directory, world())
        self.viewer = self.execution = None

    def on(self, method, pattern, **known):
        """As Service.on(), for requests with a valid token. {repo} in the pattern matches owner and name."""
        register = super().on(method, pattern.replace("{repo}", "(?P<repo>[^/]+/[^/]+)"), headers=HEADERS, **known)

        def register_authorized(operation):
            def authorized(request, match):
                kind, _, token = request.headers.get("authorization", "").partition(" ")
                self.viewer = self.state["tokens"].get(token) if kind in ("token", "Bearer") else None
                if self.viewer is None:
                    raise Refused(401, {"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest"})
                return operation(request, match)
            return register(authorized)
        return register_authorized

    def save(self):
        with open(self.file(".json.new"), "w", encoding="utf-8") as file:
            file.write(json.dumps(self.state, ensure_ascii=False))  # dump() needs ten times as long
        os.rename(self.file(".json.new"), self.file(".json"))

    def operation_of(self, request):
        """For GraphQL, the operation named in the document and its variables must be supported, too."""
        found = super().operation_of(request)
        if request.path == "/graphql":
            self.execution = github_graphql.read(request.fields["query"], request.fields.get("variables"))
        return found

    def planned(self, request):
        reply = super().planned(request)
        if reply is not None and reply.headers.get("X-RateLimit-Remaining") == "0":
            self.state["exhausted"][reply.headers["X-RateLimit-Resource"]] = int(reply.headers["X-RateLimit-Reset"])
        return reply

    def repository(self, match):
        if match["repo"] not in self.state["repositories"]:
            raise missing()
        return self.state["repositories"][match["repo"]]

    def writable(self, match):
        repository = self.repository(match)
        if not match["repo"].startswith(self.viewer + "/"):
            raise Refused(403, {"message": "Resource not accessible by personal access token"})
        return repository

    def gist(self, match):
        if match["id"] not in self.state["gists"]:
            raise missing()
        return self.state["gists"][match["id"]]


def page(request, items, wrap=lambda items: items):
    """Returns the requested page of items, with a link to the next one."""
    size, number = int(request.query.get("per_page", "30")), int(request.query.get("page", "1"))
    if size > 100:
        raise Violation("%d a page" % size)
    more = number * size < len(items)
    link = '<%s%s?per_page=%d&page=%d>; rel="next"' % (API, request.path, size, number + 1)
    return Reply(200, wrap(items[(number - 1) * size:number * size]), {"Link": link} if more else {})


def user_json(login):
    return {"login": login, "id": len(login), "node_id": "U_" + login, "type": "User", "html_url": "https://github.com/" + login}


def label_json(repo, name, label):
    return {"name": name, "color": label["color"], "description": label["description"], "default": False,
            "url": "%s/repos/%s/labels/%s" % (API, repo, name)}


def release_json(repo, it):
    url = "%s/repos/%s/releases/%d" % (API, repo, it["id"])
    return {
        "id": it["id"], "node_id": "RE_%d" % it["id"], "url": url, "html_url": "https://github.com/%s/releases/tag/%s" % (repo, it["tag"]),
        "upload_url": "https://uploads.github.com/repos/%s/releases/%d/assets{?name,label}" % (repo, it["id"]),
        "tarball_url": None, "zipball_url": None, "tag_name": it["tag"], "name": it["name"], "body": it["body"], "draft": it["draft"],
        "prerelease": it["prerelease"], "target_commitish": it["target"], "author": user_json(it["author"]),
        "created_at": it["createdAt"], "published_at": it["publishedAt"], "assets": [
            {"id": asset["id"], "node_id": "RA_%d" % asset["id"], "name": asset["name"], "label": "", "state": "uploaded",
             "content_type": asset["type"], "size": asset["size"], "download_count": asset["downloads"], "created_at": it["createdAt"],
             "updated_at": it["createdAt"], "url": "%s/repos/%s/releases/assets/%d" % (API, repo, asset["id"]),
             "browser_download_url": "https://github.com/%s/releases/download/%s/%s" % (repo, it["tag"], asset["name"])}
            for asset in it["assets"]]}


def gist_json(name, it, whole=True):
    files = {file: {"filename": file, "type": "text/plain", "language": "Python" if file.endswith(".py") else None,
                    "size": len(content.encode()), "raw_url": "https://gist.githubusercontent.com/%s/raw/%s" % (name, file)}
             for file, content in it["files"].items()}
    if whole:
        for file, content in it["files"].items():
            files[file].update({"truncated": len(content) > 900_000, "content": content[:900_000]})
    return {"id": name, "description": it["description"], "public": it["public"], "owner": user_json(it["owner"]), "files": files,
            "html_url": "https://gist.github.com/" + name, "created_at": it["createdAt"], "updated_at": it["updatedAt"],
            "comments": 0, "truncated": False}


def run_json(repo, it):
    url = "%s/repos/%s/actions/runs/%d" % (API, repo, it["id"])
    return {"id": it["id"], "name": "CI", "display_title": it["title"], "status": it["status"], "conclusion": it["conclusion"],
            "event": it["event"], "head_branch": it["branch"], "head_sha": it["sha"], "run_number": it["id"], "run_attempt": 1,
            "workflow_id": it["workflow"], "url": url, "jobs_url": url + "/jobs", "created_at": it["createdAt"],
            "updated_at": it["createdAt"], "run_started_at": it["createdAt"], "actor": user_json(it["actor"]),
            "html_url": "https://github.com/%s/actions/runs/%d" % (repo, it["id"])}


def job_json(repo, run, it):
    return {**it, "run_id": run["id"], "started_at": run["createdAt"], "completed_at": run["createdAt"],
            "steps": [{**step, "started_at": run["createdAt"], "completed_at": run["createdAt"]} for step in it["steps"]],
            "html_url": "https://github.com/%s/actions/runs/%d/job/%d" % (repo, run["id"], it["id"])}


def found_json(repo, it):
    """Returns an issue or pull request in the form of a search result."""
    place = "pull" if "head" in it else "issues"
    found = {"number": it["number"], "title": it["title"], "state": "open" if it["state"] == "OPEN" else "closed", "body": it["body"],
             "html_url": "https://github.com/%s/%s/%d" % (repo, place, it["number"]), "repository_url": "%s/repos/%s" % (API, repo),
             "user": user_json(it["author"]), "labels": [{"name": name} for name in it["labels"]], "comments": len(it["comments"]),
             "created_at": it["createdAt"], "updated_at": it["updatedAt"], "closed_at": it["closedAt"]}
    if "head" in it:
        found.update({"draft": it["draft"], "pull_request": {"html_url": found["html_url"], "merged_at": it["mergedAt"]}})
    return found


def brief_repository_json(repo, it):
    """Returns a repository in the form of a code search result."""
    return {"name": it["name"], "full_name": repo, "owner": user_json(repo.split("/")[0]), "description": it["description"],
            "html_url": "https://github.com/" + repo, "private": it["private"], "fork": False}


def repository_json(repo, it):
    return {**brief_repository_json(repo, it), "archived": False, "stargazers_count": it["stars"], "forks_count": it["forks"],
            "language": it["language"], "default_branch": "main", "topics": it["topics"], "updated_at": "2026-01-01T00:00:00Z"}


def register_labels(hub):
    @hub.on("GET", "/repos/{repo}/labels", query=PAGE)
    def _(request, match):
        return page(request, [label_json(match["repo"], *each) for each in hub.repository(match)["labels"].items()])

    @hub.on("POST", "/repos/{repo}/labels", body=JSON, fields="name color description")
    def _(request, match):
        labels = hub.writable(match)["labels"]
        name, color = request.fields.get("name"), request.fields.get("color")
        if name.lower() in (known.lower() for known in labels):
            raise invalid(resource="Label", code="already_exists", field="name")
        if len(color) != 6 or set(color) - set("0123456789abcdefABCDEF"):
            raise invalid(resource="Label", code="invalid", field="color")
        labels[name] = {"color": color, "description": request.fields.get("description", "")}
        return Reply(201, label_json(match["repo"], name, labels[name]))

    @hub.on("GET", "/repos/{repo}/labels/(?P<name>.+)")
    def _(_, match):
        labels = hub.repository(match)["labels"]
        if match["name"] not in labels:
            raise missing()
        return label_json(match["repo"], match["name"], labels[match["name"]])

    @hub.on("DELETE", "/repos/{repo}/labels/(?P<name>.+)")
    def _(_, match):
        labels = hub.writable(match)["labels"]
        if match["name"] not in labels:
            raise missing()
        del labels[match["name"]]
        return Reply(204)


def register_releases(hub):
    def named(match):
        for it in hub.repository(match)["releases"]:
            if str(it["id"]) == match["id"]:
                return it
        raise missing()

    @hub.on("GET", "/repos/{repo}/releases", query=PAGE)
    def _(request, match):
        return page(request, [release_json(match["repo"], it) for it in hub.repository(match)["releases"]])

    @hub.on("GET", "/repos/{repo}/releases/latest")
    def _(_, match):
        for it in hub.repository(match)["releases"]:
            if not it["draft"] and not it["prerelease"]:
                return release_json(match["repo"], it)
        raise missing()

    def tagged(_, match):
        for it in hub.repository(match)["releases"]:
            if it["tag"] == match["tag"] and not it["draft"]:
                return release_json(match["repo"], it)
        raise missing()
    hub.on("GET", "/repos/{repo}/releases/tags/(?P<tag>.+)")(tagged)
    hub.on("HEAD", "/repos/{repo}/releases/tags/(?P<tag>.+)")(tagged)

    @hub.on("GET", r"/repos/{repo}/releases/(?P<id>\d+)")
    def _(_, match):
        return release_json(match["repo"], named(match))

    @hub.on("POST", "/repos/{repo}/releases", body=JSON,
            fields="tag_name name body generate_release_notes draft prerelease target_commitish")
    def _(request, match):
        repository, tag = hub.writable(match), request.fields.get("tag_name")
        if any(it["tag"] == tag for it in repository["releases"]):
            raise invalid(resource="Release", code="already_exists", field="tag_name")
        hub.state["next"] += 1
        body = request.fields.get("body", "")
        if len(body) > LONGEST_NOTES:
            raise invalid(resource="Release", code="custom", field="body", message="body is too long (maximum is 125000 characters)")
        if request.fields.get("generate_release_notes", False):
            body = (body + "\n\n**Full Changelog**").strip()
        made = release(hub.state["next"], tag, name=request.fields.get("name", ""), body=body, draft=request.fields.get("draft", False),
                       prerelease=request.fields.get("prerelease", False), target=request.fields.get("target_commitish", "main"),
                       author=hub.viewer, createdAt=now())
        made["publishedAt"] = None if made["draft"] else now()
        repository["releases"].insert(0, made)
        if not made["draft"]:
            repository["tags"].setdefault(tag, repository["branches"].get(made["target"], made["target"]))
        return Reply(201, release_json(match["repo"], made))

    @hub.on("POST", r"/repos/{repo}/releases/(?P<id>\d+)/assets", query="name label", body="*")
    def _(request, match):
        hub.writable(match)
        hub.state["next"] += 1
        if request.query.get("label", ""):
            raise Violation("a label of an asset")
        content = request.body
        made = {"id": hub.state["next"], "name": request.query.get("name"), "type": request.type(), "size": len(content), "downloads": 0,
                "sha256": hashlib.sha256(content).hexdigest()}
        named(match)["assets"].append(made)
        return Reply(201, {"id": made["id"], "name": made["name"], "size": made["size"], "state": "uploaded"})

    @hub.on("PATCH", r"/repos/{repo}/releases/(?P<id>\d+)", body=JSON, fields="draft")
    def _(request, match):
        repository, it = hub.writable(match), named(match)
        it["draft"] = request.fields["draft"]
        it["publishedAt"] = now()
        repository["tags"].setdefault(it["tag"], repository["branches"].get(it["target"], it["target"]))
        return release_json(match["repo"], it)

    @hub.on("DELETE", r"/repos/{repo}/releases/(?P<id>\d+)")
    def _(_, match):
        hub.writable(match)["releases"].remove(named(match))
        return Reply(204)

    @hub.on("DELETE", "/repos/{repo}/git/refs/(?P<kind>heads|tags)/(?P<name>.+)")
    def _(_, match):
        names = hub.writable(match)["branches" if match["kind"] == "heads" else "tags"]
        if match["name"] not in names:
            raise Refused(422, {"message": "Reference does not exist", "documentation_url": "https://docs.github.com/rest"})
        del names[match["name"]]
        return Reply(204)


def register_gists(hub):
    @hub.on("GET", "/gists", query=PAGE)
    def _(request, _):
        mine = [(name, it) for name, it in hub.state["gists"].items() if it["owner"] == hub.viewer]
        return page(request, [gist_json(name, it, whole=False) for name, it in mine])

    @hub.on("GET", "/gists/(?P<id>[^/]+)")
    def _(_, match):
        return gist_json(match["id"], hub.gist(match))

    @hub.on("POST", "/gists", body=JSON, fields="files/*/content description public updated_at")
    def _(request, _):
        files = {name: file["content"] for name, file in request.fields["files"].items()}
        if not all(content.strip() for content in files.values()):
            raise invalid(resource="Gist", code="missing_field", field="files")
        hub.state["next"] += 1
        name = "dd%d" % hub.state["next"]
        hub.state["gists"][name] = {"description": request.fields.get("description", ""), "public": request.fields.get("public", False),
                                    "owner": hub.viewer, "files": files, "createdAt": now(), "updatedAt": now()}
        return Reply(201, gist_json(name, hub.state["gists"][name]))

    @hub.on("DELETE", "/gists/(?P<id>[^/]+)")
    def _(_, match):
        if hub.gist(match)["owner"] != hub.viewer:
            raise missing()
        del hub.state["gists"][match["id"]]
        return Reply(204)


def register_runs(hub):
    def named(match):
        for it in hub.repository(match)["runs"]:
            if str(it["id"]) == match["id"]:
                return it
        raise missing()

    def workflow_json(repository, number):
        return {"id": int(number), "name": repository["workflows"][number], "path": ".github/workflows/ci.yml", "state": "active"}

    def runs(request, match, wanted=None):
        if request.query.get("exclude_pull_requests", "true") != "true":
            raise Violation("runs with pull requests")
        branch, actor = request.query.get("branch"), request.query.get("actor")
        found = [it for it in hub.repository(match)["runs"] if branch in (None, it["branch"]) and actor in (None, it["actor"])
                 and wanted in (None, it["workflow"])]
        return page(request, [run_json(match["repo"], it) for it in found],
                    lambda part: {"total_count": len(found), "workflow_runs": part})

    @hub.on("GET", "/repos/{repo}/actions/runs", query=RUNS)
    def _(request, match):
        return runs(request, match)

    @hub.on("GET", "/repos/{repo}/actions/workflows", query=PAGE)
    def _(request, match):
        repository = hub.repository(match)
        return page(request, [workflow_json(repository, number) for number in repository["workflows"]],
                    lambda part: {"total_count": len(repository["workflows"]), "workflows": part})

    @hub.on("GET", "/repos/{repo}/actions/workflows/(?P<id>[^/]+)")
    def _(_, match):
        number = "70" if match["id"] == "ci.yml" else match["id"]
        if number not in hub.repository(match)["workflows"]:
            raise missing()
        return workflow_json(hub.repository(match), number)

    @hub.on("GET", r"/repos/{repo}/actions/workflows/(?P<id>\d+)/runs", query=RUNS)
    def _(request, match):
        return runs(request, match, int(match["id"]))

    @hub.on("GET", r"/repos/{repo}/actions/runs/(?P<id>\d+)", query="exclude_pull_requests")
    def _(_, match):
        return run_json(match["repo"], named(match))

    @hub.on("GET", r"/repos/{repo}/actions/runs/(?P<id>\d+)/jobs", query=PAGE)
    def _(request, match):
        run = named(match)
        return page(request, [job_json(match["repo"], run, it) for it in run["jobs"]],
                    lambda part: {"total_count": len(run["jobs"]), "jobs": part})


def register_searches(hub):
    def answer(request, found):
        if int(request.query.get("per_page", "30")) * (int(request.query.get("page", "1")) - 1) >= 1000:
            raise Refused(422, {"message": "Only the first 1000 search results are available"})
        return page(request, found, lambda part: {"total_count": len(found), "incomplete_results": False, "items": part})

    def query_of(request, known):
        query = request.query.get("q")
        for word in query.split():
            if word.startswith("repo:") and word[5:] not in hub.state["repositories"]:
                raise invalid(message="The listed users and repositories cannot be searched either because the resources do not exist "
                                      "or you do not have permission to view them.", resource="Search", field="q", code="invalid")
        if not known(query):
            raise Violation("the query %r" % query)
        return query

    @hub.on("GET", "/search/issues", query="q " + PAGE)
    def _(request, _):
        query = query_of(request, lambda query: "type:" in query)
        found = search(query, all_issues(hub.state), lambda it: it["title"] + "\n" + it["body"], hub.viewer)
        return answer(request, [found_json(*each) for each in found])

    @hub.on("GET", "/search/repositories", query="q " + PAGE)
    def _(request, _):
        found = search(query_of(request, bool), list(hub.state["repositories"].items()),
                       lambda it: it["name"] + "\n" + it["description"], hub.viewer)
        return answer(request, [repository_json(*each) for each in found])

    @hub.on("GET", "/search/code", query="q " + PAGE)
    def _(request, _):
        files = [(repo, {"path": path, "text": text}) for repo, it in hub.state["repositories"].items()
                 for path, text in it["files"].items()]
        found = search(query_of(request, bool), files, lambda it: it["text"], hub.viewer)
        return answer(request, [
            {"name": it["path"].split("/")[-1], "path": it["path"], "sha": hashlib.sha1(it["text"].encode()).hexdigest(), "score": 1.0,
             "html_url": "https://github.com/%s/blob/main/%s" % (repo, it["path"]),
             "repository": brief_repository_json(repo, hub.state["repositories"][repo])} for repo, it in found])


def make(directory):
    hub = GitHub(directory)

    @hub.on("POST", "/graphql", body=JSON, fields="query variables variables/*")
    def _(request, _):
        try:
            return github_graphql.execute(hub.state, hub.viewer, hub.execution)
        except (TypeError, KeyError) as error:
            raise Violation("%r in %s" % (error, request.fields)) from error

    @hub.on("GET", "/rate_limit")
    def _(_, __):
        def resource(name, limit):
            reset = hub.state["exhausted"].get(name)
            return {"limit": limit, "used": limit if reset else 1, "remaining": 0 if reset else limit - 1,
                    "reset": reset or int(time.time()) + 3600}
        resources = {name: resource(name, limit) for name, limit in (("core", 5000), ("graphql", 5000), ("search", 30))}
        return {"resources": resources, "rate": resources["core"]}

    @hub.on("GET", "/user")
    def _(_, __):
        return {**user_json(hub.viewer), "name": hub.state["users"][hub.viewer]}

    @hub.on("GET", "/repos/{repo}")
    def _(_, match):
        return repository_json(match["repo"], hub.repository(match))

    @hub.on("GET", r"/repos/{repo}/pulls/(?P<number>\d+)")
    def _(request, match):
        pull = hub.repository(match)["pulls"].get(match["number"])
        if pull is None:
            raise missing()
        if request.headers.get("accept") != "application/vnd.github.v3.diff":
            raise Violation("a pull request as %s" % request.headers.get("accept"))
        return Reply(200, pull["diff"], {"Content-Type": "application/vnd.github.v3.diff; charset=utf-8"})

    for register in (register_labels, register_releases, register_gists, register_runs, register_searches):
        register(hub)
    return hub

