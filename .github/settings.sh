#!/bin/sh
# What GitHub must know of this repository. Read it, then run it in a clone, as an administrator who
# is logged in with `gh auth login`. It may be run again: it sets the same once more.
#
#   sh .github/settings.sh hosted    GitHub's machines score: no metric needs a model
#   sh .github/settings.sh gpu       your own machines score: a runner group of your organisation
#   sh .github/settings.sh check     sets nothing: compares the rules of main with those below
set -eu

usage() {
    sed -n 's/^#   //p' "$0" >&2
    exit 2
}
[ $# = 1 ] || usage
case $1 in hosted | gpu | check) ;; *) usage ;; esac

repository=${GITHUB_REPOSITORY:-$(gh repo view --json nameWithOwner --jq .nameWithOwner)}
here=repos/$repository

# put METHOD PATH: sends the JSON of standard input.
put() {
    gh api --silent --method "$1" "$here$2" --input -
}

# has LINE: whether standard input has the line.
has() {
    grep -Fqx -- "$1"
}

check() {
    expected="annotations deletion non_fast_forward pull_request required_status_checks squash validate"
    rules=$(gh api "$here/rules/branches/main" --jq '[.[]
        | .type, .parameters.allowed_merge_methods[]?, .parameters.required_status_checks[]?.context]
        | sort | join(" ")')
    if [ "$rules" != "$expected" ]; then
        echo "rules of main: '$rules'; expected '$expected'; run: sh .github/settings.sh hosted|gpu" >&2
        exit 3
    fi
    echo "The rules of main are as they should be."
}

actions() {
    echo "Actions: GitHub's own alone, pinned by commit, with read permissions"
    put PUT /actions/permissions <<'JSON'
{"enabled": true, "allowed_actions": "selected", "sha_pinning_required": true}
JSON
    put PUT /actions/permissions/selected-actions <<'JSON'
{"github_owned_allowed": true, "verified_allowed": false, "patterns_allowed": []}
JSON
    put PUT /actions/permissions/workflow <<'JSON'
{"default_workflow_permissions": "read", "can_approve_pull_request_reviews": false}
JSON
    put PUT /actions/permissions/fork-pr-contributor-approval <<'JSON'
{"approval_policy": "all_external_contributors"}
JSON
}

# Secrets and variables of an environment are for jobs of main alone.
environment() {
    echo "Environment $1: branch main alone"
    put PUT "/environments/$1" <<'JSON'
{"deployment_branch_policy": {"protected_branches": false, "custom_branch_policies": true}}
JSON
    policies=$here/environments/$1/deployment-branch-policies
    if ! gh api "$policies" --jq '.branch_policies[].name' | has main; then
        gh api --silent --method POST "$policies" -f name=main -f type=branch
    fi
}

publish_key() {
    echo "The deploy key with which publish pushes to main; its private half is kept nowhere else"
    if gh secret list --repo "$repository" --env publishing --json name --jq '.[].name' |
        has PUBLISH_KEY; then
        echo "  there already; for a new one delete this secret and the deploy key, then run this again"
        return
    fi
    keys=$(mktemp -d)
    trap 'rm -rf "$keys"' EXIT
    ssh-keygen -q -t ed25519 -N '' -C publisher -f "$keys/publish"
    gh repo deploy-key add "$keys/publish.pub" --repo "$repository" --allow-write --title publisher
    gh secret set PUBLISH_KEY --repo "$repository" --env publishing < "$keys/publish"
}

