"""The GraphQL part of the stand-in for GitHub: objects for queries, and mutations.

OPERATIONS lists the supported operations of gh. Fields and arguments are those that gh 2.23 and gh 2.46 send.
"""
import datetime
import re

import github_world
from graphql import Document, Execution, Failed
from standin import Violation

LONGEST_TITLE, LONGEST_BODY = 256, 65536

OPERATIONS = set("""
  IssueList IssueSearch IssueByNumber CommentsForIssue IssueCreate IssueUpdate IssueClose IssueReopen CommentCreate LabelAdd LabelRemove
  PullRequestList PullRequestSearch PullRequestByNumber PullRequestForBranch PullRequestStatusChecks CommentsForPullRequest
  ReviewsForPullRequest PullRequest_fields PullRequest_fields2 PullRequestCreate PullRequestCreateMetadata PullRequestCreateRequestReviews
  PullRequestReviewAdd PullRequestMerge PullRequestClose
  RepositoryInfo RepositoryResolveMetadataIDs RepositoryMilestoneList RepositoryLabelList RepositoryAssignableUsers
  RepositoryReleaseByTag LabelList UserCurrent""".split())

# For types whose schema gh 2.46 queries: the fields in GitHub's schema.
FIELDS = {
    "StatusCheckRollupContextConnection": "checkRunCount checkRunCountsByState edges nodes pageInfo statusContextCount "
                                          "statusContextCountsByState totalCount",
    "WorkflowRun": "checkSuite createdAt databaseId deploymentReviews event file id pendingDeploymentRequests resourcePath runNumber "
                   "updatedAt url workflow"}

TYPES = {"User": ("Actor", "RequestedReviewer"), "Issue": ("IssueOrPullRequest", "Node"), "PullRequest": ("IssueOrPullRequest", "Node")}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def connection(items, view):
    """Returns a function for pages of items; a cursor is the number of items before it."""
    def page(first=None, last=None, after="0"):
        start = int(after)
        end = start + min(first or last, 100)
        if (first or last) > 100:
            raise Failed("Requesting %d records on the connection exceeds the `first` limit of 100 records." % (first or last),
                         "EXCESSIVE_PAGINATION")
        more = end < len(items)
        return {"__typename": "Connection", "totalCount": len(items), "issueCount": len(items),
                "nodes": [view(item) for item in items[start:end]],
                "edges": [{"__typename": "Edge", "node": view(item)} for item in items[start:end]],
                "pageInfo": {"__typename": "PageInfo", "hasNextPage": more, "endCursor": str(min(end, len(items)))}}
    return page


def none(_):
    raise AssertionError


def refuse(message):
    raise Failed(message, "UNPROCESSABLE")


def checked(title=None, body=None):
    if title is not None and not title.strip():
        refuse("Title can't be blank")
    if title is not None and len(title) > LONGEST_TITLE:
        refuse("Title is too long (maximum is 256 characters)")
    if body is not None and len(body) > LONGEST_BODY:
        refuse("Body is too long (maximum is 65536 characters)")


