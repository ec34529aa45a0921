"""The static site: results and data in, pages out.

Reading order: ``records`` (what a page may know), ``reading`` (files to records), ``views`` (how
each task shows its items), ``boards`` and ``judge_pages`` (records to what templates show),
``pages`` (all of them, those of examples too), ``build`` (files out).

``browsing`` is what scripts know, ``exports`` what readers export, and ``outputs`` lists the files
of both. ``theme`` has the layouts, ``workers`` share the work, ``site_folder`` writes and serves.
"""
