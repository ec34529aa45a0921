"""One file that outlives this repository: everything committed, the site, and digests of the rest.

``contents`` collects it and says what may not be in it, ``bundle`` packs and verifies it; ``make``
does all of that, and describes it.
"""