class Objects:
    """The objects of a state that `viewer` may see."""

    def __init__(self, state, viewer):
        self.state, self.viewer = state, viewer

    def user(self, login):
        if login not in self.state["users"]:
            raise Failed("Could not resolve to a User with the login of '%s'." % login)
        return {"__typename": "User", "id": "U_" + login, "login": login, "name": self.state["users"][login]}

    def users(self, logins):
        return connection(logins, self.user)

    def label(self, name, repo):
        known = self.state["repositories"][repo]["labels"]
        if name not in known:
            return None
        return {"__typename": "Label", "id": "LA_%s#%s" % (repo, name), "name": name, **known[name]}

    def milestone(self, title, repo):
        number = self.state["repositories"][repo]["milestones"][title]
        return {"__typename": "Milestone", "id": "MI_%s#%s" % (repo, title), "number": number, "title": title, "description": "",
                "dueOn": None}

    def comment(self, comment, url):
        return {"__typename": "IssueComment", "id": comment["id"], "author": self.user(comment["author"]), "body": comment["body"],
                "authorAssociation": "MEMBER", "createdAt": comment["createdAt"], "includesCreatedEdit": False, "isMinimized": False,
                "minimizedReason": "", "reactionGroups": [], "viewerDidAuthor": comment["author"] == self.viewer,
                "url": "%s#issuecomment-%d" % (url, comment["number"])}

    def issue(self, repo, issue, kind="Issue", letters="I", place="issues"):
        url = "https://github.com/%s/%s/%d" % (repo, place, issue["number"])
        return {
            "__typename": kind, "id": "%s_%s#%d" % (letters, repo, issue["number"]), "url": url,
            **{name: issue[name] for name in ("number", "title", "body", "state", "createdAt", "updatedAt", "closedAt")},
            "stateReason": issue["stateReason"] or "", "closed": issue["state"] != "OPEN", "author": self.user(issue["author"]),
            "labels": connection(issue["labels"], lambda name: self.label(name, repo)), "assignees": self.users(issue["assignees"]),
            "milestone": issue["milestone"] and self.milestone(issue["milestone"], repo),
            "comments": connection(issue["comments"], lambda comment: self.comment(comment, url)),
            "projectCards": connection([], none), "reactionGroups": []}

    def check(self, check):
        names = {"__typename": check["__typename"], **check}
        if check["__typename"] == "CheckRun":
            names["checkSuite"] = {"__typename": "CheckSuite", "workflowRun": {"__typename": "WorkflowRun", "workflow": {
                "__typename": "Workflow", "name": check["workflow"]}}}
        return names

    def review(self, review, url):
        return {"__typename": "PullRequestReview", "id": review["id"], "author": self.user(review["author"]), "body": review["body"],
                "state": review["state"], "submittedAt": review["submittedAt"], "authorAssociation": "MEMBER", "reactionGroups": [],
                "includesCreatedEdit": False, "commit": {"__typename": "Commit", "oid": review["commit"]},
                "url": "%s#pullrequestreview-%s" % (url, review["id"])}

    def pull(self, repo, pull):
        owner = repo.split("/")[0]
        commit = {"__typename": "Commit", "oid": pull["headOid"],
                  "statusCheckRollup": {"__typename": "StatusCheckRollup", "contexts": connection(pull["checks"], self.check)}
                  if pull["checks"] else None}
        commits = {"__typename": "Connection", "totalCount": 1, "nodes": [{"__typename": "PullRequestCommit", "commit": commit}]}
        issue = self.issue(repo, pull, "PullRequest", "PR", "pull")
        return {
            **issue,
            "isDraft": pull["draft"], "headRefName": pull["head"], "baseRefName": pull["base"], "headRefOid": pull["headOid"],
            "isCrossRepository": ":" in pull["head"], "headRepositoryOwner": self.user(owner), "maintainerCanModify": True,
            "mergeable": "CONFLICTING" if pull["mergeStateStatus"] == "DIRTY" else "MERGEABLE",
            "mergeStateStatus": pull["mergeStateStatus"], "mergedAt": pull["mergedAt"],
            "mergedBy": pull["mergedBy"] and self.user(pull["mergedBy"]), "isInMergeQueue": False, "isMergeQueueEnabled": False,
            "mergeCommit": pull["mergeCommit"] and {"__typename": "Commit", "oid": pull["mergeCommit"]},
            "additions": sum(file["additions"] for file in pull["files"]),
            "deletions": sum(file["deletions"] for file in pull["files"]), "changedFiles": len(pull["files"]),
            "files": connection(pull["files"], lambda file: {"__typename": "PullRequestChangedFile", **file}),
            "reviews": connection(pull["reviews"], lambda review: self.review(review, issue["url"])),
            "reviewDecision": "APPROVED" if any(review["state"] == "APPROVED" for review in pull["reviews"]) else "REVIEW_REQUIRED",
            "reviewRequests": connection(pull["reviewers"], lambda login: {"__typename": "ReviewRequest",
                                                                           "requestedReviewer": self.user(login)}),
            "commits": lambda first=None, last=None: commits,
        }

    def issue_or_pull(self, repo, number):
        repository = self.state["repositories"][repo]
        if str(number) in repository["issues"]:
            return self.issue(repo, repository["issues"][str(number)])
        if str(number) in repository["pulls"]:
            return self.pull(repo, repository["pulls"][str(number)])
        raise Failed("Could not resolve to an issue or pull request with the number of %d." % number)

    def pull_of(self, repo, number):
        pulls = self.state["repositories"][repo]["pulls"]
        if str(number) not in pulls:
            raise Failed("Could not resolve to a PullRequest with the number of %d." % number)
        return self.pull(repo, pulls[str(number)])

    def issues(self, repo, states=("OPEN", "CLOSED"), filterBy=None, orderBy=None, **page):  # pylint: disable=invalid-name
        newest_first(orderBy)
        wanted = filterBy or {}
        if set(wanted) - {"assignee", "createdBy", "mentioned"} or wanted.get("mentioned"):
            raise Violation("issues by %s" % wanted)
        who, by = wanted.get("assignee"), wanted.get("createdBy")
        found = [issue for issue in self.state["repositories"][repo]["issues"].values()
                 if issue["state"] in states and who in [None, *issue["assignees"]] and by in (None, issue["author"])]
        return connection(found[::-1], lambda issue: self.issue(repo, issue))(**page)

    def pulls(self, repo, states=("OPEN", "CLOSED", "MERGED"), baseRefName=None, headRefName=None, orderBy=None,
              **page):  # pylint: disable=invalid-name
        newest_first(orderBy)
        found = [pull for pull in self.state["repositories"][repo]["pulls"].values()
                 if pull["state"] in states and baseRefName in (None, pull["base"]) and headRefName in (None, pull["head"])]
        return connection(found[::-1], lambda pull: self.pull(repo, pull))(**page)

    def labels(self, repo, query="", orderBy=None, **page):  # pylint: disable=invalid-name
        if orderBy not in (None, {"direction": "ASC", "field": "CREATED_AT"}, {"direction": "ASC", "field": "NAME"}):
            raise Violation("labels in the order %s" % orderBy)
        known = self.state["repositories"][repo]["labels"]
        found = [name for name in known if query.lower() in name.lower() + "\n" + known[name]["description"].lower()]
        return connection(found, lambda name: self.label(name, repo))(**page)

    def release(self, repo, tag):
        for release in self.state["repositories"][repo]["releases"]:
            if release["tag"] == tag:
                return {"__typename": "Release", "databaseId": release["id"], "isDraft": release["draft"], "name": release["name"],
                        "tagName": tag, "url": "https://github.com/%s/releases/tag/%s" % (repo, tag),
                        "publishedAt": release["publishedAt"]}
        return None

    def repository(self, owner, name):
        repo = "%s/%s" % (owner, name)
        if repo not in self.state["repositories"]:
            raise Failed("Could not resolve to a Repository with the name '%s'." % repo)
        it = self.state["repositories"][repo]
        published = [release for release in it["releases"] if not release["draft"] and not release["prerelease"]]

        def named(kind, value):
            return {"__typename": kind, "name": value}
        return {
            "__typename": "Repository", "id": "R_" + repo, "name": name, "nameWithOwner": repo, "owner": self.user(owner),
            "url": "https://github.com/" + repo, "description": it["description"], "homepageUrl": it["homepage"],
            "isPrivate": it["private"], "isFork": False, "isArchived": False, "stargazerCount": it["stars"], "forkCount": it["forks"],
            "hasIssuesEnabled": it["issuesEnabled"], "hasWikiEnabled": False, "parent": None, "createdAt": "2020-01-01T00:00:00Z",
            "pushedAt": "2026-01-01T00:00:00Z", "viewerPermission": "ADMIN" if owner == self.viewer else "READ",
            "mergeCommitAllowed": True, "rebaseMergeAllowed": True, "squashMergeAllowed": True,
            "defaultBranchRef": named("Ref", "main"), "primaryLanguage": named("Language", it["language"]),
            "licenseInfo": {"__typename": "License", "key": "mit", "name": "MIT License", "nickname": ""},
            "repositoryTopics": connection(it["topics"], lambda topic: {"__typename": "RepositoryTopic",
                                                                        "topic": named("Topic", topic)}),
            "latestRelease": self.release(repo, published[0]["tag"]) if published else None,
            "issues": lambda **page: self.issues(repo, **{"first": 1, **page}),
            "pullRequests": lambda **page: self.pulls(repo, **{"first": 1, **page}),
            "labels": lambda **page: self.labels(repo, **page),
            "label": lambda name: self.label(name, repo),
            "milestones": lambda states, **page: connection(list(it["milestones"]), lambda title: self.milestone(title, repo))(**page),
            "assignableUsers": self.users(list(self.state["users"])),
            "issue": lambda number: self.issue_or_pull(repo, number), "issueOrPullRequest": lambda number: self.issue_or_pull(repo, number),
            "pullRequest": lambda number: self.pull_of(repo, number),
            "release": lambda tagName: self.release(repo, tagName),
        }

    def search(self, type, query, **page):  # pylint: disable=redefined-builtin
        if type != "ISSUE":
            raise Violation("a search for %s" % type)
        found = github_world.search(query, all_issues(self.state), lambda issue: issue["title"] + "\n" + issue["body"], self.viewer)
        return connection(found, lambda each: (self.pull if "head" in each[1] else self.issue)(*each))(**page)

    def named_by(self, identifier):
        """Returns (repository, issue or pull request) for an id."""
        match = re.fullmatch(r"(I|PR)_(.+)#(\d+)", identifier)
        if match is None:
            raise Failed("Could not resolve to a node with the global id of '%s'." % identifier)
        return match[2], self.state["repositories"][match[2]]["issues" if match[1] == "I" else "pulls"][match[3]]

    def node(self, id):  # pylint: disable=redefined-builtin
        repo, issue = self.named_by(id)
        return (self.pull if "head" in issue else self.issue)(repo, issue)

    def query(self):
        def fields_of(name):
            if name == "PullRequest":
                known = list(self.pull("ann/project", self.state["repositories"]["ann/project"]["pulls"]["4"]))
            elif name in FIELDS:
                known = FIELDS[name].split()
            else:
                raise Violation("the fields of %s" % name)
            return {"__typename": "__Type", "fields": lambda includeDeprecated=False: [{"__typename": "__Field", "name": name}
                                                                                        for name in known]}
        return {"__typename": "Query", "viewer": self.user(self.viewer), "repository": self.repository, "search": self.search,
                "node": self.node, "user": self.user, "__type": fields_of}