# Only where a board hides gold. GOLD_KEY names the key file, GOLD_SOURCE where sealed gold lies.
gold_key() {
    grep -Eqs 'gold: *"?hidden' boards/*/board.yaml || return 0
    echo "The key that opens hidden gold; keep the file, and a copy off line"
    file=${GOLD_KEY:-$HOME/whyboard.key}
    [ -e "$file" ] || scorer gold key "$file"
    tail -n 1 "$file" | gh secret set WHYBOARD_GOLD_IDENTITY --repo "$repository" --env scoring
    gh variable set WHYBOARD_GOLD_SOURCE --repo "$repository" --env scoring \
        --body "${GOLD_SOURCE:-age:gold}"
}

pages() {
    echo "Pages: deployed by a workflow"
    method=POST
    if gh api --silent "$here/pages" 2> /dev/null; then method=PUT; fi
    gh api --silent --method "$method" "$here/pages" -f build_type=workflow
    gh variable set WHYBOARD_SITE_URL --repo "$repository" \
        --body "$(gh api "$here/pages" --jq .html_url)"
}

hosted() {
    gh variable set WHYBOARD_RUNNER --repo "$repository" --body '"ubuntu-24.04"'
}

# Machines with the labels self-hosted and gpu, which score.yml asks for where no variable says
# otherwise. A group needs an organisation.
gpu() {
    gh variable delete WHYBOARD_RUNNER --repo "$repository" 2> /dev/null || true
    groups=orgs/${repository%%/*}/actions/runner-groups
    if gh api "$groups" --jq '.runner_groups[].name' | has scoring; then return; fi
    echo "Runner group scoring: this repository and its score.yml of main alone"
    id=$(gh api --method POST "$groups" --jq .id --input - << JSON
{"name": "scoring", "visibility": "selected", "allows_public_repositories": true,
 "restricted_to_workflows": true,
 "selected_workflows": ["$repository/.github/workflows/score.yml@refs/heads/main"]}
JSON
    )
    gh api --silent --method PUT "$groups/$id/repositories/$(gh api "$here" --jq .id)"
}

merging() {
    echo "Squash merging alone, labels of the issue forms, reports of security"
    put PATCH "" <<'JSON'
{"allow_squash_merge": true, "allow_merge_commit": false, "allow_rebase_merge": false}
JSON
    for label in gold submission withdrawal; do
        gh label create "$label" --repo "$repository" --force
    done
    put PATCH "" <<'JSON' || echo "  secret scanning is not offered here"
{"security_and_analysis": {"secret_scanning": {"status": "enabled"},
                           "secret_scanning_push_protection": {"status": "enabled"}}}
JSON
    gh api --silent --method PUT "$here/private-vulnerability-reporting" ||
        echo "  private reports are not offered here"
}

# 15368 is the app GitHub Actions, which reports the checks.
ruleset() {
    echo "Ruleset of main: from now on changes come by pull request, and publish alone pushes"
    number=$(gh api "$here/rulesets" --jq '.[] | select(.name == "main") | .id')
    if [ -n "$number" ]; then set -- PUT "/rulesets/$number"; else set -- POST /rulesets; fi
    put "$@" <<'JSON'
{"name": "main", "target": "branch", "enforcement": "active",
 "bypass_actors": [{"actor_id": null, "actor_type": "DeployKey", "bypass_mode": "always"}],
 "conditions": {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}},
 "rules": [
  {"type": "deletion"},
  {"type": "non_fast_forward"},
  {"type": "pull_request", "parameters": {
   "required_approving_review_count": 0, "dismiss_stale_reviews_on_push": true,
   "require_code_owner_review": false, "require_last_push_approval": false,
   "required_review_thread_resolution": false, "allowed_merge_methods": ["squash"]}},
  {"type": "required_status_checks", "parameters": {
   "strict_required_status_checks_policy": false,
   "required_status_checks": [{"context": "validate", "integration_id": 15368},
                              {"context": "annotations", "integration_id": 15368}]}}]}
JSON
}

if [ "$1" = check ]; then
    check
    exit
fi
if grep -qs '@maintainers' .github/CODEOWNERS; then
    echo "note: .github/CODEOWNERS still says @maintainers; write your account or team"
fi
actions
for name in scoring publishing github-pages; do environment "$name"; done
publish_key
gold_key
pages
"$1"
merging
ruleset
echo "Set. What a checkout lacks: scorer ci doctor"
