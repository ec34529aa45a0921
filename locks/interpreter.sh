#!/bin/sh
# Prints the first of the named Python versions that runs here: sh locks/interpreter.sh 3.11 3.12
# PATH is asked first, then the versions that pyenv keeps (its shims exist but only run if chosen).
for version in "$@"; do
    for python in "python$version" python3 \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python"$version"; do
        found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
        if [ "$found" = "$version" ]; then
            command -v "$python"
            exit 0
        fi
    done
done
exit 1
