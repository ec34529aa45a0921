"""What every room uses: records, graphs, errors, rules, files, git, and reading of files."""
