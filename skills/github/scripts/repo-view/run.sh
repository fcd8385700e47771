#!/bin/bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../_lib/gh.sh
. "$BAND_LIB/gh.sh"
from_input '"--", .repository'
fields=nameWithOwner,description,url,homepageUrl,isPrivate,isFork,isArchived,stargazerCount,forkCount,issues,pullRequests
fields+=,defaultBranchRef,primaryLanguage,licenseInfo,repositoryTopics,latestRelease,createdAt,pushedAt
run repo view --json="$fields" "${words[@]}"
result '{repository: .nameWithOwner, description: (.description // ""), homepage: (.homepageUrl // ""), private: .isPrivate,
  fork: .isFork, archived: .isArchived, stars: .stargazerCount, forks: .forkCount, openIssues: .issues.totalCount,
  openPullRequests: .pullRequests.totalCount, defaultBranch: (.defaultBranchRef.name? // ""), language: (.primaryLanguage.name? // null),
  license: (.licenseInfo.key? // null), topics: [.repositoryTopics[]?.name], latestRelease: (.latestRelease.tagName? // null),
  createdAt, pushedAt, url}'
