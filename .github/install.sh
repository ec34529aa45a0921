#!/bin/sh
# Installs what a job needs, each package from a lock and by its digest: sh .github/install.sh LOCK...
# A repository of boards alone pins the program in requirements.txt; the program's own holds it.
set -eu

install() {
    python -m pip install --only-binary :all: --no-deps "$@"
}

for lock in "$@"; do
    install --require-hashes -r "locks/$lock.txt"
done
if [ -f requirements.txt ]; then
    install -r requirements.txt
fi
