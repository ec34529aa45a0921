"""One file that outlives this repository: ``git archive``, the site, and digests of the rest.

``make`` writes it, ``contents`` says what may not be in it, ``verify`` hashes every file again.
"""