class Mutations(Objects):
    """Operations that change the state. An unexpected member of `input` is a Violation."""

    def changed(self, repo, issue):
        if not repo.startswith(self.viewer + "/"):
            raise Failed("Resource not accessible by personal access token", "FORBIDDEN")
        issue["updatedAt"] = now()

    def labelled(self, ids):
        return [identifier.split("#", 1)[1] for identifier in ids or []]

    def create(self, repo, kind, make, title, body):
        if not repo.startswith(self.viewer + "/"):
            raise Failed("Resource not accessible by personal access token", "FORBIDDEN")
        checked(title, body)
        repository = self.state["repositories"][repo]
        number = repository["next"]
        repository["next"] += 1
        repository[kind][str(number)] = made = make(number)
        made["createdAt"] = made["updatedAt"] = now()
        return made

    def update(self, issue, title=None, body=None, assigneeIds=None, labelIds=None, milestoneId=None):  # pylint: disable=invalid-name
        checked(title, body)
        given = {"title": title, "body": body, "assignees": assigneeIds and [identifier[2:] for identifier in assigneeIds],
                 "labels": labelIds and self.labelled(labelIds), "milestone": milestoneId and milestoneId.split("#", 1)[1]}
        issue.update({name: value for name, value in given.items() if value is not None})

    def create_issue(self, repositoryId, title, body, projectIds=None, **more):  # pylint: disable=invalid-name
        repo = repositoryId[2:]
        made = self.create(repo, "issues", lambda number: github_world.issue(number, title, body, author=self.viewer),
                           title, body)
        if projectIds:
            raise Violation("projects")
        self.update(made, **more)
        return {"__typename": "Payload", "issue": self.issue(repo, made)}

    def update_issue(self, id, **more):  # pylint: disable=redefined-builtin
        repo, issue = self.named_by(id)
        self.changed(repo, issue)
        self.update(issue, **more)
        return {"__typename": "UpdateIssuePayload"}

    def add_comment(self, subjectId, body):  # pylint: disable=invalid-name
        repo, issue = self.named_by(subjectId)
        self.changed(repo, issue)
        if not body.strip():
            refuse("Body can't be blank")
        checked(body=body)
        self.state["next"] += 1
        made = {"id": "IC_%d" % self.state["next"], "number": self.state["next"], "author": self.viewer, "body": body,
                "createdAt": now()}
        issue["comments"].append(made)
        url = self.node(subjectId)["url"]
        return {"__typename": "Payload", "commentEdge": {"__typename": "Edge", "node": self.comment(made, url)}}

    def change_labels(self, labelableId, labelIds, add):  # pylint: disable=invalid-name
        repo, issue = self.named_by(labelableId)
        self.changed(repo, issue)
        names = self.labelled(labelIds)
        kept = [name for name in issue["labels"] if name not in names]
        issue["labels"] = kept + names if add else kept
        return {"__typename": "Payload"}

    def close(self, identifier, state, reason=None):
        repo, issue = self.named_by(identifier)
        self.changed(repo, issue)
        if issue["state"] == "MERGED":
            refuse("Could not close the pull request.")
        issue.update({"state": state, "stateReason": reason, "closedAt": now() if state == "CLOSED" else None})
        which = "pullRequest" if "head" in issue else "issue"
        return {"__typename": "Payload", which: self.node(identifier)}

    def create_pull(self, repositoryId, baseRefName, headRefName, title, body, draft,
                    maintainerCanModify):  # pylint: disable=invalid-name
        repo = repositoryId[2:]
        branches = self.state["repositories"][repo]["branches"]
        for name in (baseRefName, headRefName):
            if name not in branches:
                refuse("%s sha can't be blank, No commits between %s and %s" % (
                    "Head" if name == headRefName else "Base", baseRefName, headRefName))
        if not maintainerCanModify:
            raise Violation("a pull request that its maintainer cannot modify")
        made = self.create(repo, "pulls", lambda number: github_world.pull(
            number, title, headRefName, body=body, base=baseRefName, draft=draft, author=self.viewer), title, body)
        return {"__typename": "Payload", "pullRequest": self.pull(repo, made)}

    def update_pull(self, pullRequestId, **more):  # pylint: disable=invalid-name
        repo, pull = self.named_by(pullRequestId)
        self.changed(repo, pull)
        self.update(pull, **more)
        return {"__typename": "Payload", "clientMutationId": None}

    def request_reviews(self, pullRequestId, union, userIds=None, teamIds=None):  # pylint: disable=invalid-name
        _, pull = self.named_by(pullRequestId)
        if not union or teamIds:
            raise Violation("reviews of teams, or instead of others")
        pull["reviewers"] += [identifier[2:] for identifier in userIds]
        return {"__typename": "Payload", "clientMutationId": None}

    def review_pull(self, pullRequestId, event, body):  # pylint: disable=invalid-name
        repo, pull = self.named_by(pullRequestId)
        self.changed(repo, pull)
        checked(body=body)
        if event != "COMMENT" and pull["author"] == self.viewer:
            refuse("Can not %s your own pull request" % event.lower().replace("_", " "))
        state = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}[event]
        self.state["next"] += 1
        pull["reviews"].append({"id": "PRR_%d" % self.state["next"], "author": self.viewer, "body": body, "state": state,
                                "submittedAt": now(), "commit": pull["headOid"]})
        return {"__typename": "Payload", "clientMutationId": None}

    def merge(self, pullRequestId, mergeMethod, commitHeadline=None, commitBody=None,
              expectedHeadOid=None):  # pylint: disable=invalid-name
        repo, pull = self.named_by(pullRequestId)
        self.changed(repo, pull)
        if pull["state"] != "OPEN" or pull["draft"]:
            refuse("Pull Request is not mergeable")
        if expectedHeadOid not in (None, pull["headOid"]):
            refuse("Head branch was modified. Review and try the merge again.")
        pull.update({"state": "MERGED", "mergedAt": now(), "closedAt": now(), "mergedBy": self.viewer, "mergeMethod": mergeMethod,
                     "mergeCommit": github_world.sha(self.state["next"]), "mergeHeadline": commitHeadline, "mergeBody": commitBody})
        return {"__typename": "Payload", "clientMutationId": None}

    def mutation(self):
        return {"__typename": "Mutation", **{name: (lambda input, act=act: act(**input)) for name, act in {
            "createIssue": self.create_issue,
            "updateIssue": self.update_issue,
            "closeIssue": lambda issueId, stateReason="COMPLETED": self.close(issueId, "CLOSED", stateReason),
            "reopenIssue": lambda issueId: self.close(issueId, "OPEN"),
            "addComment": self.add_comment,
            "addLabelsToLabelable": lambda **given: self.change_labels(add=True, **given),
            "removeLabelsFromLabelable": lambda **given: self.change_labels(add=False, **given),
            "createPullRequest": self.create_pull,
            "updatePullRequest": self.update_pull,
            "requestReviews": self.request_reviews,
            "addPullRequestReview": self.review_pull,
            "mergePullRequest": self.merge,
            "closePullRequest": lambda pullRequestId: self.close(pullRequestId, "CLOSED"),
        }.items()}}


def newest_first(order):
    if order not in (None, {"field": "CREATED_AT", "direction": "DESC"}):
        raise Violation("in the order %s" % order)


def all_issues(state):
    return [(repo, issue) for repo, repository in state["repositories"].items()
            for kind in ("issues", "pulls") for issue in repository[kind].values()]


def read(query, variables):
    """Returns the execution of a document. Its operation must be in OPERATIONS, with exactly its variables."""
    document = Document(query)
    if document.name not in OPERATIONS:
        raise Violation("the GraphQL operation %r" % document.name)
    variables = variables or {}
    if document.name == "IssueSearch":
        variables.pop("perPage", None)  # gh 2.23 sends it with the second page, although its document does not declare it
    return Execution(document, variables, TYPES)


def execute(state, viewer, execution):
    objects = Mutations(state, viewer)
    return execution.reply(objects.mutation() if execution.document.kind == "mutation" else objects.query())
